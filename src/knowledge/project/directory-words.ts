// Finds what a directory's own files say it is for: its README, its manifest, the comment that its main file opens with.
import type { Directory } from './directories.ts'
import type { Manifest } from './manifests/manifest.ts'
import { readOpening } from './markdown.ts'
import { readOpeningComment } from './opening-comment.ts'
import { firstSentence, isProse, toPlainText } from './plain-text.ts'
import { directoryOf, nameOf, type Project, type ProjectFile, readSmallText } from './project.ts'

/** Files that speak for their directory, by language. */
const speakers =
  /^(__init__\.py|mod\.rs|lib\.rs|main\.rs|index\.([cm]?[jt]sx?|vue)|doc\.go|package-info\.java|main\.(go|py|c|cpp|[cm]?[jt]s))$/

/** Go may say it in any file of a package. */
const mostGoFiles = 6

export interface DirectoryWords {
  readonly words: string
  /** The file that says it. */
  readonly file: string
}

/** The first sentence found; undefined where nothing says anything. */
export async function readDirectoryWords(
  project: Project,
  directory: Directory,
  manifests: readonly Manifest[],
): Promise<DirectoryWords | undefined> {
  const readme = directory.files.find(({ path }) => /^readme(\.(md|mdx|rst|adoc|txt|markdown))?$/i.test(nameOf(path)))
  const text = readme && (await readSmallText(project, readme, 16_000))
  const opening = text === undefined ? undefined : readOpening(text)
  const manifest = manifests.find(({ path, description }) => description && directoryOf(path) === directory.path)
  const described = firstSentence(toPlainText(manifest?.description?.slice(0, 1000) ?? ''))
  // A package's own description is made to tell what it is; a README may begin with anything.
  if (manifest && isProse(described)) return { words: described, file: manifest.path }
  if (readme && opening !== undefined) return { words: firstSentence(opening), file: readme.path }
  for (const file of chooseSpeakers(directory)) {
    const source = await readSmallText(project, file, 12_000)
    const words = source === undefined ? undefined : readOpeningComment(file.language, source)
    const isOfPackage = file.language !== 'Go' || /^package /i.test(words ?? '')
    if (words !== undefined && isOfPackage) return { words, file: file.path }
  }
  return undefined
}

function chooseSpeakers({ path, files }: Directory): ProjectFile[] {
  const own = files.filter(({ kind, isTest }) => kind === 'source' && !isTest)
  const named = own.filter(
    ({ path: file }) => speakers.test(nameOf(file)) || nameOf(file).startsWith(`${nameOf(path)}.`),
  )
  const go = own.filter(({ language }) => language === 'Go').slice(0, mostGoFiles)
  // A directory of one file is what that file is.
  return [...new Set([...named, ...go, ...(own.length === 1 ? own : [])])].slice(0, 8)
}
