// `umpire review` in a hostile repository: runs, follows, changes and trusts nothing of it.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWorkTreeReader } from '../src/git/work-tree-reader.ts'
import { startModelServer } from './fakes/models/model-server.ts'
import {
  conflictMarkerCode,
  debuggerCode,
  findingLocations,
  type LocalTestRepository,
  makeLocalRepository,
  reviewAsJson,
} from './local-test-repository.ts'

let repository: LocalTestRepository
beforeEach(async () => {
  repository = await makeLocalRepository()
})
afterEach(() => repository[Symbol.asyncDispose]())

/** Lists the ways in which git could run code of a repository. Each leaves its own file. */
async function setTraps(): Promise<string> {
  const canaries = join(repository.home, 'canaries')
  await mkdir(canaries)
  const trap = (name: string) => `touch '${join(canaries, name)}'; cat`
  await repository.commit({
    'a.js': 'one()\n',
    'b.trap': 'one\n',
    '.gitattributes': '*.trap filter=trap diff=trap\n*.js diff=trap\n',
  })
  const settings = {
    'filter.trap.clean': trap('clean'),
    'filter.trap.smudge': trap('smudge'),
    'filter.trap.required': 'true',
    'filter.other.process': trap('process'),
    'diff.trap.textconv': trap('textconv'),
    'diff.trap.command': trap('command'),
    'diff.external': trap('external'),
    'core.fsmonitor': trap('fsmonitor'),
    'core.pager': trap('pager'),
    'core.editor': trap('editor'),
    'core.sshCommand': trap('ssh'),
    'core.hooksPath': join(repository.folder, 'hooks'),
    'gpg.program': trap('gpg'),
    'log.showSignature': 'true',
    'alias.diff-index': `!${trap('alias')}`,
    'credential.helper': `!${trap('credential')}`,
    'remote.origin.url': `ext::sh -c "${trap('remote')}"`,
    'remote.origin.promisor': 'true',
  }
  for (const [key, value] of Object.entries(settings)) await repository.git('config', key, value)
  for (const hook of [
    'post-index-change',
    'reference-transaction',
    'pre-commit',
    'post-checkout',
  ]) {
    await repository.write({ [`hooks/${hook}`]: `#!/bin/sh\n${trap(hook)}\n` })
    await chmod(join(repository.folder, 'hooks', hook), 0o755)
  }
  // Adding to the index would run the hostile filters itself.
  await rm(canaries, { recursive: true, force: true })
  await mkdir(canaries)
  return canaries
}

/** Reads a folder with contents and times, so that every write is visible. */
async function fingerprintOf(folder: string): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name)
    const found = await lstat(path, { bigint: true })
    hash.update(`${name}\0${found.mode}\0${found.mtimeNs}\0${found.ctimeNs}\0`)
    if (found.isFile()) hash.update(await readFile(path))
    if (found.isSymbolicLink()) hash.update(await readlink(path))
  }
  return hash.digest('hex')
}

describe('case 34: runs nothing of the repository', () => {
  it.each([[['--uncommitted']], [['--staged']], [['--base', 'HEAD~1']], [[]]])(
    '%s',
    async (args) => {
      await repository.commit({ 'z.js': 'one()\n' })
      const canaries = await setTraps()
      // With the same time as the index, git must read the file to detect a change.
      const index = await lstat(join(repository.folder, '.git/index'))
      await utimes(join(repository.folder, 'b.trap'), index.atime, index.mtime)
      await repository.write({ 'a.js': `one()\n${debuggerCode}`, 'new.trap': conflictMarkerCode })
      const { code, stderr } = await repository.review(args)
      expect(stderr).not.toContain('umpire:')
      expect(code).not.toBe(3)
      expect(await readdir(canaries)).toEqual([])
    },
  )

  it('does not run a filter of the work tree that git would run for the index', async () => {
    const canaries = await setTraps()
    const file = join(repository.folder, 'b.trap')
    const { size } = await lstat(file)
    await writeFile(file, 'x'.repeat(size))
    const index = await lstat(join(repository.folder, '.git/index'))
    await utimes(file, index.atime, index.mtime)
    // Without our protection the command runs the filter; otherwise the test would prove nothing.
    const ask = promisify(execFile)
    const options = { cwd: repository.folder }
    await repository.review(['--uncommitted'])
    expect(await readdir(canaries)).toEqual([])
    await ask('git', ['diff', 'HEAD'], options).catch(() => undefined)
    expect(await readdir(canaries)).not.toEqual([])
  })

  it('reports files stored through a filter as not reviewed', async () => {
    await repository.commit({ '.gitattributes': '*.js filter=trap\n', 'a.js': 'one()\n' })
    await repository.write({ 'a.js': conflictMarkerCode })
    const report = await reviewAsJson(repository)
    expect(report.coverage?.skipped).toMatchObject([{ path: 'a.js', matters: true }])
    expect(report.exit_code).toBe(4)
  })
})

