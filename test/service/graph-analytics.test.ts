// Tests graph analytics against numbers computed by hand and by a reference implementation.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countPullRequestsByAuthor } from '../../src/knowledge/file-activity/count-pull-requests.ts'
import { moveFileActivity } from '../../src/knowledge/file-activity/move-file-activity.ts'
import {
  flaws,
  type KnowledgeRepository,
  type KnowledgeScenario,
  startKnowledgeScenario,
} from '../knowledge-scenario.ts'
import {
  type ModelFigures,
  makeTouches,
  reckonFigures,
  type SampleTouch,
} from '../samples/touches.ts'

let scenario: KnowledgeScenario
let repository: KnowledgeRepository
beforeAll(async () => {
  scenario = await startKnowledgeScenario()
})
afterAll(() => scenario[Symbol.asyncDispose]())

const readAnalytics = async () => {
  const { hotspots, high_risk, dead_files, ownership, expertise } =
    await repository.get('/analytics/graph')
  return { hotspots, high_risk, dead_files, ownership, expertise }
}

const noDeadFiles = { count: 0, sample: [] }

/** Saves a code graph with these files, which replaces the previous one. */
async function saveGraph(files: Readonly<Record<string, string>>): Promise<void> {
  const { db } = scenario.app
  const repo = repository.name
  await db.deleteFrom('codeGraphs').where('repo', '=', repo).execute()
  const graph = await db
    .insertInto('codeGraphs')
    .values({ repo, commitSha: 'c'.repeat(40) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const unknown = {
    language: null,
    lines: null,
    complexity: null,
    unparsed: null,
    namespace: null,
    usedNames: null,
  }
  const common = {
    ...unknown,
    isTest: false,
    graphId: graph.id,
    oid: 'a'.repeat(40),
    grammar: '',
    size: 1,
  }
  const rows = Object.entries(files).map(([path, kind]) => ({ ...common, path, kind }))
  if (rows.length > 0) await db.insertInto('codeFiles').values(rows).execute()
}

describe('graph analytics of reviewed pull requests', () => {
  beforeAll(async () => {
    repository = await scenario.createRepository({
      'src/http/server.ts': '1\n',
      'src/jobs/queue.ts': '1\n',
      'run.ts': '1\n',
    })
    const [, , third] = (await repository.proposeAll([
      ['alice', { 'src/http/server.ts': '2\n', 'run.ts': '2\n', 'package-lock.json': '{}\n' }],
      ['bob', { 'src/http/server.ts': '3\n', 'src/jobs/queue.ts': '3\n' }],
      ['alice', { 'src/http/server.ts': flaws.critical(), 'src/jobs/queue.ts': '4\n' }],
      [
        'carol',
        { 'run.ts': '5\n', 'src/jobs/queue.ts': flaws.critical('b'), 'vendor/lib.go': 'x\n' },
      ],
    ])) as [number, number, number]
    // Its second review requests changes too; the file that it dropped counts for the first only.
    await repository.pushMore([third, { 'src/jobs/queue.ts': '1\n', 'docs/guide.md': '# Guide\n' }])
  })

  const expertise = [
    { login: 'alice', top_dirs: ['.', 'src/http', 'docs'], total_touches: 5 },
    { login: 'carol', top_dirs: ['.', 'src/jobs', 'vendor'], total_touches: 3 },
    { login: 'bob', top_dirs: ['src/http', 'src/jobs'], total_touches: 2 },
  ]

  it('count all changed files when there is no code graph', async () => {
    expect(await readAnalytics()).toEqual({
      hotspots: [
        { path: 'src/http/server.ts', touch_count: 3 },
        { path: 'run.ts', touch_count: 2 },
        { path: 'src/jobs/queue.ts', touch_count: 2 },
        { path: 'docs/guide.md', touch_count: 1 },
      ],
      high_risk: [
        { path: 'src/http/server.ts', risk_score: 2 },
        { path: 'src/jobs/queue.ts', risk_score: 2 },
        { path: 'docs/guide.md', risk_score: 1 },
        { path: 'run.ts', risk_score: 1 },
      ],
      dead_files: noDeadFiles,
      ownership: [
        { path: 'src/http/server.ts', owner: 'alice', touch_pct: 66.7 },
        { path: 'run.ts', owner: 'carol', touch_pct: 50 },
        { path: 'src/jobs/queue.ts', owner: 'carol', touch_pct: 50 },
        { path: 'docs/guide.md', owner: 'alice', touch_pct: 100 },
      ],
      expertise,
    })
  })

  it('count only files of the code graph, and list those nobody changed', async () => {
    const dead = Array.from(
      { length: 12 },
      (_, index) => `src/old/file-${String(index).padStart(2, '0')}.ts`,
    )
    await saveGraph({
      'src/http/server.ts': 'source',
      'run.ts': 'generated',
      'package-lock.json': 'lock',
      'untouched.lock': 'lock',
      'docs/guide.md': 'source',
      ...Object.fromEntries(dead.map((path) => [path, 'source'])),
    })
    expect(await readAnalytics()).toEqual({
      hotspots: [
        { path: 'src/http/server.ts', touch_count: 3 },
        { path: 'docs/guide.md', touch_count: 1 },
      ],
      high_risk: [
        { path: 'src/http/server.ts', risk_score: 2 },
        { path: 'docs/guide.md', risk_score: 1 },
      ],
      dead_files: { count: 12, sample: dead.slice(0, 10) },
      ownership: [
        { path: 'src/http/server.ts', owner: 'alice', touch_pct: 66.7 },
        { path: 'docs/guide.md', owner: 'alice', touch_pct: 100 },
      ],
      expertise,
    })
  })

  it('count pull requests by author', async () => {
    expect(await countPullRequestsByAuthor(scenario.app.db, repository.name)).toEqual([
      { login: 'alice', pullRequests: 2 },
      { login: 'bob', pullRequests: 1 },
      { login: 'carol', pullRequests: 1 },
    ])
  })

  it('case 26: are hidden from people who did not connect the repository', async () => {
    const bob = await scenario.signIn('bob')
    for (const [path, headers] of [
      ['graph', bob.cookie],
      ['contributors', bob.bearer],
    ] as const) {
      const query = new URLSearchParams({ repo: repository.name })
      const address = `${scenario.app.url}/api/v1/analytics/${path}?${query}`
      const response = await fetch(address, { headers })
      expect([response.status, await response.json()]).toEqual([
        403,
        { detail: 'Repo not connected or access denied' },
      ])
    }
  })
})

describe('graph analytics of renamed files', () => {
  beforeEach(async () => {
    repository = await scenario.createRepository({
      'one.ts': '1\n',
      'two.ts': '1\n',
      'lib/three.ts': '1\n',
    })
  })

  it('follow renames, also when two files swap names', async () => {
    await repository.proposeAll([
      ['alice', { 'one.ts': '2\n' }],
      ['bob', { 'one.ts': '3\n', 'two.ts': '3\n', 'lib/three.ts': '3\n' }],
    ])
    const renames = [
      { from: 'one.ts', to: 'two.ts' },
      { from: 'two.ts', to: 'one.ts' },
      { from: 'lib/three.ts', to: 'src/core/three.ts' },
    ]
    await scenario.app.db
      .transaction()
      .execute((tx) => moveFileActivity(tx, repository.name, renames))
    await saveGraph({ 'one.ts': 'source', 'two.ts': 'source', 'src/core/three.ts': 'source' })
    expect(await readAnalytics()).toMatchObject({
      hotspots: [
        { path: 'two.ts', touch_count: 2 },
        { path: 'one.ts', touch_count: 1 },
        { path: 'src/core/three.ts', touch_count: 1 },
      ],
      dead_files: noDeadFiles,
      expertise: [
        { login: 'bob', top_dirs: ['.', 'src/core'], total_touches: 3 },
        { login: 'alice', top_dirs: ['.'], total_touches: 1 },
      ],
    })
  })

  it('count a file once when a pull request changed it under both names', async () => {
    await repository.propose('alice', { 'one.ts': '2\n', 'two.ts': null })
    await scenario.app.db
      .transaction()
      .execute((tx) => moveFileActivity(tx, repository.name, [{ from: 'one.ts', to: 'two.ts' }]))
    expect((await readAnalytics()).hotspots).toEqual([{ path: 'two.ts', touch_count: 1 }])
  })
})

describe('graph analytics of many pull requests', () => {
  it.each([1, 2, 3, 4, 5])('match the reference implementation (seed %i)', async (seed) => {
    repository = await scenario.createRepository({ 'one.ts': '1\n' })
    const { touches, graph } = makeTouches(seed)
    if (graph !== null) await saveGraph(graph)
    await saveTouchRows(touches)
    const expected: ModelFigures = reckonFigures(touches, graph)
    expect(await readAnalytics()).toEqual(expected)
  })

  async function saveTouchRows(touches: readonly SampleTouch[]): Promise<void> {
    const repo = repository.name
    const { db } = scenario.app
    const distinct = (key: 'number' | 'run') => [
      ...new Map(touches.map((touch) => [touch[key], touch])).values(),
    ]
    const texts = { title: '', branch: 'b', baseBranch: 'main', url: '', headSha: '' }
    const common = { ...texts, state: 'open' as const, draft: false, additions: 1, deletions: 1 }
    const pulls = distinct('number').map(({ number, author }) => {
      return { ...common, repo, number, author, updatedAt: new Date() }
    })
    await db.insertInto('pullRequests').values(pulls).execute()
    const runs = distinct('run')
    const { rows } = await sql<{ id: number; run: string }>`
      insert into workflow_runs (workflow_type, repo, pr_number, status, head_sha)
      select 'pr_review', ${repo}, number, 'completed', run
      from unnest(${runs.map(({ number }) => number)}::int[],
        ${runs.map(({ run }) => String(run))}::text[]) as r (number, run)
      returning id, head_sha as run`.execute(db)
    const idOf = new Map(rows.map(({ id, run }) => [Number(run), id]))
    const change = {
      status: 'modified',
      additions: 1,
      deletions: 1,
      previousPath: null,
      symbols: [],
    }
    const values = touches.map(({ run, number, author, latest, requested, path }) => {
      const ofRun = {
        runId: idOf.get(run) ?? 0,
        repo,
        prNumber: number,
        author,
        latest,
        requestedChanges: requested,
      }
      return { ...ofRun, ...change, path }
    })
    await db.insertInto('pullRequestFiles').values(values).execute()
  }

  it('are empty when the query exceeds its time limit', async () => {
    await using hurried = await startKnowledgeScenario({ env: { GRAPH_QUERY_TIMEOUT_MS: '1' } })
    repository = await hurried.createRepository({ 'one.ts': '1\n' })
    await sql`
      with pull as (
        insert into pull_requests (repo, number, title, author, branch, base_branch, url, state,
          head_sha, updated_at)
        values (${repository.name}, 1, '', 'alice', 'b', 'main', '', 'open', '', now())
      ), run as (
        insert into workflow_runs (workflow_type, repo, pr_number, status)
        values ('pr_review', ${repository.name}, 1, 'completed') returning id
      )
      insert into pull_request_files (run_id, repo, pr_number, author, latest, requested_changes,
        path, status, additions, deletions)
      select id, ${repository.name}, 1, 'alice', true, true, n || '.ts', 'added', 1, 0
      from run, generate_series(1, 10000) as n`.execute(hurried.app.db)
    expect(await repository.get('/analytics/graph')).toMatchObject({
      ...{
        repo: repository.name,
        hotspots: [],
        high_risk: [],
        ownership: [],
        expertise: [],
        dead_files: noDeadFiles,
      },
      languages: [{ name: 'TypeScript' }],
    })
  })
})
