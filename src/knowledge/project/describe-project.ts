// Describes a repository by memories, which are a map, patterns, rules and decisions.
import type { NewMemory } from '../../domain/memory.ts'
import { describeConventions } from './describe-conventions.ts'
import { describeDirectories } from './describe-directories.ts'
import { chooseKeyFiles, describeFiles } from './describe-files.ts'
import { describeStack } from './describe-stack.ts'
import { buildDirectories, chooseDirectories } from './directories.ts'
import { findEntryPoints } from './find-entry-points.ts'
import { readManifests } from './manifests/read-manifests.ts'
import { toOneLine, truncateText } from './plain-text.ts'
import type { Description, Project } from './project.ts'
import { readDecisions } from './read-decisions.ts'
import { readRules } from './read-rules.ts'

/** Directories and files of the map together are limited to this. */
const maxEntries = 2_000
const maxDirectories = 1_500

const maxTextLength = 1_000

/**
 * Describes a repository: a map of its directories and key files, patterns, rules and decisions.
 * The result doesn't depend on the order of the files.
 */
export async function describeProject(input: Project): Promise<NewMemory[]> {
  const project = {
    ...input,
    files: input.files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  }
  const manifests = await readManifests(project)
  const directories = buildDirectories(project)
  const mappedDirectories = chooseDirectories(directories, maxDirectories)
  const entryPoints = findEntryPoints(project, manifests)
  const files = chooseKeyFiles(
    project,
    entryPoints,
    manifests,
    maxEntries - mappedDirectories.length,
  )
  const descriptions: Description[] = [
    ...(await describeDirectories(project, mappedDirectories, manifests)),
    ...(await describeFiles(project, files, entryPoints, manifests)),
    ...(await describeStack(project, directories.get('.')!, manifests, entryPoints)),
    ...describeConventions(project.files),
    ...(await readRules(project)),
    ...(await readDecisions(project)),
  ]
  // Paths and names may contain any character.
  return descriptions.map(({ text, componentType = null, origin, ...description }) => ({
    ...description,
    text: truncateText(toOneLine(text), maxTextLength),
    componentType,
    provenance: { source: 'scan', commit: project.commit, ...origin },
  }))
}
