// Tests the code map against maps that were computed by hand, on each database engine.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Forge } from '../fakes/forge/forge.ts'
import { insertConnection } from '../insert-connection.ts'
import { insertFindingSamples } from '../pull-request-samples.ts'
import { forgeEnvironment, startShopForge } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { startTestApp, type TestApp } from '../start-app.ts'

let forge: Forge
let app: TestApp
let anne: SignedInUser
let bob: SignedInUser
beforeAll(async () => {
  forge = await startShopForge()
  app = await startTestApp({ env: forgeEnvironment(forge), parts: { web: true, worker: false } })
  await signIn(app, 'root')
  anne = await signIn(app, 'anne')
  bob = await signIn(app, 'bob')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await forge[Symbol.asyncDispose]()
})

async function signIn(where: TestApp, login: string): Promise<SignedInUser> {
  forge.createUser(login, { token: `ghp_the_token_of_${login}` })
  return signInWithToken(where, `ghp_the_token_of_${login}`)
}

let repositories = 0

/** Connects a new repository for anne, without a stored graph. */
async function connectRepository(where: TestApp = app): Promise<string> {
  const repo = `acme/mapped-${++repositories}`
  await insertConnection(where.db, 'anne', repo)
  return repo
}

interface SampleFile {
  readonly language?: string
  readonly lines?: number
  readonly complexity?: number
  readonly kind?: string
}

type SampleEdge = readonly [
  source: string,
  target: string,
  kind: 'import' | 'call' | 'reference' | 'extends',
  n: number,
]

