// Lists the values that fields of findings, reviews and memories can have.

/**
 * `critical`: the code will fail, lose data or be exploitable. `moderate`: it is wrong under
 * concrete conditions. `minor`: it is harmless, but worth a change.
 */
export type Severity = 'critical' | 'moderate' | 'minor'

export const severities: readonly Severity[] = ['critical', 'moderate', 'minor']

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
 * How a review ended. Several ends can apply; the heading names the first of `reviewEnds`.
 * `skipped`: not reviewed, for example because the pull request was closed. `incomplete`: part of
 * what matters was not read. `needs_person`: a person has to decide about findings.
 */
export type ReviewEnd = 'skipped' | 'changes_requested' | 'incomplete' | 'needs_person' | 'passed'

export const reviewEnds: readonly ReviewEnd[] = [
  'skipped',
  'changes_requested',
  'incomplete',
  'needs_person',
  'passed',
]

/** Memory statistics count the six types after the project map. */
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
