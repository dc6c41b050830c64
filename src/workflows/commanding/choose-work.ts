// Decides which work a request from the platform is.
import { isQuestion } from '../../commands/commands.ts'
import { parseComment } from '../../commands/parse-comment.ts'
import type { PlatformRequest } from '../../domain/platform-request.ts'
import type { DeliveredRequest } from '../../work/platform-requests.ts'
import { isOurAnswer } from '../posting/markers.ts'

/** Comments of people among themselves, and answers of ours, request nothing. */
export function chooseWork(
  request: PlatformRequest | 'nothing',
  names: readonly string[],
): Pick<DeliveredRequest, 'request' | 'work'> | 'nothing' {
  if (request === 'nothing') return request
  if (request.kind !== 'comment') return { request, work: 'request' }
  const { body, comment } = request
  if (isOurAnswer(body)) return 'nothing'
  const parsed = parseComment(body, names)
  if (parsed.kind === 'none' && comment.threadId === null) return 'nothing'
  const mayAskModel = parsed.kind === 'command' ? isQuestion(parsed.name) : parsed.kind === 'none'
  return { request, work: mayAskModel ? 'answer' : 'request' }
}
