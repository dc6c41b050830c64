// Upgrades from the version before one queue, with rows in the database.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { migrations } from '../../src/db/migrations/index.ts'
import { compareSchema, runMigrations } from '../../src/db/run-migrations.ts'
import type { Forge } from '../fakes/forge/forge.ts'
import {
  createTestDatabase,
  silentLog,
  type TestDatabase,
  testEngine,
} from '../fakes/test-database.ts'
import {
  forgeEnvironment,
  ownComments,
  repo,
  reviewerLogin,
  startShopForge,
  waitUntilSettled,
} from '../review-scenario.ts'
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

/** The migrations that a database of the version before the one queue has. */
const oldMigrations = [
  '0001-main-job',
  '0002-review-history',
  '0003-accounts',
  '0004-knowledge',
  '0005-memory-vectors',
  '0006-memory-history',
  '0008-graph-versions',
  '0009-access',
  '0010-mcp',
  '0011-live-context',
  '0012-reach',
  '0013-deliveries',
  '0014-owners',
  '0016-lost-workers',
  '0017-dismissals',
  '0018-ends',
]

/** Creates a database as that version left it, with the given migrations. */
async function createOldDatabase(
  fill: (db: Db) => Promise<void>,
  names: readonly string[] = oldMigrations,
): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrated: false })
  await using open = await openDatabase(database.config, silentLog)
  await runMigrations(open, silentLog, Object.fromEntries(Object.entries(migrations).slice(0, 1)))
  await sql`delete from kysely_migration`.execute(open.db)
  for (const name of names)
    await sql`insert into kysely_migration (name, timestamp) values (${name}, 'then')`.execute(
      open.db,
    )
  await addJobQueue(open.db)
  await fill(open.db)
  return database
}

