// Describes which claims the policy rejected and why, for the coverage section.
import { formatCount } from '../../lib/text.ts'
import type { PolicySettings, Rejected, Rejection } from './policy.ts'
import type { Verified } from './stages.ts'

/** This many refuted claims are described; the others are counted. */
const maxDescribed = 5

/** Returns one sentence per claim or reason. The reasons of refuted claims are a model's text. */
export function describeRejected(
  rejected: readonly Pick<Rejected<unknown>, 'rejection'>[],
  refuted: readonly Verified[],
  { minSeverity, directories }: PolicySettings,
): string[] {
  const count = (wanted: Rejection) =>
    rejected.filter(({ rejection }) => rejection === wanted).length
  const more = refuted.length - maxDescribed
  const isSame = directories.every((one) => (one.minSeverity ?? minSeverity) === minSeverity)
  const wanted = isSame ? `${minSeverity} ones and worse` : 'worse ones there'
  const severityReason = `the repository's settings ask for ${wanted}`
  return [
    ...refuted.slice(0, maxDescribed).map(describeRefuted),
    ...(more > 0 ? [`Refuted: ${formatCount(more, 'more claim')}.`] : []),
    ...describeCount(count('minor and unconfirmed'), 'minor claim', 'nothing in the code shows it'),
    ...describeCount(count('low confidence'), 'claim', 'the reviewer was too unsure'),
    ...describeCount(count('below minimum severity'), 'finding', severityReason),
    ...describeNotWorse(count('not worse on unchanged code')),
  ]
}

function describeRefuted({ finding, reason }: Verified): string {
  const { title, path, startLine } = finding
  return `Refuted: ${title.slice(0, 150)} (${path}:${startLine}). ${reason}`.trim()
}

function describeCount(count: number, noun: string, reason: string): string[] {
  return count === 0 ? [] : [`Not reported: ${formatCount(count, noun)}, because ${reason}.`]
}

function describeNotWorse(count: number): string[] {
  if (count === 0) return []
  const verb = count === 1 ? 'was' : 'were'
  return [
    `${formatCount(count, 'new claim')} about unchanged code ${verb} not reported: no worse than ` +
      'what was reported before.',
  ]
}
