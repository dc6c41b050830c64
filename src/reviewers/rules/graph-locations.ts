// Locates findings about the code graph in the diff, and recognizes code that may be broken.
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import type { FileLines } from '../../git/line-reader.ts'
import type { GraphedChange, LineRange } from './rule.ts'

/** Where in the diff a finding is shown. */
export interface GraphLocation {
  readonly path: string
  readonly side: DiffSide
  readonly at: LineRange
}

/**
 * Finds the line for a finding about a definition at the head: its first one in the diff, or else
 * its first changed one. Undefined where the diff shows none of its lines.
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

/** Finds the first deleted line among those of a removed definition. */
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

/** Whether a file is test data or a template, where an error may be intended. */
export function isFixture(path: string): boolean {
  return /(?:^|\/)(?:_*fixtures?_*|_*snapshots_*|testdata|test-data|templates?|samples)\//i.test(
    path,
  )
}

/** Limits how far above an import an enclosing `try` or `if` is searched. */
const maxLinesAbove = 12

const suppressionComment =
  /@ts-ignore|@ts-expect-error|@ts-nocheck|type:\s*ignore|noqa|eslint-disable/

/** Statements whose code may fail, or runs only in some environments. */
const guard = /^\s*(?:try\b|\}?\s*catch\b|except\b|if\b.*TYPE_CHECKING|#\s*(?:if|ifdef)\b|begin\b)/

/** Whether the code handles or permits that an import fails. True where the line can't be read. */
export function isGuardedImport(lines: FileLines, line: number): boolean {
  const own = lines?.[line - 1]
  if (!lines || own === undefined) return true
  if (suppressionComment.test(`${lines[line - 2]}\n${own}`)) return true
  return /\.catch\s*\(|\bimport\.meta\b/.test(own) || hasGuardAround(lines, line)
}

/** Whether a line that is indented less, up to the nearest one without indentation, is a guard. */
function hasGuardAround(lines: readonly string[], line: number): boolean {
  let indent = indentOf(lines[line - 1]!)
  for (let at = line - 2; at >= Math.max(0, line - 1 - maxLinesAbove) && indent > 0; at--) {
    const text = lines[at]!
    if (text.trim() === '' || indentOf(text) >= indent) continue
    indent = indentOf(text)
    if (guard.test(text)) return true
  }
  return false
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}

/** Quotes a name or path of the repository as code in a sentence. */
export function quoteName(name: string): string {
  const line = name.replaceAll(/[`\s]+/g, ' ').trim()
  return `\`${line.length <= 120 ? line : `${line.slice(0, 120).toWellFormed()}…`}\``
}
