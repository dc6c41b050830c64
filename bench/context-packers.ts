// The packer of Umpire and simple packers for comparison.
import { createHash } from 'node:crypto'
import type { SyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import type { DiffSide, FileDiff } from '../src/domain/diff.ts'
import { languageOfPath } from '../src/languages/linguist.ts'
import { isTestPath } from '../src/languages/test-paths.ts'
import type { ContextSpan } from '../src/reviewers/packed-context.ts'
import { type CountTokens, packContext } from '../src/workflows/pack-context.ts'
import { renderFileDiff } from '../test/render-file-diff.ts'
import type { CommentedRange } from './context-changes.ts'
import { keysInDiff, lineKey } from './context-ranges.ts'

export interface PackedText {
  /** The text that counts against the budget. */
  readonly text: string
  /** Lines as `side:path:number`. */
  readonly lines: ReadonlySet<string>
  /** What is neither the diff nor about the pull request. Plain packers have none. */
  readonly context: readonly ContextSpan[]
}

/** @param commented only an oracle knows these ranges */
export type Packer = (
  change: Change,
  tokens: number,
  commented: readonly CommentedRange[],
) => Promise<PackedText>

const contextOrigins = new Set([
  'memories',
  'callers',
  'tests',
  'related_pull_requests',
  'file_history',
  'definitions',
])

/** The packer of Umpire. Checks that each span contains the lines that it claims to contain. */
export function createHunkPacker(syntax: SyntaxParser, countTokens: CountTokens): Packer {
  return async (change, tokens) => {
    const { rounds } = await packContext(
      { syntax },
      change,
      { tokensPerRound: tokens, maxRounds: 1 },
      countTokens,
    )
    const spans = rounds[0]?.spans ?? []
    const lines = new Set<string>()
    for (const span of spans) {
      const written = new Set(span.text.split('\n').map(stripDiffMarks))
      for (const { path, side, start, end } of span.lines ?? [])
        for (let line = start; line <= end; line++) {
          const text = await readLine(change, path, side, line)
          if (!written.has(text) && !span.text.includes(text.trim().slice(0, 100)))
            throw new Error(`${path}:${line} (${side}) is missing from its span: ${text}`)
          lines.add(lineKey(side, path, line))
        }
    }
    return {
      text: spans.map(({ path, text }) => (path === null ? text : `${path}\n${text}`)).join('\n'),
      lines,
      context: spans.filter(({ origin }) => contextOrigins.has(origin)),
    }
  }
}

function stripDiffMarks(line: string): string {
  return line.replace(/^(\d+ )?[ +-]/, '')
}

const linesByChange = new WeakMap<Change, Map<string, Promise<string[]>>>()

async function readLine(
  change: Change,
  path: string,
  side: DiffSide,
  line: number,
): Promise<string> {
  const snapshot = side === 'RIGHT' ? change.head : change.base
  const known = linesByChange.get(change) ?? new Map<string, Promise<string[]>>()
  linesByChange.set(change, known)
  const oldPath = change.files.find((file) => file.path === path)?.oldPath ?? path
  const name = side === 'RIGHT' ? path : oldPath
  const read = async () =>
    Buffer.from((await snapshot.readFile(name)) ?? [])
      .toString('utf8')
      .split('\n')
  const reading = known.get(`${side}${name}`) ?? read()
  known.set(`${side}${name}`, reading)
  return (await reading)[line - 1] ?? ''
}

/** Whole files in diff order, grouped by language with the most changed lines first. */
export function createInOrderPacker(countTokens: CountTokens): Packer {
  return createPlainPacker(countTokens, ({ files }) => {
    const nameOf = (file: FileDiff) => languageOfPath(file.path)?.name ?? ''
    const lines = new Map<string, number>()
    for (const file of files)
      lines.set(nameOf(file), (lines.get(nameOf(file)) ?? 0) + countChangedLines(file))
    return files.toSorted((one, other) => lines.get(nameOf(other))! - lines.get(nameOf(one))!)
  })
}

/** Whole files, smallest first. */
export function createSmallestFirstPacker(countTokens: CountTokens): Packer {
  return createPlainPacker(countTokens, ({ files }) =>
    files.toSorted((one, other) => countChangedLines(one) - countChangedLines(other)),
  )
}

/** Whole hunks in the order of the diff, those of tests last. */
export function createTestsLastPacker(countTokens: CountTokens): Packer {
  return createPlainPacker(countTokens, ({ files }) =>
    splitHunks(files).toSorted(
      (one, other) => Number(isTestPath(one.path)) - Number(isTestPath(other.path)),
    ),
  )
}

/** Whole hunks in a random order, the same one for each seed. */
export function createRandomPacker(countTokens: CountTokens, seed: number): Packer {
  const rank = ({ path, hunks: [hunk] }: FileDiff) =>
    createHash('sha256').update(`${seed} ${path} ${hunk!.newStart}`).digest('hex')
  return createPlainPacker(countTokens, ({ files }) =>
    splitHunks(files)
      .map((part) => ({ part, rank: rank(part) }))
      .sort((one, other) => (one.rank < other.rank ? -1 : 1))
      .map(({ part }) => part),
  )
}

/** The whole hunks with most commented ranges for their tokens. */
export function createOraclePacker(countTokens: CountTokens): Packer {
  return createPlainPacker(countTokens, (change, commented) => {
    const wanted = commented.map((place) => keysInDiff(change, place))
    const rate = (part: FileDiff) => {
      const own = new Set(listLineKeys(part))
      const found = wanted.filter((keys) => keys.some((key) => own.has(key)))
      return found.length / countTokens(renderFileDiff(part))
    }
    return splitHunks(change.files)
      .map((part) => ({ part, rate: rate(part) }))
      .sort((one, other) => other.rate - one.rate)
      .map(({ part }) => part)
  })
}

function countChangedLines({ additions, deletions }: FileDiff): number {
  return additions + deletions
}

function splitHunks(files: readonly FileDiff[]): FileDiff[] {
  return files.flatMap((file) => file.hunks.map((hunk) => ({ ...file, hunks: [hunk] })))
}

function listLineKeys({ path, hunks }: FileDiff): string[] {
  return hunks
    .flatMap(({ lines }) => lines)
    .flatMap(({ oldLine, newLine }) => [
      ...(newLine === null ? [] : [lineKey('RIGHT', path, newLine)]),
      ...(oldLine === null ? [] : [lineKey('LEFT', path, oldLine)]),
    ])
}

/** Shows the parts of the diff that fit as unified diffs, the first ones first. */
function createPlainPacker(
  countTokens: CountTokens,
  order: (change: Change, commented: readonly CommentedRange[]) => readonly FileDiff[],
): Packer {
  return async (change, tokens, commented) => {
    const begun = new Set<string>()
    const lines = new Set<string>()
    let text = ''
    let left = tokens
    for (const part of order(change, commented)) {
      const whole = renderFileDiff(part)
      const added = begun.has(part.path) ? whole.slice(whole.indexOf('\n@@ ') + 1) : whole
      // A token has at most about twelve characters, so longer texts need no exact count.
      const cost = added.length > left * 12 ? Infinity : countTokens(added)
      if (cost > left) continue
      left -= cost
      text += added
      begun.add(part.path)
      for (const key of listLineKeys(part)) lines.add(key)
    }
    return { text, lines, context: [] }
  }
}
