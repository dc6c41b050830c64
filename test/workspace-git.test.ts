// Tests of mirrors and snapshots against a real platform over HTTP, with hostile repositories.
import { execFile } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { GitError } from '../src/domain/errors.ts'
import { acquireLock } from '../src/git/lock-file.ts'
import { type Mirror, type MirrorOptions, mirrorLockPath, openMirror } from '../src/git/mirror.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { pathFromBytes } from '../src/git/path-encoding.ts'
import { pruneMirrors } from '../src/git/prune-mirrors.ts'
import { gitRuntimeFrom } from '../src/git/run-git.ts'
import { createProgramSpawner } from '../src/lib/program-spawner.ts'
import {
  type BareRepository,
  type CommitTree,
  createBareRepository,
  latin1Name,
  nameBytes,
} from './fakes/bare-repository.ts'
import { type Forge, hold, replyWith, startForge } from './fakes/forge/forge.ts'

const token = 'canary-token-0123456789'
const authorization = (secret: string) =>
  `Basic ${Buffer.from(`x-access-token:${secret}`).toString('base64')}`

let forge: Forge
let made: BareRepository
let directory: string
const starter = createProgramSpawner(tmpdir())

beforeAll(async () => {
  forge = await startForge()
  forge.createUser('ann', { token })
  await forge.createRepository('ann/code', { private: true })
  made = await createBareRepository()
})
afterAll(async () => {
  await made[Symbol.asyncDispose]()
  await forge.close()
  await starter[Symbol.asyncDispose]()
})
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mirrors-'))
})
afterEach(async () => {
  forge.faults.clear()
  await rm(directory, { recursive: true, force: true })
})

/** Makes a commit and pushes it to the forge. */
async function publish(
  tree: CommitTree | Record<string, string>,
  branch = 'main',
): Promise<string> {
  const sha = await made.commit(tree, branch)
  const header = `http.extraHeader=Authorization: ${authorization(token)}`
  await made.git([
    '-c',
    header,
    'push',
    '--quiet',
    '--force',
    forge.cloneUrl('ann/code'),
    `${sha}:refs/heads/${branch}`,
  ])
  return sha
}

function open(options: Partial<MirrorOptions> = {}): Mirror {
  return openMirror({
    directory,
    address: { url: forge.cloneUrl('ann/code'), headers: { Authorization: authorization(token) } },
    trustedHosts: [new URL(forge.url).host],
    // The starter runs as in the service; the command line tests start it as a child process.
    runtime: { ...gitRuntimeFrom(process.env), spawn: starter.spawn },
    ...options,
  })
}

async function fetched(
  tree: CommitTree | Record<string, string>,
): Promise<{ mirror: Mirror; sha: string }> {
  const mirror = open()
  const sha = await publish(tree)
  await mirror.fetchCommits([sha])
  return { mirror, sha }
}

async function readText(mirror: Mirror, sha: string, path: string): Promise<string | undefined> {
  await using snapshot = mirror.snapshot(sha)
  const bytes = await snapshot.readFile(path)
  return bytes && Buffer.from(bytes).toString('utf8')
}

