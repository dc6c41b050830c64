// Finds descriptions of directories in their manifests, READMEs and main files.
import { addCount } from '../../lib/count-each.ts'
import { longPattern } from '../../lib/long-pattern.ts'
import { directoryOf, filenameOf } from '../../lib/tree-paths.ts'
import { isCode } from './component-type.ts'
import type { Directory } from './directories.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { isProjectManifest } from './manifests/read-manifests.ts'
import { readFirstParagraph } from './markdown.ts'
import { readOpeningComment } from './opening-comment.ts'
import { firstSentence, isReadable, toPlainText } from './plain-text.ts'
import { isSource, type Project, type ProjectFile, readSmallText } from './project.ts'

/** Files whose opening comment usually describes their directory. */
const mainFileName = longPattern()`
  ^(__init__\.py|mod\.rs|lib\.rs|main\.rs|index\.([cm]?[jt]sx?|vue)|doc\.go
  |package-info\.java|main\.(go|py|c|cpp|[cm]?[jt]s))$`

/** In Go any file of a package can have the package's comment. */
const maxGoFiles = 6

export interface DirectoryDescription {
  readonly text: string
  /** The file that contains the text. */
  readonly file: string
}

/** A text that this many directories share doesn't describe any of them. */
const minCommonCount = 4

/** The number of texts that are tried for each directory. */
const maxRounds = 4

/**
 * Finds for each directory the first text in its files that isn't common to many directories.
 * Directories without such a text are missing from the result.
 */
export async function readDirectoryDescriptions(
  project: Project,
  directories: readonly Directory[],
  manifests: readonly ProjectManifest[],
): Promise<Map<Directory, DirectoryDescription>> {
  const descriptions = new Map<Directory, DirectoryDescription>()
  const counts = new Map<string, number>()
  const byPath = new Map(directories.map((directory) => [directory.path, directory]))
  let pending = directories.map((directory) => ({
    directory,
    candidates: listDescriptions(project, directory, byPath, manifests),
  }))
  for (let round = 0; round < maxRounds; round++) {
    for (const { directory, candidates } of pending) {
      const { value } = await candidates.next()
      if (value === undefined) {
        descriptions.delete(directory)
        continue
      }
      descriptions.set(directory, value)
      addCount(counts, withoutName(directory, value))
    }
    pending = pending.filter(({ directory }) => {
      const description = descriptions.get(directory)
      return description && counts.get(withoutName(directory, description))! >= minCommonCount
    })
  }
  for (const { directory } of pending) descriptions.delete(directory)
  return descriptions
}

/** Texts that were generated from a template differ only in the directory's name. */
function withoutName({ path }: Directory, { text }: DirectoryDescription): string {
  return text.toLowerCase().replaceAll(filenameOf(path).toLowerCase(), '')
}

/** Yields a manifest's description first, because a README may begin with anything. */
async function* listDescriptions(
  project: Project,
  directory: Directory,
  directories: ReadonlyMap<string, Directory>,
  manifests: readonly ProjectManifest[],
): AsyncGenerator<DirectoryDescription, undefined> {
  const manifest = manifests.find(
    ({ path, description }) => description && directoryOf(path) === directory.path,
  )
  const ofManifest = firstSentence(toPlainText(manifest?.description ?? ''))
  if (manifest && isReadable(ofManifest)) yield { text: ofManifest, file: manifest.path }
  for (const { file, maxLength, read } of listSources(directory, directories)) {
    const source = file && (await readSmallText(project, file, maxLength))
    const text = source && read(source, file)
    if (text) yield { text, file: file.path }
  }
  return undefined
}

interface DescriptionSource {
  readonly file: ProjectFile | undefined
  readonly maxLength: number
  readonly read: (text: string, file: ProjectFile) => string | undefined
}

/** The files that may describe a directory, the most reliable first. */
function listSources(
  directory: Directory,
  directories: ReadonlyMap<string, Directory>,
): DescriptionSource[] {
  const find = (name: RegExp) => directory.files.find(({ path }) => name.test(filenameOf(path)))
  const mainFiles = [...chooseMainFiles(directory), ...choosePackageSources(directory, directories)]
  return [
    { file: find(readmeName), maxLength: 16_000, read: readReadme },
    { file: find(descriptorName), maxLength: 4_000, read: readDescriptor },
    ...mainFiles.map((file) => ({ file, maxLength: 12_000, read: readMainFile })),
  ]
}

const readmeName = /^readme(\.(md|mdx|rst|adoc|txt|markdown))?$/i
/** Files with a `description` of their directory: actions, charts, collections, skills, plugins. */
const descriptorName = /^(action\.ya?ml|Chart\.ya?ml|galaxy\.ya?ml|SKILL\.md|plugin\.ya?ml)$/

function readReadme(text: string): string | undefined {
  const paragraph = readFirstParagraph(text)
  return paragraph && firstSentence(paragraph)
}

function readDescriptor(text: string): string | undefined {
  const pattern = /^description:[^\S\n]*(?:[>|][-+]?[^\S\n]*\n\s{1,8})?["']?([^\n]{10,400})/m
  const value = pattern.exec(text)?.[1] ?? ''
  const description = firstSentence(toPlainText(value.replace(/["']\s*$/, '')))
  return isReadable(description) ? description : undefined
}

function readMainFile(text: string, { language }: ProjectFile): string | undefined {
  const comment = readOpeningComment(language, text) ?? ''
  // Go's convention is that the package comment begins with `Package name`.
  return language !== 'Go' || /^package /i.test(comment) ? comment : undefined
}

/** The main files in the `src` directory of a package describe the package. */
function choosePackageSources(
  directory: Directory,
  directories: ReadonlyMap<string, Directory>,
): ProjectFile[] {
  const isPackage = directory.files.some(({ path }) => isProjectManifest(path))
  const sources = isPackage ? directories.get(`${directory.path}/src`) : undefined
  return sources === undefined ? [] : chooseMainFiles(sources)
}

function chooseMainFiles({ path, files }: Directory): ProjectFile[] {
  const sources = files.filter((file) => isSource(file) && isCode(file.language))
  const mainFiles = sources.filter((file) => {
    const name = filenameOf(file.path)
    return mainFileName.test(name) || name.startsWith(`${filenameOf(path)}.`)
  })
  const goFiles = sources.filter(({ language }) => language === 'Go').slice(0, maxGoFiles)
  // If a directory has only one source file, that file's comment describes the directory.
  const onlyFile = sources.length === 1 && files.length <= 3 ? sources : []
  return [...new Set([...mainFiles, ...goFiles, ...onlyFile])].slice(0, 8)
}
