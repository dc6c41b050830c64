// Merges the reports of several specialists into one. It adds no findings.
import { z } from 'zod'
import { ModelError } from '../domain/errors.ts'
import { compareBySeverity, isWorse, type ProposedFinding } from '../domain/finding.ts'
import { type Budget, type GenerateLimits, generateObject, type Model } from '../models/index.ts'
import { maxFindings } from './parse-findings.ts'
import type { PromptFence } from './prompts/prompt-fence.ts'
import {
  type SpecialistFinding,
  synthesisInstructions,
  synthesisMessage,
} from './prompts/synthesis-prompt.ts'
import type { ReviewerReport } from './reviewer.ts'

const maxEvidence = 10

const synthesisSchema = z.object({
  summary: z.string(),
  dropped: z.array(
    z.object({ index: z.number(), because: z.enum(['repeats', 'contradicts']), kept: z.number() }),
  ),
})

type Drop = z.output<typeof synthesisSchema>['dropped'][number]

interface SynthesisOptions {
  readonly model: Model
  readonly fence: PromptFence
  readonly language: string
  readonly limits: GenerateLimits
  readonly budget: Budget
}

interface SpecialistReport extends Pick<ReviewerReport, 'findings' | 'summary'> {
  readonly field: string
}

export interface Synthesis extends Pick<ReviewerReport, 'findings' | 'summary' | 'notes'> {
  /** Files with proposals that the limit dropped. */
  readonly unsettled: readonly string[]
}

/**
 * Merges reports. A model selects repeated and contradictory findings and writes the summary.
 * When the model fails, all findings stay and a note explains it.
 */
export async function synthesize(
  options: SynthesisOptions,
  reports: readonly SpecialistReport[],
  signal: AbortSignal,
): Promise<Synthesis> {
  const all = reports.flatMap(({ field, findings }) =>
    findings.map((finding) => ({ field, finding })),
  )
  const sorted = all.toSorted((a, b) => compareBySeverity(a.finding, b.finding))
  const mostSevere = sorted.slice(0, maxFindings)
  const surplus = sorted.slice(maxFindings)
  const unmerged: Synthesis = {
    findings: mostSevere.map(({ finding }) => finding),
    summary: reports.find(({ summary }) => summary !== '')?.summary ?? '',
    notes:
      surplus.length > 0 ? [`${surplus.length} proposals over ${maxFindings} were dropped.`] : [],
    unsettled: surplus.map(({ finding }) => finding.path),
  }
  if (mostSevere.length < 2) return unmerged
  try {
    const { summary, dropped } = await askForSynthesis(options, reports, mostSevere, signal)
    return {
      ...unmerged,
      findings: dropFindings(unmerged.findings, dropped),
      summary: summary.trim() === '' ? unmerged.summary : summary.trim(),
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const note = `The findings of the specialists could not be merged. ${error.publicMessage}`
    return { ...unmerged, notes: [...unmerged.notes, note] }
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
    limits,
    budget,
  }
  const { value } = await generateObject(model, request, signal)
  return value
}

/**
 * Drops findings that another one covers. The prompt contained untrusted text, so a drop is only
 * accepted when both are about the same file, the other one remains, and no severity is lost.
 */
function dropFindings(
  findings: readonly ProposedFinding[],
  dropped: readonly Drop[],
): ProposedFinding[] {
  const remaining = new Map(findings.entries())
  for (const { index, because, kept: keptIndex } of dropped) {
    const finding = remaining.get(index)
    const keptFinding = remaining.get(keptIndex)
    if (finding === undefined || keptFinding === undefined || index === keptIndex) continue
    if (finding.path !== keptFinding.path) continue
    if (because === 'contradicts' && isWorse(finding.severity, keptFinding.severity)) continue
    remaining.delete(index)
    if (because === 'repeats') remaining.set(keptIndex, combineFindings(keptFinding, finding))
  }
  return [...remaining.values()]
}

/** Combines equal claims: with the higher severity and confidence, and the evidence of both. */
function combineFindings(finding: ProposedFinding, other: ProposedFinding): ProposedFinding {
  const evidence = new Map(
    [...other.evidence, ...finding.evidence].map((each) => [`${each.path}:${each.line}`, each]),
  )
  return {
    ...finding,
    severity: compareBySeverity(finding, other) <= 0 ? finding.severity : other.severity,
    confidence: Math.max(finding.confidence, other.confidence),
    evidence: [...evidence.values()].slice(0, maxEvidence),
  }
}