async function listDirectory(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('mirrors', () => {
  it('fetch exactly the requested commits, and read, list, search and compare them', async () => {
    const first = await publish({ 'src/a.ts': 'one\n', 'src/b.ts': 'two\n', 'top.md': 'One\n' })
    const second = await publish({
      'src/a.ts': 'one\nmore\n',
      'src/c.ts': 'two\n',
      'top.md': 'One\n',
    })
    const mirror = open()
    await mirror.fetchCommits([first, second])
    await using snapshot = mirror.snapshot(second)
    expect(Buffer.from((await snapshot.readFile('src/a.ts'))!).toString()).toBe('one\nmore\n')
    expect(await snapshot.readFile('src/b.ts')).toBeUndefined()
    expect((await snapshot.listFiles()).map(({ path }) => path)).toEqual([
      'src/a.ts',
      'src/c.ts',
      'top.md',
    ])
    expect((await snapshot.listFiles({ prefix: 'src/' })).map(({ path }) => path)).toEqual([
      'src/a.ts',
      'src/c.ts',
    ])
    expect(await snapshot.search('^one$', { ignoreCase: true })).toEqual([
      { path: 'src/a.ts', line: 1, text: 'one' },
      { path: 'top.md', line: 1, text: 'One' },
    ])
    const { files, problems } = parseDiff(await mirror.diff(first, second))
    expect(problems).toEqual([])
    expect(files.map(({ path, oldPath, status }) => [path, oldPath, status])).toEqual([
      ['src/a.ts', 'src/a.ts', 'modified'],
      ['src/c.ts', 'src/b.ts', 'renamed'],
    ])
    const history = await made.git([`--git-dir=${mirror.gitDirectory}`, 'rev-list', '--all'])
    expect(history.toString().trim().split('\n').sort()).toEqual([first, second].sort())
  })

  it('do not fetch commits that they have', async () => {
    const { mirror, sha } = await fetched({ a: 'x' })
    forge.faults.add({ match: () => true, action: replyWith(503) })
    await mirror.fetchCommits([sha])
    await expect(mirror.fetchCommits(['0'.repeat(40)])).rejects.toThrow('503')
  })

  it('read all commits with one process, which ends with the snapshots', async () => {
    const first = await publish({ a: 'one' })
    const second = await publish({ a: 'two' })
    const mirror = open()
    await mirror.fetchCommits([first, second])
    {
      await using base = mirror.snapshot(first)
      await using head = mirror.snapshot(second)
      const [before, after] = await Promise.all([base.readFile('a'), head.readFile('a')])
      expect([before, after].map(String)).toEqual(['one', 'two'])
      if (process.platform === 'linux')
        expect(await processesOn(mirror.gitDirectory)).toHaveLength(1)
    }
    expect(await processesOn(mirror.gitDirectory)).toEqual([])
    await using again = mirror.snapshot(first)
    expect(String(await again.readFile('a'))).toBe('one')
  })

  it('report a missing git', async () => {
    const without = open({ runtime: { path: '/nonexistent', variables: {} } })
    await expect(without.fetchCommits(['0'.repeat(40)])).rejects.toThrow("git isn't installed")
  })

  it("use the platform's object format, whatever git's own default is", async () => {
    const sha = await publish({ a: 'x' })
    const variables = { GIT_DEFAULT_HASH: 'sha256', GIT_DEFAULT_REF_FORMAT: 'reftable' }
    const mirror = open({ runtime: { ...gitRuntimeFrom(process.env), variables } })
    await mirror.fetchCommits([sha])
    expect(await readText(mirror, sha, 'a')).toBe('x')
  })

  it('return text of more than 8 MB as binary', async () => {
    const text = (word: string, bytes: number) => `${word} on every line\n`.repeat(bytes / 20)
    const first = await publish({ large: text('first', 9e6), small: text('first', 2e6) })
    const second = await publish({ large: text('other', 9e6), small: text('other', 2e6) })
    const mirror = open()
    await mirror.fetchCommits([first, second])
    expect(parseDiff(await mirror.diff(first, second)).files).toMatchObject([
      { path: 'large', binary: true },
      { path: 'small', binary: false },
    ])
  })

  it('read files of many sizes in parallel, and refuse those that are too large', async () => {
    const sizes = Array.from({ length: 60 }, (_, index) => index * index * 50)
    const { mirror, sha } = await fetched(
      Object.fromEntries([
        ...sizes.map((size) => [`f${size}`, `${size} `.padEnd(size, 'x')]),
        ['big', 'x'.repeat(2_000_000)],
      ]),
    )
    await using snapshot = mirror.snapshot(sha)
    const texts = await Promise.all(sizes.map((size) => snapshot.readFile(`f${size}`)))
    expect(texts.map((bytes) => Buffer.from(bytes!).toString())).toEqual(
      sizes.map((size) => `${size} `.padEnd(size, 'x')),
    )
    await expect(snapshot.readFile('big')).rejects.toThrow(
      'big has 2000000 bytes, more than 1048576',
    )
    expect(await snapshot.readFile('big', { maxBytes: 2_000_000 })).toHaveLength(2_000_000)
  })

  it('report a missing commit', async () => {
    const { mirror, sha } = await fetched({ a: 'x' })
    const missing = 'f'.repeat(40)
    await expect(mirror.fetchCommits([missing])).rejects.toMatchObject({
      code: 'git_failed',
      retryable: false,
    })
    await using snapshot = mirror.snapshot(missing)
    await expect(snapshot.readFile('a')).rejects.toThrow('not in the mirror')
    await expect(mirror.diff(sha, missing)).rejects.toThrow(GitError)
  })

  it('truncate a diff that is too large so that its parser notices', async () => {
    const first = await publish({ a: '' })
    const second = await publish({ a: 'line\n'.repeat(1000) })
    const mirror = open()
    await mirror.fetchCommits([first, second])
    for (const maxBytes of [600, 601, 602, 603, 604]) {
      const { files, problems } = parseDiff(await mirror.diff(first, second, { maxBytes }))
      expect(files).toMatchObject([{ path: 'a', truncated: true }])
      expect(problems[0]).toContain('middle of a line')
    }
  })

  it('return the heads of branches', async () => {
    const main = await publish({ a: 'main' })
    const other = await publish({ a: 'other' }, 'sub/refs/heads/main')
    expect(await open().branchHead()).toBe(main)
    expect(await open().branchHead('main')).toBe(main)
    expect(await open().branchHead('sub/refs/heads/main')).toBe(other)
    expect(await open().branchHead('none')).toBeUndefined()
  })

  it('case 25: keep the token out of files, arguments and messages', async () => {
    const { mirror } = await fetched({ a: 'x' })
    for (const file of await listDirectory(directory))
      expect(await readFile(file, 'latin1')).not.toContain(authorization(token))
    const wrong = open({
      address: {
        url: forge.cloneUrl('ann/code'),
        headers: { Authorization: authorization('wrong-token') },
      },
    })
    const error = await wrong.fetchCommits(['e'.repeat(40)]).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'git_failed', retryable: false })
    expect(String(error)).not.toContain(authorization('wrong-token').slice(6))
    expect(mirror.gitDirectory).not.toContain(token)
  })

  it('treat an unavailable platform as retryable', async () => {
    forge.faults.add({ match: ({ path }) => path.includes('info/refs'), action: replyWith(503) })
    await expect(open().fetchCommits(['e'.repeat(40)])).rejects.toMatchObject({ retryable: true })
  })

  it('can be retried after an external signal killed git', async () => {
    await writeFile(join(directory, 'git'), '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 })
    const mirror = open({ runtime: { path: directory, variables: {}, spawn: starter.spawn } })
    await expect(mirror.diff('e'.repeat(40), 'f'.repeat(40))).rejects.toMatchObject({
      retryable: true,
    })
  })

  it('end their processes with the signal and at the deadline', async () => {
    const sha = await publish({ a: 'held' })
    const held = hold()
    forge.faults.add({ match: ({ path }) => path.includes('upload-pack'), action: held })
    const stop = new AbortController()
    const mirror = open()
    const fetching = mirror.fetchCommits([sha], { signal: stop.signal })
    await held.arrived
    stop.abort(new Error('stopped by the test'))
    await expect(fetching).rejects.toThrow('stopped by the test')
    await expect(mirror.fetchCommits([sha], { timeoutMs: 300 })).rejects.toMatchObject({
      retryable: true,
    })
    expect(await processesOn(mirror.gitDirectory)).toEqual([])
    held.release('drop')
    forge.faults.clear()
    await mirror.fetchCommits([sha])
    expect(await readText(mirror, sha, 'a')).toBe('held')
  })
})

