// Describes key files: entry points, files that many others use, complex files, configuration.
import { longPattern } from '../../lib/long-pattern.ts'
import { formatCount, formatNumber } from '../../lib/text.ts'
import { filenameOf } from '../../lib/tree-paths.ts'
import { isCode, typeOfFile } from './component-type.ts'
import { findConfiguredTool } from './configured-tools.ts'
import { formatList, joinSentences, listMainNames } from './format-text.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { readOpeningComment } from './opening-comment.ts'
import {
  type Description,
  depthOf,
  isSource,
  type Project,
  type ProjectFile,
  readSmallText,
} from './project.ts'

const maxFiles = { configuration: 80, used: 150, complex: 60, documents: 40 }

const minComplexity = 40

const documentName = longPattern('i')`
  ^(readme|architecture|contributing|changelog|security|agents|claude|design|overview
  |code_of_conduct|governance|roadmap|upgrading)\b[\w.-]*\.(md|mdx|rst|adoc|txt)$`

/** Chooses at most `limit` key files, the most important first. */
export function chooseKeyFiles(
  project: Project,
  entryPoints: readonly string[],
  manifests: readonly ProjectManifest[],
  limit: number,
): ProjectFile[] {
  const written = project.files.filter(({ kind }) => kind === 'source')
  const code = written.filter((file) => isCode(file.language) && isSource(file))
  const byPath = new Map(written.map((file) => [file.path, file]))
  const pick = (paths: readonly string[]) => paths.flatMap((path) => byPath.get(path) ?? [])
  const shallow = written.filter(({ path }) => depthOf(path) <= 3)
  const usedFiles = code.filter(({ usedBy }) => usedBy >= 3)
  const complexFiles = code.filter(({ complexity }) => (complexity ?? 0) >= minComplexity)
  const documents = shallow.filter(({ path }) => documentName.test(filenameOf(path)))
  const configuration = shallow.filter(({ path }) => findConfiguredTool(path))
  const keyFiles = new Set([
    ...pick(entryPoints),
    ...pick(manifests.map(({ path }) => path)).slice(0, maxFiles.configuration),
    ...sortByCount(usedFiles, ({ usedBy }) => usedBy).slice(0, maxFiles.used),
    ...sortByCount(complexFiles, ({ complexity }) => complexity ?? 0).slice(0, maxFiles.complex),
    ...documents.slice(0, maxFiles.documents),
    ...configuration.slice(0, maxFiles.configuration),
  ])
  return [...keyFiles].slice(0, limit)
}

function sortByCount(
  files: readonly ProjectFile[],
  count: (file: ProjectFile) => number,
): ProjectFile[] {
  return files.toSorted((one, other) => count(other) - count(one))
}

/** Creates one entry of the project map for each file. */
export async function describeFiles(
  project: Project,
  files: readonly ProjectFile[],
  entryPoints: readonly string[],
  manifests: readonly ProjectManifest[],
): Promise<Description[]> {
  const entries = new Set(entryPoints)
  const descriptions: Description[] = []
  for (const file of files) {
    const text = await readSmallText(project, file, 12_000)
    const comment = text === undefined ? undefined : readOpeningComment(file.language, text)
    const isEntry = entries.has(file.path)
    const description = joinSentences([
      comment,
      isEntry && isCode(file.language) ? 'An entry point.' : undefined,
      describePurpose(file, manifests),
      describeSize(file),
      describeUse(file),
    ])
    // Nothing else may be known about a script without an extension.
    const fallback = isEntry ? 'An entry point.' : `${filenameOf(file.path)}.`
    descriptions.push({
      type: 'project_map',
      subject: file.path,
      text: description === '' ? fallback : description,
      path: file.path,
      componentType: typeOfFile(file),
      trust: 'derived',
    })
  }
  return descriptions
}

function describePurpose(
  { path }: ProjectFile,
  manifests: readonly ProjectManifest[],
): string | undefined {
  const manifest = manifests.find((candidate) => candidate.path === path)
  if (manifest) return describeManifest(manifest)
  const tool = findConfiguredTool(path)
  return tool && `Configuration of ${tool.name} (${tool.use}).`
}

function describeManifest({ kind, name, dependencies, commands }: ProjectManifest): string {
  const subject = name === null ? `Manifest of a ${kind}` : `Manifest of the ${kind} ${name}`
  const title = kind === 'Makefile' ? 'Makefile' : subject
  const count =
    dependencies.length > 0
      ? `, ${formatCount(dependencies.length, 'dependency', 'dependencies')}`
      : ''
  const commandLines = commands.map(({ commandLine }) => commandLine)
  const list = commandLines.length > 0 ? `; commands: ${formatList(commandLines, 6)}` : ''
  return `${title}${count}${list}.`
}

function describeSize({ language, lines, complexity, symbols }: ProjectFile): string | undefined {
  if (!isCode(language)) return undefined
  const size = lines === null ? '' : `, ${formatCount(lines, 'line')}`
  const branches =
    complexity !== null && complexity >= minComplexity
      ? `, intricate (complexity ${formatNumber(complexity)})`
      : ''
  const names = listMainNames(symbols)
  const defines = names.length > 0 ? `; defines ${formatList(names.slice(0, 6))}` : ''
  return `${language}${size}${branches}${defines}.`
}

function describeUse({ usedBy }: ProjectFile): string | undefined {
  return usedBy > 0 ? `Used by ${formatCount(usedBy, 'file')}.` : undefined
}
