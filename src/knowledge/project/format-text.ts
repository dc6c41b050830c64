// Formats counts, lists and file summaries for the descriptions of the project map.
import { countEach } from '../../lib/count-each.ts'
import { formatCount, formatNumber, joinWithAnd } from '../../lib/text.ts'
import type { ProjectFile } from './project.ts'

/** The result is `a, b and c`, or beyond the limit `a, b and 3 more`. */
export function formatList(items: readonly string[], limit = items.length): string {
  const shown = items.slice(0, limit)
  const rest = items.length - shown.length
  if (rest > 0) return `${shown.join(', ')} and ${formatNumber(rest)} more`
  return joinWithAnd(shown)
}

export function formatDirectory(path: string): string {
  return path === '.' ? 'the root' : path
}

/** Formats as `12 TypeScript files`, or as `14 files (12 TypeScript, 2 JSON)`. */
export function formatFiles(files: readonly ProjectFile[]): string {
  const kinds = countEach(files.map(({ language, path }) => language ?? extensionOf(path)))
  const [[onlyName] = ['']] = kinds
  if (kinds.length <= 1) return formatCount(files.length, `${onlyName} file`.trimStart())
  const counts = kinds.slice(0, 3).map(([name, count]) => `${count} ${name || 'other'}`)
  return `${formatCount(files.length, 'file')} (${counts.join(', ')})`
}

/** Lists a file's exported names, otherwise all that it defines; constants only if nothing else. */
export function listMainNames(symbols: ProjectFile['symbols']): string[] {
  const exported = symbols.filter((symbol) => symbol.exported)
  const candidates = exported.length > 0 ? exported : symbols
  const named = candidates.filter(({ name }) => name !== 'default')
  const definitions = named.filter(({ kind }) => kind !== 'value')
  const chosen = definitions.length > 0 ? definitions : named
  return [...new Set(chosen.map(({ name }) => name))]
}

function extensionOf(path: string): string {
  return /[^/.][^/]*\.([A-Za-z0-9]{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

const maxJoinedLength = 700

/** Joins the sentences that exist and fit into the maximum length. */
export function joinSentences(sentences: readonly (string | undefined)[]): string {
  let text = ''
  for (const sentence of sentences) {
    if (sentence === undefined || sentence === '') continue
    if (text.length + sentence.length + 1 > maxJoinedLength) continue
    text += text === '' ? sentence : ` ${sentence}`
  }
  return text
}

/** Removes the sentences that count files from a description. */
export function withoutFileCounts(text: string): string {
  const sentences = text.split(/(?<=[.!?…]) (?=\p{Lu}|\d)/u)
  return sentences
    .filter((sentence) => !/^(Below it )?\d[\d,]* ([\w#+.-]+ ){0,4}files?\b/.test(sentence))
    .join(' ')
}
