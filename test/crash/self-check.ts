// Causes violations on purpose to verify that the checks report each of them.
import { sql } from 'kysely'
import type { OpenDatabase } from '../../src/db/database.ts'
import { enqueue } from '../../src/work/work-items.ts'
import { repo, reviewerLogin, reviewerToken } from '../review-scenario.ts'
import { type CrashScenario, createCrashScenario } from './crash-scenario.ts'
import { findViolations, type Violation } from './find-violations.ts'
import { settleAndCheck } from './settle-and-check.ts'

interface Sabotage {
  readonly description: string
  /** A part of the violation text that must be reported. */
  readonly expected: RegExp
  /** Acts on a separate pull request. */
  apply(scene: CrashScenario, database: OpenDatabase, number: number): Promise<unknown>
}

const sabotages: readonly Sabotage[] = [
  {
    description: 'a second summary',
    expected: /2 summaries/,
    apply: async ({ forge }, _, number) =>
      forge.comment(repo, number, reviewerLogin, forge.pullRequest(repo, number).comments[0]!.body),
  },
  {
    description: 'a second comment about one finding',
    expected: /two comments about/,
    apply: async ({ forge }, _, number) => {
      const { headSha, inlineComments } = forge.pullRequest(repo, number)
      const { path, line, side, body } = inlineComments[0]!
      await postToForge(forge.apiUrl, `/pulls/${number}/reviews`, {
        commit_id: headSha,
        event: 'COMMENT',
        comments: [{ path, line, side, body }],
      })
    },
  },
  {
    description: 'a status that was not brought to its end',
    expected: /the status of the head is pending/,
    apply: async ({ forge }, _, number) =>
      postToForge(forge.apiUrl, `/statuses/${forge.pullRequest(repo, number).headSha}`, {
        state: 'pending',
        context: 'umpire/review',
      }),
  },
  {
    description: 'a lost push',
    expected: /the summary is not about/,
    apply: async (scene, _, number) =>
      scene.push(scene.pullRequests.find((one) => one.number === number)!, 1),
  },
  {
    description: 'a thread that was resolved although its flaw is there',
    expected: /flaw_\w+ is resolved/,
    apply: async ({ forge }, _, number) =>
      forge.resolveThread(
        repo,
        number,
        forge.pullRequest(repo, number).inlineComments[0]!.id,
        reviewerLogin,
      ),
  },
  {
    description: 'a lost event',
    expected: /event \d+ of delivery \S+ is lost/,
    apply: (_, { db }, number) => sql`delete from events where pr_number = ${number}`.execute(db),
  },
  {
    description: 'a stuck event',
    expected: /event \d+ \(\S+ #\d+\) is processing/,
    apply: (_, { db }, number) =>
      sql`update events set status = 'processing' where pr_number = ${number}`.execute(db),
  },
  {
    description: 'a stuck run',
    expected: /run \d+ \(#\d+\) is processing/,
    apply: (_, { db }, number) =>
      sql`update workflow_runs set status = 'processing' where pr_number = ${number}`.execute(db),
  },
  {
    description: 'work that was left in the queue',
    expected: /the review of #\d+ is left pending/,
    apply: (_, { db }, number) => enqueue(db, [{ kind: 'review', repo, number }]),
  },
  {
    description: 'a lost finding',
    expected: /the recorded findings are none/,
    apply: (_, { db }, number) => sql`delete from findings where pr_number = ${number}`.execute(db),
  },
]

/** Returns the failures: violations that were not reported, or a violation before the sabotage. */
export async function runSelfCheck(): Promise<Violation[]> {
  await using scene = await createCrashScenario('embedded', null)
  scene.deployment.start()
  await scene.deployment.ready()
  for (const _ of sabotages) await scene.open(1)
  const before = await settleAndCheck(scene)
  if (before.length > 0) return before
  await using database = await scene.deployment.openDatabase()
  const missed: Violation[] = []
  for (const [index, { description: what, expected, apply: harm }] of sabotages.entries()) {
    const known = new Set(await findViolations(scene, database))
    await harm(scene, database, scene.pullRequests[index]!.number)
    const reported = (await findViolations(scene, database)).filter(
      (violation) => !known.has(violation),
    )
    const isNoticed = reported.some((violation) => expected.test(violation))
    console.log(`${what}: ${isNoticed ? 'reported' : 'NOT REPORTED'}`)
    if (!isNoticed)
      missed.push(`${what} was not reported, only: ${reported.join('; ') || 'nothing'}`)
  }
  return missed
}

async function postToForge(apiUrl: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${apiUrl}/repos/${repo}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${reviewerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok)
    throw new Error(`The forge refused the sabotage: ${response.status} ${await response.text()}`)
}
