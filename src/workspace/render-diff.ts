// Writes a parsed diff as text again: as git would, or with line numbers for readers.
import type { DiffHunk, DiffLine, FileDiff } from '../domain/diff.ts'
import { needsQuotes, pathToBytes, quoteBytes } from './path-text.ts'

const markers: Readonly<Record<DiffLine['kind'], string>> = { context: ' ', added: '+', deleted: '-' }

/**
 * A file's diff as git prints it, but for the `index` and `similarity` lines. `hunks` keeps only those. With
 * `lineNumbers` each line begins with its old and new number: for reading, not for `git apply`.
 */
export function renderFileDiff(
  file: FileDiff,
  options: { hunks?: readonly DiffHunk[]; lineNumbers?: boolean } = {},
): string {
  const hunks = options.hunks ?? file.hunks
  const oldName = printName('a/', file.oldPath)
  const newName = printName('b/', file.path)
  const oldSide = file.status === 'added' ? '/dev/null' : oldName
  const newSide = file.status === 'deleted' ? '/dev/null' : newName
  const lines = [`diff --git ${oldName} ${newName}`, ...renderModes(file)]
  if (file.status === 'renamed' || file.status === 'copied') {
    const verb = file.status === 'renamed' ? 'rename' : 'copy'
    lines.push(`${verb} from ${printName('', file.oldPath)}`, `${verb} to ${printName('', file.path)}`)
  }
  if (file.binary) lines.push(`Binary files ${oldSide} and ${newSide} differ`)
  if (hunks.length > 0) lines.push(`--- ${withTab(oldSide)}`, `+++ ${withTab(newSide)}`)
  return lines.map((line) => `${line}\n`).join('') + hunks.map((hunk) => renderHunk(hunk, options)).join('')
}

/** A hunk with its header line. */
export function renderHunk(hunk: DiffHunk, options: { lineNumbers?: boolean } = {}): string {
  const side = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`)
  const ranges = `-${side(hunk.oldStart, hunk.oldCount)} +${side(hunk.newStart, hunk.newCount)}`
  const header = `@@ ${ranges} @@${hunk.section === '' ? '' : ` ${hunk.section}`}\n`
  const width = String(Math.max(hunk.oldStart + hunk.oldCount, hunk.newStart + hunk.newCount)).length
  const numbers = ({ oldLine, newLine }: DiffLine) =>
    `${String(oldLine ?? '').padStart(width)} ${String(newLine ?? '').padStart(width)} `
  const lines = hunk.lines.map((line) => {
    const text = `${options.lineNumbers ? numbers(line) : ''}${markers[line.kind]}${line.text}\n`
    return line.noNewlineAtEnd ? `${text}\\ No newline at end of file\n` : text
  })
  return header + lines.join('')
}

function renderModes(file: FileDiff): string[] {
  if (file.status === 'added') return [`new file mode ${file.newMode ?? '100644'}`]
  if (file.status === 'deleted') return [`deleted file mode ${file.oldMode ?? '100644'}`]
  if (file.oldMode === file.newMode) return []
  return [`old mode ${file.oldMode}`, `new mode ${file.newMode}`]
}

function printName(prefix: string, path: string): string {
  const bytes = pathToBytes(path)
  return needsQuotes(bytes) ? quoteBytes(Buffer.concat([Buffer.from(prefix), bytes])) : prefix + path
}

/** git marks the end of an unquoted name with spaces by a tab. */
function withTab(name: string): string {
  return name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name
}
