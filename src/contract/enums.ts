// The values of enumerated fields: what findings, reviews and memories can be.

/**
 * `critical` will break, lose data or open a hole; `moderate` is wrong under concrete conditions;
 * `minor` is worth a change and harmless.
 */
export type Severity = 'critical' | 'moderate' | 'minor'

export const severities: readonly Severity[] = ['critical', 'moderate', 'minor']

/** What kind of harm it does. */
export type FindingCategory =
  | 'correctness'
  | 'security'
  | 'data-loss'
  | 'concurrency'
  | 'performance'
  | 'tests'
  | 'maintainability'

export const findingCategories: readonly FindingCategory[] = [
  'correctness',
  'security',
  'data-loss',
  'concurrency',
  'performance',
  'tests',
  'maintainability',
]

/**
 * How a review ended, in the order of precedence: the heading names the first that holds, and several may hold.
 * `skipped`: nobody reviewed, for example because the pull request was closed; `incomplete`: part of what matters was
 * not read; `needs_person`: findings that a person has to decide about.
 */
export type ReviewEnd = 'skipped' | 'changes_requested' | 'incomplete' | 'needs_person' | 'passed'

export const reviewEnds: readonly ReviewEnd[] = [
  'skipped',
  'changes_requested',
  'incomplete',
  'needs_person',
  'passed',
]

/** Types of memories: the project map, and the six that the interface counts. */
export const memoryTypes = [
  'project_map',
  'project_pattern',
  'decision',
  'developer_pattern',
  'developer_strength',
  'risk_module',
  'contributor_profile',
] as const
export type MemoryType = (typeof memoryTypes)[number]
