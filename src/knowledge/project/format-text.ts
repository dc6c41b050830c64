// How numbers, lists and names are written in descriptions.

import { topKeys } from './directories.ts'
import type { ProjectFile } from './project.ts'

/** `1,830`. */
export function formatNumber(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 file`, `12 files`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** `a, b and c`; beyond `most` how many more there are. */
export function formatList(items: readonly string[], most = items.length): string {
  const shown = items.slice(0, most)
  const rest = items.length - shown.length
  if (rest > 0) return `${shown.join(', ')} and ${formatNumber(rest)} more`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** A directory as people write it: the root by name. */
export function formatDirectory(path: string): string {
  return path === '.' ? 'the root' : path
}

/** `12 TypeScript files`; `14 files (TypeScript 12, JSON 2)` where there are several languages. */
export function formatFiles(files: readonly ProjectFile[]): string {
  const kinds = new Map<string, number>()
  for (const file of files) {
    const kind = file.language ?? extensionOf(file.path)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  const names = topKeys(kinds, 3)
  const first = names[0] ?? ''
  if (kinds.size <= 1)
    return first === ''
      ? formatCount(files.length, 'file')
      : formatCount(files.length, `${first} file`)
  return `${formatCount(files.length, 'file')} (${names.map((name) => `${kinds.get(name)} ${name || 'other'}`).join(', ')})`
}

/** The names that a file is known by: what others may use of it, else what it defines. */
export function listMainNames(symbols: ProjectFile['symbols']): string[] {
  const exported = symbols.filter((symbol) => symbol.exported)
  const shown = (exported.length > 0 ? exported : symbols).filter(({ name }) => name !== 'default')
  const telling = shown.filter(({ kind }) => kind !== 'value')
  return [...new Set((telling.length > 0 ? telling : shown).map(({ name }) => name))]
}

function extensionOf(path: string): string {
  return /[^/.][^/]*\.([A-Za-z0-9]{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** Sentences, those that there are, within the length of a description. */
export function joinSentences(sentences: readonly (string | undefined)[], most = 700): string {
  let text = ''
  for (const sentence of sentences) {
    if (sentence === undefined || sentence === '' || text.length + sentence.length + 1 > most)
      continue
    text += text === '' ? sentence : ` ${sentence}`
  }
  return text
}

/** A description without the sentences that count its files. */
export function withoutFileCounts(text: string): string {
  const sentences = text.split(/(?<=[.!?…]) (?=\p{Lu}|\d)/u)
  return sentences
    .filter((sentence) => !/^(Below it )?\d[\d,]* ([\w#+.-]+ ){0,4}files?\b/.test(sentence))
    .join(' ')
}
