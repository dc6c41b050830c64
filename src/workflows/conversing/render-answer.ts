// Renders answers for the pull request: what the model says, escaped, and what our own code adds.
import type { Finding } from '../../domain/finding.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import type { Answer } from '../../reviewers/reviewer.ts'
import { rules } from '../../reviewers/rules/index.ts'
import { codeSpan, escapeMarkdown } from '../posting/escape-markdown.ts'

const maxAnswerLength = 3_000

/** What an answer is about, and how people dismiss it. */
export interface AnswerSubject {
  /** Null for the whole change. */
  readonly finding: Finding | null
  /** By which people mention us, without `@`. */
  readonly name: string
  /** Whether people can resolve threads. */
  readonly canResolve: boolean
}

/** Renders the answer of a model. A concession describes how to accept it. */
export function renderAnswer(
  { text, position }: Answer,
  subject: AnswerSubject,
  secrets: readonly string[],
): string {
  const escaped = escapeMarkdown(redactKnownSecrets(text, secrets), { maxLength: maxAnswerLength })
  if (position !== 'concedes' || subject.finding?.state !== 'open') return escaped
  return [
    escaped,
    '**This finding seems to be wrong.** It counts until somebody who may write to the ' +
      `repository dismisses it: ${describeDismissing(subject)}.`,
  ].join('\n\n')
}

/**
 * Renders what the rule of a finding looks for, for want of a model.
 *
 * @param reason why no model answers, as a sentence
 */
export function renderWithoutModel(subject: AnswerSubject, reason: string): string {
  const { finding } = subject
  if (finding === null) return reason
  const dismissal =
    finding.state === 'open'
      ? [
          'Somebody who may write to the repository can dismiss this finding: ' +
            `${describeDismissing(subject)}.`,
        ]
      : []
  return [describeOrigin(finding), ...dismissal, reason].join('\n\n')
}

function describeOrigin({ rule: id }: Finding): string {
  const rule = id === null ? undefined : rules.find((each) => each.id === id)
  if (rule === undefined) return 'A model reported this finding; no rule describes it.'
  const also = rule.seeAlso === undefined ? '' : ` See also ${rule.seeAlso.join(', ')}.`
  const reported = `The rule ${codeSpan(rule.id)} reported this finding.`
  return `${reported} It looks for this: ${rule.summary}${also}`
}

function describeDismissing({ name, canResolve }: AnswerSubject): string {
  const command = `reply ${codeSpan(`@${name} dismiss`)} with a reason`
  return canResolve ? `${command}, or resolve this conversation` : command
}
