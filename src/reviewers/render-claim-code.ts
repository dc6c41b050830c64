// Shows the code that claims are about: their lines and what they rest on with the code around, and the diff.
import type { DiffHunk, DiffSide } from '../domain/diff.ts'
import type { ProposedFinding } from '../domain/finding.ts'
import type { LineReader } from '../git/line-reader.ts'
import { renderNumberedLines } from '../git/render-diff.ts'
import type { PromptFence } from './prompts/prompt-fence.ts'
import type { Change } from './reviewer.ts'

/** Lines shown around a claim's own, around a place that it rests on, and around its lines of the diff. */
const contextLines = { claim: 30, evidence: 5, diff: 30 } as const
/** Longest line and longest block, in characters, and most for all blocks together. */
const maxChars = { line: 400, block: 16_000, all: 60_000 } as const
/** Of a claim. */
const maxEvidence = 5

/** The files of a change as lines. */
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

/** Fenced blocks, the claims' own lines first; what goes over the limit is left to the tools. */
export async function renderClaimCode(
  change: Change,
  files: ClaimFiles,
  claims: readonly ProposedFinding[],
  fence: PromptFence,
): Promise<string[]> {
  const own = joinWindows(claims.map((claim) => windowOf(change, claim)))
  const evidence = joinWindows(
    claims.flatMap(({ evidence }) => evidence.slice(0, maxEvidence).map(windowOfEvidence)),
  )
  const others = evidence.filter((window) => !own.some((other) => contains(other, window)))
  const blocks = [
    ...(await Promise.all(own.map((window) => renderWindow(files, window, fence)))),
    ...renderHunks(change, claims, fence),
    ...(await Promise.all(others.map((window) => renderWindow(files, window, fence)))),
  ]
  let room: number = maxChars.all
  return blocks.filter((block) => {
    if (block === '' || block.length > room) return false
    room -= block.length
    return true
  })
}

function windowOf({ files }: Change, { path, side, startLine, endLine }: ProposedFinding): Window {
  const range = {
    start: Math.max(1, startLine - contextLines.claim),
    end: endLine + contextLines.claim,
  }
  if (side === 'RIGHT') return { version: 'head', path, ...range }
  return {
    version: 'base',
    path: files.find((file) => file.path === path)?.oldPath ?? path,
    ...range,
  }
}

function windowOfEvidence({ path, line }: { path: string; line: number }): Window {
  return {
    version: 'head',
    path,
    start: Math.max(1, line - contextLines.evidence),
    end: line + contextLines.evidence,
  }
}

/** Windows of one file that touch are one. */
function joinWindows(windows: readonly Window[]): Window[] {
  const joined: Window[] = []
  for (const window of windows.toSorted((a, b) => a.start - b.start)) {
    const at = joined.findIndex(
      (other) => isSameFile(other, window) && window.start <= other.end + 1,
    )
    const other = joined[at]
    if (other) joined[at] = { ...other, end: Math.max(other.end, window.end) }
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

/** The diff around the lines of the claims, one block a file. */
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
  const at = isClaimed
    .flatMap((flags) => [flags.indexOf(true), flags.lastIndexOf(true)])
    .filter((index) => index >= 0)
  if (at.length === 0) return []
  const lines = hunk.lines.slice(
    Math.max(0, Math.min(...at) - contextLines.diff),
    Math.max(...at) + contextLines.diff + 1,
  )
  return [
    renderNumberedLines(
      lines.map((line) => ({ ...line, text: truncateLine(line.text) })),
      'all',
    ),
  ]
}

function numberOn(side: DiffSide, line: DiffHunk['lines'][number]): number | null {
  return side === 'RIGHT' ? line.newLine : line.oldLine
}

function truncateLine(line: string): string {
  return line.length <= maxChars.line ? line : `${line.slice(0, maxChars.line)} [cut]`
}