it.each([[['--uncommitted']], [['--staged']], [['--base', 'HEAD~1']]])(
  'writes nothing to the repository: %s',
  async (args) => {
    await repository.commit({ 'a.js': 'one()\n' })
    await repository.commit({ 'b.js': 'two()\n' })
    await repository.write({ 'a.js': debuggerCode, 'c.js': debuggerCode })
    await repository.git('add', 'c.js')
    const before = await fingerprintOf(repository.folder)
    expect((await repository.review(args)).code).toBe(0)
    expect(await fingerprintOf(repository.folder)).toBe(before)
  },
)

describe('case 35: reads only regular files of the work tree', () => {
  it('skips symbolic links, also as folders', async () => {
    const outside = join(repository.home, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret.js'), conflictMarkerCode)
    await repository.commit({ 'folder/secret.js': 'one()\n', 'a.js': 'one()\n' })
    await rm(join(repository.folder, 'folder'), { recursive: true })
    await symlink(outside, join(repository.folder, 'folder'))
    await rm(join(repository.folder, 'a.js'))
    await symlink(join(outside, 'secret.js'), join(repository.folder, 'a.js'))
    await symlink(join(outside, 'secret.js'), join(repository.folder, 'new.js'))
    const { stdout } = await repository.review(['--format', 'json'])
    expect(findingLocations(JSON.parse(stdout))).toEqual([])
    expect(stdout).not.toContain('<<<<<<<')
  })

  it('skips a folder that became a link after git listed it', async () => {
    const outside = join(repository.home, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret.js'), conflictMarkerCode)
    await symlink(outside, join(repository.folder, 'folder'))
    const read = createWorkTreeReader(repository.folder)
    expect(await read(Buffer.from('folder/secret.js'))).toMatchObject({
      matters: true,
      problem: expect.any(String),
    })
    expect(await read(Buffer.from('folder'))).toEqual({
      mode: '120000',
      content: Buffer.from(outside),
    })
  })

  it('skips pipes, which would block', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await rm(join(repository.folder, 'a.js'))
    await promisify(execFile)('mkfifo', [
      join(repository.folder, 'a.js'),
      join(repository.folder, 'b.js'),
    ])
    await repository.write({ 'c.js': debuggerCode })
    const report = await reviewAsJson(repository)
    expect(findingLocations(report)).toEqual(['c.js:1 breakpoint'])
    expect(report.coverage?.skipped).toMatchObject([
      { path: 'a.js', reason: 'neither a file nor a link' },
    ])
  })

  it('ignores a work tree that the settings of the repository move elsewhere', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await writeFile(join(repository.home, 'private.js'), conflictMarkerCode)
    await repository.git('config', 'core.worktree', repository.home)
    await repository.write({ 'b.js': debuggerCode })
    expect(findingLocations(await reviewAsJson(repository))).toEqual(['b.js:1 breakpoint'])
  })

  it('skips files of more than 8 MB', async () => {
    await repository.commit()
    await repository.write({
      'big.js': Buffer.alloc(8 * 1024 * 1024 + 1, 'x'),
      'a.js': debuggerCode,
    })
    const report = await reviewAsJson(repository)
    expect(findingLocations(report)).toEqual(['a.js:1 breakpoint'])
    expect(report.coverage?.skipped).toMatchObject([
      { path: 'big.js', reason: 'larger than 8 MB', matters: true },
    ])
    expect(report.coverage).toMatchObject({ files_total: 2, files_reviewed: 1 })
  })
})

it('sends no key anywhere because of a .env file in the repository', async () => {
  await using server = await startModelServer({
    protocol: 'openai-chat',
    script: () => ({ json: { summary: '', findings: [] } }),
  })
  await repository.commit()
  await repository.write({
    '.env': `MODEL=compatible:local\nMODEL_BASE_URL=${server.url}\n`,
    'a.js': 'one()\n',
  })
  const { code } = await repository.review([], { env: { MODEL_API_KEY: 'sk-test-0123456789' } })
  expect(code).toBe(0)
  expect(server.requests).toEqual([])
})

describe('untrusted text on a terminal or in a log', () => {
  const sequence = '\u001b[2J\u001b]0;owned\u0007'

  it('shows escape sequences, direction marks and workflow commands as text', async () => {
    await repository.commit()
    await repository.write({
      [`${sequence}.js`]: conflictMarkerCode,
      'turned\u202esj.js': conflictMarkerCode,
      '::error::x.js': conflictMarkerCode,
      'a.js': `::add-mask::x\n##[error]x\n${conflictMarkerCode.trim()} ${sequence}\u009b31m\n`,
    })
    for (const format of ['pretty', 'json', 'ndjson', 'sarif', 'github']) {
      const { stdout, stderr, code } = await repository.review(['--format', format])
      expect(code).toBe(1)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(stdout + stderr, format).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
      const commands = stdout.split('\n').filter((line) => /^\s*::|##\[/.test(line))
      expect(
        commands.every(
          (line) =>
            format === 'github' &&
            /^::(error file=|warning::|notice::Changes requested)/.test(line),
        ),
        format,
      ).toBe(true)
    }
    const { stdout } = await repository.review()
    expect(stdout).toContain('\\x1b[2J\\x1b]0;owned\\x07.js')
    expect(stdout).toContain('turned\\u{202e}sj.js')
  })
})
