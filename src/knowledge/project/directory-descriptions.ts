// Finds what a directory's own files say it is for: its README, its manifest, the comment that its main file opens with.
import { isCode } from './component-type.ts'
import type { Directory } from './directories.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { isProjectManifest } from './manifests/read-manifests.ts'
import { readFirstParagraph } from './markdown.ts'
import { readOpeningComment } from './opening-comment.ts'
import { firstSentence, isReadable, toPlainText } from './plain-text.ts'
import { directoryOf, nameOf, type Project, type ProjectFile, readSmallText } from './project.ts'

/** Files that speak for their directory, by language. */
const mainFileName =
  /^(__init__\.py|mod\.rs|lib\.rs|main\.rs|index\.([cm]?[jt]sx?|vue)|doc\.go|package-info\.java|main\.(go|py|c|cpp|[cm]?[jt]s))$/

/** Go may say it in any file of a package. */
const maxGoFiles = 6

export interface DirectoryDescription {
  readonly text: string
  /** The file that says it. */
  readonly file: string
}

/** So often the same words are about all of them, not about each. */
const minCommonCount = 4

/** After so many sentences nothing better comes. */
const maxRounds = 4

/**
 * What each directory's own files say of it: the first sentence that isn't said of many directories alike. Nothing of those
 * that say nothing.
 */
export async function readDirectoryDescriptions(
  project: Project,
  directories: readonly Directory[],
  manifests: readonly ProjectManifest[],
): Promise<Map<Directory, DirectoryDescription>> {
  const words = new Map<Directory, DirectoryDescription>()
  const counts = new Map<string, number>()
  const byPath = new Map(directories.map((directory) => [directory.path, directory]))
  let asked = directories.map((directory) => ({
    directory,
    list: listDescriptions(project, directory, byPath, manifests),
  }))
  for (let round = 0; round < maxRounds; round++) {
    for (const { directory, list } of asked) {
      const { value } = await list.next()
      if (value === undefined) words.delete(directory)
      else {
        words.set(directory, value)
        const key = withoutName(directory, value)
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
    }
    asked = asked.filter(({ directory }) => isCommon(counts, directory, words.get(directory)))
  }
  for (const { directory } of asked) words.delete(directory)
  return words
}

function isCommon(
  counts: ReadonlyMap<string, number>,
  directory: Directory,
  words: DirectoryDescription | undefined,
): boolean {
  return words !== undefined && (counts.get(withoutName(directory, words)) ?? 0) >= minCommonCount
}

/** What is made by a template differs in the name alone. */
function withoutName({ path }: Directory, { text: words }: DirectoryDescription): string {
  return words.toLowerCase().replaceAll(nameOf(path).toLowerCase(), '')
}

/** A package's own description is made to tell what it is; a README may begin with anything. */
async function* listDescriptions(
  project: Project,
  directory: Directory,
  directories: ReadonlyMap<string, Directory>,
  manifests: readonly ProjectManifest[],
): AsyncGenerator<DirectoryDescription, undefined> {
  const manifest = manifests.find(
    ({ path, description }) => description && directoryOf(path) === directory.path,
  )
  const described = firstSentence(toPlainText(manifest?.description ?? ''))
  if (manifest && isReadable(described)) yield { text: described, file: manifest.path }
  const readme = directory.files.find(({ path }) =>
    /^readme(\.(md|mdx|rst|adoc|txt|markdown))?$/i.test(nameOf(path)),
  )
  const text = readme && (await readSmallText(project, readme, 16_000))
  const opening = text === undefined ? undefined : readFirstParagraph(text)
  if (readme && opening !== undefined) yield { text: firstSentence(opening), file: readme.path }
  for (const file of directory.files
    .filter(({ path }) => descriptorFileName.test(nameOf(path)))
    .slice(0, 1)) {
    const declared = readDescriptor((await readSmallText(project, file, 4_000)) ?? '')
    if (isReadable(declared)) yield { text: declared, file: file.path }
  }
  // The sources of a package stand for it.
  const sources =
    directory.files.some(({ path }) => isProjectManifest(path)) &&
    directories.get(`${directory.path}/src`)
  for (const file of [
    ...chooseMainFiles(directory),
    ...(sources ? chooseMainFiles(sources) : []),
  ]) {
    const source = await readSmallText(project, file, 12_000)
    const words = source === undefined ? undefined : readOpeningComment(file.language, source)
    const isOfPackage = file.language !== 'Go' || /^package /i.test(words ?? '')
    if (words !== undefined && isOfPackage) yield { text: words, file: file.path }
  }
  return undefined
}

/** Files with a line that describes the directory: an action of continuous integration, a chart, a skill. */
const descriptorFileName = /^(action\.ya?ml|Chart\.ya?ml|galaxy\.ya?ml|SKILL\.md|plugin\.ya?ml)$/

function readDescriptor(text: string): string {
  const line =
    /^description:[^\S\n]*(?:[>|][-+]?[^\S\n]*\n\s{1,8})?["']?([^\n]{10,400})/m.exec(text)?.[1] ??
    ''
  return firstSentence(toPlainText(line.replace(/["']\s*$/, '')))
}

function chooseMainFiles({ path, files }: Directory): ProjectFile[] {
  const own = files.filter(
    ({ kind, isTest, language }) => kind === 'source' && !isTest && isCode(language),
  )
  const named = own.filter(
    ({ path: file }) =>
      mainFileName.test(nameOf(file)) || nameOf(file).startsWith(`${nameOf(path)}.`),
  )
  const go = own.filter(({ language }) => language === 'Go').slice(0, maxGoFiles)
  // A directory of one file is what that file is.
  const only = own.length === 1 && files.length <= 3 ? own : []
  return [...new Set([...named, ...go, ...only])].slice(0, 8)
}
