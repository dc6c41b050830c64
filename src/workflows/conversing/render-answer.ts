// Renders the answer of a model for the pull request: its words, escaped, and what follows from a
// concession.
import type { Finding } from '../../domain/finding.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import type { Answer } from '../../reviewers/reviewer.ts'
import { escapeMarkdown } from '../posting/escape-markdown.ts'

const maxAnswerLength = 3_000

/**
 * A concession describes how to accept it: it has no effect itself.
 *
 * @param mention how we are mentioned, with `@`
 */
export function renderAnswer(
  { text, position }: Answer,
  { finding, mention }: { readonly finding: Finding | null; readonly mention: string },
  secrets: readonly string[],
): string {
  const escaped = escapeMarkdown(redactKnownSecrets(text, secrets), { maxLength: maxAnswerLength })
  const counts = finding?.state === 'open' && finding.dismissal === undefined
  if (position !== 'concedes' || !counts) return escaped
  return (
    `${escaped}\n\n**So this finding seems to be wrong.** It counts until somebody who may write ` +
    `to this repository resolves this thread, or replies \`${mention} dismiss <reason>\`.`
  )
}
