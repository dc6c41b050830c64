// What a scan says of a repository.
import type { NewMemory } from '../../domain/memory.ts'
import type { Project } from './project.ts'

/** Describes a repository: a map of its directories and key files, its patterns, rules and decisions. */
export async function describeProject(_project: Project): Promise<NewMemory[]> {
  return []
}
