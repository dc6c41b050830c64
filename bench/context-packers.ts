// The packer of Umpire and two simple packers for comparison.

import type { SyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import type { DiffSide, FileDiff } from '../src/domain/diff.ts'
import { languageOfPath } from '../src/languages/linguist.ts'
import { type CountTokens, packContext } from '../src/workflows/pack-context.ts'
import { renderFileDiff } from '../test/render-file-diff.ts'

export interface PackedText {
  /** The text that counts against the budget. */
  readonly text: string
  /** Lines as `side:path:number`. */
  readonly lines: ReadonlySet<string>
}

export type Packer = (change: Change, tokens: number) => Promise<PackedText>

export function lineKey(side: DiffSide, path: string, line: number): string {
  return `${side}:${path}:${line}`
}

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
  return createFilePacker(countTokens, (files) => {
    const nameOf = (file: FileDiff) => languageOfPath(file.path)?.name ?? ''
    const lines = new Map<string, number>()
    for (const file of files)
      lines.set(nameOf(file), (lines.get(nameOf(file)) ?? 0) + countChangedLines(file))
    return files.toSorted((one, other) => lines.get(nameOf(other))! - lines.get(nameOf(one))!)
  })
}

/** Whole files, smallest first. */
export function createSmallestFirstPacker(countTokens: CountTokens): Packer {
  return createFilePacker(countTokens, (files) =>
    files.toSorted((one, other) => countChangedLines(one) - countChangedLines(other)),
  )
}

function countChangedLines({ additions, deletions }: FileDiff): number {
  return additions + deletions
}

function createFilePacker(
  countTokens: CountTokens,
  order: (files: readonly FileDiff[]) => readonly FileDiff[],
): Packer {
  return async (change, tokens) => {
    const lines = new Set<string>()
    let text = ''
    let left = tokens
    for (const file of order(change.files)) {
      const part = renderFileDiff(file)
      // A token has at most about twelve characters, so longer texts need no exact count.
      const cost = part.length > left * 12 ? Infinity : countTokens(part)
      if (cost > left) continue
      left -= cost
      text += part
      for (const { oldLine, newLine } of file.hunks.flatMap((hunk) => hunk.lines)) {
        if (newLine !== null) lines.add(lineKey('RIGHT', file.path, newLine))
        if (oldLine !== null) lines.add(lineKey('LEFT', file.path, oldLine))
      }
    }
    return { text, lines }
  }
}
