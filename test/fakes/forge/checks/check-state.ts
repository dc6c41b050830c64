// Check runs and the suites that they belong to: one suite for each App and commit.
import type { App } from '../apps/app-state.ts'
import type { Repository, User } from '../entities.ts'
import { deliverNamed, deliverToOwner } from '../github/deliveries.ts'
import { announceChange, type ForgeState, nextId, now } from '../state.ts'
import { shapeCheckRun, shapeCheckSuite } from './shape-checks.ts'

export const conclusions = [
  ...(['success', 'failure', 'neutral', 'cancelled'] as const),
  ...(['skipped', 'timed_out', 'action_required'] as const),
]

export type Conclusion = (typeof conclusions)[number]

/** The conclusions that satisfy a required check. */
export const passing: readonly Conclusion[] = ['success', 'neutral', 'skipped']

export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly start_column: number | null
  readonly end_column: number | null
  readonly annotation_level: 'notice' | 'warning' | 'failure'
  readonly message: string
  readonly title: string | null
  readonly raw_details: string | null
}

export interface CheckAction {
  readonly label: string
  readonly identifier: string
  readonly description: string
}

export interface CheckSuite {
  readonly id: number
  readonly app: App
  readonly headSha: string
  readonly headBranch: string | null
  readonly before: string | null
  status: 'queued' | 'in_progress' | 'completed'
  conclusion: Conclusion | null
  readonly createdAt: string
  updatedAt: string
}

export interface CheckRun {
  readonly id: number
  readonly app: App
  readonly suite: CheckSuite
  readonly headSha: string
  name: string
  externalId: string
  detailsUrl: string | null
  status: 'queued' | 'in_progress' | 'completed'
  conclusion: Conclusion | null
  startedAt: string
  completedAt: string | null
  title: string | null
  summary: string | null
  text: string | null
  readonly annotations: Annotation[]
  actions: readonly CheckAction[]
  /** How often it was updated. */
  edits: number
}

/** Returns the suite of an App for a commit, and makes one where there is none. */
export async function suiteFor(
  state: ForgeState,
  repository: Repository,
  app: App,
  headSha: string,
): Promise<CheckSuite> {
  const found = repository.checkSuites.find((one) => one.app === app && one.headSha === headSha)
  return found ?? addSuite(state, repository, app, headSha, null, null)
}

function addSuite(
  state: ForgeState,
  repository: Repository,
  app: App,
  headSha: string,
  headBranch: string | null,
  before: string | null,
): CheckSuite {
  const pull = [...repository.pulls.values()].find(
    (one) => one.headSha === headSha && one.headRepository === repository,
  )
  const suite: CheckSuite = {
    id: nextId(state),
    app,
    headSha,
    headBranch: headBranch ?? pull?.headRef ?? null,
    before,
    status: 'queued',
    conclusion: null,
    createdAt: now(state),
    updatedAt: now(state),
  }
  repository.checkSuites.push(suite)
  return suite
}

/** Makes the suites of a push, and asks each App that may write checks to run. */
export async function requestSuites(
  state: ForgeState,
  repository: Repository,
  push: { branch: string; before: string | null; after: string },
  pusher: User,
): Promise<void> {
  for (const app of state.apps) {
    if (app.permissions.checks !== 'write') continue
    if (repository.checkSuites.some((one) => one.app === app && one.headSha === push.after))
      continue
    const suite = addSuite(state, repository, app, push.after, push.branch, push.before)
    await deliverSuite(state, repository, suite, 'requested', pusher)
  }
}

async function deliverSuite(
  state: ForgeState,
  repository: Repository,
  suite: CheckSuite,
  action: string,
  by: User,
): Promise<void> {
  const shape = await shapeCheckSuite(state, repository, suite)
  deliverToOwner(state, suite.app, repository, 'check_suite', by, { action, check_suite: shape })
}

/** Sends `check_run`: what happened to all Apps that look, what is wanted to the owner alone. */
export function deliverRun(
  state: ForgeState,
  repository: Repository,
  run: CheckRun,
  action: 'created' | 'completed' | 'rerequested' | 'requested_action',
  by: User,
  more: Record<string, unknown> = {},
): void {
  const content = { action, check_run: shapeCheckRun(state, repository, run, true), ...more }
  if (action === 'created' || action === 'completed')
    deliverNamed(state, repository, 'check_run', by, content)
  else deliverToOwner(state, run.app, repository, 'check_run', by, content)
}

/** Derives the suite's state from its runs: the worst conclusion counts. */
export function refreshSuite(state: ForgeState, repository: Repository, suite: CheckSuite): void {
  const runs = repository.checkRuns.filter((run) => run.suite === suite)
  const done = runs.every((run) => run.status === 'completed')
  suite.status = done ? 'completed' : 'in_progress'
  const order = [...conclusions].sort(
    (one, other) => Number(passing.includes(one)) - Number(passing.includes(other)),
  )
  suite.conclusion = done
    ? (order.find((one) => runs.some((run) => run.conclusion === one)) ?? null)
    : null
  suite.updatedAt = now(state)
  announceChange(state)
}

/**
 * Asks the App to run a check again. As at GitHub the suite is reset, and the run is as it was until
 * the App changes it.
 */
export function rerequestRun(
  state: ForgeState,
  repository: Repository,
  run: CheckRun,
  by: User,
): void {
  deliverRun(state, repository, run, 'rerequested', by)
  run.suite.status = 'queued'
  run.suite.conclusion = null
  announceChange(state)
}

/** Asks the App to run all its checks of a commit again. */
export async function rerequestSuite(
  state: ForgeState,
  repository: Repository,
  suite: CheckSuite,
  by: User,
): Promise<void> {
  suite.status = 'queued'
  suite.conclusion = null
  await deliverSuite(state, repository, suite, 'rerequested', by)
  announceChange(state)
}
