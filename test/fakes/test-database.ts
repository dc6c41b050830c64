// Databases for tests, one for each caller: copies of a template that already has the schema.
import { createHash, randomUUID } from 'node:crypto'
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type DatabaseConfig, openDatabase } from '../../src/db/database.ts'
import { runMigrations } from '../../src/db/run-migrations.ts'

/** Logs nothing. */
export const silentLog = { info() {}, warn() {}, error() {} }

export interface TestDatabase {
  readonly config: DatabaseConfig
  /** Deletes it; the database must be closed. */
  dispose(): Promise<void>
}

/** The engine of this run: TEST_ENGINE, else embedded. */
export const testEngine = (process.env.TEST_ENGINE ?? 'embedded') as DatabaseConfig['engine']

/** An empty database with the current schema, or without one. */
export async function createTestDatabase(
  options: { engine?: DatabaseConfig['engine']; migrated?: boolean } = {},
): Promise<TestDatabase> {
  const { engine = testEngine, migrated = true } = options
  return engine === 'embedded' ? copyFolder(migrated) : copyDatabase(migrated)
}

/** Makes the templates for some engines, so that the tests that run side by side find them. */
export async function prepareTemplates(engines: readonly string[]): Promise<void> {
  if (engines.includes('embedded')) await prepareFolder()
  if (engines.includes('postgresql')) await prepareDatabase()
}

/** Deletes the templates that don't outlive a run. */
export async function dropTemplates(engines: readonly string[]): Promise<void> {
  if (engines.includes('postgresql'))
    await administer(`drop database if exists ${templateName()} with (force)`)
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Embedded templates are kept from run to run: a new one only when what makes it changed. */
function templateFolder(kind: 'migrated' | 'empty'): string {
  const hash = createHash('sha256')
  const sources = [
    join(root, 'package-lock.json'),
    ...list('src/db/embedded'),
    ...list('src/db/migrations'),
  ]
  for (const source of sources) hash.update(readFileSync(source))
  return join(
    root,
    'node_modules/.cache/umpire-test-databases',
    `${kind}-${hash.digest('hex').slice(0, 16)}`,
  )
}

function list(folder: string): string[] {
  const path = join(root, folder)
  return readdirSync(path)
    .sort()
    .map((name) => join(path, name))
}

async function prepareFolder(): Promise<void> {
  const empty = templateFolder('empty')
  if (!existsSync(empty)) {
    await makeFolder(empty, async (directory) => {
      await (await openDatabase({ engine: 'embedded', directory }, silentLog)).close()
    })
  }
  const migrated = templateFolder('migrated')
  if (existsSync(migrated)) return
  await makeFolder(migrated, async (directory) => {
    cpSync(empty, directory, { recursive: true })
    await migrateAndClose({ engine: 'embedded', directory })
  })
}

/** Beside, then moved into place: another run may be doing the same. */
async function makeFolder(
  target: string,
  fill: (directory: string) => Promise<void>,
): Promise<void> {
  const unfinished = `${target}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  await fill(unfinished)
  try {
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    if (!existsSync(target)) throw error
  }
}

async function migrateAndClose(config: DatabaseConfig): Promise<void> {
  await using open = await openDatabase(config, silentLog)
  await runMigrations(open, silentLog)
}

async function copyFolder(migrated: boolean): Promise<TestDatabase> {
  await prepareFolder()
  const directory = mkdtempSync(join(tmpdir(), 'umpire-test-'))
  cpSync(templateFolder(migrated ? 'migrated' : 'empty'), directory, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
  })
  return {
    config: { engine: 'embedded', directory },
    dispose: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** The main process names it; the workers inherit the name. */
function templateName(): string {
  process.env.TEST_TEMPLATE ??= `umpire_template_${process.pid}`
  return process.env.TEST_TEMPLATE
}

function serverUrl(database?: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? 'postgresql://postgres@127.0.0.1/postgres')
  if (database) url.pathname = `/${database}`
  return url.href
}

async function prepareDatabase(): Promise<void> {
  const name = templateName()
  await administer(`create database ${name}`)
  await migrateAndClose({ engine: 'postgresql', url: serverUrl(name), poolSize: 2 })
}

async function copyDatabase(migrated: boolean): Promise<TestDatabase> {
  const name = `umpire_test_${randomUUID().replaceAll('-', '')}`
  await administer(`create database ${name} template ${migrated ? templateName() : 'template0'}`)
  return {
    config: { engine: 'postgresql', url: serverUrl(name), poolSize: 10 },
    dispose: () => administer(`drop database if exists ${name} with (force)`),
  }
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client(serverUrl())
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