describe('damaged mirrors', () => {
  /** Returns the pack file of the mirror, made writable. */
  async function findPack(gitDirectory: string, extension: string): Promise<string> {
    const packs = join(gitDirectory, 'objects/pack')
    const name = (await readdir(packs)).find((file) => file.endsWith(extension))
    if (name === undefined) expect.fail('the commits should be in a pack')
    await chmod(join(packs, name), 0o600)
    return join(packs, name)
  }

  const damages: Record<string, (gitDirectory: string, sha: string) => Promise<void>> = {
    'an empty pack': async (mirror) => truncate(await findPack(mirror, '.pack')),
    'a pack with zeros in its files': async (mirror) => {
      const pack = await findPack(mirror, '.pack')
      const bytes = await readFile(pack)
      await writeFile(pack, bytes.fill(0, bytes.length >> 1, bytes.length - 100))
    },
    'no index of the pack': async (mirror) => rm(await findPack(mirror, '.idx')),
    'no objects': async (mirror) => rm(join(mirror, 'objects'), { recursive: true }),
    'an empty ref': async (mirror, sha) => truncate(join(mirror, 'refs/umpire', sha)),
    'an empty HEAD': async (mirror) => truncate(join(mirror, 'HEAD')),
    'zeros for settings': async (mirror) => writeFile(join(mirror, 'config'), Buffer.alloc(100)),
    'zeros for the ends of history': async (mirror) =>
      writeFile(join(mirror, 'shallow'), Buffer.alloc(100)),
  }

  const text = (word: string) =>
    Array.from({ length: 500 }, (_, line) => `${word} ${line} ${Math.sin(line)}`).join('\n')
  let shas: [one: string, two: string, three: string]
  beforeAll(async () => {
    const version = (word: string) => publish({ 'src/a.ts': text(word) })
    shas = [await version('one'), await version('two'), await version('three')]
  })

  it.each(Object.keys(damages))('are rebuilt: %s', async (name) => {
    const [one, two, three] = shas
    for (const head of [two, three]) {
      const mirror = open()
      await mirror.fetchCommits([one, two])
      await damages[name]!(mirror.gitDirectory, one)
      await mirror.fetchCommits([one, head])
      expect(parseDiff(await mirror.diff(one, head)).files).toMatchObject([
        { path: 'src/a.ts', additions: 500 },
      ])
      expect(await readText(mirror, head, 'src/a.ts')).toBe(text(head === two ? 'two' : 'three'))
      expect(await readdir(directory)).toHaveLength(1)
      await rm(mirror.gitDirectory, { recursive: true })
    }
  })

  it('are not deleted when a commit never existed', async () => {
    const { mirror, sha } = await fetched({ a: 'x' })
    forge.faults.add({ match: () => true, action: replyWith(503) })
    await expect(mirror.diff(sha, 'f'.repeat(40))).rejects.toThrow(GitError)
    await expect(mirror.fetchCommits([sha, 'f'.repeat(40)])).rejects.toThrow('503')
    expect(await readText(mirror, sha, 'a')).toBe('x')
  })
})

/** Returns the command lines of running processes that contain a path (Linux). */
async function processesOn(path: string): Promise<string[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, 'latin1').catch(() => '')),
  )
  return lines.filter((line) => line.includes(path))
}

