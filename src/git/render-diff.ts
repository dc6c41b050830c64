// Renders a parsed diff as text: in git's format, or compactly with line numbers.
import type { DiffHunk, DiffLine, FileDiff } from '../domain/diff.ts'
import { needsQuotes, pathToBytes, quoteBytes } from './path-encoding.ts'

const markers: Readonly<Record<DiffLine['kind'], string>> = {
  context: ' ',
  added: '+',
  deleted: '-',
}

/** Renders a file's diff as git prints it, without the `index` and `similarity` lines. */
export function renderFileDiff(file: FileDiff): string {
  const oldName = printName('a/', file.oldPath)
  const newName = printName('b/', file.path)
  const oldSide = file.status === 'added' ? '/dev/null' : oldName
  const newSide = file.status === 'deleted' ? '/dev/null' : newName
  const lines = [`diff --git ${oldName} ${newName}`, ...renderModes(file)]
  if (file.status === 'renamed' || file.status === 'copied') {
    const verb = file.status === 'renamed' ? 'rename' : 'copy'
    lines.push(
      `${verb} from ${printName('', file.oldPath)}`,
      `${verb} to ${printName('', file.path)}`,
    )
  }
  if (file.binary) lines.push(`Binary files ${oldSide} and ${newSide} differ`)
  if (file.hunks.length > 0) lines.push(`--- ${withTab(oldSide)}`, `+++ ${withTab(newSide)}`)
  return lines.map((line) => `${line}\n`).join('') + file.hunks.map(renderHunk).join('')
}

function renderHunk(hunk: DiffHunk): string {
  const side = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`)
  const ranges = `-${side(hunk.oldStart, hunk.oldCount)} +${side(hunk.newStart, hunk.newCount)}`
  const header = `@@ ${ranges} @@${hunk.section === '' ? '' : ` ${hunk.section}`}\n`
  const lines = hunk.lines.map((line) => {
    const text = `${markers[line.kind]}${line.text}\n`
    return line.noNewlineAtEnd ? `${text}\\ No newline at end of file\n` : text
  })
  return header + lines.join('')
}

/** Whether all lines have their number in front, or only those that are hard to count to. */
export type NumberedLines = 'all' | 'some'

/**
 * Renders lines for a reader, without a line end after the last. Deleted lines have their number at
 * the base, all others at the head. A line without a number follows the previous line of its side.
 */
export function renderNumberedLines(lines: readonly DiffLine[], numbered: NumberedLines): string {
  let lastHead = Number.NaN
  let lastBase = Number.NaN
  const rendered = lines.map((line) => {
    const number = line.newLine ?? line.oldLine ?? 0
    const isNext = number === (line.newLine === null ? lastBase : lastHead) + 1
    const prefix = numbered === 'all' || !isNext || number % 10 === 0 ? `${number} ` : ''
    if (line.newLine === null) {
      lastBase = number
    } else {
      lastHead = number
      lastBase = Number.NaN
    }
    return `${prefix}${markers[line.kind]}${line.text}`
  })
  return rendered.join('\n')
}

function renderModes(file: FileDiff): string[] {
  if (file.status === 'added') return [`new file mode ${file.newMode ?? '100644'}`]
  if (file.status === 'deleted') return [`deleted file mode ${file.oldMode ?? '100644'}`]
  if (file.oldMode === file.newMode) return []
  return [`old mode ${file.oldMode}`, `new mode ${file.newMode}`]
}

function printName(prefix: string, path: string): string {
  const bytes = pathToBytes(path)
  return needsQuotes(bytes)
    ? quoteBytes(Buffer.concat([Buffer.from(prefix), bytes]))
    : prefix + path
}

/** git appends a tab to unquoted names with spaces, to mark their end. */
function withTab(name: string): string {
  return name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name
}