async function saveGraph(
  repo: string,
  files: Readonly<Record<string, SampleFile>>,
  edges: readonly SampleEdge[],
) {
  const { id: graphId } = await app.db
    .insertInto('codeGraphs')
    .values({ repo, commitSha: 'c'.repeat(40) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const common = { graphId, oid: 'a'.repeat(40), grammar: '', size: 1, isTest: false }
  const unknown = { kind: 'source', language: null, lines: null, complexity: null }
  const empty = { unparsed: null, namespace: null, usedNames: null }
  const rows = Object.entries(files).map(([path, file]) => ({
    ...common,
    ...unknown,
    ...empty,
    path,
    ...file,
  }))
  const saved = await app.db
    .insertInto('codeFiles')
    .values(rows)
    .returning(['id', 'path'])
    .execute()
  const idOf = new Map(saved.map(({ id, path }) => [path, id]))
  const values = edges.map(([source, target, kind, sites]) => {
    const ends = { sourceId: idOf.get(source) as number, targetId: idOf.get(target) as number }
    return { graphId, ...ends, kind, sites, confidence: 1 }
  })
  if (values.length > 0) await app.db.insertInto('codeEdges').values(values).execute()
}

interface SampleReview {
  readonly number: number
  readonly latest: boolean
  readonly requested: boolean
  readonly paths: readonly string[]
}

async function saveReviews(repo: string, reviews: readonly SampleReview[]) {
  for (const { number, latest, requested, paths } of reviews) {
    await sql`
      insert into pull_requests (repo, number, title, author, branch, base_branch, url, state,
        head_sha, updated_at)
      values (${repo}, ${number}, '', 'alice', 'b', 'main', '', 'open', '', now())
      on conflict do nothing`.execute(app.db)
    await sql`
      with run as (
        insert into workflow_runs (workflow_type, repo, pr_number, status)
        values ('pr_review', ${repo}, ${number}, 'completed') returning id
      ), reviewed as (
        update pull_requests set reviewed_run_id = run.id from run
        where repo = ${repo} and number = ${number}
      )
      insert into pull_request_files (run_id, repo, pr_number, author, latest, requested_changes,
        path, status, additions, deletions)
      select id, ${repo}, ${number}, 'alice', ${latest}, ${requested}, path, 'modified', 1, 0
      from run, unnest(${paths}::text[]) as path`.execute(app.db)
  }
}

async function requestMap(
  query: Record<string, string>,
  headers: Record<string, string> = anne.bearer,
  where = app,
) {
  const response = await fetch(
    `${where.url}/api/v1/memory/code-map?${new URLSearchParams(query)}`,
    { headers },
  )
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the fields
  return { status: response.status, body: (await response.json()) as any }
}

const quiet = { touches: 0, high_risk: 0, findings: 0, uses_elsewhere: 0, used_elsewhere: 0 }

describe('the code map of a repository', () => {
  let repo: string
  beforeAll(async () => {
    repo = await connectRepository()
    // These are too many to be listed one by one.
    const many = Array.from(
      { length: 220 },
      (_, index) => [`src/${index % 2 ? 'http' : 'db'}/${index}`, {}] as const,
    )
    const files = {
      'src/http/server.ts': { language: 'TypeScript', lines: 100, complexity: 10 },
      'src/http/routes.ts': { language: 'TypeScript', lines: 50, complexity: 5 },
      'src/db/pool.ts': { language: 'TypeScript', lines: 30, complexity: 3 },
      'src/db/schema.sql': { language: 'SQL', lines: 80 },
      'run.py': { language: 'Python', lines: 20, complexity: 4 },
      'docs/plans/first/notes': {},
      'package-lock.json': { kind: 'lock', lines: 9000 },
      'vendor/lib.js': { kind: 'vendored', language: 'JavaScript', lines: 500 },
      ...Object.fromEntries(many),
    }
    await saveGraph(repo, files, [
      ['src/http/server.ts', 'src/http/routes.ts', 'import', 2],
      ['src/http/server.ts', 'src/http/routes.ts', 'call', 1],
      ['src/http/server.ts', 'src/db/pool.ts', 'import', 1],
      ['src/http/server.ts', 'src/db/pool.ts', 'call', 3],
      ['src/http/routes.ts', 'src/db/pool.ts', 'reference', 4],
      ['src/db/pool.ts', 'src/http/server.ts', 'extends', 1],
      ['run.py', 'src/http/server.ts', 'import', 1],
      ['src/http/server.ts', 'vendor/lib.js', 'import', 2],
      ['vendor/lib.js', 'src/db/pool.ts', 'call', 5],
    ])
    await saveReviews(repo, [
      {
        number: 1,
        latest: true,
        requested: true,
        paths: ['src/http/server.ts', 'src/http/routes.ts', 'run.py'],
      },
      {
        number: 2,
        latest: true,
        requested: false,
        paths: ['src/http/server.ts', 'src/gone.ts', 'vendor/lib.js'],
      },
      {
        number: 3,
        latest: false,
        requested: true,
        paths: ['src/db/pool.ts', 'src/http/server.ts'],
      },
      { number: 3, latest: true, requested: false, paths: ['src/db/pool.ts'] },
    ])
    await insertFindingSamples(app.db, [
      { repo, number: 1, outcome: 'fixed', rule: null, path: 'src/http/routes.ts' },
      { repo, number: 1, outcome: 'dismissed', rule: null, path: 'src/http/server.ts' },
      { repo, number: 1, outcome: 'withdrawn', rule: null, path: 'run.py' },
    ])
  })

  const http = {
    path: 'src/http',
    kind: 'directory',
    files: 112,
    lines: 150,
    language: 'TypeScript',
    complexity: 15,
  }
  const db = {
    path: 'src/db',
    kind: 'directory',
    files: 112,
    lines: 110,
    language: 'SQL',
    complexity: 3,
  }
  const run = {
    path: 'run.py',
    kind: 'file',
    files: 1,
    lines: 20,
    language: 'Python',
    complexity: 4,
  }
  const unread = { files: 1, lines: 0, language: null, complexity: 0 }

  it('splits directories with few entries and collapses the others', async () => {
    expect(await requestMap({ repo })).toEqual({
      status: 200,
      body: {
        ...{ repo, commit: 'c'.repeat(40), path: '.' },
        nodes: [
          { ...http, touches: 2, high_risk: 2, findings: 1, uses_elsewhere: 2, used_elsewhere: 0 },
          { ...db, touches: 1, high_risk: 1, findings: 0, uses_elsewhere: 0, used_elsewhere: 5 },
          { ...run, ...quiet, touches: 1, high_risk: 1 },
          { path: 'docs/plans/first/notes', kind: 'file', ...unread, ...quiet },
        ],
        edges: [
          { source: 'src/http', target: 'src/db', imports: 1, calls: 7 },
          { source: 'src/db', target: 'src/http', imports: 0, calls: 1 },
          { source: 'run.py', target: 'src/http', imports: 1, calls: 0 },
        ],
        left_out: { nodes: 0, edges: 0 },
      },
    })
  })

  it('lists the files of a directory with their edges to the outside', async () => {
    const { body } = await requestMap({ repo, path: './src/http/' })
    const file = { kind: 'file', files: 1, language: 'TypeScript' }
    expect(body).toMatchObject({ path: 'src/http', left_out: { nodes: 0, edges: 0 } })
    expect(body.nodes).toHaveLength(112)
    expect(body.nodes.slice(0, 3)).toEqual([
      {
        ...{ path: 'src/http/server.ts', ...file, lines: 100, complexity: 10 },
        ...{ touches: 2, high_risk: 1, findings: 0, uses_elsewhere: 6, used_elsewhere: 2 },
      },
      {
        ...{ path: 'src/http/routes.ts', ...file, lines: 50, complexity: 5 },
        ...{ touches: 1, high_risk: 1, findings: 1, uses_elsewhere: 4, used_elsewhere: 0 },
      },
      { path: 'src/http/1', kind: 'file', ...unread, ...quiet },
    ])
    expect(body.edges).toEqual([
      { source: 'src/http/server.ts', target: 'src/http/routes.ts', imports: 2, calls: 1 },
    ])
  })

  it.each(['src/ht', 'src/http/server.ts', 'nowhere', '%', '..', '/etc'])(
    'is empty below %s',
    async (path) => {
      const { status, body } = await requestMap({ repo, path })
      expect(status).toBe(200)
      expect(body).toMatchObject({ commit: null, nodes: [], edges: [] })
    },
  )

  it('accepts the cookie, and the root path in any spelling', async () => {
    const { body } = await requestMap({ repo })
    expect((await requestMap({ repo }, anne.cookie)).body).toEqual(body)
    for (const path of ['.', '', './', '/'])
      expect((await requestMap({ repo, path })).body).toEqual(body)
  })

  it('case 26: is hidden from people who did not connect the repository', async () => {
    const denied = { status: 403, body: { detail: 'Repo not connected or access denied' } }
    expect(await requestMap({ repo }, bob.bearer)).toEqual(denied)
    expect((await requestMap({ repo }, {})).status).toBe(401)
  })

  it('validates the repository and the path', async () => {
    expect(await requestMap({ repo: 'a' })).toEqual({
      status: 400,
      body: { detail: 'repo must be owner/repo' },
    })
    expect(await requestMap({})).toEqual({
      status: 422,
      body: { detail: 'repo is required, as owner/repo' },
    })
    const detail = 'path must have 4096 characters at most'
    expect(await requestMap({ repo, path: 'a'.repeat(4097) })).toEqual({
      status: 422,
      body: { detail },
    })
    expect((await requestMap({ repo, path: 'a\0b' })).status).toBe(200)
  })
})

it('splits the directory with the most code first', async () => {
  const repo = await connectRepository()
  const fill = (directory: string, files: number, lines: number) =>
    Array.from({ length: files }, (_, index) => [`${directory}/${index}.c`, { lines }] as const)
  const files = Object.fromEntries([
    ...fill('wide', 40, 100),
    ...fill('long', 30, 200),
    ...fill('few', 20, 10),
    ...fill('single/chain', 1, 1),
  ])
  await saveGraph(repo, files, [])
  const { body } = await requestMap({ repo })
  // The map starts with 4 nodes. Splitting `long` gives 4 - 1 + 30 = 33, and `few` then 52.
  // Splitting `wide` would give 72, which is too many; the chain is one file and adds none.
  const shown = (body.nodes as { path: string; kind: string }[]).map(({ path, kind }) => [
    path,
    kind,
  ])
  expect(shown).toHaveLength(52)
  expect(shown).toContainEqual(['wide', 'directory'])
  expect(shown).toContainEqual(['long/29.c', 'file'])
  expect(shown).toContainEqual(['few/0.c', 'file'])
  expect(shown).toContainEqual(['single/chain/0.c', 'file'])
})

it('limits nodes and edges of the map and counts what is left out', async () => {
  const repo = await connectRepository()
  const path = (index: number) => `flat/${String(index).padStart(3, '0')}.c`
  const indexes = Array.from({ length: 320 }, (_, index) => index)
  const files = Object.fromEntries(indexes.map((index) => [path(index), { lines: 1000 - index }]))
  // Each of the first 40 files uses the other 39: 1,560 edges. Files after the 300th are left out.
  const connected = indexes.slice(0, 40)
  const edges = connected.flatMap((one) =>
    connected
      .filter((other) => other !== one)
      .map((other): SampleEdge => [path(one), path(other), 'call', 1]),
  )
  await saveGraph(repo, files, [
    ...edges,
    [path(1), path(0), 'import', 9],
    [path(0), path(319), 'call', 2],
  ])
  const { body } = await requestMap({ repo, path: 'flat' })
  expect(body.nodes).toHaveLength(300)
  expect(body.nodes[0]).toMatchObject({ path: path(0), uses_elsewhere: 2 })
  expect(body.nodes.at(-1)).toMatchObject({ path: path(299) })
  expect(body.edges).toHaveLength(1500)
  expect(body.edges[0]).toEqual({ source: path(1), target: path(0), imports: 9, calls: 1 })
  expect(body.left_out).toEqual({ nodes: 20, edges: 60 })
  expect((await requestMap({ repo })).body.nodes).toMatchObject([{ path: 'flat', files: 320 }])
})

describe('the code map without a graph', () => {
  const nothing = {
    commit: null,
    path: '.',
    nodes: [],
    edges: [],
    left_out: { nodes: 0, edges: 0 },
  }

  it('is empty before the first scan', async () => {
    const repo = await connectRepository()
    expect(await requestMap({ repo })).toEqual({ status: 200, body: { repo, ...nothing } })
  })

  it('is empty when GRAPH is off', async () => {
    const env = { ...forgeEnvironment(forge), GRAPH: 'off' }
    await using without = await startTestApp({ env, parts: { web: true, worker: false } })
    const { bearer } = await signIn(without, 'anne')
    const repo = await connectRepository(without)
    expect(await requestMap({ repo }, bearer, without)).toEqual({
      status: 200,
      body: { repo, ...nothing },
    })
    expect(await requestMap({ repo: 'acme/other' }, bearer, without)).toMatchObject({ status: 403 })
  })
})
