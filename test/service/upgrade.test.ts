// Upgrades from released versions with rows in the database.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { migrations } from '../../src/db/migrations/index.ts'
import { runMigrations } from '../../src/db/run-migrations.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import { createTestDatabase, silentLog, type TestDatabase } from '../fakes/test-database.ts'
import { forgeEnvironment, repo, startShopForge } from '../review-scenario.ts'
import { waitForScan } from '../scan-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { pullRequestPayload, startTestApp, type TestApp } from '../start-app.ts'

const webhookSecret = 'a5'.repeat(32)
const aliceToken = 'ghp_token_of_alice'

let forge: Forge
beforeAll(async () => {
  forge = await startShopForge()
})
afterAll(() => forge[Symbol.asyncDispose]())

/** Creates a database as a released version left it, up to the migration with this number. */
async function createOldDatabase(
  last: string,
  fill: (db: Db) => Promise<void>,
): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrated: false })
  const known = Object.entries(migrations).filter(([name]) => name.slice(0, 4) <= last)
  await using open = await openDatabase(database.config, silentLog)
  await runMigrations(open, silentLog, Object.fromEntries(known))
  await fill(open.db)
  return database
}

/**
 * Alice connected the repository. Its pull request 1 was reviewed twice at one commit and has one
 * open finding.
 */
async function fillReviews(db: Db): Promise<void> {
  const response = await fetch(`${forge.apiUrl}/user`, {
    headers: { authorization: `Bearer ${aliceToken}` },
  })
  const { id } = (await response.json()) as { id: number }
  await sql`
    insert into users (platform, platform_user_id, login, is_admin)
    values ('github', ${String(id)}, 'alice', true)`.execute(db)
  await sql`
    insert into installations (user_id, repo_full_name, webhook_id, webhook_secret)
    values (1, ${repo}, 7, ${webhookSecret})`.execute(db)
  await sql`
    insert into pull_requests
      (repo, number, title, author, branch, base_branch, url, state, head_sha, updated_at)
    values (${repo}, 1, 'Old and dear', 'alice', 'topic', 'main',
      'https://forge.example/1', 'merged', 'abc', now())`.execute(db)
  for (const verdict of ['REQUEST_CHANGES', 'APPROVE']) {
    const summary = `${verdict}\nConfidence: 4/5\n\nAs it was.`
    await sql`
      insert into workflow_runs (workflow_type, repo, pr_number, status, head_sha, verdict,
        confidence, summary, finished_at)
      values ('pr_review', ${repo}, 1, 'completed', 'abc', ${verdict},
        4, ${summary}, now())`.execute(db)
  }
  await sql`
    insert into events (event_type, source, repo, pr_number, payload, status, wants_review, run_id)
    values ('pull_request.opened', 'github', ${repo}, 1, ''::bytea, 'completed', true, 2)`.execute(
    db,
  )
  await sql`
    insert into findings (repo, pr_number, fingerprint, first_run_id, last_run_id, reviewer,
      path, side, start_line, end_line, severity, category,
      title, body, confidence, verified, state, placement)
    values (${repo}, 1, 'f1', 1, 2, 'static',
      'src/old.ts', 'RIGHT', 1, 1, 'moderate', 'correctness',
      'An old flaw', 'Still there.', 0.9, true, 'open', 'inline')`.execute(db)
}

/** Fills the columns of migration 0003 as the program wrote them from then on. */
async function fillListing(db: Db): Promise<void> {
  await sql`
    update pull_requests set listed_event_id = 1, listed_status = 'completed',
      last_event_at = now(), reviewed_run_id = 2, verdict = 'APPROVE', confidence = 4,
      moderate_count = 1, search_text = 'old and dear'`.execute(db)
  await sql`
    insert into pull_request_search (repo, number, text)
    values (${repo}, 1, 'old and dear')`.execute(db)
}

/** Fills the tables of migration 0004: a completed scan, a graph and memories. */
async function fillKnowledge(db: Db): Promise<void> {
  await sql`
    insert into scans (repo, status, commit_sha, described_sha)
    values (${repo}, 'completed', 'abc', 'abc')`.execute(db)
  await sql`
    insert into code_graphs (repo, commit_sha, facts_version, built_at)
    values (${repo}, 'abc', 1, now())`.execute(db)
  await sql`
    insert into code_facts (graph_id, oid, grammar, version, kind)
    values (1, 'o1', 'typescript', 1, 'source')`.execute(db)
  await sql`
    insert into code_files (graph_id, path, oid, grammar, kind, size)
    values (1, 'src/gone.ts', 'o1', 'typescript', 'source', 10)`.execute(db)
  for (const run of [1, 2]) {
    await sql`
      insert into pull_request_files (run_id, repo, pr_number, author, latest,
        requested_changes, path, status, additions, deletions)
      values (${run}, ${repo}, 1, 'alice', ${run === 2},
        ${run === 1}, 'src/orders.ts', 'modified', 1, 1)`.execute(db)
  }
  const provenance = { source: 'person', user: 'alice' }
  await sql`
    insert into memories (repo, memory_type, subject, text, trust, provenance, terms, weights)
    values (${repo}, 'decision', 'money', 'Amounts are whole cents.', 'person',
      ${provenance}, '{1}', '{1}')`.execute(db)
  await sql`
    insert into memories (repo, memory_type, subject, text, trust, provenance, terms, weights,
      ended_at, superseded_by)
    select ${repo}, 'decision', 'money', 'Amounts are fractions.', 'person',
      ${provenance}, '{2}', '{1}', now(), id
    from memories`.execute(db)
}

