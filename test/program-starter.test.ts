// Tests of both ways to start programs, and of the process that starts them for others.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProgramSpawner, type ProgramSpawner } from '../src/lib/program-spawner.ts'
import {
  type RunningProgram,
  readChunk,
  type SpawnProgram,
  spawnProgram,
} from '../src/lib/spawn-program.ts'
import { isRunning } from './is-running.ts'

const env = { PATH: process.env.PATH ?? '', SAID: 'kept' }
const shell = (script: string) => ({ program: 'sh', args: ['-c', script], env })

async function readAll(program: RunningProgram) {
  const chunks: Buffer[] = []
  program.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  let errors = ''
  program.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const code = await program.closed
  return { code, output: Buffer.concat(chunks), errors }
}

describe.each(['here', 'by a starter'])('a program started %s', (way) => {
  let starter: ProgramSpawner | undefined
  let start: SpawnProgram = spawnProgram
  beforeAll(() => {
    if (way === 'here') return
    starter = createProgramSpawner(tmpdir())
    start = starter.spawn
  })
  afterAll(() => starter?.[Symbol.asyncDispose]())

  it('reads its input, writes both outputs, and returns its exit code', async () => {
    const program = await start(shell('cat; echo "$SAID" >&2; exit 7'))
    program.stdin.end('a question\n')
    expect(await readAll(program)).toEqual({
      code: 7,
      output: Buffer.from('a question\n'),
      errors: 'kept\n',
    })
  })

  it('does not inherit the environment of this process', async () => {
    const program = await start({ program: 'env', args: [], env })
    const names = (await readAll(program)).output.toString().match(/^\w+(?==)/gm)
    expect(names?.filter((name) => !['PWD', 'SHLVL', '_'].includes(name)).sort()).toEqual([
      'PATH',
      'SAID',
    ])
  })

  it('transfers large data in both directions', async () => {
    const bytes = Buffer.alloc(5_000_000, 'what is asked and answered ')
    const program = await start({ program: 'cat', args: [], env })
    program.stdin.end(bytes)
    expect((await readAll(program)).output.equals(bytes)).toBe(true)
  })

  it('does not mix up many programs that run at the same time', async () => {
    const outputs = Array.from({ length: 40 }, async (_, index) => {
      const program = await start(shell(`read line; echo "$line ${index}"`))
      program.stdin.end('program\n')
      return (await readAll(program)).output.toString()
    })
    expect(await Promise.all(outputs)).toEqual(outputs.map((_, index) => `program ${index}\n`))
  })

  it('reports a program that does not exist', async () => {
    const missing = start({ program: 'there-is-no-such-program', args: [], env })
    await expect(missing).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('kills all descendants, with or without a reader', async () => {
    const program = await start(shell('sleep 1000 & echo $!; yes'))
    const output = program.stdout[Symbol.asyncIterator]()
    const child = Number.parseInt((await readChunk(output))!.toString(), 10)
    program.kill()
    expect(await program.closed).toBeNull()
    await expect.poll(() => isRunning(child)).toBe(false)
    program.kill()
    for (let chunk = await readChunk(output); chunk !== undefined; chunk = await readChunk(output))
      expect(chunk).toBeDefined()
  })

  it('keeps the exit code of a program that ended before it was killed', async () => {
    const program = await start(shell('exit 3'))
    program.stdout.resume()
    program.stderr.resume()
    expect(await program.closed).toBe(3)
    program.kill()
    expect(await program.closed).toBe(3)
  })
})

describe('the starter process', () => {
  it('ends with all its programs when its owner is killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'starter-'))
    const module = join(folder, 'starting.ts')
    const source = fileURLToPath(new URL('../src/lib/program-spawner.ts', import.meta.url))
    writeFileSync(
      module,
      `import { createProgramSpawner } from ${JSON.stringify(source)}
const program = await createProgramSpawner(import.meta.dirname).spawn({ program: 'sh', args: ['-c', 'echo $$ $PPID; sleep 1000'], env: { PATH: process.env.PATH } })
program.stdout.once('data', (line) => process.send(line.toString().trim().split(' ').map(Number)))
`,
    )
    const child = fork(module, { execArgv: [] })
    const [[program, starter]] = (await once(child, 'message')) as [[number, number]]
    expect(readdirSync(folder)).toHaveLength(2)
    child.kill('SIGKILL')
    await expect.poll(() => [program, starter].map(isRunning)).toEqual([false, false])
    expect(readdirSync(folder)).toEqual(['starting.ts'])
    rmSync(folder, { recursive: true })
  })

  it('ends its programs when it is lost, and is replaced for the next one', async () => {
    await using starter = createProgramSpawner(tmpdir())
    const program = await starter.spawn(shell('echo $PPID; exec sleep 1000'))
    const output = program.stdout[Symbol.asyncIterator]()
    const helper = Number((await readChunk(output))!.toString())
    process.kill(helper, 'SIGKILL')
    expect(await program.closed).toBeNull()
    expect(await readChunk(output)).toBeUndefined()
    const next = await starter.spawn(shell('echo again'))
    expect((await readAll(next)).output.toString()).toBe('again\n')
  })

  it('is replaced when its socket was deleted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'starter-'))
    await using starter = createProgramSpawner(folder)
    await (await starter.spawn(shell('exit 0'))).closed
    rmSync(join(folder, readdirSync(folder)[0]!), { recursive: true })
    await expect(starter.spawn(shell('exit 0'))).rejects.toThrow('can not be reached')
    await expect
      .poll(() => starter.spawn(shell('exit 4')).then(({ closed }) => closed, String))
      .toBe(4)
    rmSync(folder, { recursive: true })
  })

  it('is bypassed when no socket can be created', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'starter-'))
    writeFileSync(join(folder, 'file'), '')
    for (const place of [join(folder, 'file', 'below'), join(folder, 'long'.repeat(30))]) {
      await using starter = createProgramSpawner(place)
      const program = await starter.spawn(shell('echo $PPID'))
      expect((await readAll(program)).output.toString()).toBe(`${process.pid}\n`)
    }
    rmSync(folder, { recursive: true })
  })
})
