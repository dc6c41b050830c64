// Labels of memory types and trust levels.
import type { Memory, MemoryType } from './repository-queries.ts'

export const memoryTypeLabels: Readonly<Record<MemoryType, string>> = {
  project_map: 'Map entry',
  project_pattern: 'Convention',
  decision: 'Decision',
  risk_module: 'Risk',
  developer_pattern: 'Habit',
  developer_strength: 'Strength',
  contributor_profile: 'Profile',
}

/** Types that users can add. */
export const addableMemoryTypes = [
  'project_pattern',
  'decision',
  'risk_module',
  'project_map',
] as const

export const trustLabels: Readonly<
  Record<Memory['trust'], readonly [name: string, meaning: string]>
> = {
  person: ['by a person', 'Written by someone who is connected to the repository'],
  repository: ['from the repository', 'From a file on the default branch'],
  derived: ['computed', 'Computed from files, the code graph or reviews'],
  model: ['by a model', 'Written by a model from computed data'],
}
