// Labels of memory types.
import type { MemoryType } from './repository-queries.ts'

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
