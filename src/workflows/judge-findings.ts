// The judge: anchors each proposal to a place in the diff, checks what it rests on, merges, orders and caps.
import { createHash } from 'node:crypto'
import type { DiffHunk, DiffSide, FileDiff } from '../domain/diff.ts'
import { type Evidence, type Finding, type ProposedFinding, severities } from '../domain/finding.ts'
import type { Change } from '../reviewers/reviewer.ts'
import type { Snapshot } from '../workspace/snapshot.ts'

/** What the judge came to. */
export interface Judgement {
  /** Open findings of this review, those carried over from earlier ones among them, most severe first. */
  readonly findings: readonly Finding[]
  /** Earlier findings whose cause is gone. */
  readonly resolved: readonly Finding[]
  /** Proposals that were dropped, by reason, for the coverage section. */
  readonly dropped: Readonly<Record<string, number>>
}

/** Judges proposals. `maxInline` of them stand on their lines; the others are held back and listed. */
export async function judgeFindings(input: {
  change: Change
  proposals: readonly ProposedFinding[]
  earlier: readonly Finding[]
  maxInline: number
}): Promise<Judgement> {
  const dropped: Record<string, number> = {}
  const drop = (reason: string) => {
    dropped[reason] = (dropped[reason] ?? 0) + 1
  }
  const anchored: Anchored[] = []
  for (const proposal of input.proposals) {
    const result = await anchorProposal(input.change, proposal)
    if (typeof result === 'string') drop(result)
    else anchored.push(result)
  }
  const merged = mergeDuplicates(anchored, () => drop('said twice'))
  const fingerprinted = addFingerprints(merged)
  const fresh = fingerprinted.filter((finding) => {
    const isDismissed = input.earlier.some((e) => e.fingerprint === finding.fingerprint && e.state === 'dismissed')
    if (isDismissed) drop('answered before')
    return !isDismissed
  })
  const { carried, resolved } = await followEarlier(input.change, input.earlier, fresh)
  return { findings: placeFindings([...fresh, ...carried], input.maxInline), resolved, dropped }
}

type Anchored = Omit<Finding, 'fingerprint' | 'state'> & { readonly anchorText: string }

/** Finds the proposal's place in the diff; a string says why it is dropped. */
async function anchorProposal(change: Change, proposal: ProposedFinding): Promise<Anchored | string> {
  const file = change.files.find((candidate) => candidate.path === proposal.path)
  if (!file) return 'about a file that is not part of the change'
  const place = findQuote(file, proposal) ?? findLines(file, proposal)
  if (!place) return 'about code that is not in the diff'
  const evidence = await keepExistingEvidence(change, proposal.evidence)
  const suggestion = await checkSuggestion(change.head, proposal, place)
  return {
    ...proposal,
    startLine: place.startLine,
    endLine: place.endLine,
    suggestion,
    evidence: evidence.length > 0 ? evidence : [{ path: file.path, line: place.startLine, note: '' }],
    placement: 'inline',
    // Rules are certain of what they see; a model's claim counts as checked when the code it quotes stands there.
    verified: proposal.rule !== null || place.byQuote,
    anchorText: place.text,
  }
}

interface Place {
  readonly startLine: number
  readonly endLine: number
  /** The code there, normalised. */
  readonly text: string
  readonly byQuote: boolean
}

interface NumberedLine {
  readonly number: number
  readonly text: string
}

function linesOf(hunk: DiffHunk, side: DiffSide): NumberedLine[] {
  return hunk.lines.flatMap((line) => {
    const number = side === 'RIGHT' ? line.newLine : line.oldLine
    return number === null ? [] : [{ number, text: line.text }]
  })
}

/** The place where the quoted code stands, the nearest to the lines that were named. */
function findQuote(file: FileDiff, proposal: ProposedFinding): Place | undefined {
  const quote = proposal.quote
    .split('\n')
    .map(normalizeCode)
    .filter((line) => line !== '')
  if (quote.length === 0) return undefined
  const matches = file.hunks.flatMap((hunk) => matchQuote(linesOf(hunk, proposal.side), quote))
  const distance = (place: Place) => Math.abs(place.startLine - proposal.startLine)
  return matches.sort((a, b) => distance(a) - distance(b))[0]
}

function matchQuote(lines: readonly NumberedLine[], quote: readonly string[]): Place[] {
  const filled = lines.filter((line) => normalizeCode(line.text) !== '')
  return filled.flatMap((first, index) => {
    const window = filled.slice(index, index + quote.length)
    const isMatch = window.length === quote.length && window.every((line, at) => matchesQuoted(line.text, quote, at))
    if (!isMatch) return []
    const text = window.map((line) => normalizeCode(line.text)).join('\n')
    return [{ startLine: first.number, endLine: window.at(-1)?.number ?? first.number, text, byQuote: true }]
  })
}

/** A quote of one line may be part of its line; in a longer one each line must be whole. */
function matchesQuoted(text: string, quote: readonly string[], at: number): boolean {
  const quoted = quote[at] as string
  const line = normalizeCode(text)
  return quote.length > 1 || quoted.length < 8 ? line === quoted : line.includes(quoted)
}

