// A pattern that was seen in a repository, as a memory.
import type { NewMemory } from '../../domain/memory.ts'
import type { Project } from './project.ts'

/** One that was computed from what is there. */
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
