// Recognizes requests to answer a question, for a scripted model.
import { answerInstructions } from '../../../src/reviewers/prompts/answer-prompt.ts'
import type { ModelRequest } from './reply.ts'

const instructionsPrefix = answerInstructions('').slice(0, 100)

export function isAnswerRequest(request: ModelRequest): boolean {
  return request.system.includes(instructionsPrefix)
}