/** Creates a schema with the kinds of objects that the job queue's library left. */
async function addJobQueue(db: Db): Promise<void> {
  await sql`
    create schema pgboss;
    create type pgboss.job_state as enum ('created', 'active', 'completed');
    create table pgboss.job (name text not null, data jsonb, state pgboss.job_state not null)
      partition by list (name);
    create table pgboss.job_common partition of pgboss.job default;
    create function pgboss.create_queue(name text) returns void language sql as 'select';
    insert into pgboss.job values ('review-pull-request', '{}', 'created')`.execute(db)
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

/** Fills the columns for the list of reviews. */
async function fillListing(db: Db): Promise<void> {
  await sql`
    update pull_requests set listed_event_id = 1, listed_status = 'completed',
      last_event_at = now(), reviewed_run_id = 2, verdict = 'APPROVE', confidence = 4,
      moderate_count = 1, search_text = 'old and dear'`.execute(db)
  await sql`
    insert into pull_request_search (repo, number, text)
    values (${repo}, 1, 'old and dear')`.execute(db)
}

/** Fills the tables of what is known: a completed scan, a graph and memories. */
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

it('keeps reviews, memories and file activity, and updates the graph', async () => {
  const database = await createOldDatabase(async (db) => {
    await fillReviews(db)
    await fillListing(db)
    await fillKnowledge(db)
  })
  {
    await using app = await startTestApp({ database, env: forgeEnvironment(forge) })
    const alice = await signInWithToken(app, aliceToken)
    await expectReviews(app, alice)
    const isScanned = () => app.db.selectFrom('scans').select('commitSha').executeTakeFirstOrThrow()
    await expect.poll(isScanned, { timeout: 60_000 }).not.toEqual({ commitSha: 'abc' })
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
    await expectNewDeliveries(app, alice)
  }
  await database.dispose()
}, 120_000)

const mill = 'acme/mill'

/**
 * Creates a repository at the code host with one pull request for each state of unfinished work,
 * and a database in which a worker that is lost, a retry and a delivery wait.
 */
async function leaveWork(): Promise<TestDatabase> {
  await forge.createRepository(mill)
  forge.setPermission(mill, reviewerLogin, 'write')
  await forge.push(mill, 'main', { 'README.md': '# Mill\n' }, { author: 'alice' })
  for (const branch of ['lost', 'retried', 'delivered']) {
    await forge.push(mill, branch, { [`src/${branch}.ts`]: 'grind()\n' }, { author: 'alice' })
    await forge.openPullRequest({ repo: mill, head: branch, author: 'alice' })
  }
  return createOldDatabase(async (db) => {
    await sql`
      insert into pull_requests
        (repo, number, title, author, branch, base_branch, url, state, head_sha, updated_at)
      select ${mill}, number, 'Waiting', 'alice', 'topic', 'main', 'https://forge.example', 'open',
        'abc', '2026-01-01'
      from generate_series(1, 3) as number`.execute(db)
    await sql`
      insert into workflow_runs (workflow_type, repo, pr_number, status, attempts, losses, fence,
        worker, lease_until, retry_at, put_back_at, started_at, error, error_code)
      values
        ('pr_review', ${mill}, 1, 'processing', 2, 1, 7, 'gone', now() + interval '2 seconds',
          null, null, now(), null, null),
        ('pr_review', ${mill}, 2, 'pending', 1, 0, 1, null, null,
          now() + interval '2 seconds', now(), now(), 'Server Error', 'platform_unavailable')`.execute(
      db,
    )
    await sql`
      insert into events (event_type, source, repo, pr_number, payload, status, wants_review, run_id)
      values
        ('pull_request.opened', 'github', ${mill}, 1, ''::bytea, 'processing', true, 1),
        ('pull_request.opened', 'github', ${mill}, 2, ''::bytea, 'pending', true, 2),
        ('pull_request.opened', 'github', ${mill}, 3, ''::bytea, 'pending', true, null)`.execute(db)
    await sql`
      insert into scans (repo, status, thorough, attempts, fence, worker, lease_until)
      values (${mill}, 'processing', true, 1, 9, 'gone', now() - interval '1 minute'),
        (${repo}, 'pending', true, 0, 0, null, null)`.execute(db)
    await sql`insert into code_graphs (repo, fence) values (${mill}, 9)`.execute(db)
  })
}

it('finishes the work that was waiting or in progress, and drops the job queue', async () => {
  const database = await leaveWork()
  {
    await using open = await openDatabase(database.config, silentLog)
    await runMigrations(open, silentLog)
    const items = await open.db
      .selectFrom('workItems')
      .select(['kind', 'repo', 'number', 'status', 'attempts', 'losses', 'error'])
      .orderBy('kind')
      .orderBy('repo')
      .orderBy('number')
      .execute()
    const fresh = { status: 'pending', attempts: 0, losses: 0, error: null }
    expect(items).toEqual([
      {
        kind: 'review',
        repo: mill,
        number: 1,
        ...fresh,
        status: 'processing',
        attempts: 2,
        losses: 1,
      },
      { kind: 'review', repo: mill, number: 2, ...fresh, attempts: 1, error: 'Server Error' },
      { kind: 'review', repo: mill, number: 3, ...fresh },
      { kind: 'scan', repo: mill, number: 0, ...fresh, status: 'processing', attempts: 1 },
      { kind: 'scan', repo, number: 0, ...fresh },
    ])
    const { rows } = await sql`select from pg_namespace where nspname = 'pgboss'`.execute(open.db)
    expect(rows).toEqual([])
  }
  {
    await using app = await startTestApp({ database, env: forgeEnvironment(forge) })
    await waitUntilSettled(app)
    for (const name of [mill, repo]) await waitForScan(app.db, name, 'completed')
    const runs = await app.db
      .selectFrom('workflowRuns')
      .select(['prNumber', 'status', 'attempts', 'error'])
      .orderBy('prNumber')
      .execute()
    expect(runs).toEqual([
      { prNumber: 1, status: 'completed', attempts: 3, error: null },
      { prNumber: 2, status: 'completed', attempts: 2, error: null },
      { prNumber: 3, status: 'completed', attempts: 1, error: null },
    ])
    for (const number of [1, 2, 3])
      expect(ownComments(forge.pullRequest(mill, number)).summaries).toHaveLength(1)
    const left = () => app.db.selectFrom('workItems').selectAll().execute()
    await expect.poll(left).toEqual([])
  }
  await database.dispose()
}, 120_000)

it('case 64: two processes that start at the same time adopt an old database once', async (context) => {
  context.skip(testEngine === 'embedded', 'only one process can open the embedded database')
  const database = await createOldDatabase(async () => {})
  {
    await using one = await openDatabase(database.config, silentLog)
    await using two = await openDatabase(database.config, silentLog)
    await Promise.all([runMigrations(one, silentLog), runMigrations(two, silentLog)])
    expect(await compareSchema(one.db)).toEqual({ missing: [], unknown: [] })
  }
  await database.dispose()
})

it.each([
  [
    'an older database, with what to do',
    oldMigrations.slice(0, -1),
    'database_older',
    /older version .*0017-dismissals.* First start the last version with 0018-ends, then this one/,
  ],
  [
    'a database that another text of a migration made',
    ['0001-schema@000000000000'],
    'database_edited',
    /whose migrations differ \(it has 0001-schema@000000000000\)/,
  ],
])('refuses %s', async (_what, names, code, message) => {
  const database = await createOldDatabase(async () => {}, names)
  {
    await using open = await openDatabase(database.config, silentLog)
    await expect(runMigrations(open, silentLog)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    // Nothing was changed.
    expect((await compareSchema(open.db)).unknown).toEqual(names)
  }
  await database.dispose()
})

it('finds out what became of findings, and when pull requests were first reviewed', async () => {
  const database = await createTestDatabase({ migrated: false })
  {
    await using open = await openDatabase(database.config, silentLog)
    const earlier = Object.entries(migrations).filter(([name]) => name < '0020')
    await runMigrations(open, silentLog, Object.fromEntries(earlier))
    await fillReviews(open.db)
    await sql`update pull_requests set reviewed_run_id = 2, verdict = 'APPROVE'`.execute(open.db)
    await sql`update events set created_at = now() - interval '1 minute'`.execute(open.db)
    // By fingerprint: the runs that found it first and last, path and state.
    for (const [fingerprint, first, last, path, state] of [
      ['fixed', 1, 2, 'src/a.ts', 'resolved'],
      ['replaced', 1, 2, 'src/b.ts', 'resolved'],
      ['replacing', 2, 2, 'src/b.ts', 'open'],
      ['dismissed and gone', 1, 2, 'src/c.ts', 'resolved'],
      ['dismissed', 1, 2, 'src/d.ts', 'dismissed'],
    ] as const)
      await sql`
        insert into findings (repo, pr_number, fingerprint, first_run_id, last_run_id, reviewer,
          rule, path, side, start_line, end_line, severity, category, title, body, confidence,
          verified, state, placement)
        values (${repo}, 1, ${fingerprint}, ${first}, ${last}, 'static', 'some-rule', ${path},
          'RIGHT', 1, 1, 'critical', 'correctness', '', '', 0.9, true, ${state}, 'inline')`.execute(
        open.db,
      )
    await sql`
      insert into dismissals (repo, pr_number, fingerprint, reopened, login, via)
      values (${repo}, 1, 'dismissed and gone', 0, 'alice', 'api')`.execute(open.db)
    await runMigrations(open, silentLog)
    const findings = open.db.selectFrom('findings').select(['fingerprint', 'resolution'])
    expect(
      await findings.where('resolution', 'is not', null).orderBy('fingerprint').execute(),
    ).toEqual([
      { fingerprint: 'dismissed and gone', resolution: 'dismissed' },
      { fingerprint: 'fixed', resolution: 'fixed' },
      { fingerprint: 'replaced', resolution: 'replaced' },
    ])
    const { rows } = await sql`
      select fixed_count, dismissed_count, open_count, open_critical_count,
        first_reviewed_at - first_requested_at between '59 seconds' and '2 minutes' as is_timed
      from pull_requests`.execute(open.db)
    expect(rows).toEqual([
      { fixedCount: 1, dismissedCount: 2, openCount: 2, openCriticalCount: 1, isTimed: true },
    ])
  }
  await database.dispose()
})
