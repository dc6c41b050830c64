// What types and trusts of memories are called.
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

/** Those that people may add. */
export const addableMemoryTypes = [
  'project_pattern',
  'decision',
  'risk_module',
  'project_map',
] as const

export const trustLabels: Readonly<
  Record<Memory['trust'], readonly [name: string, meaning: string]>
> = {
  person: ['by a person', 'Somebody who is connected to the repository wrote it here'],
  repository: ['from the repository', 'It stands in a file of the default branch'],
  derived: ['counted', 'Counted from the files, the code graph or the reviews'],
  model: ['by a model', 'A model’s words for what was counted'],
}
