// What a scan says of a repository.
import type { NewMemory } from '../../domain/memory.ts'
import { describeConventions } from './describe-conventions.ts'
import { describeDirectories } from './describe-directories.ts'
import { chooseKeyFiles, describeFiles } from './describe-files.ts'
import { describeStack } from './describe-stack.ts'
import { buildDirectories, chooseDirectories } from './directories.ts'
import { findEntryPoints } from './find-entry-points.ts'
import { readManifests } from './manifests/read-manifests.ts'
import { toOneLine, truncateText } from './plain-text.ts'
import type { Project } from './project.ts'
import { readDecisions } from './read-decisions.ts'
import { readRules } from './read-rules.ts'

/** Entries of the map. */
const maxEntries = 2_000
const maxDirectories = 1_500

/** In characters. */
const maxTextLength = 1_000

/**
 * Describes a repository: a map of its directories and key files, its patterns, rules and decisions. The same for the same
 * files, in whatever order they come.
 */
export async function describeProject(found: Project): Promise<NewMemory[]> {
  const project = {
    ...found,
    files: found.files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  }
  const manifests = await readManifests(project)
  const directories = buildDirectories(project)
  const shown = chooseDirectories(directories, maxDirectories)
  const entryPoints = findEntryPoints(project, manifests)
  const files = chooseKeyFiles(project, entryPoints, manifests, maxEntries - shown.length)
  const memories = [
    ...(await describeDirectories(project, shown, manifests)),
    ...(await describeFiles(project, files, entryPoints, manifests)),
    ...(await describeStack(project, directories.get('.')!, manifests, entryPoints)),
    ...describeConventions(project),
    ...(await readRules(project)),
    ...(await readDecisions(project)),
  ]
  // Paths and names may hold anything.
  return memories.map((memory) => ({
    ...memory,
    text: truncateText(toOneLine(memory.text), maxTextLength),
  }))
}
