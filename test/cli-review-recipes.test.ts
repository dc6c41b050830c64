// Runs the recipes of docs/command-line.md unchanged.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  conflictMarkerCode,
  debuggerCode,
  type LocalTestRepository,
  makeLocalRepository,
} from './local-test-repository.ts'

const page = await readFile(new URL('../docs/command-line.md', import.meta.url), 'utf8')
const root = fileURLToPath(new URL('..', import.meta.url))

/** Returns the first fenced block of a language. */
function recipe(language: string): string {
  return new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? ''
}

let repository: LocalTestRepository
let remote: string
beforeEach(async () => {
  repository = await makeLocalRepository()
  remote = join(repository.home, 'remote.git')
  await repository.git('init', '--quiet', '--bare', remote)
  await repository.git('remote', 'add', 'origin', remote)
  await repository.commit({ 'a.js': 'one()\n' })
  await repository.git('push', '--quiet', 'origin', 'main:trunk')
  // A clone records the name of the default branch like this.
  await repository.git('branch', '--quiet', '--move', 'trunk')
  await repository.git('remote', 'set-head', 'origin', 'trunk')
})
afterEach(() => repository[Symbol.asyncDispose]())

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** These folders precede the others in PATH. */
  readonly programs?: readonly string[]
}

function run(file: string, args: readonly string[], { env, cwd, programs }: RunOptions = {}) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const path = [...(programs ?? [join(root, 'bin')]), process.env.PATH].join(delimiter)
    const environment = { PATH: path, HOME: repository.home, GIT_CONFIG_NOSYSTEM: '1', ...env }
    execFile(
      file,
      args as string[],
      { cwd: cwd ?? repository.folder, env: environment },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    )
  })
}

describe('the hook', () => {
  beforeEach(async () => {
    const hook = join(repository.folder, '.git/hooks/pre-push')
    await writeFile(hook, recipe('sh'))
    await chmod(hook, 0o755)
    await repository.git('checkout', '--quiet', '-b', 'topic')
  })
  const push = (...args: string[]) => run('git', ['push', 'origin', ...args])

  it('blocks a push with findings and allows one without', async () => {
    await repository.commit({ 'b.js': conflictMarkerCode })
    const refused = await push('topic')
    expect(refused.output).toContain('b.js')
    expect(refused.output).toContain('git push --no-verify')
    expect(refused.code).not.toBe(0)
    expect((await push('--no-verify', 'topic')).code).toBe(0)
    // From here on only commits that the remote lacks are reviewed.
    await repository.commit({ 'c.js': conflictMarkerCode })
    const later = await push('topic')
    expect(later.output).toContain('c.js')
    expect(later.output).not.toContain('b.js')
    expect(later.output).not.toContain('Reading')
  })

  it('falls back to the default branch when the remote has moved on', async () => {
    await repository.commit({ 'b.js': debuggerCode })
    expect((await push('topic')).code).toBe(0)
    const elsewhere = join(repository.home, 'elsewhere')
    await repository.git('clone', '--quiet', '--branch=topic', remote, elsewhere)
    await repository.git(
      '-C',
      elsewhere,
      'commit',
      '--quiet',
      '--allow-empty',
      '--message=By others',
    )
    await repository.git('-C', elsewhere, 'push', '--quiet')
    await repository.commit({ 'c.js': conflictMarkerCode })
    const { code, output } = await push('--force', 'topic')
    expect(output).toContain('b.js')
    expect(output).toContain('c.js')
    expect(code).not.toBe(0)
  })

  it('ignores tags, deletions and other branches', async () => {
    await repository.git('push', '--quiet', '--no-verify', 'origin', 'topic')
    await repository.commit({ 'b.js': conflictMarkerCode })
    await repository.git('tag', 'v1')
    for (const args of [['v1'], ['--delete', 'topic'], ['trunk:other']]) {
      const { code, output } = await push(...args)
      expect(output).not.toContain('b.js')
      expect(code).toBe(0)
    }
  })

  it('allows the push with a message when umpire is missing or fails', async () => {
    await repository.commit({ 'b.js': conflictMarkerCode })
    const without = await run('git', ['push', 'origin', 'topic'], { programs: [] })
    expect(without.output).toContain('this push was not reviewed')
    expect(without.code).toBe(0)
    await repository.commit({ 'c.js': conflictMarkerCode })
    const misconfigured = await run('git', ['push', 'origin', 'topic'], {
      env: { MODEL: 'nobody:knows' },
    })
    expect(misconfigured.output).toContain('MODEL must be')
    expect(misconfigured.output).toContain('This push was not reviewed.')
    expect(misconfigured.code).toBe(0)
  })
})

describe('the job', () => {
  interface Step {
    readonly uses?: string
    readonly run?: string
    readonly with?: Readonly<Record<string, string>>
    readonly 'working-directory'?: string
  }
  const steps = (parse(recipe('yaml')) as { jobs: { review: { steps: Step[] } } }).jobs.review.steps

  it('provides everything that its commands need', () => {
    const uses = steps.flatMap((step) =>
      step.uses ? [{ ...step.with, uses: step.uses.split('@')[0] }] : [],
    )
    expect(uses).toMatchObject([
      { uses: 'actions/checkout', path: 'change', 'fetch-depth': 0 },
      { uses: 'actions/checkout', path: 'umpire', repository: '<owner>/umpire' },
      { uses: 'actions/setup-node', 'node-version': 24 },
    ])
  })

  it('annotates the findings of a pull request, and fails', async () => {
    await repository.git('checkout', '--quiet', '-B', 'change', 'origin/trunk')
    await repository.commit({ 'd.js': conflictMarkerCode })
    // The earlier steps of the job would have checked this out.
    const workspace = await mkdtemp(join(tmpdir(), 'workspace-'))
    await symlink(repository.folder, join(workspace, 'change'))
    await symlink(root, join(workspace, 'umpire'))
    await mkdir(join(workspace, 'runner'))
    const pathFile = join(workspace, 'runner/path')
    const env = { GITHUB_WORKSPACE: workspace, GITHUB_PATH: pathFile, GITHUB_BASE_REF: 'trunk' }
    const results = []
    for (const step of steps.filter((candidate) => candidate.run !== undefined)) {
      const programs = (await readFile(pathFile, 'utf8').catch(() => ''))
        .split('\n')
        .filter((line) => line !== '')
      const cwd = join(workspace, step['working-directory'] ?? '.')
      results.push(await run('bash', ['-e', '-c', step.run ?? ''], { env, cwd, programs }))
    }
    await rm(workspace, { recursive: true })
    expect(results.map(({ code }) => code)).toEqual([0, 1])
    expect(results[1]?.output).toMatch(/^::error file=d\.js,line=1,/m)
    expect(results[1]?.output).toMatch(/^::notice::Changes requested · 1 critical/m)
  })
})
