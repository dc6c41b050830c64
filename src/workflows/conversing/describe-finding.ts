// Describes a finding without a model: what its rule looks for, and how to dismiss it.
import type { Finding } from '../../domain/finding.ts'
import { rules } from '../../reviewers/rules/index.ts'
import { codeSpan, escapeLine } from '../posting/escape-markdown.ts'

/** @param mention how we are mentioned, with `@` */
export function describeFinding(finding: Finding, mention: string): string {
  return [
    describeOrigin(finding),
    ...describeEvidence(finding),
    describeState(finding, mention),
  ].join('\n\n')
}

function describeOrigin({ rule: id, verified, confidence }: Finding): string {
  const rule = rules.find((one) => one.id === id)
  if (rule !== undefined) {
    const seeAlso = rule.seeAlso === undefined ? '' : ` See also ${rule.seeAlso.join(', ')}.`
    return (
      `The rule ${codeSpan(rule.id)} reported this. It looks for this: ${rule.summary}${seeAlso} ` +
      'If that does not fit this repository, `rules.disable` in its settings turns the rule off.'
    )
  }
  const check = verified
    ? 'A second look at the code confirmed it.'
    : 'A second look at the code did not confirm it.'
  return `A model reported this, with a confidence of ${Math.round(confidence * 100)}%. ${check}`
}

function describeEvidence({ evidence }: Finding): string[] {
  const lines = evidence.slice(0, 10).map(({ path, line, note }) => {
    const location = `- ${codeSpan(`${path}:${line}`)}`
    return note === '' ? location : `${location} ${escapeLine(note, { maxLength: 300 })}`
  })
  return lines.length === 0 ? [] : [`It rests on:\n${lines.join('\n')}`]
}

function describeState({ state, dismissal }: Finding, mention: string): string {
  if (state === 'resolved') return 'It is fixed, and does not count any more.'
  if (dismissal) return `${codeSpan(dismissal.login)} dismissed it, so it does not count any more.`
  return (
    'To dismiss it, somebody who may write to this repository resolves this thread, or replies ' +
    `\`${mention} dismiss <reason>\`.`
  )
}
