// Checks after a crash and settlement that nothing was lost, posted twice or left stuck.
import type { OpenDatabase } from '../../src/db/database.ts'
import { repo, reviewerLogin } from '../review-scenario.ts'
import { type CrashScenario, statusOf, type TrackedPullRequest } from './crash-scenario.ts'

/** A description of a violation. */
export type Violation = string

/** Checks the forge and the database of the stopped service. */
export async function findViolations(
  scene: CrashScenario,
  database: OpenDatabase,
): Promise<Violation[]> {
  return [
    ...(await checkDeliveries(scene, database)),
    ...(await checkEvents(database)),
    ...(await checkRuns(scene, database)),
    ...(await checkWork(database)),
    ...scene.pullRequests.flatMap((one) =>
      checkPullRequest(scene, one).map((text) => `#${one.number}: ${text}`),
    ),
    ...(await checkFindings(scene, database)),
  ]
}

/** Each delivery must have been answered, and each answer `received` must have its event. */
async function checkDeliveries(
  { forge }: CrashScenario,
  { db }: OpenDatabase,
): Promise<Violation[]> {
  const rows = await db.selectFrom('events').select(['id', 'deliveryId']).execute()
  const stored = new Map(rows.map((row) => [row.id, row.deliveryId]))
  const claimed = new Set<number>()
  return forge.deliveries.flatMap(({ guid, attempts }) => {
    const answers = attempts
      .filter(({ status }) => status === 200)
      .map(({ responseBody }) => JSON.parse(responseBody))
    if (answers.length === 0) return [`delivery ${guid} was never accepted`]
    return answers.flatMap((answer) => {
      if (answer.status !== 'received') return []
      if (claimed.has(answer.event_id))
        return [`event ${answer.event_id} stands for two deliveries`]
      claimed.add(answer.event_id)
      return stored.get(answer.event_id) === guid
        ? []
        : [`event ${answer.event_id} of delivery ${guid} is lost`]
    })
  })
}

async function checkEvents({ db }: OpenDatabase): Promise<Violation[]> {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'eventType', 'prNumber', 'status', 'processedAt', 'runId'])
    .where('wantsReview', '=', true)
    .execute()
  return rows.flatMap(
    ({ id, eventType: type, prNumber: number, status, processedAt: at, runId: run }) => {
      const name = `event ${id} (${type} #${number})`
      if (status !== 'completed') return [`${name} is ${status}`]
      return at !== null && run !== null ? [] : [`${name} is completed without a time or a run`]
    },
  )
}

async function checkRuns(
  { pullRequests }: CrashScenario,
  { db }: OpenDatabase,
): Promise<Violation[]> {
  const runs = await db.selectFrom('workflowRuns').selectAll().orderBy('id').execute()
  const unsound = runs.flatMap((run) => {
    if (run.status !== 'completed')
      return [`run ${run.id} (#${run.prNumber}) is ${run.status}: ${run.error}`]
    const isSound = run.finishedAt !== null && run.summary !== null && run.error === null
    return isSound
      ? []
      : [`run ${run.id} is completed, but keeps an error, or has no end or no summary`]
  })
  const outdated = pullRequests.flatMap(({ number, head }) => {
    const last = runs.findLast((run) => run.prNumber === number)
    return last?.headSha === head
      ? []
      : [`the last run of #${number} reviewed ${last?.headSha}, the head is ${head}`]
  })
  return [...unsound, ...outdated]
}

/** Nothing may be left in the queue. */
async function checkWork({ db }: OpenDatabase): Promise<Violation[]> {
  const items = await db.selectFrom('workItems').selectAll().execute()
  return items.map(({ kind, number, status }) => `the ${kind} of #${number} is left ${status}`)
}

/** A pull request must have one summary, each finding once, and the status of its newest head. */
function checkPullRequest(scene: CrashScenario, expected: TrackedPullRequest): Violation[] {
  const { number, head, flaws } = expected
  const view = scene.forge.pullRequest(repo, number)
  const violations: Violation[] = []
  const summaries = view.comments.filter((one) => one.author === reviewerLogin)
  if (summaries.length !== 1) violations.push(`${summaries.length} summaries`)
  if (!summaries[0]?.body.includes(`head=${head} `))
    violations.push(`the summary is not about ${head}`)
  const state = flaws.length === 0 ? 'success' : 'failure'
  const shown = statusOf(scene, expected)
  if (shown !== state) violations.push(`the status of the head is ${shown}, not ${state}`)
  return [...violations, ...checkComments(view.threads, expected)]
}

type Threads = ReturnType<CrashScenario['forge']['pullRequest']>['threads']

function checkComments(threads: Threads, { flaws, allFlaws }: TrackedPullRequest): Violation[] {
  const violations: Violation[] = []
  const seen = new Set<string>()
  for (const { comments, resolved } of threads) {
    const body = comments[0]?.body ?? ''
    const parsed = parseComment(body)
    if (parsed === null || !allFlaws.has(parsed.flaw)) {
      violations.push(`an unexpected comment: ${body.slice(0, 100)}`)
      continue
    }
    const { marker, flaw } = parsed
    if (seen.has(marker) || seen.has(flaw)) violations.push(`two comments about ${flaw}`)
    seen.add(marker).add(flaw)
    if (resolved === flaws.includes(flaw))
      violations.push(`${flaw} is ${resolved ? '' : 'not '}resolved`)
  }
  return [
    ...violations,
    ...flaws.filter((flaw) => !seen.has(flaw)).map((flaw) => `no comment about ${flaw}`),
  ]
}

function parseComment(body: string): { marker: string; flaw: string } | null {
  const marker = /<!-- umpire:finding \w+ -->/.exec(body)?.[0]
  const flaw = /flaw_\w+/.exec(body)?.[0]
  return marker === undefined || flaw === undefined ? null : { marker, flaw }
}

/** The open findings in the database must be those of the newest heads. */
async function checkFindings(
  { pullRequests }: CrashScenario,
  { db }: OpenDatabase,
): Promise<Violation[]> {
  const rows = await db
    .selectFrom('findings')
    .select(['prNumber', 'title'])
    .where('state', '=', 'open')
    .execute()
  return pullRequests.flatMap(({ number, flaws }) => {
    const open = rows
      .filter((row) => row.prNumber === number)
      .map(({ title }) => /flaw_\w+/.exec(title)?.[0])
    const isRight = open.length === flaws.length && flaws.every((flaw) => open.includes(flaw))
    return isRight
      ? []
      : [
          `#${number}: the recorded findings are ${open.join(', ') || 'none'}, ` +
            `not ${flaws.join(', ')}`,
        ]
  })
}
