// Cuts the power while the embedded database writes, and checks every acknowledged row.
//
// The database is on an ext4 file system in a file. The cut is ext4's own shutdown call
// (EXT4_IOC_SHUTDOWN with NOLOGFLUSH, in include/uapi/linux/ext4.h): after it nothing reaches the
// file, and everything that was only in memory is lost. Mounting the file again shows the content
// of a disk. A disk that loses acknowledged writes is not simulated. The test needs root on Linux;
// the run without fsync shows that the check can fail.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { openDatabase } from '../../src/db/database.ts'
import { databaseErrorCode } from '../../src/db/database-errors.ts'
import { createTestDatabase, silentLog } from '../fakes/test-database.ts'

const trials = Number(process.argv[2] ?? 10)
const controls = Math.max(2, Math.ceil(trials / 5))
const writers = {
  durable: fileURLToPath(new URL('../fakes/database-writer.ts', import.meta.url)),
  plain: fileURLToPath(new URL('./non-durable-writer.ts', import.meta.url)),
}

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })

/** A disk image with a database on it, made once and copied for each trial. */
async function makeImage(folder: string, mountPoint: string): Promise<string> {
  const image = join(folder, 'prepared.img')
  writeFileSync(image, '')
  truncateSync(image, 400 * 1024 * 1024)
  run('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image)
  const template = await createTestDatabase({ engine: 'embedded', migrated: false })
  run('mount', '-o', 'loop', image, mountPoint)
  try {
    cpSync((template.config as { directory: string }).directory, join(mountPoint, 'database'), {
      recursive: true,
    })
  } finally {
    run('umount', mountPoint)
    await template.dispose()
  }
  return image
}

/** Stops all further writes to the disk. Perl, because Node has no ioctl. */
function cutPower(mountPoint: string): void {
  run(
    'perl',
    '-e',
    'open F, "<", shift or die "$!"; ioctl F, 0x8004587D, my $f = pack "L", 2 or die "$!"',
    mountPoint,
  )
}

/** @returns the rows that the writer reported as committed */
async function writeUntilCut(writer: string, mountPoint: string): Promise<number[]> {
  const child = spawn(process.execPath, [writer, join(mountPoint, 'database')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const acknowledged: number[] = []
  const enough = 1 + Math.floor(Math.random() * 400)
  let cut = false
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== 'ready') acknowledged.push(Number(line))
    if (cut || acknowledged.length < enough) continue
    // The cut comes in the middle of a statement, not just after one.
    await sleep(Math.random() * 20)
    cutPower(mountPoint)
    cut = true
    child.kill('SIGKILL')
  }
  await ended
  if (!cut) throw new Error(`The writer ended by itself after ${acknowledged.length} rows.`)
  return acknowledged
}

/** @returns the number of missing rows, or null when the database doesn't open */
async function countLost(
  acknowledged: readonly number[],
  mountPoint: string,
): Promise<number | null> {
  try {
    await using open = await openDatabase(
      { engine: 'embedded', directory: join(mountPoint, 'database') },
      silentLog,
    )
    const { rows } = await sql<{ id: number; size: number }>`
      select id, length(filler) as size from written`.execute(open.db)
    const sizes = new Map(rows.map(({ id, size }) => [id, size]))
    return acknowledged.filter((id) => sizes.get(id) !== String(id).length * 500).length
  } catch (error) {
    // The table itself is lost.
    if (databaseErrorCode(error) === '42P01') return acknowledged.length
    console.log(`    ${(error as Error).message.split('\n')[0]}`)
    return null
  }
}

async function runTrial(
  writer: string,
  prepared: string,
  folder: string,
  mountPoint: string,
): Promise<boolean> {
  const image = join(folder, 'trial.img')
  run('cp', '--sparse=always', prepared, image)
  run('mount', '-o', 'loop', image, mountPoint)
  let acknowledged: number[]
  try {
    acknowledged = await writeUntilCut(writer, mountPoint)
  } finally {
    run('umount', mountPoint)
  }
  run('mount', '-o', 'loop', image, mountPoint)
  try {
    const lost = await countLost(acknowledged, mountPoint)
    const outcome = lost === null ? 'the database is broken' : `${lost} lost`
    console.log(`  ${acknowledged.length} rows acknowledged, ${outcome}`)
    return lost === 0
  } finally {
    run('umount', mountPoint)
  }
}

async function runTrials(count: number, ...rest: Parameters<typeof runTrial>): Promise<number> {
  let good = 0
  for (let trial = 0; trial < count; trial++) if (await runTrial(...rest)) good++
  return good
}

/** Returns why the test can't run here; null when it can. */
function findObstacle(folder: string, mountPoint: string): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'it needs root on Linux, to mount and to cut'
  const image = join(folder, 'attempt.img')
  writeFileSync(image, '')
  truncateSync(image, 16 * 1024 * 1024)
  try {
    run('mkfs.ext4', '-q', image)
    run('mount', '-o', 'loop', image, mountPoint)
    try {
      cutPower(mountPoint)
    } finally {
      run('umount', mountPoint)
    }
    return null
  } catch (error) {
    return `a file can't be mounted as a disk here (${(error as Error).message.split('\n')[0]})`
  }
}

const folder = mkdtempSync(join(tmpdir(), 'umpire-power-'))
const mountPoint = join(folder, 'disk')
mkdirSync(mountPoint)
try {
  const obstacle = findObstacle(folder, mountPoint)
  if (obstacle) {
    console.log(`skipped: ${obstacle}`)
  } else {
    const prepared = await makeImage(folder, mountPoint)
    console.log(`Power cuts while this program's database writes (${trials}):`)
    const good = await runTrials(trials, writers.durable, prepared, folder, mountPoint)
    console.log(`Control, the same without fsync (${controls}); losses are expected:`)
    const unharmed = await runTrials(controls, writers.plain, prepared, folder, mountPoint)
    console.log(
      `${good} of ${trials} power cuts without a loss; without fsync ${unharmed} of ${controls}`,
    )
    if (unharmed === controls) console.log('The control lost nothing: these cuts prove nothing.')
    process.exitCode = good === trials && unharmed < controls ? 0 : 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
