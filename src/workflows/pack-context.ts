// Packs what a model is shown: the pull request and the diff by hunk, most telling first, in rounds under a token
// budget. What fits into no round is named.
import { setImmediate } from 'node:timers/promises'
import type { ReviewContext } from '../context.ts'
import type { DiffHunk, DiffLine, FileDiff } from '../domain/diff.ts'
import type { SkippedFile } from '../domain/review.ts'
import type { Change, ContextRound, ContextSpan, PackedContext } from '../reviewers/reviewer.ts'
import { isTestPath, languageOfPath } from '../workspace/languages.ts'

/** Counts a text's tokens. */
export type CountTokens = (text: string) => number

/** The context of a review without a model: none. */
export const noContext: PackedContext = { rounds: [], omitted: [] }

/** Tokens vary between vendors: counts of one tokenizer are taken with this margin. */
const margin = 1.15

/** No text has fewer tokens than one for so many characters: what is longer needn't be counted to be too long. */
const mostCharactersPerToken = 12
/** The tokenizer's work grows with the square of an unbroken run of letters. */
const longestCounted = 2000

/** Loads the tokenizer; it is large, and only needed when there is a model. Its counts are a little high. */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const options = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
  return (text) => {
    let tokens = 0
    for (let start = 0; start < text.length; start += longestCounted) {
      tokens += countTokens(text.slice(start, start + longestCounted), options)
    }
    return Math.ceil(tokens * margin)
  }
}

/**
 * Packs a change. Lets other work go on between files.
 *
 * @param budget tokens of one round, and how many rounds at most
 */
export async function packContext(
  _ctx: Pick<ReviewContext, 'syntax'>,
  change: Change,
  budget: { tokensPerRound: number; maxRounds: number },
  countTokens: CountTokens,
): Promise<PackedContext> {
  const header = describePullRequest(change, budget.tokensPerRound / 4, countTokens)
  const room = budget.tokensPerRound - header.tokens
  const rounds: ContextSpan[][] = []
  const omitted: SkippedFile[] = []
  let left = 0
  for (const file of orderFiles(change.files)) {
    await setImmediate()
    for (const piece of splitFile(file, room * budget.maxRounds, room, countTokens)) {
      if (piece.tokens > left) {
        if (piece.tokens > room || rounds.length === budget.maxRounds) {
          omitted.push({ path: file.path, reason: 'over the token budget', matters: true })
          break
        }
        rounds.push([])
        left = room
      }
      rounds.at(-1)?.push(piece)
      left -= piece.tokens
    }
  }
  return { rounds: rounds.map((spans) => closeRound([header, ...spans])), omitted }
}

function closeRound(spans: readonly ContextSpan[]): ContextRound {
  return { spans, tokens: spans.reduce((sum, span) => sum + span.tokens, 0) }
}

/** The pull request in words, cut until it takes no more than its share: the author decides how long it is. */
function describePullRequest(change: Change, maxTokens: number, countTokens: CountTokens): ContextSpan {
  for (let share = 1; ; share /= 2) {
    const text = describeShare(change, share)
    const tokens = countTokens(text)
    if (tokens <= maxTokens || share < 1 / 256) {
      return { origin: 'pull_request', trust: 'untrusted', path: null, text, tokens }
    }
  }
}

function describeShare({ pullRequest, files }: Change, share: number): string {
  const cut = (text: string, length: number) => text.slice(0, Math.ceil(length * share))
  const shown = files.slice(0, Math.floor(300 * share))
  const lines = shown.map((file) => `${file.status} ${cut(file.path, 200)} (+${file.additions} -${file.deletions})`)
  const more = files.length > shown.length ? [`and ${files.length - shown.length} more`] : []
  return [
    `Title: ${cut(pullRequest.title, 500)}`,
    `Author: ${cut(pullRequest.author, 100)}`,
    `Branch: ${cut(pullRequest.head.branch, 250)} into ${cut(pullRequest.base.branch, 250)}`,
    `Description:\n${cut(pullRequest.body, 6000)}`,
    `Changed files:\n${[...lines, ...more].join('\n')}`,
  ].join('\n')
}

/**
 * Program code before tests, tests before the rest, what was deleted last; within each the smallest first, so that most
 * files are seen.
 */
function orderFiles(files: readonly FileDiff[]): FileDiff[] {
  const size = (file: FileDiff) => file.additions + file.deletions
  return [...files].sort((a, b) => rankFile(a) - rankFile(b) || size(a) - size(b) || (a.path < b.path ? -1 : 1))
}

function rankFile(file: FileDiff): number {
  if (file.status === 'deleted') return 3
  if (isTestPath(file.path)) return 1
  return languageOfPath(file.path)?.type === 'programming' ? 0 : 2
}

/**
 * A file's diff as spans, one after the other: whole where it fits into a round, else by hunks, else by runs of lines. One
 * that fits into no round is larger than `room`.
 */
function* splitFile(
  file: FileDiff,
  roomOfAll: number,
  room: number,
  countTokens: CountTokens,
): Generator<ContextSpan, void, void> {
  const path = file.path
  const heading = `${file.status} ${path}${file.oldPath === path ? '' : ` (was ${file.oldPath})`}`
  const toSpan = (hunks: readonly string[]): ContextSpan => {
    const text = [heading, ...hunks].join('\n')
    const isTooLong = text.length > room * mostCharactersPerToken
    return { origin: 'diff', trust: 'untrusted', path, text, tokens: isTooLong ? Infinity : countTokens(text) }
  }
  const splitLines = function* (hunk: DiffHunk, lines: readonly DiffLine[]): Generator<ContextSpan, void, void> {
    const span = toSpan([renderLines(hunk, lines)])
    if (span.tokens <= room || lines.length <= 1) return yield span
    const middle = Math.ceil(lines.length / 2)
    yield* splitLines(hunk, lines.slice(0, middle))
    yield* splitLines(hunk, lines.slice(middle))
  }
  // Every line is a token at least.
  if (file.additions + file.deletions > roomOfAll) return yield { ...toSpan([]), tokens: Infinity }
  const whole = toSpan(file.hunks.map((hunk) => renderLines(hunk, hunk.lines)))
  if (whole.tokens <= room) yield whole
  else for (const hunk of file.hunks) yield* splitLines(hunk, hunk.lines)
}

/** Each line with its number at the base and at the head, so that a reviewer can name it. */
function renderLines(hunk: DiffHunk, lines: readonly DiffLine[]): string {
  const signs = { context: ' ', added: '+', deleted: '-' } as const
  const number = (value: number | null) => String(value ?? '').padStart(5)
  const body = lines.map((line) => `${number(line.oldLine)} ${number(line.newLine)} ${signs[line.kind]}${line.text}`)
  return [`@@ -${hunk.oldStart},${hunk.oldCount} +${hunk.newStart},${hunk.newCount} @@ ${hunk.section}`, ...body].join(
    '\n',
  )
}
