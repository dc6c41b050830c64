// Describes directories for somebody who is new to the repository.
import type { NewMemory } from '../../domain/memory.ts'
import { digestOf } from '../memory/save-memories.ts'
import { isCode, meaningOf, typeOfDirectory } from './component-type.ts'
import { type Directory, largest } from './directories.ts'
import { type DirectoryWords, readWords } from './directory-words.ts'
import type { Manifest } from './manifests/manifest.ts'
import { directoryOf, nameOf, type Project, type ProjectFile } from './project.ts'
import {
  joinSentences,
  namesOf,
  withoutExtent,
  writeCount,
  writeDirectory,
  writeFiles,
  writeList,
} from './wording.ts'

/** One entry of the map for each directory. */
export async function describeDirectories(
  project: Project,
  directories: readonly Directory[],
  manifests: readonly Manifest[],
): Promise<NewMemory[]> {
  const memories: NewMemory[] = []
  const found = await readWords(project, directories, manifests)
  for (const directory of directories) {
    const words = found.get(directory)
    const text = describeDirectory(project, directory, words, manifests)
    // A new line of code is no reason for new words.
    const basis = digestOf(withoutExtent(text))
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
  words: DirectoryWords | undefined,
  manifests: readonly Manifest[],
): string {
  const { path, files, directories, total } = directory
  if (path !== '.' && total.written === 0) return writeForeign(directory)
  const meaning = path === '.' ? `The root of ${project.repo}.` : writeMeaning(directory)
  const names = writeNames(files)
  const manifest = manifests.find(
    (candidate) => candidate.name !== null && directoryOf(candidate.path) === path,
  )
  return joinSentences([
    words?.words ?? meaning,
    manifest && path !== '.' ? `The ${manifest.kind} ${manifest.name}.` : undefined,
    writeExtent(directory),
    directories.length === 0 ? undefined : writeBelow(directory),
    names,
    names === undefined || (words === undefined && meaning === undefined)
      ? writeFileNames(files)
      : undefined,
    writeRelations(directory),
  ])
}

/** Of what nobody here wrote. */
function writeForeign({ files, total }: Directory): string {
  const kinds = [...new Set(files.map(({ kind }) => kind))].filter((kind) => kind !== 'lock')
  const what = kinds.length > 0 ? `, ${writeList(kinds)}` : ''
  const inAll =
    total.files > files.length ? ` ${writeCount(total.files, 'file')} with those below.` : ''
  return `Nothing that is written by hand: ${writeFiles(files)}${what}.${inAll}`
}

function writeMeaning(directory: Directory): string | undefined {
  const meaning = meaningOf(directory)
  if (!meaning) return undefined
  const { path } = directory
  const around = path
    .split('/')
    .slice(0, -1)
    .reverse()
    .find((name) => !/^(src|lib|app|main|java|internal|pkg|\..*)$/.test(name))
  return around === undefined ? `${meaning.words}.` : `${meaning.words} (${around}).`
}

function writeExtent({ files, total }: Directory): string | undefined {
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
  const extent = lines > 0 ? `, ${writeCount(lines, 'line of code', 'lines of code')}` : ''
  const others = files.length - written.length
  const beside =
    others > 0 && total.files < 1000 ? `, and ${others} that nobody writes by hand` : ''
  return `${writeFiles(written)}${ofThem}${extent}${beside}.`
}

function writeBelow({ directories, total, files }: Directory): string {
  const below = total.files - files.length
  return `Below it ${writeCount(below, 'file')} in ${writeList([...directories].sort(), 8)}.`
}

/** The definitions that others use most: of files that many use, in the order of their importance there. */
function writeNames(files: readonly ProjectFile[]): string | undefined {
  const names = new Set<string>()
  const ranked = files
    .filter(({ kind, isTest, symbols }) => kind === 'source' && !isTest && symbols.length > 0)
    .sort((one, other) => other.usedBy - one.usedBy || (other.lines ?? 0) - (one.lines ?? 0))
  for (const { symbols } of ranked.slice(0, 8)) {
    for (const name of namesOf(symbols).slice(0, ranked.length > 3 ? 2 : 4)) names.add(name)
  }
  return names.size === 0 ? undefined : `Main names: ${[...names].slice(0, 8).join(', ')}.`
}

function writeRelations({ uses, usedBy }: Directory): string | undefined {
  const by = largest(usedBy, 50).map(writeDirectory)
  const of = largest(uses, 50).map(writeDirectory)
  const parts = [
    ...(by.length > 0 ? [`used by ${writeList(by, 4)}`] : []),
    ...(of.length > 0 ? [`uses ${writeList(of, 4)}`] : []),
  ]
  const sentence = parts.join('; ')
  return sentence === '' ? undefined : `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`
}

function writeFileNames(files: readonly ProjectFile[]): string | undefined {
  const own = files.filter(
    ({ kind, path, isTest }) => kind === 'source' && !isTest && !nameOf(path).startsWith('.'),
  )
  const code = own.filter(({ language }) => isCode(language))
  const names = (code.length > 0 ? code : own)
    .sort((one, other) => other.usedBy - one.usedBy || other.size - one.size)
    .map(({ path }) => nameOf(path))
  if (names.length === 0) return undefined
  return `${names.length === 1 ? 'Its file' : 'Its files'}: ${writeList(names, 6)}.`
}
