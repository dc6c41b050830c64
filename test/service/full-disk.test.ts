// Tests an embedded database on a full disk. Mounting one needs Linux and root.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, testEngine } from '../fakes/test-database.ts'
import { countRows, pullRequestPayload, startTestApp } from '../start-app.ts'

const megabyte = 1024 * 1024
const mountPoint = mkdtempSync(join(tmpdir(), 'umpire-disk-'))
let isMounted = false
beforeAll(() => {
  if (testEngine !== 'embedded' || process.platform !== 'linux') return
  isMounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', mountPoint]).status === 0
})
afterAll(() => {
  if (isMounted) expect(spawnSync('umount', [mountPoint]).status).toBe(0)
  rmSync(mountPoint, { recursive: true })
})

it('case 61: answers 503 to deliveries while less than 64 MB are free', async (context) => {
  context.skip(!isMounted, 'no file system can be mounted, or the database is a server')
  const template = await createTestDatabase()
  const directory = join(mountPoint, 'database')
  cpSync((template.config as { directory: string }).directory, directory, { recursive: true })
  await template.dispose()
  const database = { config: { engine: 'embedded' as const, directory }, dispose: async () => {} }
  await using app = await startTestApp({ database, parts: { web: true, worker: false } })
  expect(await app.deliver(pullRequestPayload({ number: 1 }))).toMatchObject({ status: 200 })

  const { bavail, bsize } = statfsSync(mountPoint)
  const filler = join(mountPoint, 'filler')
  writeFileSync(filler, Buffer.alloc(bavail * bsize - 50 * megabyte))
  const refused = await app.deliver(pullRequestPayload({ number: 2 }))
  expect(refused).toEqual({ status: 503, body: { detail: expect.stringMatching(/space/) } })
  expect((await fetch(`${app.url}/readyz`)).status).toBe(503)
  expect(await countRows(app.db, 'events')).toBe(1)

  rmSync(filler)
  expect(await app.deliver(pullRequestPayload({ number: 2 }))).toMatchObject({ status: 200 })
})
