// Describes directories for somebody who is new to the repository.
import type { NewMemory } from '../../domain/memory.ts'
import { hashText } from '../memory/save-memories.ts'
import { directoryConventionOf, isCode, typeOfDirectory } from './component-type.ts'
import { type Directory, topKeys } from './directories.ts'
import { type DirectoryDescription, readDirectoryDescriptions } from './directory-descriptions.ts'
import {
  formatCount,
  formatDirectory,
  formatFiles,
  formatList,
  joinSentences,
  listMainNames,
  withoutFileCounts,
} from './format-text.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { directoryOf, nameOf, type Project, type ProjectFile } from './project.ts'

/** One entry of the map for each directory. */
export async function describeDirectories(
  project: Project,
  directories: readonly Directory[],
  manifests: readonly ProjectManifest[],
): Promise<NewMemory[]> {
  const memories: NewMemory[] = []
  const found = await readDirectoryDescriptions(project, directories, manifests)
  for (const directory of directories) {
    const words = found.get(directory)
    const text = describeDirectory(project, directory, words, manifests)
    // A new line of code is no reason for new words.
    const basis = hashText(withoutFileCounts(text))
    memories.push({
      type: 'project_map',
      subject: directory.path,
      text,
      path: directory.path,
      componentType: typeOfDirectory(directory),
      trust: 'derived',
      provenance: {
        source: 'scan',
        commit: project.commit,
        basis,
        ...(words ? { file: words.file } : {}),
      },
    })
  }
  return memories
}

function describeDirectory(
  project: Project,
  directory: Directory,
  words: DirectoryDescription | undefined,
  manifests: readonly ProjectManifest[],
): string {
  const { path, files, directories, total } = directory
  if (path !== '.' && total.written === 0) return describeUnwritten(directory)
  const meaning = path === '.' ? `The root of ${project.repo}.` : describePurpose(directory)
  const names = describeMainNames(files)
  const manifest = manifests.find(
    (candidate) => candidate.name !== null && directoryOf(candidate.path) === path,
  )
  return joinSentences([
    words?.text ?? meaning,
    manifest && path !== '.' ? `The ${manifest.kind} ${manifest.name}.` : undefined,
    describeSize(directory),
    directories.length === 0 ? undefined : describeSubdirectories(directory),
    names,
    names === undefined || (words === undefined && meaning === undefined)
      ? describeFileNames(files)
      : undefined,
    describeDependencies(directory),
  ])
}

/** Of what nobody here wrote. */
function describeUnwritten({ files, total }: Directory): string {
  const kinds = [...new Set(files.map(({ kind }) => kind))].filter((kind) => kind !== 'lock')
  const what = kinds.length > 0 ? `, ${formatList(kinds)}` : ''
  const inAll =
    total.files > files.length ? ` ${formatCount(total.files, 'file')} with those below.` : ''
  return `Nothing that is written by hand: ${formatFiles(files)}${what}.${inAll}`
}

function describePurpose(directory: Directory): string | undefined {
  const meaning = directoryConventionOf(directory)
  if (!meaning) return undefined
  const { path } = directory
  const around = path
    .split('/')
    .slice(0, -1)
    .reverse()
    .find((name) => !/^(src|lib|app|main|java|internal|pkg|\..*)$/.test(name))
  return around === undefined ? `${meaning.description}.` : `${meaning.description} (${around}).`
}

function describeSize({ files, total }: Directory): string | undefined {
  const written = files.filter(({ kind }) => kind === 'source')
  if (written.length === 0) return undefined
  const lines = written.reduce(
    (sum, file) => sum + (isCode(file.language) ? (file.lines ?? 0) : 0),
    0,
  )
  const tests = written.filter(({ isTest, language }) => isTest && isCode(language)).length
  const ofThem =
    tests > 0 && tests < written.length
      ? `, ${tests} of them ${tests === 1 ? 'a test' : 'tests'}`
      : ''
  const extent = lines > 0 ? `, ${formatCount(lines, 'line of code', 'lines of code')}` : ''
  const others = files.length - written.length
  const beside =
    others > 0 && total.files < 1000 ? `, and ${others} that nobody writes by hand` : ''
  return `${formatFiles(written)}${ofThem}${extent}${beside}.`
}

function describeSubdirectories({ directories, total, files }: Directory): string {
  const below = total.files - files.length
  return `Below it ${formatCount(below, 'file')} in ${formatList([...directories].sort(), 8)}.`
}

/** The definitions that others use most: of files that many use, in the order of their importance there. */
function describeMainNames(files: readonly ProjectFile[]): string | undefined {
  const names = new Set<string>()
  const ranked = files
    .filter(({ kind, isTest, symbols }) => kind === 'source' && !isTest && symbols.length > 0)
    .sort((one, other) => other.usedBy - one.usedBy || (other.lines ?? 0) - (one.lines ?? 0))
  for (const { symbols } of ranked.slice(0, 8)) {
    for (const name of listMainNames(symbols).slice(0, ranked.length > 3 ? 2 : 4)) names.add(name)
  }
  return names.size === 0 ? undefined : `Main names: ${[...names].slice(0, 8).join(', ')}.`
}

function describeDependencies({ uses, usedBy }: Directory): string | undefined {
  const by = topKeys(usedBy, 50).map(formatDirectory)
  const of = topKeys(uses, 50).map(formatDirectory)
  const parts = [
    ...(by.length > 0 ? [`used by ${formatList(by, 4)}`] : []),
    ...(of.length > 0 ? [`uses ${formatList(of, 4)}`] : []),
  ]
  const sentence = parts.join('; ')
  return sentence === '' ? undefined : `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`
}

function describeFileNames(files: readonly ProjectFile[]): string | undefined {
  const own = files.filter(
    ({ kind, path, isTest }) => kind === 'source' && !isTest && !nameOf(path).startsWith('.'),
  )
  const code = own.filter(({ language }) => isCode(language))
  const names = (code.length > 0 ? code : own)
    .sort((one, other) => other.usedBy - one.usedBy || other.size - one.size)
    .map(({ path }) => nameOf(path))
  if (names.length === 0) return undefined
  return `${names.length === 1 ? 'Its file' : 'Its files'}: ${formatList(names, 6)}.`
}