describe('concurrent use of mirrors', () => {
  it('fetches many commits in one process', async () => {
    const shas: string[] = []
    for (let count = 0; count < 6; count++) shas.push(await publish({ a: `version ${count}` }))
    await Promise.all(shas.map((sha) => open().fetchCommits([sha])))
    const texts = await Promise.all(shas.map((sha) => readText(open(), sha, 'a')))
    expect(texts).toEqual(shas.map((_, index) => `version ${index}`))
  })

  it('fetches from several processes', async () => {
    const shas = [
      await publish({ a: 'p1' }),
      await publish({ a: 'p2' }),
      await publish({ a: 'p3' }),
    ]
    const module = new URL('../src/git/mirror.ts', import.meta.url).href
    await Promise.all(
      shas.map((sha) => {
        const options = {
          directory,
          address: {
            url: forge.cloneUrl('ann/code'),
            headers: { Authorization: authorization(token) },
          },
          trustedHosts: [new URL(forge.url).host],
        }
        const script = `import { openMirror } from '${module}'
          await openMirror(${JSON.stringify(options)}).fetchCommits(['${sha}'])`
        return promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
      }),
    )
    expect(await Promise.all(shas.map((sha) => readText(open(), sha, 'a')))).toEqual([
      'p1',
      'p2',
      'p3',
    ])
  })

  it('takes over from a process that was killed in the middle', async () => {
    const { mirror } = await fetched({ a: 'before' })
    const path = mirrorLockPath(mirror.gitDirectory)
    const module = new URL('../src/git/lock-file.ts', import.meta.url).href
    const script = `import { acquireLock } from '${module}'
      const lock = await acquireLock(${JSON.stringify(path)}, { waitMs: 0 })
      process.stdout.write('locked')
      setInterval(() => lock, 1000)`
    const holder = execFile(process.execPath, ['--input-type=module', '-e', script])
    await once(holder.stdout!, 'data')
    await writeFile(join(mirror.gitDirectory, 'shallow.lock'), '')
    await writeFile(join(mirror.gitDirectory, 'objects/pack/tmp_pack_x'), 'x')
    const sha = await publish({ a: 'after' })
    await expect(mirror.fetchCommits([sha], { timeoutMs: 100 })).rejects.toThrow('in use')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    await mirror.fetchCommits([sha])
    expect(await readText(mirror, sha, 'a')).toBe('after')
    expect(
      (await listDirectory(directory)).filter(
        (file) => file.includes('tmp_') || file.endsWith('.lock'),
      ),
    ).toEqual([])
  })

  it('takes over an expired lock of any machine', async () => {
    const path = join(directory, 'some.lock')
    await writeFile(path, JSON.stringify({ host: 'elsewhere', pid: 1, started: '', token: 'x' }))
    await expect(acquireLock(path, { waitMs: 0 })).rejects.toThrow('in use')
    const past = new Date(Date.now() - 120_000)
    await utimes(path, past, past)
    await using lock = await acquireLock(path, { waitMs: 0 })
    await expect(acquireLock(path, { waitMs: 0 })).rejects.toThrow('in use')
    expect(lock).toBeDefined()
  })

  it('rejects with the reason of the signal while waiting for a lock', async () => {
    const path = join(directory, 'some.lock')
    await using _held = await acquireLock(path, { waitMs: 0 })
    const reason = new Error('the lease was lost')
    const stop = new AbortController()
    const waiting = acquireLock(path, { waitMs: 60_000, signal: stop.signal })
    const abortOnceItListens = (): unknown =>
      getEventListeners(stop.signal, 'abort').length > 0
        ? stop.abort(reason)
        : setImmediate(abortOnceItListens)
    abortOnceItListens()
    await expect(waiting).rejects.toBe(reason)
    expect(await readdir(directory)).toEqual(['some.lock'])
  })

  it('leaves no lock without a holder when a process ends while taking it', async () => {
    const path = join(directory, 'some.lock')
    const module = new URL('../src/git/lock-file.ts', import.meta.url).href
    const script = `import { acquireLock } from '${module}'
      await acquireLock(${JSON.stringify(path)}, { waitMs: 0 })`
    // The process can create files, but writes nothing into them.
    const limited = [
      '-c',
      'ulimit -f 0; exec "$0" --input-type=module -e "$1"',
      process.execPath,
      script,
    ]
    await expect(promisify(execFile)('/bin/sh', limited)).rejects.toThrow()
    await using lock = await acquireLock(path, { waitMs: 0 })
    expect(lock).toBeDefined()
  })

  it('prunes mirrors by last use, except those that may be in use', async () => {
    const mirrors: Mirror[] = []
    for (const name of ['one', 'two', 'three']) {
      await forge.createRepository(`ann/${name}`)
      const sha = await forge.push(`ann/${name}`, 'main', { a: name.repeat(1000) })
      const mirror = open({ address: { url: forge.cloneUrl(`ann/${name}`), headers: {} } })
      await mirror.fetchCommits([sha])
      mirrors.push(mirror)
    }
    const past = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    await utimes(mirrors[1]!.gitDirectory, past(9), past(9))
    await utimes(mirrors[2]!.gitDirectory, past(8), past(8))
    expect((await pruneMirrors(directory, 1e9)).removed).toEqual([])
    const { bytes } = await pruneMirrors(directory, 1e9)
    const { removed } = await pruneMirrors(directory, bytes - 1)
    expect(removed).toEqual([mirrors[1]!.gitDirectory.slice(directory.length + 1)])
    expect((await pruneMirrors(directory, 0)).removed).toHaveLength(1)
    expect(await readdir(directory)).toEqual([mirrors[0]!.gitDirectory.slice(directory.length + 1)])
    const sha = await forge.push('ann/two', 'main', { a: 'again' })
    await mirrors[1]!.fetchCommits([sha])
    expect(await readText(mirrors[1]!, sha, 'a')).toBe('again')
  })
})

