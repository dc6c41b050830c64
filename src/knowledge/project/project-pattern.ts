// Creates the memory of a pattern in a repository.
import type { NewMemory } from '../../domain/memory.ts'
import type { Project } from './project.ts'

/** The pattern is computed from the repository's files. */
export function createProjectPattern(
  project: Project,
  subject: string,
  path: string,
  text: string,
): NewMemory {
  return {
    type: 'project_pattern',
    subject,
    text,
    path,
    componentType: null,
    trust: 'derived',
    provenance: { source: 'scan', commit: project.commit },
  }
}
