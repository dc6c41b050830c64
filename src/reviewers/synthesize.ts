// Makes one report of what several specialists found. Every finding of it is one of theirs.
import { z } from 'zod'
import { ModelError } from '../domain/errors.ts'
import { compareBySeverity, type ProposedFinding, severities } from '../domain/finding.ts'
import { type Budget, type GenerateLimits, generateObject, type Model } from '../models/index.ts'
import { maxFindings } from './parse-findings.ts'
import type { PromptFence } from './prompts/prompt-fence.ts'
import {
  type SpecialistFinding,
  synthesisInstructions,
  synthesisMessage,
} from './prompts/synthesis-prompt.ts'
import type { ReviewerReport } from './reviewer.ts'

const synthesisSchema = z.object({
  summary: z.string(),
  dropped: z.array(
    z.object({ index: z.number(), because: z.enum(['repeats', 'contradicts']), kept: z.number() }),
  ),
})

/** As `dropped` lists them. */
type Drop = z.output<typeof synthesisSchema>['dropped'][number]

export interface SynthesisOptions {
  readonly model: Model
  readonly fence: PromptFence
  readonly language: string
  readonly limits: GenerateLimits
  readonly budget: Budget
}

/** What a specialist came to. */
export interface SpecialistReport extends Pick<ReviewerReport, 'findings' | 'summary'> {
  readonly field: string
}

export type Synthesis = Pick<ReviewerReport, 'findings' | 'summary' | 'notes'>

/**
 * Merges reports: asks a model what repeats or contradicts what, and for the summary. Should it fail, the findings
 * stand as they came, and a note says so.
 */
export async function synthesize(
  options: SynthesisOptions,
  reports: readonly SpecialistReport[],
  signal: AbortSignal,
): Promise<Synthesis> {
  const all = reports.flatMap(({ field, findings }) =>
    findings.map((finding) => ({ field, finding })),
  )
  const kept = all.toSorted((a, b) => compareBySeverity(a.finding, b.finding)).slice(0, maxFindings)
  const plain: Synthesis = {
    findings: kept.map(({ finding }) => finding),
    summary: reports.find(({ summary }) => summary !== '')?.summary ?? '',
    notes:
      all.length > kept.length
        ? [`${all.length - kept.length} proposals over ${maxFindings} were dropped.`]
        : [],
  }
  // Nothing to merge.
  if (kept.length < 2) return plain
  try {
    const { summary, dropped } = await askForSynthesis(options, reports, kept, signal)
    return {
      findings: dropFindings(plain.findings, dropped),
      summary: summary.trim() === '' ? plain.summary : summary.trim(),
      notes: plain.notes,
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const note = `What the specialists found stands as they put it, for it could not be made one report. ${error.publicMessage}`
    return { ...plain, notes: [...plain.notes, note] }
  }
}

async function askForSynthesis(
  { model, fence, language, limits, budget }: SynthesisOptions,
  reports: readonly SpecialistReport[],
  findings: readonly SpecialistFinding[],
  signal: AbortSignal,
): Promise<z.output<typeof synthesisSchema>> {
  const request = {
    system: synthesisInstructions(language),
    prompt: synthesisMessage(reports, findings, fence),
    output: synthesisSchema,
    ...{ limits, budget },
  }
  return (await generateObject(model, request, signal)).value
}

/**
 * Drops what another finding speaks for. The model was shown the words of others, so it is believed only so far: both
 * must be about the same file, the other one must be there still, and nothing becomes less severe by it.
 */
function dropFindings(
  findings: readonly ProposedFinding[],
  dropped: readonly Drop[],
): ProposedFinding[] {
  const left = new Map(findings.entries())
  for (const { index, because, kept } of dropped) {
    const gone = left.get(index)
    const stays = left.get(kept)
    if (gone === undefined || stays === undefined || index === kept || gone.path !== stays.path)
      continue
    if (
      because === 'contradicts' &&
      severities.indexOf(gone.severity) < severities.indexOf(stays.severity)
    )
      continue
    left.delete(index)
    if (because === 'repeats') left.set(kept, combineFindings(stays, gone))
  }
  return [...left.values()]
}

/** A finding that somebody else made too: as severe as the more severe of the two, with the evidence of both. */
function combineFindings(finding: ProposedFinding, other: ProposedFinding): ProposedFinding {
  const places = new Map(
    [...other.evidence, ...finding.evidence].map((each) => [`${each.path}:${each.line}`, each]),
  )
  return {
    ...finding,
    severity: compareBySeverity(finding, other) <= 0 ? finding.severity : other.severity,
    confidence: Math.max(finding.confidence, other.confidence),
    evidence: [...places.values()].slice(0, 10),
  }
}
