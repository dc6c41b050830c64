// What a scan says of a repository.
import type { NewMemory } from '../../domain/memory.ts'
import { describeDirectories } from './describe-directories.ts'
import { chooseFiles, describeFiles } from './describe-files.ts'
import { chooseDirectories, surveyDirectories } from './directories.ts'
import { findEntryPoints } from './entry-points.ts'
import { readManifests } from './manifests/read-manifests.ts'
import type { Project } from './project.ts'

/** Entries of the map. */
const mostEntries = 2_000
const mostDirectories = 1_500

/** Describes a repository: a map of its directories and key files, its patterns, rules and decisions. */
export async function describeProject(project: Project): Promise<NewMemory[]> {
  const manifests = await readManifests(project)
  const directories = surveyDirectories(project)
  const shown = chooseDirectories(directories, mostDirectories)
  const entryPoints = findEntryPoints(project, manifests)
  const files = chooseFiles(project, entryPoints, manifests, mostEntries - shown.length)
  return [
    ...(await describeDirectories(project, shown, manifests)),
    ...(await describeFiles(project, files, entryPoints, manifests)),
  ]
}
