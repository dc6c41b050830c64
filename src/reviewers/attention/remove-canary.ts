// Removes what is about the canary from a model's answer, and keeps what is about the change.

import type { Change } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import type { ParsedAnswer } from '../parse-findings.ts'
import type { Canary } from './canary.ts'
import { maskMentions, mentionsCanary, removeMentions, splitSentences } from './canary-mentions.ts'

interface CleanedAnswer {
  readonly findings: readonly ProposedFinding[]
  readonly summary: string
  /** Whether the answer reported the defect of the canary, which proves that the round was read. */
  readonly passedAttentionCheck: boolean
}

/**
 * Removes the canary from an answer. A finding that names or quotes only the canary passes the
 * attention check. A finding about both is moved to the lines of the change, and doesn't count.
 */
export function removeCanary(
  answer: Pick<ParsedAnswer, 'findings' | 'summary'>,
  canary: Canary,
  change: Change,
): CleanedAnswer {
  const findLines = createLineIndex(change)
  const findings: ProposedFinding[] = []
  let passedAttentionCheck = false
  for (const finding of answer.findings) {
    const relocated = isAboutCanary(finding, canary)
      ? relocateFinding(finding, canary, change, findLines)
      : finding
    if (relocated === undefined) passedAttentionCheck = true
    else findings.push(cleanFinding(relocated, canary))
  }
  return {
    findings,
    summary: cleanSummary(answer.summary, canary, change),
    passedAttentionCheck,
  }
}

type ChangedLine = Pick<ProposedFinding, 'path' | 'side'> & {
  readonly line: number
  readonly text: string
}

/** Finds the lines of the change with this normalized text. */
type FindLines = (normalized: string) => readonly ChangedLine[]

/** Shorter lines, such as `return;`, occur in many files. */
const minLineChars = 8

/** Builds the index on first use, because most answers don't need it. */
function createLineIndex(change: Change): FindLines {
  let index: ReadonlyMap<string, readonly ChangedLine[]> | undefined
  return (normalized) => {
    index ??= Map.groupBy(change.files.flatMap(listLines), ({ text }) => normalizeLine(text))
    return index.get(normalized) ?? []
  }
}

function listLines({ path, hunks }: FileDiff): ChangedLine[] {
  return hunks.flatMap(({ lines }) =>
    lines.map(({ kind, text, oldLine, newLine }) => {
      return kind === 'deleted'
        ? { path, side: 'LEFT', line: oldLine ?? 1, text }
        : { path, side: 'RIGHT', line: newLine ?? 1, text }
    }),
  )
}

/** Drops what models add to a line or copy wrongly: numbers and diff markers before it, blanks. */
function normalizeLine(line: string): string {
  return line.replace(/^\s*(?:\d+\s+)?[+-]?/, '').replace(/\s+/g, '')
}

function isAboutCanary({ path, quote }: ProposedFinding, canary: Canary): boolean {
  return path === canary.file.path || quote.split('\n').some((line) => isCanaryLine(line, canary))
}

/** Whether this is a line of the canary that can't be in another file. */
function isCanaryLine(line: string, canary: Canary): boolean {
  if (!mentionsCanary(line, canary)) return false
  const normalized = normalizeLine(line)
  return canary.lines.some((canaryLine) => normalizeLine(canaryLine) === normalized)
}

/** Moves a finding to the lines of the change that it quotes or cites; undefined without any. */
function relocateFinding(
  finding: ProposedFinding,
  canary: Canary,
  change: Change,
  findLines: FindLines,
): ProposedFinding | undefined {
  const canaryLines = new Set(canary.lines.map(normalizeLine))
  const quoted = finding.quote.split('\n').flatMap((line) => {
    const normalized = normalizeLine(line)
    if (canaryLines.has(normalized) || normalized.length < minLineChars) return []
    const found = findLines(normalized)
    return found.find(({ path }) => path === finding.path) ?? found.slice(0, 1)
  })
  const [first] = quoted
  if (first) return moveTo(finding, first, quoted)
  const evidence = findEvidence(finding, canary, change)
  return evidence && moveTo(finding, evidence, [evidence])
}

function moveTo(
  finding: ProposedFinding,
  first: ChangedLine,
  lines: readonly ChangedLine[],
): ProposedFinding {
  const sameFile = lines.filter(({ path, side }) => path === first.path && side === first.side)
  const numbers = sameFile.map(({ line }) => line)
  return {
    ...finding,
    path: first.path,
    side: first.side,
    startLine: Math.min(...numbers),
    endLine: Math.max(...numbers),
    quote: sameFile.map(({ text }) => text).join('\n'),
    suggestion: null,
  }
}

/** Finds a changed line in the evidence whose file the text of the finding names. */
function findEvidence(
  { title, body, evidence }: ProposedFinding,
  canary: Canary,
  { files }: Change,
) {
  const text = [title, ...splitSentences(body)]
    .filter((each) => !mentionsCanary(each, canary))
    .join('\n')
  for (const { path, line } of evidence) {
    if (!namesFile(text, path)) continue
    const lines = files.filter((file) => file.path === path).flatMap(listLines)
    const cited = lines.find((each) => each.side === 'RIGHT' && each.line === line)
    if (cited) return cited
  }
  return undefined
}

function namesFile(text: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return text.includes(path) || text.includes(name)
}

/** Removes mentions of the canary from a finding about the change. */
function cleanFinding(finding: ProposedFinding, canary: Canary): ProposedFinding {
  const { title, body, quote, suggestion, evidence } = finding
  const quotedLines = quote.split('\n').filter((line) => !mentionsCanary(line, canary))
  return {
    ...finding,
    title: maskMentions(title, canary),
    body: removeMentions(body, canary),
    quote: quotedLines.join('\n'),
    suggestion: suggestion !== null && mentionsCanary(suggestion, canary) ? null : suggestion,
    evidence: evidence.filter(
      ({ path, note }) => !mentionsCanary(path, canary) && !mentionsCanary(note, canary),
    ),
  }
}

/**
 * Removes the sentences of a summary that mention the canary. The sentences after one in the same
 * line may be about it too, so they are removed up to the first that names a file of the change.
 */
function cleanSummary(summary: string, canary: Canary, { files }: Change): string {
  if (!mentionsCanary(summary, canary)) return summary
  const remaining: string[] = []
  let isOmitting = false
  for (const sentence of splitSentences(summary)) {
    const namesChange = files.some(({ path }) => namesFile(sentence, path))
    isOmitting = mentionsCanary(sentence, canary) || (isOmitting && !namesChange)
    if (!isOmitting) remaining.push(sentence)
    if (sentence.endsWith('\n')) isOmitting = false
  }
  return remaining.join('').trim()
}
