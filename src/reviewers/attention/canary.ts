// Creates a canary: a small fictitious file with a defect that every attentive reader reports.
import { posix } from 'node:path'
import type { FileDiff } from '../../domain/diff.ts'
import { type Dialect, kebab } from '../../languages/common/dialect.ts'
import { languageOfCode } from '../../languages/index.ts'
import type { ContextRound } from '../packed-context.ts'
import type { ReviewField } from '../prompts/specialist-prompts.ts'
import { type CanaryWords, createCanaryWords, pickRandom } from './canary-words.ts'
import { type Defect, defects } from './defects.ts'
import { shellDialect, shellExtensions } from './shell-dialect.ts'

/** Limits the tokens of a canary and its entry in the list of files; a test checks it. */
export const maxCanaryTokens = 150

/** The path of a deeper folder would take more tokens than the file. */
const maxFolderChars = 20

/** Matches the passwords that defects contain. */
const passwordLiteral = /\b[a-z]{8}\d{2}\b/g

/** A fictitious new file that is added to the change. */
export interface Canary {
  /** The diff that adds the file. */
  readonly file: FileDiff
  readonly lines: readonly string[]
  /** Lower-case words that occur in the canary and nowhere else in the round. */
  readonly uniqueWords: readonly string[]
}

/**
 * Creates a canary for a round, with a random defect of one of the fields, in the language and the
 * folder of a random file of the round, so that its content can't be predicted.
 */
export async function createCanary(
  round: ContextRound,
  fields: readonly ReviewField[],
): Promise<Canary> {
  const texts = round.spans.map(({ text }) => text.toLowerCase())
  const words = createCanaryWords(texts)
  const defect = pickRandom(defects.filter(({ field }) => fields.includes(field)))
  const sibling = chooseSibling(listFiles(round))
  const { name, lines } = await writeFile(defect, sibling, words)
  const passwords = lines.flatMap((line) => line.match(passwordLiteral) ?? [])
  const candidates = [words.word, words.noun, ...passwords]
  return {
    file: describeNewFile(posix.join(chooseFolder(sibling), name), lines),
    lines,
    uniqueWords: candidates.filter((word) => !texts.some((text) => text.includes(word))),
  }
}

/** Picks the file whose folder and language the canary takes; an empty path when there is none. */
function chooseSibling(paths: readonly string[]): string {
  const supported = paths.filter((path) => dialectLoaderOf(path) !== undefined)
  if (supported.length > 0) return pickRandom(supported)
  return paths.length > 0 ? pickRandom(paths) : ''
}

/** Lists the files whose lines are in the round. */
function listFiles({ spans }: ContextRound): string[] {
  return spans.flatMap(({ origin, path }) => (origin === 'diff' && path !== null ? [path] : []))
}

function extensionOf(path: string): string {
  return posix.extname(path).toLowerCase()
}

function dialectLoaderOf(path: string): ((path: string) => Promise<Dialect>) | undefined {
  return shellExtensions.includes(extensionOf(path))
    ? async () => shellDialect
    : languageOfCode(path)?.loadDialect
}

async function writeFile(defect: Defect, sibling: string, canaryWords: CanaryWords) {
  const words = [canaryWords.word, canaryWords.noun]
  const dialect = await dialectLoaderOf(sibling)?.(sibling.toLowerCase())
  if (dialect === undefined)
    return { name: `${kebab(words)}.yml`, lines: defect.settings(canaryWords) }
  return {
    name: nameFile(dialect, defect, words) + extensionOf(sibling),
    lines: dialect.file(defect.write(dialect, canaryWords), words),
  }
}

function nameFile(dialect: Dialect, { isTest }: Defect, words: readonly string[]): string {
  const stem = dialect.stem(words)
  return isTest ? dialect.testStem(stem) : stem
}

/** Returns the folder of a file, or the nearest parent whose path is short and plain. */
function chooseFolder(path: string): string {
  const folders = path.split('/').slice(0, -1)
  while (folders.join('/').length > maxFolderChars || !/^[\w@./ -]*$/.test(folders.join('/')))
    folders.pop()
  return folders.join('/')
}

function describeNewFile(path: string, texts: readonly string[]): FileDiff {
  const lines = texts.map((text, index) => ({
    kind: 'added' as const,
    text,
    oldLine: null,
    newLine: index + 1,
    noNewlineAtEnd: false,
  }))
  const hunk = { oldStart: 0, oldCount: 0, newStart: 1, newCount: lines.length, section: '', lines }
  return {
    path,
    oldPath: path,
    status: 'added',
    binary: false,
    submodule: false,
    oldMode: null,
    newMode: '100644',
    hunks: [hunk],
    additions: lines.length,
    deletions: 0,
    truncated: false,
  }
}
