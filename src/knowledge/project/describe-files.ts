// Describes the files that a newcomer should know: where it starts, what many use, what is intricate, what configures it.
import type { NewMemory } from '../../domain/memory.ts'
import { isCode, typeOfFile } from './component-type.ts'
import { findConfiguredTool } from './configured-tools.ts'
import {
  formatCount,
  formatList,
  formatNumber,
  joinSentences,
  listMainNames,
} from './format-text.ts'
import type { ProjectManifest } from './manifests/project-manifest.ts'
import { readOpeningComment } from './opening-comment.ts'
import { nameOf, type Project, type ProjectFile, readSmallText } from './project.ts'

/** Lists are cut to these. */
const maxFiles = { configuration: 80, used: 150, intricate: 60, documents: 40 }

/** Below this, a file isn't more intricate than others. */
const minComplexity = 40

const documentNameTerms = [
  'readme|architecture|contributing|changelog|security|agents|claude|design|overview',
  'code_of_conduct|governance|roadmap|upgrading',
].join('|')
const documentName = new RegExp(
  String.raw`^(${documentNameTerms})\b[\w.-]*\.(md|mdx|rst|adoc|txt)$`,
  'i',
)

/** Key files, the most telling first, `room` at most. */
export function chooseKeyFiles(
  project: Project,
  entryPoints: readonly string[],
  manifests: readonly ProjectManifest[],
  room: number,
): ProjectFile[] {
  const written = project.files.filter(({ kind }) => kind === 'source')
  const code = written.filter(({ language, isTest }) => isCode(language) && !isTest)
  const byPath = new Map(written.map((file) => [file.path, file]))
  const pick = (paths: readonly string[]) => paths.flatMap((path) => byPath.get(path) ?? [])
  const ordered = (files: ProjectFile[], count: (file: ProjectFile) => number, limit: number) =>
    files
      .sort((one, other) => count(other) - count(one) || (one.path < other.path ? -1 : 1))
      .slice(0, limit)
  const isShallow = ({ path }: ProjectFile) => path.split('/').length <= 3
  return [
    ...new Set([
      ...pick(entryPoints),
      ...pick(manifests.map(({ path }) => path)).slice(0, maxFiles.configuration),
      ...ordered(
        code.filter(({ usedBy }) => usedBy >= 3),
        ({ usedBy }) => usedBy,
        maxFiles.used,
      ),
      ...ordered(
        code.filter(({ complexity }) => (complexity ?? 0) >= minComplexity),
        ({ complexity }) => complexity ?? 0,
        maxFiles.intricate,
      ),
      ...written
        .filter((file) => isShallow(file) && documentName.test(nameOf(file.path)))
        .slice(0, maxFiles.documents),
      ...written
        .filter((file) => isShallow(file) && findConfiguredTool(file.path))
        .slice(0, maxFiles.configuration),
    ]),
  ].slice(0, room)
}

/** One entry of the map for each file. */
export async function describeFiles(
  project: Project,
  files: readonly ProjectFile[],
  entryPoints: readonly string[],
  manifests: readonly ProjectManifest[],
): Promise<NewMemory[]> {
  const entries = new Set(entryPoints)
  const memories: NewMemory[] = []
  for (const file of files) {
    const text = await readSmallText(project, file, 12_000)
    const words = text === undefined ? undefined : readOpeningComment(file.language, text)
    const isEntry = entries.has(file.path)
    const found = joinSentences([
      words,
      isEntry && isCode(file.language) ? 'An entry point.' : undefined,
      describePurpose(file, manifests),
      describeSize(file),
      describeUse(file),
    ])
    memories.push({
      type: 'project_map',
      subject: file.path,
      // Of a script without a language in its name, nothing else may be known.
      text: found === '' ? (isEntry ? 'An entry point.' : `${nameOf(file.path)}.`) : found,
      path: file.path,
      componentType: typeOfFile(file),
      trust: 'derived',
      provenance: { source: 'scan', commit: project.commit },
    })
  }
  return memories
}

function describePurpose(
  { path }: ProjectFile,
  manifests: readonly ProjectManifest[],
): string | undefined {
  const manifest = manifests.find((candidate) => candidate.path === path)
  if (manifest) {
    const named =
      manifest.name === null
        ? `Manifest of a ${manifest.kind}`
        : `Manifest of the ${manifest.kind} ${manifest.name}`
    const scripts = manifest.commands.map(({ commandLine: typed }) => typed)
    const what = manifest.kind === 'Makefile' ? 'Makefile' : named
    const needs =
      manifest.dependencies.length > 0
        ? `, ${formatCount(manifest.dependencies.length, 'dependency', 'dependencies')}`
        : ''
    return `${what}${needs}${scripts.length > 0 ? `; commands: ${formatList(scripts, 6)}` : ''}.`
  }
  const tool = findConfiguredTool(path)
  return tool && `Configuration of ${tool.name} (${tool.use}).`
}

function describeSize({ language, lines, complexity, symbols }: ProjectFile): string | undefined {
  if (!isCode(language)) return undefined
  const extent = lines === null ? '' : `, ${formatCount(lines, 'line')}`
  const branches =
    complexity !== null && complexity >= minComplexity
      ? `, intricate (complexity ${formatNumber(complexity)})`
      : ''
  const names = listMainNames(symbols)
  const defines = names.length > 0 ? `; defines ${formatList(names.slice(0, 6))}` : ''
  return `${language}${extent}${branches}${defines}.`
}

function describeUse({ usedBy }: ProjectFile): string | undefined {
  return usedBy > 0 ? `Used by ${formatCount(usedBy, 'file')}.` : undefined
}