describe('case 34: repository content is never executed or obeyed', () => {
  it('ignores attributes, modules, hooks, and programs named by the environment', async () => {
    const canary = join(directory, 'canary')
    const touch = join(directory, 'touch.sh')
    await writeFile(touch, `#!/bin/sh\ntouch ${canary}\n`)
    await chmod(touch, 0o755)
    const files = {
      '.gitattributes': '* diff=evil filter=evil merge=evil\n*.ts -diff -text\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::${touch}\n\tupdate = !${touch}\n`,
      '.git-hooks/post-checkout': `#!/bin/sh\ntouch ${canary}\n`,
      '.lfsconfig': `[lfs]\n\turl = file://${touch}\n`,
      'package.json': JSON.stringify({ scripts: { preinstall: touch } }),
    }
    const hostile = {
      GIT_EXTERNAL_DIFF: touch,
      GIT_ASKPASS: touch,
      GIT_PAGER: touch,
      GIT_PROXY_COMMAND: touch,
      GIT_TRACE: canary,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: touch,
      GIT_CONFIG_GLOBAL: join(directory, 'gitconfig'),
    }
    await writeFile(
      hostile.GIT_CONFIG_GLOBAL,
      `[core]\n\thooksPath = ${directory}\n\tfsmonitor = ${touch}\n[diff "evil"]\n\ttextconv = ${touch}\n\tcommand = ${touch}\n[trace2]\n\tnormalTarget = ${canary}\n`,
    )
    const before = { ...process.env }
    Object.assign(process.env, hostile)
    try {
      const first = await publish({ ...files, 'a.ts': 'old\n' })
      const mirror = open({ runtime: gitRuntimeFrom(process.env) })
      await mirror.fetchCommits([first])
      // This simulates an attacker with write access to the mirror.
      await appendFile(
        join(mirror.gitDirectory, 'config'),
        `[core]\n\tfsmonitor = ${touch}\n[diff "evil"]\n\ttextconv = ${touch}\n\tcommand = ${touch}\n[filter "evil"]\n\tsmudge = ${touch}\n`,
      )
      await mkdir(join(mirror.gitDirectory, 'info'), { recursive: true })
      await writeFile(join(mirror.gitDirectory, 'info/attributes'), '* diff=evil filter=evil\n')
      await mkdir(join(mirror.gitDirectory, 'hooks'), { recursive: true })
      for (const hook of [
        'reference-transaction',
        'post-checkout',
        'pre-auto-gc',
        'post-index-change',
      ]) {
        await writeFile(join(mirror.gitDirectory, 'hooks', hook), `#!/bin/sh\ntouch ${canary}\n`)
        await chmod(join(mirror.gitDirectory, 'hooks', hook), 0o755)
      }
      const second = await publish({ ...files, 'a.ts': 'new\n' })
      await mirror.fetchCommits([second])
      const stranger = open({ address: { url: forge.cloneUrl('ann/code'), headers: {} } })
      await expect(stranger.branchHead()).rejects.toThrow('could not read Username')
      const { files: changed } = parseDiff(await mirror.diff(first, second))
      expect(changed).toMatchObject([{ path: 'a.ts', binary: false, additions: 1, deletions: 1 }])
      await using snapshot = mirror.snapshot(second)
      expect(await snapshot.search('new')).toHaveLength(1)
      expect(Buffer.from((await snapshot.readFile('a.ts'))!).toString()).toBe('new\n')
      expect(await snapshot.listFiles()).toHaveLength(6)
    } finally {
      process.env = before
    }
    expect(await readdir(directory)).not.toContain('canary')
  })

  it('attributes hide no change as binary', async () => {
    const first = await publish({ '.gitattributes': '*.ts binary\n', 'a.ts': 'old\n' })
    const second = await publish({ '.gitattributes': '*.ts binary\n', 'a.ts': 'new\n' })
    const mirror = open()
    await mirror.fetchCommits([first, second])
    expect(parseDiff(await mirror.diff(first, second)).files).toMatchObject([
      { binary: false, additions: 1 },
    ])
  })
})

