// Makes up a small file with a planted defect: whoever reads a round of the change reports it.
import { posix } from 'node:path'
import type { FileDiff } from '../../domain/diff.ts'
import type { ReviewField } from '../prompts/specialist-prompts.ts'
import type { ContextRound } from '../reviewer.ts'
import { type CanaryWords, createCanaryWords, kebab, pickRandom } from './canary-words.ts'
import { type Defect, defects } from './defects.ts'
import { type Dialect, dialectOf } from './dialects.ts'

/** Most tokens that a planted file takes of a round, with its place in the list of files; held by a test. */
export const maxCanaryTokens = 150

/** A longer folder would take more tokens than the file. */
const maxFolderChars = 20

/** As a password is. */
const longLiteral = /[0-9a-f]{10}/g

/** A made-up file, as a part of the change. */
export interface Canary {
  /** A new one. */
  readonly file: FileDiff
  readonly lines: readonly string[]
  /** Lower-case words that stand in it and in nothing else of the round. */
  readonly uniqueWords: readonly string[]
}

/**
 * Makes up a file for a round: in the language of one of its files, beside one of them, with a defect of one of the
 * fields. Nothing of it can be foreseen.
 */
export function createCanary(round: ContextRound, fields: readonly ReviewField[]): Canary {
  const texts = round.spans.map(({ text }) => text.toLowerCase())
  const words = createCanaryWords(texts)
  const defect = pickRandom(defects.filter(({ field }) => fields.includes(field)))
  const paths = listFiles(round)
  const known = paths.filter((path) => dialectOf(extensionOf(path)) !== undefined)
  const beside = pickRandom(known.length > 0 ? known : paths.length > 0 ? paths : [''])
  const { name, lines } = writeFile(defect, beside, words)
  const telling = [
    words.word,
    words.noun,
    ...lines.flatMap((line) => line.match(longLiteral) ?? []),
  ]
  return {
    file: describeNewFile(posix.join(chooseFolder(beside), name), lines),
    lines,
    uniqueWords: telling.filter((mark) => !texts.some((text) => text.includes(mark))),
  }
}

/** The files that a round shows lines of. */
function listFiles({ spans }: ContextRound): string[] {
  return spans.flatMap(({ origin, path }) => (origin === 'diff' && path !== null ? [path] : []))
}

function extensionOf(path: string): string {
  return posix.extname(path).toLowerCase()
}

function writeFile(defect: Defect, beside: string, made: CanaryWords) {
  const words = [made.word, made.noun]
  const dialect = dialectOf(extensionOf(beside))
  if (dialect === undefined) return { name: `${kebab(words)}.yml`, lines: defect.settings(made) }
  return {
    name: nameFile(dialect, defect, words) + extensionOf(beside),
    lines: writeLines(dialect, defect, made),
  }
}

function nameFile(dialect: Dialect, { isTest }: Defect, words: readonly string[]): string {
  const stem = dialect.stem(words)
  return isTest ? dialect.testStem(stem) : stem
}

function writeLines(dialect: Dialect, defect: Defect, made: CanaryWords): string[] {
  return dialect.file(defect.write(dialect, made), [made.word, made.noun])
}

/** The folder of a file, or as much of its beginning as is short and plain. */
function chooseFolder(path: string): string {
  const folders = path.split('/').slice(0, -1)
  while (folders.join('/').length > maxFolderChars || !/^[\w@./ -]*$/.test(folders.join('/')))
    folders.pop()
  return folders.join('/')
}

function describeNewFile(path: string, texts: readonly string[]): FileDiff {
  const lines = texts.map((text, index) => ({
    ...{ kind: 'added' as const, text, oldLine: null, newLine: index + 1, noNewlineAtEnd: false },
  }))
  const hunk = { oldStart: 0, oldCount: 0, newStart: 1, newCount: lines.length, section: '', lines }
  return {
    ...{
      path,
      oldPath: path,
      status: 'added',
      binary: false,
      submodule: false,
      oldMode: null,
      newMode: '100644',
    },
    ...{ hunks: [hunk], additions: lines.length, deletions: 0, truncated: false },
  }
}
