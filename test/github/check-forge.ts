// Collects what a forge exchanged, and compares it with GitHub's published descriptions.
import type { Forge } from '../fakes/forge/forge.ts'
import type { Exchange } from '../fakes/forge/http.ts'
import { findAnswerProblems, findPayloadProblems, findRequestProblems } from './description.ts'

export interface DescriptionCheck {
  /** An option of `startForge`. */
  readonly observe: (exchange: Exchange) => void
  /** Returns where answers and payloads differ from the description, each difference once. */
  answerProblems(forge: Pick<Forge, 'deliveries'>): readonly string[]
  /** Returns where requests differ, each difference once. */
  requestProblems(): readonly string[]
}

export function createDescriptionCheck(): DescriptionCheck {
  const exchanges: Exchange[] = []
  const collect = (find: (exchange: Exchange) => readonly string[]) =>
    exchanges.flatMap((exchange) => {
      const { method, path, status } = exchange
      const name = `${method} ${path.replaceAll(/\d{4,}|[0-9a-f]{40}/g, 'N')} ${status}`
      return find(exchange).map((problem) => `${name}: ${problem}`)
    })
  return {
    observe: (exchange) => void exchanges.push(exchange),
    requestProblems: () => unique(collect(findRequestProblems)),
    answerProblems: ({ deliveries }) => {
      const sent = deliveries.flatMap(({ action, event, payload }) =>
        findPayloadProblems(event, payload).map((problem) => `${event}.${action}: ${problem}`),
      )
      return unique([...collect(findAnswerProblems), ...sent])
    },
  }
}

const unique = (lines: readonly string[]): readonly string[] => [...new Set(lines)].sort()
