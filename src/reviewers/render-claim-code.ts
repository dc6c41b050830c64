// Renders the code of claims for the verifier: their lines and evidence with context, and the diff.

import type { Change } from '../domain/change.ts'
import type { DiffHunk, DiffSide } from '../domain/diff.ts'
import type { ProposedFinding } from '../domain/finding.ts'
import type { LineReader } from '../git/line-reader.ts'
import { renderNumberedLines } from '../git/render-diff.ts'
import type { PromptFence } from './prompts/prompt-fence.ts'

/** How many lines are shown above and below. */
const contextLines = { claim: 30, evidence: 5, diff: 30 } as const
const maxChars = { line: 400, block: 16_000, all: 60_000 } as const
/** Applies to each claim. */
const maxEvidence = 5

export interface ClaimFiles {
  readonly head: LineReader
  readonly base: LineReader
}

interface Window {
  readonly version: keyof ClaimFiles
  readonly path: string
  readonly start: number
  readonly end: number
}

/** Renders fenced blocks, the lines of the claims first. Blocks over the limit are left out. */
export async function renderClaimCode(
  change: Change,
  files: ClaimFiles,
  claims: readonly ProposedFinding[],
  fence: PromptFence,
): Promise<string[]> {
  const claimWindows = joinWindows(claims.map((claim) => windowOf(change, claim)))
  const evidenceWindows = joinWindows(
    claims.flatMap(({ evidence }) => evidence.slice(0, maxEvidence).map(windowOfEvidence)),
  ).filter((window) => !claimWindows.some((other) => contains(other, window)))
  const render = (windows: readonly Window[]) =>
    Promise.all(windows.map((window) => renderWindow(files, window, fence)))
  const blocks = [
    ...(await render(claimWindows)),
    ...renderHunks(change, claims, fence),
    ...(await render(evidenceWindows)),
  ]
  let remainingChars: number = maxChars.all
  return blocks.filter((block) => {
    if (block === '' || block.length > remainingChars) return false
    remainingChars -= block.length
    return true
  })
}

function windowOf({ files }: Change, { path, side, startLine, endLine }: ProposedFinding): Window {
  const start = Math.max(1, startLine - contextLines.claim)
  const end = endLine + contextLines.claim
  if (side === 'RIGHT') return { version: 'head', path, start, end }
  const oldPath = files.find((file) => file.path === path)?.oldPath ?? path
  return { version: 'base', path: oldPath, start, end }
}

function windowOfEvidence({ path, line }: { path: string; line: number }): Window {
  return {
    version: 'head',
    path,
    start: Math.max(1, line - contextLines.evidence),
    end: line + contextLines.evidence,
  }
}

/** Joins windows of one file that overlap or are adjacent. */
function joinWindows(windows: readonly Window[]): Window[] {
  const joined: Window[] = []
  for (const window of windows.toSorted((a, b) => a.start - b.start)) {
    const index = joined.findIndex(
      (other) => isSameFile(other, window) && window.start <= other.end + 1,
    )
    const other = joined[index]
    if (other) joined[index] = { ...other, end: Math.max(other.end, window.end) }
    else joined.push(window)
  }
  return joined
}

function isSameFile(a: Window, b: Window): boolean {
  return a.version === b.version && a.path === b.path
}

function contains(outer: Window, inner: Window): boolean {
  return isSameFile(outer, inner) && outer.start <= inner.start && inner.end <= outer.end
}

async function renderWindow(
  files: ClaimFiles,
  { version, path, start, end }: Window,
  fence: PromptFence,
): Promise<string> {
  const lines = await files[version](path)
  const shown = (lines ?? [])
    .slice(start - 1, end)
    .map((line, index) => `${start + index}\t${truncateLine(line)}`)
  if (shown.length === 0) return ''
  return fence.wrap(
    { origin: `code_at_${version}`, trust: 'untrusted', path },
    shown.join('\n'),
    maxChars.block,
  )
}

/** Renders the diff around the lines of the claims, one block for each file. */
function renderHunks(
  change: Change,
  claims: readonly ProposedFinding[],
  fence: PromptFence,
): string[] {
  const paths = [...new Set(claims.map((claim) => claim.path))]
  return paths.map((path) => {
    const own = claims.filter((claim) => claim.path === path)
    const hunks = change.files.find((file) => file.path === path)?.hunks ?? []
    const text = hunks.flatMap((hunk) => renderHunk(hunk, own)).join('\n\n')
    return text === ''
      ? ''
      : fence.wrap({ origin: 'diff', trust: 'untrusted', path }, text, maxChars.block)
  })
}

function renderHunk(hunk: DiffHunk, claims: readonly ProposedFinding[]): string[] {
  const isClaimed = claims.map(({ side, startLine, endLine }) =>
    hunk.lines.map((line) => {
      const number = numberOn(side, line)
      return number !== null && number >= startLine && number <= endLine
    }),
  )
  const indexes = isClaimed
    .flatMap((flags) => [flags.indexOf(true), flags.lastIndexOf(true)])
    .filter((index) => index >= 0)
  if (indexes.length === 0) return []
  const first = Math.max(0, Math.min(...indexes) - contextLines.diff)
  const last = Math.max(...indexes) + contextLines.diff
  const lines = hunk.lines
    .slice(first, last + 1)
    .map((line) => ({ ...line, text: truncateLine(line.text) }))
  return [renderNumberedLines(lines, 'all')]
}

function numberOn(side: DiffSide, line: DiffHunk['lines'][number]): number | null {
  return side === 'RIGHT' ? line.newLine : line.oldLine
}

function truncateLine(line: string): string {
  return line.length <= maxChars.line ? line : `${line.slice(0, maxChars.line)} [cut]`
}
