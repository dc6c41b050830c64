// Starts Umpire for a test like a user would: configured by environment, reached over HTTP.
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type App, startApp } from '../src/app.ts'
import type { Db } from '../src/db/database.ts'
import { readConfig } from '../src/read-config.ts'
import { checkResponses } from './check-responses.ts'
import { createTestDatabase, type TestDatabase } from './fakes/test-database.ts'

/** The deployment-wide webhook secret of the tests. */
export const webhookSecret = 'a secret of the tests'

export interface StartOptions {
  /** Further environment variables. */
  env?: Record<string, string>
  /** An existing database that is kept at the end; otherwise a new one is used. */
  database?: TestDatabase
  /** The default is both. */
  parts?: { web: boolean; worker: boolean }
}

/** A running Umpire with its own database. check-responses.ts checks each of its answers. */
export interface TestApp extends AsyncDisposable {
  readonly url: string
  readonly app: App
  /** Direct access to data that no endpoint returns yet. */
  readonly db: Db
  /** Posts a delivery, signed unless `options` has another signature. */
  deliver(
    payload: unknown,
    options?: DeliverOptions,
  ): Promise<{ status: number; body: Record<string, unknown> }>
  /** All events, oldest first. */
  events(): Promise<
    {
      id: number
      eventType: string
      status: string
      repo: string | null
      prNumber: number | null
    }[]
  >
}

export interface DeliverOptions {
  event?: string
  headers?: Record<string, string>
  /** Replaces the payload as JSON. */
  rawBody?: string | Buffer
  /** Null for an unsigned delivery. */
  secret?: string | null
}

export async function startTestApp(options: StartOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase())
  const dataDir = mkdtempSync(join(tmpdir(), 'umpire-data-'))
  const config = await readConfig({
    PATH: process.env.PATH,
    APP_ENV: 'production',
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    WEBHOOK_SECRET: webhookSecret,
    REVIEW_RETRY_SECONDS: '0',
    SIGN_INS_PER_MINUTE: '100000',
    SHUTDOWN_GRACE_SECONDS: '10',
    ...options.env,
  })
  const app = await startApp(
    { ...config, database: database.config },
    options.parts ?? { web: true, worker: true },
  )
  const hosts = config.hosts.map(({ platform }) => platform.name).join()
  const forgetAnswers = app.url === null ? null : await checkResponses(app.url, hosts)
  const db = app.context.db
  return {
    url: app.url ?? '',
    app,
    db,
    deliver: (payload, how) => deliver(app.url ?? '', payload, how),
    events: () =>
      db
        .selectFrom('events')
        .select(['id', 'eventType', 'status', 'repo', 'prNumber'])
        .orderBy('id')
        .execute(),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      forgetAnswers?.()
      if (!options.database) await database.dispose()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** `sha256=` and the HMAC of the body. */
export function sign(body: string | Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

async function deliver(url: string, payload: unknown, options: DeliverOptions = {}) {
  const body = options.rawBody ?? JSON.stringify(payload)
  const { secret = webhookSecret } = options
  const response = await fetch(`${url}/api/v1/webhooks/host`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': options.event ?? 'pull_request',
      'x-github-delivery': randomUUID(),
      ...(secret === null ? {} : { 'x-hub-signature-256': sign(body, secret) }),
      ...options.headers,
    },
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Returns a minimal pull request payload that the receiver accepts. */
// oxlint-disable-next-line complexity -- one default for each field
export function pullRequestPayload(
  options: {
    action?: string
    repo?: string
    number?: number
    title?: string
    branch?: string
    body?: string
    state?: string
    merged?: boolean
    updatedAt?: string
    headSha?: string
    extra?: object
  } = {},
) {
  const {
    action = 'opened',
    repo = 'acme/shop',
    number = 1,
    title = 'A change',
    branch = 'topic',
  } = options
  return {
    action,
    number,
    repository: { full_name: repo },
    pull_request: {
      number,
      title,
      body: options.body ?? '',
      state: options.state ?? 'open',
      merged: options.merged ?? false,
      draft: false,
      html_url: `https://forge.example/${repo}/pull/${number}`,
      user: { login: 'alice' },
      head: { ref: branch, sha: options.headSha ?? 'a'.repeat(40) },
      base: { ref: 'main', sha: 'b'.repeat(40) },
      created_at: '2026-01-01T00:00:00Z',
      updated_at: options.updatedAt ?? '2026-01-01T00:00:00Z',
      merged_at: options.merged ? '2026-01-02T00:00:00Z' : null,
      additions: 1,
      deletions: 0,
    },
    ...options.extra,
  }
}

/** Counts the rows of a table. */
export async function countRows(
  db: Db,
  table: 'events' | 'workflow_runs' | 'pull_requests',
): Promise<number> {
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from ${sql.table(table)}`.execute(db)
  return rows[0]?.n ?? 0
}
