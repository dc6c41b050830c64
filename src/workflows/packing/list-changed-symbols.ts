// Lists the definitions of a file that a change adds or alters.
import type { FileDiff } from '../../domain/diff.ts'
import type { CodeSymbol } from '../../languages/code-index.ts'
import type { HeadView } from './read-head.ts'

/** Lists the definitions at the head that have an added line. */
export function listChangedSymbols(
  { hunks }: Pick<FileDiff, 'hunks'>,
  view: HeadView | undefined,
): CodeSymbol[] {
  if (view?.index === undefined) return []
  const added = listAddedLines(hunks)
  // The number of added lines before each line, so that nested definitions take no longer.
  const before = [0]
  for (let line = 1; line <= view.lines.length; line++)
    before.push(before[line - 1]! + Number(added.has(line)))
  const countUntil = (line: number) => before[Math.min(line, view.lines.length)]!
  return view.index.symbols.filter(
    ({ startLine, endLine }) => countUntil(endLine) > countUntil(startLine - 1),
  )
}

/** Lists the definitions at the head whose signature has an added line. */
export function listChangedSignatures(
  { hunks }: Pick<FileDiff, 'hunks'>,
  view: HeadView | undefined,
): CodeSymbol[] {
  if (view?.index === undefined) return []
  const added = listAddedLines(hunks)
  return view.index.symbols.filter(({ startLine, endLine, signature }) => {
    const isInSignature = (line: number) => signature.includes(view.lines[line - 1]?.trim() ?? '')
    for (let line = startLine; line <= endLine && isInSignature(line); line++)
      if (added.has(line)) return true
    return added.has(startLine)
  })
}

function listAddedLines(hunks: FileDiff['hunks']): ReadonlySet<number> {
  const lines = hunks.flatMap((hunk) => hunk.lines)
  return new Set(lines.flatMap(({ kind, newLine }) => (kind === 'added' ? newLine! : [])))
}
