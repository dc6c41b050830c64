// Describes directories for people who are new to the repository.
import { sortByCount } from '../../lib/count-each.ts'
import { formatCount } from '../../lib/text.ts'
import { directoryOf, filenameOf } from '../../lib/tree-paths.ts'
import { hashText } from '../memory/save-memories.ts'
import { directoryConventionOf, isCode, typeOfDirectory } from './component-type.ts'
import type { Directory } from './directories.ts'
import { type DirectoryDescription, readDirectoryDescriptions } from './directory-descriptions.ts'
import {
  formatDirectory,
  formatFiles,
  formatList,
  joinSentences,
  listMainNames,
  withoutFileCounts,
} from './format-text.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { type Description, isSource, type Project, type ProjectFile } from './project.ts'

/** Creates one entry of the project map for each directory. */
export async function describeDirectories(
  project: Project,
  directories: readonly Directory[],
  manifests: readonly ProjectManifest[],
): Promise<Description[]> {
  const descriptions = await readDirectoryDescriptions(project, directories, manifests)
  return directories.map((directory) => {
    const { path } = directory
    const description = descriptions.get(directory)
    const text = describeDirectory(project, directory, description, manifests)
    return {
      type: 'project_map',
      subject: path,
      text,
      path,
      componentType: typeOfDirectory(directory),
      trust: 'derived',
      origin: {
        // A change of sizes alone doesn't make a model's text obsolete.
        basis: hashText(withoutFileCounts(text)),
        ...(description && { file: description.file }),
      },
    }
  })
}

function describeDirectory(
  project: Project,
  directory: Directory,
  description: DirectoryDescription | undefined,
  manifests: readonly ProjectManifest[],
): string {
  const { path, files, directories, total } = directory
  if (path !== '.' && total.written === 0) return describeUnwritten(directory)
  const purpose = path === '.' ? `The root of ${project.repo}.` : describePurpose(directory)
  const names = describeMainNames(files)
  const manifest = manifests.find(
    (candidate) => candidate.name !== null && directoryOf(candidate.path) === path,
  )
  const hasNoPurpose = description === undefined && purpose === undefined
  return joinSentences([
    description?.text ?? purpose,
    manifest && path !== '.' ? `The ${manifest.kind} ${manifest.name}.` : undefined,
    describeSize(directory),
    directories.length === 0 ? undefined : describeSubdirectories(directory),
    names,
    names === undefined || hasNoPurpose ? describeFileNames(files) : undefined,
    describeDependencies(directory),
  ])
}

/** Describes a directory of generated, vendored or binary files. */
function describeUnwritten({ files, total }: Directory): string {
  const kinds = [...new Set(files.map(({ kind }) => kind))].filter((kind) => kind !== 'lock')
  const what = kinds.length > 0 ? `, ${formatList(kinds)}` : ''
  const subdirectories =
    total.files > files.length ? ` ${formatCount(total.files, 'file')} with those below.` : ''
  return `Nothing that is written by hand: ${formatFiles(files)}${what}.${subdirectories}`
}

function describePurpose(directory: Directory): string | undefined {
  const convention = directoryConventionOf(directory)
  if (!convention) return undefined
  const parent = directory.path
    .split('/')
    .slice(0, -1)
    .reverse()
    .find((name) => !/^(src|lib|app|main|java|internal|pkg|\..*)$/.test(name))
  const { description } = convention
  return parent === undefined ? `${description}.` : `${description} (${parent}).`
}

function describeSize({ files, total }: Directory): string | undefined {
  const written = files.filter(({ kind }) => kind === 'source')
  if (written.length === 0) return undefined
  const code = written.filter(({ language }) => isCode(language))
  const lineCount = code.reduce((sum, file) => sum + (file.lines ?? 0), 0)
  const testCount = code.filter(({ isTest }) => isTest).length
  const otherCount = files.length - written.length
  const hasSomeTests = testCount > 0 && testCount < written.length
  const tests = hasSomeTests ? `, ${testCount} of them ${testCount === 1 ? 'a test' : 'tests'}` : ''
  const lines = lineCount > 0 ? `, ${formatCount(lineCount, 'line of code', 'lines of code')}` : ''
  const others =
    otherCount > 0 && total.files < 1000 ? `, and ${otherCount} not written by hand` : ''
  return `${formatFiles(written)}${tests}${lines}${others}.`
}

function describeSubdirectories({ directories, total, files }: Directory): string {
  const below = total.files - files.length
  return `Below it ${formatCount(below, 'file')} in ${formatList([...directories].sort(), 8)}.`
}

/** Names the most important definitions of the files that are used most. */
function describeMainNames(files: readonly ProjectFile[]): string | undefined {
  const names = new Set<string>()
  const ranked = files
    .filter((file) => isSource(file) && file.symbols.length > 0)
    .sort((one, other) => other.usedBy - one.usedBy || (other.lines ?? 0) - (one.lines ?? 0))
  for (const { symbols } of ranked.slice(0, 8)) {
    for (const name of listMainNames(symbols).slice(0, ranked.length > 3 ? 2 : 4)) names.add(name)
  }
  return names.size === 0 ? undefined : `Main names: ${[...names].slice(0, 8).join(', ')}.`
}

function describeDependencies({ uses, usedBy }: Directory): string | undefined {
  const users = listMostFrequent(usedBy)
  const used = listMostFrequent(uses)
  const parts = [
    ...(users.length > 0 ? [`used by ${formatList(users, 4)}`] : []),
    ...(used.length > 0 ? [`uses ${formatList(used, 4)}`] : []),
  ]
  const sentence = parts.join('; ')
  return sentence === '' ? undefined : `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`
}

function listMostFrequent(counts: ReadonlyMap<string, number>): string[] {
  return sortByCount(counts)
    .slice(0, 50)
    .map(([path]) => formatDirectory(path))
}

function describeFileNames(files: readonly ProjectFile[]): string | undefined {
  const own = files.filter((file) => isSource(file) && !filenameOf(file.path).startsWith('.'))
  const code = own.filter(({ language }) => isCode(language))
  const names = (code.length > 0 ? code : own)
    .sort((one, other) => other.usedBy - one.usedBy || other.size - one.size)
    .map(({ path }) => filenameOf(path))
  if (names.length === 0) return undefined
  return `${names.length === 1 ? 'Its file' : 'Its files'}: ${formatList(names, 6)}.`
}
