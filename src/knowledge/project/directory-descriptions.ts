// Finds descriptions of directories in their manifests, READMEs and main files.
import { isCode } from './component-type.ts'
import type { Directory } from './directories.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { isProjectManifest } from './manifests/read-manifests.ts'
import { readFirstParagraph } from './markdown.ts'
import { readOpeningComment } from './opening-comment.ts'
import { firstSentence, isReadable, toPlainText } from './plain-text.ts'
import { directoryOf, nameOf, type Project, type ProjectFile, readSmallText } from './project.ts'

/** Files whose opening comment usually describes their directory. */
const mainFileNameTerms = [
  String.raw`__init__\.py|mod\.rs|lib\.rs|main\.rs|index\.([cm]?[jt]sx?|vue)|doc\.go`,
  String.raw`package-info\.java|main\.(go|py|c|cpp|[cm]?[jt]s)`,
].join('|')
const mainFileName = new RegExp(`^(${mainFileNameTerms})$`)

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
      const key = withoutName(directory, value)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    pending = pending.filter(({ directory }) =>
      isCommon(counts, directory, descriptions.get(directory)),
    )
  }
  for (const { directory } of pending) descriptions.delete(directory)
  return descriptions
}

function isCommon(
  counts: ReadonlyMap<string, number>,
  directory: Directory,
  description: DirectoryDescription | undefined,
): boolean {
  if (description === undefined) return false
  const count = counts.get(withoutName(directory, description)) ?? 0
  return count >= minCommonCount
}

/** Texts that were generated from a template differ only in the directory's name. */
function withoutName({ path }: Directory, { text }: DirectoryDescription): string {
  return text.toLowerCase().replaceAll(nameOf(path).toLowerCase(), '')
}

/** Yields a manifest's description first, because a README may begin with anything. */
async function* listDescriptions(
  project: Project,
  directory: Directory,
  directories: ReadonlyMap<string, Directory>,
  manifests: readonly ProjectManifest[],
): AsyncGenerator<DirectoryDescription, undefined> {
  const ofManifest = readManifestDescription(directory, manifests)
  if (ofManifest !== undefined) yield ofManifest
  const ofReadme = await readReadme(project, directory)
  if (ofReadme !== undefined) yield ofReadme
  const ofDescriptor = await readDescriptorFile(project, directory)
  if (ofDescriptor !== undefined) yield ofDescriptor
  const mainFiles = [...chooseMainFiles(directory), ...choosePackageSources(directory, directories)]
  for (const file of mainFiles) {
    const ofFile = await readMainFile(project, file)
    if (ofFile !== undefined) yield ofFile
  }
  return undefined
}

function readManifestDescription(
  directory: Directory,
  manifests: readonly ProjectManifest[],
): DirectoryDescription | undefined {
  const manifest = manifests.find(
    ({ path, description }) => description && directoryOf(path) === directory.path,
  )
  if (manifest === undefined) return undefined
  const text = firstSentence(toPlainText(manifest.description ?? ''))
  return isReadable(text) ? { text, file: manifest.path } : undefined
}

async function readReadme(
  project: Project,
  directory: Directory,
): Promise<DirectoryDescription | undefined> {
  const readme = directory.files.find(({ path }) =>
    /^readme(\.(md|mdx|rst|adoc|txt|markdown))?$/i.test(nameOf(path)),
  )
  if (readme === undefined) return undefined
  const text = await readSmallText(project, readme, 16_000)
  const paragraph = text === undefined ? undefined : readFirstParagraph(text)
  return paragraph === undefined ? undefined : { text: firstSentence(paragraph), file: readme.path }
}

async function readDescriptorFile(
  project: Project,
  directory: Directory,
): Promise<DirectoryDescription | undefined> {
  const file = directory.files.find(({ path }) => descriptorFileName.test(nameOf(path)))
  if (file === undefined) return undefined
  const text = readDescriptor((await readSmallText(project, file, 4_000)) ?? '')
  return isReadable(text) ? { text, file: file.path } : undefined
}

async function readMainFile(
  project: Project,
  file: ProjectFile,
): Promise<DirectoryDescription | undefined> {
  const source = await readSmallText(project, file, 12_000)
  const comment = source === undefined ? undefined : readOpeningComment(file.language, source)
  if (comment === undefined) return undefined
  // Go's convention is that the package comment begins with `Package name`.
  const isAboutPackage = file.language !== 'Go' || /^package /i.test(comment)
  return isAboutPackage ? { text: comment, file: file.path } : undefined
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

/** Files with a `description` of their directory: actions, charts, collections, skills, plugins. */
const descriptorFileName = /^(action\.ya?ml|Chart\.ya?ml|galaxy\.ya?ml|SKILL\.md|plugin\.ya?ml)$/

function readDescriptor(text: string): string {
  const pattern = /^description:[^\S\n]*(?:[>|][-+]?[^\S\n]*\n\s{1,8})?["']?([^\n]{10,400})/m
  const value = pattern.exec(text)?.[1] ?? ''
  return firstSentence(toPlainText(value.replace(/["']\s*$/, '')))
}

function chooseMainFiles({ path, files }: Directory): ProjectFile[] {
  const sources = files.filter(
    ({ kind, isTest, language }) => kind === 'source' && !isTest && isCode(language),
  )
  const mainFiles = sources.filter(
    ({ path: file }) =>
      mainFileName.test(nameOf(file)) || nameOf(file).startsWith(`${nameOf(path)}.`),
  )
  const goFiles = sources.filter(({ language }) => language === 'Go').slice(0, maxGoFiles)
  // If a directory has only one source file, that file's comment describes the directory.
  const onlyFile = sources.length === 1 && files.length <= 3 ? sources : []
  return [...new Set([...mainFiles, ...goFiles, ...onlyFile])].slice(0, 8)
}
