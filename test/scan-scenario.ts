// A forge and Umpire with users whose repositories are scanned, for tests of scans and the graph.
import { sql } from 'kysely'
import type { Db } from '../src/db/database.ts'
import { requestScan } from '../src/work/scans.ts'
import { type ConnectScenario, startConnectScenario } from './connect-scenario.ts'
import type { StartOptions } from './start-app.ts'

export interface ScanScenario extends ConnectScenario {
  /** Creates a repository with these files on its default branch; alice and bob administer it. */
  createRepositoryWith(files: Files): Promise<string>
  /** Creates it, connects it as alice, and waits for the end of the scan. */
  createScannedRepository(files: Files): Promise<string>
  /** Requests a scan like a merge does, and waits for its end. */
  rescan(repo: string): Promise<void>
  /** Waits for the end of the scan. Throws if it failed, unless that is allowed. */
  waitForScan(repo: string, expected?: 'completed' | 'failed', timeoutMs?: number): Promise<void>
}

type Files = Readonly<Record<string, string | Uint8Array | null>>

export async function startScanScenario(options: StartOptions = {}): Promise<ScanScenario> {
  const scene = await startConnectScenario(options)
  const { forge, app } = scene
  const scanned: ScanScenario['waitForScan'] = (repo, expected = 'completed', timeoutMs) =>
    waitForScan(app.db, repo, expected, timeoutMs)
  const createFilled = async (files: Files) => {
    const repo = await scene.createRepository()
    await forge.push(repo, 'main', files as Record<string, string>)
    return repo
  }
  return {
    ...scene,
    createRepositoryWith: createFilled,
    async createScannedRepository(files) {
      const repo = await createFilled(files)
      await scene.connect('alice', repo)
      await scanned(repo)
      return repo
    },
    async rescan(repo) {
      await app.db.transaction().execute((tx) => requestScan(tx, repo))
      await scanned(repo)
    },
    waitForScan: scanned,
  }
}

/** Waits until a repository's scan has ended. */
export async function waitForScan(
  db: Db,
  repo: string,
  expected: 'completed' | 'failed',
  timeoutMs = 60_000,
) {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const row = await db
      .selectFrom('scans')
      .select(['status', 'error', 'step'])
      .where('repo', '=', repo)
      .executeTakeFirst()
    if (row?.status === expected) return
    if (row?.status === 'failed' || performance.now() > deadline)
      throw new Error(`The scan: ${JSON.stringify(row)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Returns the whole graph of a repository as text that doesn't depend on how it was built. */
export async function readGraphRows(db: Db, repo: string) {
  const rows = async (statement: ReturnType<typeof sql<Record<string, unknown>>>) =>
    (await statement.execute(db)).rows
  const { id, factsId } = await db
    .selectFrom('codeGraphs')
    .select(['id', 'factsId'])
    .where('repo', '=', repo)
    .executeTakeFirstOrThrow()
  return {
    files: await rows(sql`
      select path, oid, grammar, language, kind, is_test, size, lines, complexity, unparsed, namespace,
        encode(used_names, 'hex') as used_names
      from code_files where graph_id = ${id} order by path`),
    symbols: await rows(sql`
      select path, ordinal, s.name, s.kind, container, start_line, end_line, exported
      from code_symbols s join code_files f on f.id = s.file_id where s.graph_id = ${id} order by path, ordinal`),
    edges: await rows(sql`
      select s.path as source, t.path as target, e.kind, e.confidence, e.sites
      from code_edges e join code_files s on s.id = e.source_id join code_files t on t.id = e.target_id
      where e.graph_id = ${id} order by source, target, e.kind`),
    facts: await rows(sql`
      select oid, grammar, kind, lines, unparsed, encode(facts, 'hex') as facts
      from code_facts where graph_id = ${factsId} order by oid, grammar`),
    strays: await rows(sql`
      select count(*)::int as count from code_edges e where graph_id = ${id}
        and not exists (select from code_files f where f.id = e.source_id)
        or not exists (select from code_files f where f.id = e.target_id)`),
  }
}

/** Returns the edges as `source → target kind`. */
export async function listEdgesOf(db: Db, repo: string): Promise<string[]> {
  const { edges } = await readGraphRows(db, repo)
  return edges.map(({ source, target, kind }) => `${source} → ${target} ${kind}`)
}
