// Where rules on the code graph put their findings, and what they leave alone.
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import type { FileLines } from '../../git/line-reader.ts'
import type { GraphedChange, LineRange } from './rule.ts'

/** The place of a finding. */
export interface GraphLocation {
  readonly path: string
  readonly side: DiffSide
  readonly at: LineRange
}

/**
 * The line of a definition at the head on which a finding about it stands: its first one, where the diff shows it, else
 * its first changed one. Undefined where the file isn't reviewed, or the diff shows nothing of it.
 */
export function findDefinitionLine(
  { files }: GraphedChange,
  path: string,
  { startLine, endLine }: LineRange,
): GraphLocation | undefined {
  const file = files.find((each) => each.path === path)
  const lines = (file?.hunks ?? [])
    .flatMap((hunk) => hunk.lines)
    .filter(({ newLine }) => newLine !== null && newLine >= startLine && newLine <= endLine)
  const line =
    lines.find(({ newLine }) => newLine === startLine) ?? lines.find(({ kind }) => kind === 'added')
  return line && locationAt(path, 'RIGHT', line.newLine!)
}

/** The line of a definition that is gone, or the first deleted line in what it was. */
export function findDeletedLine(
  file: FileDiff,
  { startLine, endLine }: LineRange,
): GraphLocation | undefined {
  const line = file.hunks
    .flatMap((hunk) => hunk.lines)
    .find(
      ({ kind, oldLine }) =>
        kind === 'deleted' && oldLine !== null && oldLine >= startLine && oldLine <= endLine,
    )
  return line && locationAt(file.path, 'LEFT', line.oldLine!)
}

export function locationAt(path: string, side: DiffSide, line: number): GraphLocation {
  return { path, side, at: { startLine: line, endLine: line } }
}

/** Files that stand for code in tests and templates: what is wrong in them may be meant so. */
export function isFixture(path: string): boolean {
  return /(?:^|\/)(?:_*fixtures?_*|_*snapshots_*|testdata|test-data|templates?|samples)\//i.test(
    path,
  )
}

/** Lines above an import that are looked through for what expects it to fail. */
const maxLinesAbove = 12

/** Whether code expects that an import may fail, or says that it is meant so. */
export function isGuardedImport(lines: FileLines, line: number): boolean {
  const own = lines?.[line - 1]
  if (own === undefined) return true
  if (
    /@ts-ignore|@ts-expect-error|@ts-nocheck|type:\s*ignore|noqa|eslint-disable/.test(
      `${lines?.[line - 2]}\n${own}`,
    )
  )
    return true
  if (/\.catch\s*\(|\bimport\.meta\b/.test(own)) return true
  let indent = indentOf(own)
  for (let at = line - 2; at >= Math.max(0, line - 1 - maxLinesAbove) && indent > 0; at--) {
    const text = lines![at]!
    if (text.trim() === '' || indentOf(text) >= indent) continue
    indent = indentOf(text)
    if (
      /^\s*(?:try\b|\}?\s*catch\b|except\b|if\b.*TYPE_CHECKING|#\s*(?:if|ifdef)\b|begin\b)/.test(
        text,
      )
    )
      return true
  }
  return false
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}

/** A name or path of the repository as code in a sentence. */
export function quoteName(name: string): string {
  const line = name.replaceAll(/[`\s]+/g, ' ').trim()
  return `\`${line.length <= 120 ? line : `${line.slice(0, 120).toWellFormed()}…`}\``
}
