// How `umpire` is called, and its messages for invalid calls.
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type LocalTestRepository,
  makeLocalRepository,
  type ReviewResult,
} from './local-test-repository.ts'

const command = fileURLToPath(new URL('../bin/umpire', import.meta.url))

let repository: LocalTestRepository
beforeEach(async () => {
  repository = await makeLocalRepository()
  await repository.commit({ 'a.ts': 'one()\n' })
})
afterEach(() => repository[Symbol.asyncDispose]())

function umpire(...args: string[]): Promise<ReviewResult> {
  return new Promise((resolve) =>
    execFile(command, args, { cwd: repository.folder }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    ),
  )
}

it.each([
  [
    ['--format', 'serif'],
    '--format must be one of pretty, json, ndjson, sarif, github; did you mean sarif?',
  ],
  [['--fail-on', 'high'], '--fail-on must be one of critical, moderate, minor'],
  [['--staged', '--uncommitted'], 'give only one of --base, --branch, --staged, --uncommitted'],
  [['--unstaged'], 'there is no option --unstaged; did you mean --staged?'],
  [['--constructor'], 'there is no option --constructor'],
  [['-x'], 'there is no option -x'],
  [['--base', '--output=x'], '--base needs a value'],
  [['--base'], '--base needs a value'],
  [['--staged=yes'], '--staged takes no value'],
  [['main'], '"main" is not the URL of a pull request; did you mean --base main?'],
  [['\u001b[2K'], '"\\x1b[2K" is not the URL'],
  [['https://elsewhere.example/o/r/pull/1'], 'the URL of a pull request must have the form'],
])('prints one line of usage: %s', async (args, said) => {
  const { code, stdout, stderr } = await repository.review(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  const line = stderr.split('\n').find((text) => text.startsWith('umpire: '))
  expect(line).toContain(`umpire: ${said}`)
  expect(line).toMatch(/[.?] See umpire review --help\.$/)
  expect(stderr).not.toContain('Usage')
})

it('reports a missing base', async () => {
  const { code, stderr } = await repository.review(['--base', 'nowhere'])
  expect(stderr).toContain('no commit that is called nowhere')
  expect(code).toBe(2)
})

it('lists the commands', async () => {
  expect(await umpire('reveiw')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'umpire: there is no command "reveiw"; did you mean review? See umpire help.\n',
  })
  expect((await umpire('migrate', 'now')).code).toBe(2)
  for (const args of [
    ['review', '--help'],
    ['review', '--staged', '-h'],
  ]) {
    const { code, stdout } = await umpire(...args)
    expect(stdout).toMatch(/^Usage: umpire review /)
    expect(code).toBe(0)
  }
})

it('shows the help of a command', async () => {
  const helpOf = async (...args: string[]) => (await umpire('help', ...args)).stdout
  expect(await helpOf('review')).toBe((await umpire('review', '--help')).stdout)
  expect(await helpOf('review')).toContain('rules.disable or paths.exclude')
  expect(await helpOf('doctor')).toMatch(/^Usage: umpire doctor /)
  for (const name of ['serve', 'help', '--help', 'version']) {
    expect(await helpOf(name)).toMatch(/^Usage: umpire <command>/)
  }
  expect(await umpire('help', 'reveiw')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean review?'),
  })
})

it('prints name and version', async () => {
  const { version } = JSON.parse(
    await readFile(new URL('../package.json', import.meta.url), 'utf8'),
  )
  for (const args of [['version'], ['--version']]) {
    expect(await umpire(...args)).toEqual({ code: 0, stdout: `umpire ${version}\n`, stderr: '' })
  }
})

it('reports a missing git', async () => {
  const folder = join(repository.home, 'programs')
  await mkdir(folder)
  for (const name of ['dirname', 'readlink']) await symlink(`/usr/bin/${name}`, join(folder, name))
  for (const args of [[], ['--staged'], ['--base', 'main']]) {
    const { code, stdout, stderr } = await repository.review(args, { env: { PATH: folder } })
    expect(stderr).toContain("umpire: git isn't installed or not on the PATH.\n")
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  }
})