/** The named lines themselves, cut to one hunk. */
function findLines(file: FileDiff, proposal: ProposedFinding): Place | undefined {
  for (const hunk of file.hunks) {
    const inside = linesOf(hunk, proposal.side).filter(
      (line) => line.number >= proposal.startLine && line.number <= proposal.endLine,
    )
    const [first, last] = [inside[0], inside.at(-1)]
    if (!first || !last || first.number !== proposal.startLine) continue
    const text = inside.map((line) => normalizeCode(line.text)).join('\n')
    return { startLine: first.number, endLine: last.number, text, byQuote: false }
  }
  return undefined
}

function normalizeCode(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

async function keepExistingEvidence(change: Change, evidence: readonly Evidence[]): Promise<Evidence[]> {
  const kept: Evidence[] = []
  for (const item of evidence.slice(0, 5)) {
    const lines = await readLines(change.head, item.path)
    if (lines && Number.isInteger(item.line) && item.line >= 1 && item.line <= lines.length) kept.push(item)
  }
  return kept
}

/** A suggestion is offered only where the lines it replaces are certain and it changes something. */
async function checkSuggestion(head: Snapshot, proposal: ProposedFinding, place: Place): Promise<string | null> {
  if (proposal.suggestion === null || proposal.side !== 'RIGHT') return null
  const isSamePlace = place.startLine === proposal.startLine && place.endLine === proposal.endLine
  if (!isSamePlace || (proposal.rule === null && !place.byQuote)) return null
  const lines = await readLines(head, proposal.path)
  const replaced = lines?.slice(place.startLine - 1, place.endLine).join('\n')
  return replaced === undefined || replaced === proposal.suggestion ? null : proposal.suggestion
}

async function readLines(snapshot: Snapshot, path: string): Promise<string[] | undefined> {
  try {
    const bytes = await snapshot.readFile(path)
    return bytes && Buffer.from(bytes).toString('utf8').split(/\r?\n/)
  } catch {
    return undefined
  }
}

/**
 * Two proposals about overlapping lines with the same kind of harm are one; the stronger one stays. Two different
 * rules never say the same.
 */
function mergeDuplicates(anchored: readonly Anchored[], onMerge: () => void): Anchored[] {
  const kept: Anchored[] = []
  for (const finding of [...anchored].sort(byWeight)) {
    const twin = kept.find(
      (other) =>
        other.path === finding.path &&
        other.side === finding.side &&
        (other.rule === finding.rule || other.rule === null || finding.rule === null) &&
        other.startLine <= finding.endLine &&
        finding.startLine <= other.endLine &&
        (other.category === finding.category || normalizeCode(other.title) === normalizeCode(finding.title)),
    )
    if (twin) onMerge()
    else kept.push(finding)
  }
  return kept
}

function byWeight(a: Pick<Finding, 'severity' | 'confidence'>, b: Pick<Finding, 'severity' | 'confidence'>): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.confidence - a.confidence
}

/**
 * Gives each finding its identity across pushes: path, category, rule and the code it stands on. Line numbers are
 * left out, so that it survives moved lines; equal ones are numbered in order.
 */
function addFingerprints(findings: readonly Anchored[]): Finding[] {
  const seen = new Map<string, number>()
  return [...findings]
    .sort((a, b) => a.path.localeCompare(b.path) || a.startLine - b.startLine)
    .map(({ anchorText, ...finding }) => {
      const identity = JSON.stringify([finding.path, finding.side, finding.category, finding.rule, anchorText])
      const occurrence = seen.get(identity) ?? 0
      seen.set(identity, occurrence + 1)
      const hash = createHash('sha256').update(`${identity}${occurrence}`).digest('hex')
      return { ...finding, fingerprint: hash.slice(0, 32), state: 'open' as const }
    })
}

/** Earlier open findings that weren't raised again: carried over while their code stands, resolved when it is gone. */
async function followEarlier(
  change: Change,
  earlier: readonly Finding[],
  fresh: readonly Finding[],
): Promise<{ carried: Finding[]; resolved: Finding[] }> {
  const raised = new Set(fresh.map((finding) => finding.fingerprint))
  const carried: Finding[] = []
  const resolved: Finding[] = []
  for (const finding of earlier) {
    if (finding.state !== 'open' || raised.has(finding.fingerprint)) continue
    const gone = finding.rule !== null || !(await stillStands(change, finding))
    if (gone) resolved.push({ ...finding, state: 'resolved' })
    else carried.push(finding)
  }
  return { carried, resolved }
}

/** Whether the code that a finding quoted is still in its file. */
async function stillStands(change: Change, finding: Finding): Promise<boolean> {
  const lines = await readLines(change.head, finding.path)
  const quote = finding.quote
    .split('\n')
    .map(normalizeCode)
    .filter((line) => line !== '')
  if (!lines || quote.length === 0) return false
  const code = lines
    .map(normalizeCode)
    .filter((line) => line !== '')
    .join('\n')
  return code.includes(quote.join('\n'))
}

/** Orders by severity and confidence, and holds back what is over the cap. Critical ones are never held back. */
function placeFindings(findings: readonly Finding[], maxInline: number): Finding[] {
  let inline = 0
  return [...findings].sort(byWeight).map((finding) => {
    if (finding.placement === 'summary') return finding
    inline += 1
    const placement = inline <= maxInline || finding.severity === 'critical' ? 'inline' : 'held_back'
    return { ...finding, placement }
  })
}