describe('case 35: paths outside the tree are not read', () => {
  const files = new Map([
    ['link', { content: '/etc/passwd', mode: '120000' }],
    ['up', { content: '../../../../etc', mode: '120000' }],
    ['folder', { content: '/proc/self', mode: '120000' }],
    ['module', { content: '1'.repeat(40), mode: '160000' }],
    ['in/file', { content: 'inside' }],
  ] as const)

  it.each([
    ...[
      'link',
      'up',
      'up/passwd',
      'folder/environ',
      'module',
      'module/x',
      'in',
      'in/',
      '',
      '.',
      '..',
      '/etc/passwd',
    ],
    ...[
      '../../../etc/passwd',
      'in/../in/file',
      './in/file',
      'in//file',
      '.git/config',
      'HEAD',
      'config',
      '/proc/self/environ',
    ],
    ...['in/file\0', 'in\\file', ':in/file', 'in/file\n'],
  ])('does not read %j', async (path) => {
    const { mirror, sha } = await fetched(files)
    expect(await readText(mirror, sha, path)).toBeUndefined()
    expect(await readText(mirror, sha, 'in/file')).toBe('inside')
  })

  it('lists links and submodules as such, and never searches them', async () => {
    const { mirror, sha } = await fetched(files)
    await using snapshot = mirror.snapshot(sha)
    expect((await snapshot.listFiles()).map(({ path, kind }) => [path, kind])).toEqual([
      ['folder', 'symlink'],
      ['in/file', 'file'],
      ['link', 'symlink'],
      ['module', 'submodule'],
      ['up', 'symlink'],
    ])
    expect(await snapshot.search('passwd')).toEqual([])
    expect(await snapshot.search('inside', { prefix: '../' })).toEqual([])
    expect(await snapshot.search('inside', { prefix: ':(top)in' })).toEqual([])
  })

  it('omits names that lead out of a hand-made tree', async () => {
    const write = async (type: string, input: Uint8Array) =>
      (await made.git(['hash-object', '-t', type, '-w', '--literally', '--stdin'], input))
        .toString()
        .trim()
    const entry = (mode: string, name: string, oid: string) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])
    const blob = await write('blob', Buffer.from('escaped'))
    const inner = await write('tree', entry('100644', 'passwd', blob))
    const root = await write(
      'tree',
      Buffer.concat([
        entry('40000', '..', inner),
        entry('40000', '.git', inner),
        entry('100644', 'ok', blob),
      ]),
    )
    const sha = (
      await made.git(['-c', 'user.name=x', '-c', 'user.email=x', 'commit-tree', '-m', 'x', root])
    )
      .toString()
      .trim()
    const header = `http.extraHeader=Authorization: ${authorization(token)}`
    await made.git([
      '-c',
      header,
      'push',
      '--quiet',
      forge.cloneUrl('ann/code'),
      `${sha}:refs/heads/hand-made`,
    ])
    const mirror = open()
    await mirror.fetchCommits([sha])
    await using snapshot = mirror.snapshot(sha)
    expect((await snapshot.listFiles()).map(({ path }) => path)).toEqual(['ok'])
    expect((await snapshot.search('escaped')).map(({ path }) => path)).toEqual(['ok'])
    expect(await snapshot.readFile('../passwd')).toBeUndefined()
    expect(await snapshot.readFile('.git/passwd')).toBeUndefined()
  })
})

describe('case 36: names are never options, patterns or commands', () => {
  it.each([
    '--output=x',
    '--upload-pack=touch$IFS/canary',
    '$(touch$IFS/canary)',
    "a'b;c|d&e",
    '-',
  ])('accepts branch %s', async (branch) => {
    const sha = await publish({ a: branch }, branch)
    const mirror = open()
    expect(await mirror.branchHead(branch)).toBe(sha)
    await mirror.fetchCommits([sha])
    expect(await readText(mirror, sha, 'a')).toBe(branch)
    expect(
      (await listDirectory(directory)).filter(
        (file) => file.endsWith('canary') || file.endsWith('/x'),
      ),
    ).toEqual([])
  })

  it.each([
    '--upload-pack=touch x',
    'a b',
    'a:b',
    'a..b',
    'a*',
    'a?',
    'a[b]',
    'a\nb',
    'a\0b',
    'a^',
    'a~1',
    'a\\b',
    'a@{1}',
    'a//b',
    'a/',
  ])('rejects branch %j', async (branch) => {
    await expect(open().branchHead(branch)).rejects.toThrow('no such branch name')
  })

  it.each([
    '--output=x',
    '--all',
    'HEAD',
    'main',
    'abc1234',
    `${'a'.repeat(40)}\n`,
    `^${'a'.repeat(39)}`,
    'A'.repeat(40),
    '',
  ])('rejects commit %j', async (sha) => {
    await expect(open().fetchCommits([sha])).rejects.toThrow('whole id')
    await expect(open().diff(sha, sha)).rejects.toThrow('whole id')
    expect(() => open().snapshot(sha)).toThrow('whole id')
  })

  it('does not treat patterns and folders as options or commands', async () => {
    const { mirror, sha } = await fetched({
      '--output=x/a': '--output=y\n',
      ':(glob)**/b': '$(id)\n',
      c: '-e\n',
    })
    await using snapshot = mirror.snapshot(sha)
    expect(await snapshot.search('--output=y', { prefix: '--output=x' })).toMatchObject([
      { path: '--output=x/a' },
    ])
    expect(await snapshot.search('$(id)', { fixed: true, prefix: ':(glob)**' })).toMatchObject([
      { path: ':(glob)**/b' },
    ])
    expect(await snapshot.search('-e', { prefix: 'c/' })).toEqual([
      { path: 'c', line: 1, text: '-e' },
    ])
    expect(await listDirectory(directory)).not.toContain(join(directory, 'y'))
  })
})

