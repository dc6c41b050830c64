// Packs what a model is shown: the pull request and the diff by hunk, most telling first, in rounds under a token
// budget. What fits into no round is named.
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

/** Loads the tokenizer; it is large, and only needed when there is a model. */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  return (text) => Math.ceil(countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() }) * margin)
}

/**
 * Packs a change.
 *
 * @param budget tokens of one round, and how many rounds at most
 */
export function packContext(
  change: Change,
  budget: { tokensPerRound: number; maxRounds: number },
  countTokens: CountTokens,
): PackedContext {
  const header = describePullRequest(change, countTokens)
  const room = budget.tokensPerRound - header.tokens
  const rounds: ContextSpan[][] = []
  const omitted: SkippedFile[] = []
  let left = 0
  for (const file of orderFiles(change.files)) {
    for (const piece of splitFile(file, room, countTokens)) {
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

function describePullRequest(change: Change, countTokens: CountTokens): ContextSpan {
  const { pullRequest } = change
  const files = change.files
    .slice(0, 300)
    .map((file) => `${file.status} ${file.path} (+${file.additions} -${file.deletions})`)
  const more = change.files.length > 300 ? [`and ${change.files.length - 300} more`] : []
  const text = [
    `Title: ${pullRequest.title.slice(0, 500)}`,
    `Author: ${pullRequest.author}`,
    `Branch: ${pullRequest.head.branch} into ${pullRequest.base.branch}`,
    `Description:\n${pullRequest.body.slice(0, 6000)}`,
    `Changed files:\n${[...files, ...more].join('\n')}`,
  ].join('\n')
  return { origin: 'pull_request', trust: 'untrusted', path: null, text, tokens: countTokens(text) }
}

/** Program code before tests, tests before the rest; within each the smallest first, so that most files are seen. */
function orderFiles(files: readonly FileDiff[]): FileDiff[] {
  const rank = (file: FileDiff) =>
    isTestPath(file.path) ? 1 : languageOfPath(file.path)?.type === 'programming' ? 0 : 2
  const size = (file: FileDiff) => file.additions + file.deletions
  return [...files].sort((a, b) => rank(a) - rank(b) || size(a) - size(b) || (a.path < b.path ? -1 : 1))
}

/** A file's diff as spans: whole where it fits into a round, else by hunks, else by lines. */
function splitFile(file: FileDiff, room: number, countTokens: CountTokens): ContextSpan[] {
  const heading = `${file.status} ${file.path}${file.oldPath === file.path ? '' : ` (was ${file.oldPath})`}`
  const toSpan = (hunks: readonly string[]): ContextSpan => {
    const text = [heading, ...hunks].join('\n')
    return { origin: 'diff', trust: 'untrusted', path: file.path, text, tokens: countTokens(text) }
  }
  const whole = toSpan(file.hunks.map(renderHunk))
  if (whole.tokens <= room) return [whole]
  return file.hunks.flatMap((hunk) => {
    const span = toSpan([renderHunk(hunk)])
    if (span.tokens <= room) return [span]
    const parts = Math.ceil(span.tokens / (room * 0.8))
    const length = Math.ceil(hunk.lines.length / parts)
    return Array.from({ length: parts }, (_, part) =>
      toSpan([renderLines(hunk, hunk.lines.slice(part * length, (part + 1) * length))]),
    )
  })
}

function renderHunk(hunk: DiffHunk): string {
  return renderLines(hunk, hunk.lines)
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
