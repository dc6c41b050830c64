// Renders a parsed diff in git's format, to compare it with what was parsed.
import type { DiffHunk, DiffLine, FileDiff } from '../src/domain/diff.ts'
import { pathToBytes, quoteBytes } from '../src/git/path-encoding.ts'

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

/** Whether git quotes this name in its output. */
function needsQuotes(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c)
}