describe('case 37: only the platform is fetched from', () => {
  const trusted = 'forge.internal:8443'
  const check = (url: string, headers: Record<string, string> = {}) =>
    openMirror({ directory, address: { url, headers }, trustedHosts: [trusted] })

  it.each(
    [
      ...[
        'ext::sh -c touch% canary',
        'file:///etc',
        '/etc',
        '../x',
        'git://example.com/a/b.git',
        'ssh://git@example.com/a/b.git',
      ],
      ...[
        'git@example.com:a/b.git',
        '--upload-pack=touch x',
        'ftp://example.com/a',
        'http://example.com/a/b.git',
        'javascript:1',
      ],
      ...[
        'https://user:secret@example.com/a/b.git',
        'https://example.com/a?x',
        'https://example.com/a#x',
        '',
      ],
      ...[
        'https://localhost/a/b',
        'https://127.0.0.1/a/b',
        'https://127.1/a/b',
        'https://0x7f000001/a/b',
        'https://[::1]/a/b',
      ],
      ...[
        'https://169.254.169.254/latest',
        'https://10.1.2.3/a',
        'https://192.168.0.1/a',
        'https://172.20.0.1/a',
      ],
      ...[
        'https://[fd00::1]/a',
        'https://[fe80::1]/a',
        'https://[::ffff:127.0.0.1]/a',
        'https://0.0.0.0/a',
        'https://x.localhost./a',
      ],
      'https://forge.internal/a',
    ].filter((url) => url !== 'https://forge.internal/a'),
  )('refuses %s', (url) => {
    expect(() => check(url)).toThrow(GitError)
    expect(() => check(url)).not.toThrow('secret')
  })

  it.each([
    'https://github.com/a/b.git',
    `http://${trusted}/a/b.git`,
    `https://${trusted}/a/b.git`,
  ])('accepts %s', (url) => {
    expect(check(url).gitDirectory.startsWith(directory)).toBe(true)
  })

  it('rejects line breaks in headers', () => {
    expect(() => check('https://github.com/a/b', { Authorization: 'x\r\nEvil: y' })).toThrow(
      'malformed',
    )
    expect(() => check('https://github.com/a/b', { 'A: b\nC': 'x' })).toThrow('malformed')
  })

  it('does not follow redirects', async () => {
    const asked: string[] = []
    const inside = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end()
    }).listen(0, '127.0.0.1')
    await once(inside, 'listening')
    const location = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/a/b.git/info/refs?service=git-upload-pack`
    for (const status of [301, 302, 307, 308]) {
      forge.faults.clear()
      forge.faults.add({
        match: ({ path }) => path.includes('info/refs'),
        action: replyWith(status, '', { location }),
      })
      await expect(open().fetchCommits(['e'.repeat(40)])).rejects.toMatchObject({
        code: 'git_failed',
        retryable: false,
      })
      await expect(open().branchHead('main')).rejects.toThrow(GitError)
    }
    expect(asked).toEqual([])
    inside.close()
  })

  it('mirrors of different addresses never share a folder', () => {
    const urls = [
      'https://github.com/a/b',
      'https://github.com/A/b',
      'https://github.com/a_b',
      'https://github.com:444/a/b',
    ]
    const folders = urls.map((url) => check(url).gitDirectory.toLowerCase())
    expect(new Set(folders).size).toBe(urls.length)
    const odd = check(`https://github.com/${'../'.repeat(9)}%2e%2e/${'x'.repeat(500)}`).gitDirectory
    expect(odd.slice(directory.length + 1)).toMatch(/^[\w.-]{1,130}$/)
  })
})

