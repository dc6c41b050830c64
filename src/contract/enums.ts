// Lists the values that fields of pull requests, events, findings, reviews and memories can have.

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

export const pullRequestStates = ['open', 'merged', 'closed'] as const
export type PullRequestState = (typeof pullRequestStates)[number]

/** An event, a run or a scan waits, is in progress, or has ended. */
export const eventStatuses = ['pending', 'processing', 'completed', 'failed'] as const
export type EventStatus = (typeof eventStatuses)[number]

/** `LEFT` is the base, `RIGHT` the head. */
export const diffSides = ['LEFT', 'RIGHT'] as const
export type DiffSide = (typeof diffSides)[number]

/**
 * `resolved`: its cause is gone. `dismissed`: a user with write access said that it doesn't count.
 */
export const findingStates = ['open', 'resolved', 'dismissed'] as const
export type FindingState = (typeof findingStates)[number]

/**
 * Why a finding is resolved. `fixed`: its code is gone from the pull request, or its rule ran again
 * without reporting it. `replaced`: its code was changed, and the same review reported the same
 * kind of problem in that file. `withdrawn`: a model refuted it, or its rule was disabled.
 * `dismissed`: its code is gone, and a person had dismissed it.
 */
const findingResolutions = ['fixed', 'replaced', 'withdrawn', 'dismissed'] as const
export type FindingResolution = (typeof findingResolutions)[number]

/** What became of a finding. `suppressed`: it is open, and the summary alone names it. */
export const findingOutcomes = ['open', 'suppressed', ...findingResolutions] as const
export type FindingOutcome = (typeof findingOutcomes)[number]

/**
 * `inline`: on its line. `summary`: in the summary, as it has no line in the diff or the platform
 * refused the line. `held_back`: suppressed because of the maximum number of comments.
 */
export const findingPlacements = ['inline', 'summary', 'held_back'] as const
export type FindingPlacement = (typeof findingPlacements)[number]

/** `thread`: by resolving its conversation. `api`: on the page, through the API or at the check. */
export const dismissalWays = ['thread', 'api'] as const
export type DismissalWay = (typeof dismissalWays)[number]

/**
 * Why a finding was dismissed. `false_positive`: it is wrong. `accepted`: it is right, and stays as
 * it is. `handled`: it is right, and was dealt with elsewhere, such as a key that was revoked.
 */
export const dismissalKinds = ['false_positive', 'accepted', 'handled'] as const
export type DismissalKind = (typeof dismissalKinds)[number]

/**
 * What an answer in the thread of a finding says. `stands`: somebody disputed the finding, and it
 * holds. `concedes`: the finding is wrong, and a person should dismiss it.
 */
export const answerPositions = ['explains', 'stands', 'concedes'] as const
export type AnswerPosition = (typeof answerPositions)[number]

export const contextSourceKinds = ['tickets', 'errors', 'discussion', 'other'] as const
export type ContextSourceKind = (typeof contextSourceKinds)[number]

/**
 * The tabs of the inbox. An open pull request whose review waits or runs is `in_progress`;
 * otherwise it needs `attention` if a person has to act on its review, or has `passed`.
 */
export const inboxTabs = ['attention', 'in_progress', 'passed', 'merged', 'all'] as const
export type InboxTab = (typeof inboxTabs)[number]

export const reviewVerdicts = ['APPROVE', 'REQUEST_CHANGES', 'NEEDS_DISCUSSION'] as const