/** Sends a request as alice. */
async function request(app: TestApp, { cookie, bearer }: SignedInUser, path: string) {
  const response = await fetch(`${app.url}/api/v1${path}`, { headers: { ...cookie, ...bearer } })
  expect(response.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: looked at by tests
  return response.json() as Promise<any>
}

async function expectReviews(app: TestApp, alice: SignedInUser): Promise<void> {
  expect(await request(app, alice, '/reviews?search=dear')).toMatchObject([
    {
      id: 1,
      status: 'completed',
      pr_status: 'merged',
      ai_summary: expect.stringContaining('As it was.'),
    },
  ])
  expect(await request(app, alice, '/reviews/1')).toMatchObject({
    reach: null,
    findings: [{ title: 'An old flaw', state: 'open' }],
  })
  expect(await request(app, alice, '/analytics/insights')).toMatchObject({
    verdicts: { APPROVE: 1, REQUEST_CHANGES: 0 },
    issue_categories: { critical: 0, moderate: 1, minor: 0 },
  })
  expect(await request(app, alice, '/repos?connected=true')).toMatchObject({
    repositories: [{ repo, installation_id: 1 }],
  })
}

/** Deliveries after the upgrade continue where the old version ended. */
async function expectNewDeliveries(app: TestApp, alice: SignedInUser): Promise<void> {
  const payload = pullRequestPayload({ repo, number: 2, title: 'New and dear' })
  expect(await app.deliver(payload, { secret: webhookSecret })).toMatchObject({
    status: 200,
    body: { event_id: 2 },
  })
  expect(await request(app, alice, '/reviews?search=dear')).toMatchObject([
    { pr_number: 2 },
    { pr_number: 1 },
  ])
}

describe.each([
  ['0001', fillReviews],
  ['0002', fillReviews],
])('from a version that ended with migration %s', (last, fill) => {
  it('lists and counts reviews, and accepts new deliveries', async () => {
    const database = await createOldDatabase(last, fill)
    const env = { ...forgeEnvironment(forge), MEMORY: 'off', GRAPH: 'off' }
    {
      await using app = await startTestApp({ database, env, parts: { web: true, worker: false } })
      const alice = await signInWithToken(app, aliceToken)
      await expectReviews(app, alice)
      await expectNewDeliveries(app, alice)
    }
    await database.dispose()
  })
})

it('from 0003: keeps reviews and scans connected repositories', async () => {
  const database = await createOldDatabase('0003', async (db) => {
    await fillReviews(db)
    await fillListing(db)
  })
  {
    await using app = await startTestApp({ database, env: forgeEnvironment(forge) })
    const alice = await signInWithToken(app, aliceToken)
    await expectReviews(app, alice)
    await waitForScan(app.db, repo, 'completed')
    const map = await request(app, alice, `/memory/project-map?repo=${repo}`)
    expect(map.count).toBeGreaterThan(0)
  }
  await database.dispose()
}, 120_000)

it('from 0004: keeps memories and file activity, and updates the graph', async () => {
  const database = await createOldDatabase('0004', async (db) => {
    await fillReviews(db)
    await fillListing(db)
    await fillKnowledge(db)
  })
  {
    await using app = await startTestApp({ database, env: forgeEnvironment(forge) })
    const alice = await signInWithToken(app, aliceToken)
    await expectReviews(app, alice)
    const isScanned = () =>
      app.db.selectFrom('scans').select('commit_sha').executeTakeFirstOrThrow()
    await expect.poll(isScanned, { timeout: 60_000 }).not.toEqual({ commit_sha: 'abc' })
    const { memories } = await request(app, alice, `/memory?repo=${repo}&type=decision`)
    const texts = memories.map(({ memory }: { memory: string }) => memory)
    expect(texts).toContain('Amounts are whole cents.')
    expect(texts).not.toContain('Amounts are fractions.')
    const graph = await request(app, alice, `/analytics/graph?repo=${repo}`)
    expect(graph.hotspots).toEqual([{ path: 'src/orders.ts', touch_count: 1 }])
    const { rows } = await sql<{ path: string }>`
      select path from code_files
      where graph_id = (select id from code_graphs where repo = ${repo})`.execute(app.db)
    expect(rows.map(({ path }) => path)).toContain('README.md')
    expect(rows.map(({ path }) => path)).not.toContain('src/gone.ts')
  }
  await database.dispose()
}, 120_000)