describe('case 40: odd names', () => {
  const odd = [
    'new\nline',
    'quo"te',
    "apo'strophe",
    'ta\tb',
    'back\\slash',
    'ünï/日本',
    ' space ',
    '-dash',
    ':colon',
    '"caf\\351"',
  ]
  const names = [...odd, latin1Name('caf\xe9'), latin1Name('\xff\xfe/\x80')]

  it('are preserved by the diff, the list and the search, and open their files', async () => {
    const version = (text: string) =>
      new Map(names.map((name, index) => [name, `${text} ${index}\n`] as const))
    const first = await publish(version('old'))
    const second = await publish(version('new'))
    const mirror = open()
    await mirror.fetchCommits([first, second])
    await using snapshot = mirror.snapshot(second)
    const expected = names.map((name) => pathFromBytes(nameBytes(name))).sort()
    const { files } = parseDiff(await mirror.diff(first, second))
    expect(files.map(({ path }) => path).sort()).toEqual(expected)
    expect((await snapshot.listFiles()).map(({ path }) => path).sort()).toEqual(expected)
    expect((await snapshot.search('^new', { limit: 100 })).map(({ path }) => path).sort()).toEqual(
      expected,
    )
    expect(new Set(expected).size).toBe(names.length)
    for (const [index, name] of names.entries()) {
      // The names go through JSON, as in a database, a comment or a page.
      const path = JSON.parse(JSON.stringify(pathFromBytes(nameBytes(name)))) as string
      expect(path.isWellFormed()).toBe(true)
      expect(Buffer.from((await snapshot.readFile(path))!).toString()).toBe(`new ${index}\n`)
      expect(await snapshot.search(`new ${index}`, { prefix: path })).toEqual([
        { path, line: 1, text: `new ${index}` },
      ])
    }
  })
})

describe('searches', () => {
  it('respect their limit and truncate long lines', async () => {
    const { mirror, sha } = await fetched({
      a: 'match\n'.repeat(50),
      b: `match${'x'.repeat(3_000_000)}\nmatch\n`,
      c: `\0match\n`,
      d: 'match\n',
    })
    await using snapshot = mirror.snapshot(sha)
    const found = await snapshot.search('match', { limit: 100 })
    expect(found.map(({ path }) => path)).toEqual([
      ...Array.from({ length: 50 }, () => 'a'),
      'b',
      'b',
      'd',
    ])
    expect(found[50]!.text).toHaveLength(500)
    expect(found[51]).toEqual({ path: 'b', line: 2, text: 'match' })
    expect(await snapshot.search('match', { limit: 7 })).toHaveLength(7)
    expect(await snapshot.search('match', { limit: 52 })).toHaveLength(52)
    expect(await snapshot.search('nothing')).toEqual([])
  })

  it.each([false, true])(
    'filter by extension, in the tree and in a folder, with fast matching %s',
    async (fast) => {
      const text = 'a match( here\n'
      const { mirror, sha } = await fetched({
        'a.ts': text,
        'd/B.TS': text,
        'c.go': text,
        'x.c++': text,
        '*.ts': text,
        ts: text,
      })
      await using snapshot = mirror.snapshot(sha)
      const find = async (extensions: string[], prefix?: string) => {
        const options = { fast, extensions, ...(prefix === undefined ? {} : { prefix }) }
        return (await snapshot.search('(^|[ \t])match[ \t]*([(<]|$)', options)).map(
          ({ path }) => path,
        )
      }
      expect(await find(['.ts'])).toEqual(['*.ts', 'a.ts', 'd/B.TS'])
      expect(await find(['.ts', '.c++'])).toEqual(['*.ts', 'a.ts', 'd/B.TS', 'x.c++'])
      expect(await find(['.ts', '.go'], 'd')).toEqual(['d/B.TS'])
      expect(await find(['.*'])).toEqual([])
    },
  )

  it('refuse patterns that are malformed or too costly', async () => {
    const { mirror, sha } = await fetched({ a: 'x' })
    await using snapshot = mirror.snapshot(sha)
    await expect(snapshot.search('(')).rejects.toThrow(/git grep failed: .*Unmatched/)
    await expect(snapshot.search('(((a{1,200}){1,200}){1,200})')).rejects.toThrow(
      'repeats too much',
    )
    await expect(snapshot.search('')).rejects.toThrow(GitError)
    await expect(snapshot.search('a\0b')).rejects.toThrow(GitError)
    expect(await snapshot.search('x{1,200}')).toHaveLength(1)
  })

  it('end with their signal', async () => {
    const { mirror, sha } = await fetched({ a: 'x' })
    await using snapshot = mirror.snapshot(sha)
    await expect(
      snapshot.search('x', { signal: AbortSignal.abort(new Error('gone')) }),
    ).rejects.toThrow('gone')
  })

  it('refuse back-references', async () => {
    const { mirror, sha } = await fetched({ a: 'aa\n' })
    await using snapshot = mirror.snapshot(sha)
    for (const pattern of ['(a*)\\1', '\\\\\\2(x)', '[\\]\\9', '^(a|b)*\\1$'])
      await expect(snapshot.search(pattern)).rejects.toThrow('Back-references')
  })

  it('find backslashes before digits', async () => {
    const { mirror, sha } = await fetched({ a: 'C:\\1\n' })
    await using snapshot = mirror.snapshot(sha)
    expect(await snapshot.search('C:\\\\1')).toHaveLength(1)
    expect(await snapshot.search('C:\\1', { fixed: true })).toHaveLength(1)
  })
})
