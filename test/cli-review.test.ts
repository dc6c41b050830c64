// `umpire review` on real repositories: compared commits, findings and exit codes.
import { link, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  conflictMarkerCode,
  debuggerCode,
  findingLocations,
  floatingPromiseCode,
  type LocalTestRepository,
  makeLocalRepository,
  reviewAsJson,
} from './local-test-repository.ts'

let repository: LocalTestRepository
beforeEach(async () => {
  repository = await makeLocalRepository()
})
afterEach(() => repository[Symbol.asyncDispose]())

describe('reviewed change', () => {
  it('uncommitted: includes staged, unstaged and untracked files, not ignored ones', async () => {
    await repository.commit({ 'a.js': 'one()\n', 'b.js': 'two()\n', '.gitignore': 'ignored.js\n' })
    await repository.write({ 'a.js': `one()\n${debuggerCode}` })
    await repository.git('add', 'a.js')
    await repository.write({
      'b.js': `two()\n${debuggerCode}`,
      'new/c.js': debuggerCode,
      'ignored.js': debuggerCode,
    })
    const report = await reviewAsJson(repository, ['--uncommitted'])
    expect(report.compared.kind).toBe('uncommitted')
    expect(findingLocations(report)).toEqual([
      'a.js:2 breakpoint',
      'b.js:2 breakpoint',
      'new/c.js:1 breakpoint',
    ])
    expect(report.coverage).toMatchObject({ files_total: 3, files_reviewed: 3, complete: true })
  })

  it('uncommitted: respects the global excludes of the user', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await writeFile(join(repository.home, '.gitconfig'), '[core]\n\texcludesFile = ~/ignored\n')
    await writeFile(join(repository.home, 'ignored'), '*.swp\n')
    await repository.write({ 'a.js.swp': debuggerCode })
    expect((await repository.review(['--uncommitted'])).stdout).toBe('Nothing to review.\n')
  })

  it('staged: reads only the index, not the work tree', async () => {
    await repository.commit({ 'a.js': 'one()\n', 'gone.js': 'gone()\n' })
    await repository.write({ 'a.js': `one()\n${debuggerCode}`, 'gone.js': null })
    await repository.git('add', '--all')
    await repository.write({ 'a.js': `one()\n${conflictMarkerCode}`, 'untracked.js': debuggerCode })
    const report = await reviewAsJson(repository, ['--staged'])
    expect(findingLocations(report)).toEqual(['a.js:2 breakpoint'])
    expect(report.coverage?.files_total).toBe(2)
    expect(report.compared).toMatchObject({ kind: 'staged', head: null })
  })

  it('staged: uses the index that git passes to a hook', async () => {
    await repository.commit({ 'a.js': 'one()\n', 'b.js': 'two()\n' })
    await repository.write({ 'a.js': debuggerCode, 'b.js': debuggerCode })
    await repository.git('add', 'b.js')
    const own = join(repository.folder, '.git/index')
    await link(own, join(repository.folder, '.git/other'))
    await rm(own)
    await repository.git('read-tree', 'HEAD')
    const report = await reviewAsJson(repository, ['--staged'], {
      env: { GIT_INDEX_FILE: '.git/other' },
    })
    expect(findingLocations(report)).toEqual(['b.js:1 breakpoint'])
  })

  it('staged: lists unresolved conflicts and makes the review partial', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await repository.git('checkout', '--quiet', '-b', 'topic')
    await repository.commit({ 'a.js': 'two()\n' })
    await repository.git('checkout', '--quiet', 'main')
    await repository.commit({ 'a.js': 'three()\n' })
    await repository.git('merge', 'topic').catch(() => undefined)
    const report = await reviewAsJson(repository, ['--staged'])
    expect(report.coverage?.skipped).toMatchObject([{ path: 'a.js', matters: true }])
    expect(report.exit_code).toBe(4)
    expect(findingLocations(await reviewAsJson(repository, ['--uncommitted']))).toContain(
      'a.js:1 conflict-marker',
    )
  })

  it('base: compares from the merge base, not with later commits of the base', async () => {
    const base = await repository.commit({ 'a.js': 'one()\n' })
    await repository.git('checkout', '--quiet', '-b', 'topic')
    const head = await repository.commit({ 'b.js': debuggerCode }, 'Add b')
    await repository.git('checkout', '--quiet', 'main')
    await repository.commit({ 'later.js': debuggerCode })
    await repository.git('checkout', '--quiet', 'topic')
    await repository.write({ 'untracked.js': debuggerCode })
    const report = await reviewAsJson(repository, ['--base', 'main'])
    expect(findingLocations(report)).toEqual(['b.js:1 breakpoint'])
    expect(report.compared).toMatchObject({ kind: 'commits', base, head })
  })

  it('base: finds a branch that only exists at the remote', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await repository.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD')
    await repository.commit({ 'b.js': debuggerCode })
    const { stderr, code } = await repository.review(['--base', 'trunk', '--fail-on', 'minor'])
    expect(stderr).toContain('since origin/trunk')
    expect(code).toBe(1)
  })

  it('without options, reviews uncommitted changes, else the branch', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await repository.git('checkout', '--quiet', '-b', 'topic')
    await repository.commit({ 'b.js': debuggerCode })
    const committed = await repository.review()
    expect(committed.stderr).toMatch(/^Reviewing the commits of topic since main \(.*\)$/m)
    await repository.write({ 'c.js': debuggerCode })
    const uncommitted = await repository.review()
    expect(uncommitted.stderr).toMatch(/^Reviewing uncommitted changes against HEAD \(.*\)$/m)
    expect(uncommitted.stdout).not.toContain('b.js')
  })

  it('compares with the later of the local and the remote default branch', async () => {
    const old = await repository.commit({ 'a.js': 'one()\n' })
    const merged = await repository.commit({ 'b.js': debuggerCode }, 'Merged by others')
    await repository.git('checkout', '--quiet', '-b', 'topic')
    await repository.commit({ 'c.js': debuggerCode })
    const since = async () =>
      /since (\S+)/.exec((await repository.review(['--branch'])).stderr)?.[1]
    const setMain = (here: string, remote: string) =>
      Promise.all([
        repository.git('update-ref', 'refs/heads/main', here),
        repository.git('update-ref', 'refs/remotes/origin/main', remote),
      ])
    await setMain(old, merged)
    expect(await since()).toBe('origin/main')
    expect(findingLocations(await reviewAsJson(repository))).toEqual(['c.js:1 breakpoint'])
    await setMain(merged, old)
    expect(await since()).toBe('main')
    // The remote's default branch takes precedence over the usual names.
    await repository.git('update-ref', 'refs/remotes/origin/trunk', old)
    await repository.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk')
    expect(await since()).toBe('origin/trunk')
  })

  it('on the default branch, reviews commits that the remote lacks', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    await repository.commit({ 'b.js': debuggerCode })
    expect(findingLocations(await reviewAsJson(repository))).toEqual(['b.js:1 breakpoint'])
  })

  it('ignores files with only a new modification time', async () => {
    await repository.commit({ 'a.js': debuggerCode })
    const later = new Date(Date.now() + 60_000)
    await utimes(join(repository.folder, 'a.js'), later, later)
    expect((await repository.review(['--uncommitted'])).stdout).toBe('Nothing to review.\n')
  })

  it('ignores line endings converted by the checkout', async () => {
    await repository.git('config', 'core.autocrlf', 'true')
    await repository.commit({ 'a.js': 'one()\ntwo()\n' })
    await repository.write({ 'a.js': `one()\r\ntwo()\r\n${debuggerCode.trim()}\r\n` })
    const report = await reviewAsJson(repository, ['--uncommitted'])
    expect(findingLocations(report)).toEqual(['a.js:3 breakpoint'])
    const { stdout } = await repository.review(['--uncommitted'])
    expect(stdout).not.toContain('one()')
  })

  it('reports a rename as one file', async () => {
    const text = 'one()\ntwo()\nthree()\nfour()\nfive()\n'
    await repository.commit({ 'a.js': text })
    await rename(join(repository.folder, 'a.js'), join(repository.folder, 'b.js'))
    await repository.write({ 'b.js': `${text}${debuggerCode}` })
    const report = await reviewAsJson(repository, ['--uncommitted'])
    expect(findingLocations(report)).toEqual(['b.js:6 breakpoint'])
    expect(report.coverage?.files_total).toBe(1)
  })

  it('uses the settings of the base commit, not of the change', async () => {
    await repository.commit({
      '.umpire.yml': 'rules:\n  disable: [breakpoint]\n',
      'a.js': 'one()\n',
    })
    await repository.write({
      'a.js': `one()\n${debuggerCode}${conflictMarkerCode}`,
      '.umpire.yml': 'rules:\n  disable: [conflict-marker]\n',
    })
    const places = ['.umpire.yml:2 review-settings-change', 'a.js:3 conflict-marker']
    expect(findingLocations(await reviewAsJson(repository)).toSorted()).toEqual(places)
  })

  it('validates new settings before they take effect', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await repository.write({ '.umpire.yml': 'rules:\n  disable: [brekpoint]\n' })
    const { coverage } = await reviewAsJson(repository)
    expect(coverage?.notes).toEqual([
      expect.stringMatching(
        /there is no rule `?"?brekpoint.* \(In this change: not in force until/,
      ),
    ])
    await repository.commit({ '.umpire.yml': 'rules:\n  disable: [breakpoint]\n' })
    await repository.write({ '.umpire.yml': 'rules:\n  disable: [conflict-marker]\n' })
    expect((await reviewAsJson(repository)).coverage?.notes).toEqual([])
  })
})

describe('kinds of repositories', () => {
  it('works from a subfolder', async () => {
    await repository.commit({ 'deep/down/a.js': 'one()\n' })
    await repository.write({ 'b.js': debuggerCode })
    const report = await reviewAsJson(repository, [], { cwd: join(repository.folder, 'deep/down') })
    expect(findingLocations(report)).toEqual(['b.js:1 breakpoint'])
  })

  it('works in a linked work tree', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    const linked = join(repository.home, 'linked')
    await repository.git('worktree', 'add', '--quiet', '-b', 'topic', linked)
    await writeFile(join(linked, 'b.js'), debuggerCode)
    await repository.write({ 'not-here.js': debuggerCode })
    const report = await reviewAsJson(repository, [], { cwd: linked })
    expect(findingLocations(report)).toEqual(['b.js:1 breakpoint'])
  })

  it('works in a submodule and ignores nested ones', async () => {
    await using inner = await makeLocalRepository()
    await inner.commit({ 'a.js': 'one()\n' })
    await repository.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      inner.folder,
      'inner',
    )
    await repository.commit()
    await repository.write({ 'inner/b.js': debuggerCode, 'c.js': debuggerCode })
    expect(findingLocations(await reviewAsJson(repository))).toEqual(['c.js:1 breakpoint'])
    const inside = await reviewAsJson(repository, [], { cwd: join(repository.folder, 'inner') })
    expect(findingLocations(inside)).toEqual(['b.js:1 breakpoint'])
  })

  it('works before the first commit', async () => {
    await repository.write({ 'a.js': debuggerCode })
    await repository.git('add', 'a.js')
    await repository.write({ 'b.js': debuggerCode })
    const staged = await reviewAsJson(repository, ['--staged'])
    expect(findingLocations(staged)).toEqual(['a.js:1 breakpoint'])
    expect(staged.compared).toMatchObject({ base: null, head: null })
    expect(findingLocations(await reviewAsJson(repository))).toEqual([
      'a.js:1 breakpoint',
      'b.js:1 breakpoint',
    ])
  })

  it('works with SHA-256 and with a detached HEAD', async () => {
    await using modern = await makeLocalRepository({ init: ['--object-format=sha256'] })
    await modern.write({ 'a.js': 'one()\n' })
    expect((await modern.review()).code).toBe(0)
    await modern.commit()
    await modern.git('checkout', '--quiet', '--detach')
    await modern.commit({ 'b.js': debuggerCode })
    await modern.write({ 'a.js': debuggerCode })
    expect(findingLocations(await reviewAsJson(modern))).toEqual(['a.js:1 breakpoint'])
    expect(findingLocations(await reviewAsJson(modern, ['--base', 'main']))).toEqual([
      'b.js:1 breakpoint',
    ])
  })

  it('case 40: supports names with line feeds, quotes and invalid UTF-8', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    const odd = Buffer.concat([
      Buffer.from(`${repository.folder}/caf`),
      Buffer.of(0xe9),
      Buffer.from('.js'),
    ])
    await writeFile(odd, conflictMarkerCode)
    await repository.write({ 'two\nlines "quoted".js': debuggerCode })
    const report = await reviewAsJson(repository)
    expect(findingLocations(report)).toEqual([
      '"caf\\351.js":1 conflict-marker',
      'two\nlines "quoted".js:1 breakpoint',
    ])
    const { stdout } = await repository.review()
    expect(stdout).toContain('two\\x0alines "quoted".js:1 · ')
  })

  it('explains what to do when a shallow clone lacks the merge base', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await repository.git('checkout', '--quiet', '-b', 'topic')
    await repository.commit({ 'b.js': 'two()\n' })
    const shallow = join(repository.home, 'shallow')
    const from = `file://${repository.folder}`
    await repository.git('clone', '--quiet', '--depth=1', '--no-single-branch', from, shallow)
    const { code, stderr } = await repository.review(['--base', 'origin/main'], { cwd: shallow })
    expect(code).toBe(2)
    expect(stderr).toContain('git fetch --unshallow')
  })

  it('explains what to do when a shallow clone lacks the base', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await repository.git('checkout', '--quiet', '-b', 'topic')
    await repository.commit({ 'b.js': debuggerCode })
    const cwd = join(repository.home, 'shallow')
    await repository.git('clone', '--quiet', '--depth=1', `file://${repository.folder}`, cwd)
    const { stderr } = await repository.review(['--base', 'main'], { cwd })
    const command = /with git (.*) \(in CI: a fetch depth of 0\)/.exec(stderr)?.[1] ?? ''
    await repository.git('-C', cwd, ...command.replaceAll('"', '').split(' '))
    const { code, stdout } = await repository.review(['--base', 'main', '--fail-on', 'minor'], {
      cwd,
    })
    expect([code, stdout]).toEqual([1, expect.stringContaining('b.js:1 · breakpoint')])
  })

  it('lists a nested repository that git does not track, but not its files', async () => {
    await repository.commit({ 'a.js': 'one()\n' })
    await mkdir(join(repository.folder, 'nested'))
    await repository.git('init', '--quiet', 'nested')
    await repository.write({ 'nested/b.js': debuggerCode, 'c.js': debuggerCode })
    const report = await reviewAsJson(repository)
    expect(findingLocations(report)).toEqual(['c.js:1 breakpoint'])
    expect(report.coverage?.skipped).toMatchObject([{ path: 'nested/', matters: false }])
  })
})

describe('code around the change', () => {
  const price =
    'export function priceOf(count: number): number {\n  return count * 2\n}\n\n' +
    'export const rate = 2\n'
  const shop = "import { priceOf } from './price.ts'\n\nexport const total = priceOf(2)\n"

  it('is searched for uses of removed exports and changed signatures', async () => {
    await repository.commit({
      'src/price.ts': price,
      'src/shop.ts': shop,
      'src/other.ts': 'go()\n',
    })
    await repository.write({ 'src/price.ts': price.replace('export ', '') })
    expect(findingLocations(await reviewAsJson(repository))).toEqual([
      'src/price.ts:1 removed-export',
    ])
    await repository.write({ 'src/price.ts': price.replace('number)', 'number, off: number)') })
    expect(findingLocations(await reviewAsJson(repository))).toEqual([
      'src/price.ts:1 changed-signature',
    ])
  })

  it('is searched through files that re-export hundreds of others', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `part${index}`)
    const parts = names.map((name) => [`src/${name}.ts`, `export const ${name} = 1\n`] as const)
    const barrel = [...names.map((name) => `${name}.ts`), 'shop/index.ts']
    await repository.commit({
      ...Object.fromEntries(parts),
      'src/index.ts': barrel.map((path) => `export * from './${path}'\n`).join(''),
      'src/shop/index.ts': "export * from './price.ts'\n",
      'src/shop/price.ts': price,
      'app/shop.ts': shop.replace('./price.ts', '../src/index.ts'),
    })
    await repository.write({
      'src/shop/price.ts': price.replace('number)', 'number, off: number)'),
    })
    const found = findingLocations(await reviewAsJson(repository))
    expect(found).toEqual(['src/shop/price.ts:1 changed-signature'])
  })

  it('is not searched with GRAPH=off', async () => {
    await repository.commit({ 'src/price.ts': price, 'src/shop.ts': shop })
    await repository.write({ 'src/price.ts': price.replace('export ', '') })
    const report = await reviewAsJson(repository, [], { env: { GRAPH: 'off' } })
    expect(findingLocations(report)).toEqual([])
  })

  it('is searched for imports of removed files', async () => {
    await repository.commit({ 'src/price.ts': price, 'src/shop.ts': shop })
    await repository.write({ 'src/price.ts': null, 'src/new.ts': price })
    const found = findingLocations(await reviewAsJson(repository))
    expect(found).toEqual([expect.stringContaining('removed-export')])
  })

  it('is not blamed when the use changes too, or another definition is meant', async () => {
    await repository.commit({
      'src/price.ts': price,
      'src/shop.ts': shop,
      'lib/price.ts': price,
      'lib/use.ts': "import { priceOf } from './price.ts'\n\nexport const rest = priceOf(3)\n",
    })
    await repository.write({
      'src/price.ts': price.replace('number)', 'number, off: number)'),
      'src/shop.ts': shop.replace('priceOf(2)', 'priceOf(2, 1)'),
    })
    expect(findingLocations(await reviewAsJson(repository))).toEqual([])
  })

  it('is not guessed for a name that too many files contain', async () => {
    const users = Array.from({ length: 80 }, (_, index) => [`src/use${index}.ts`, shop] as const)
    await repository.commit({ 'src/price.ts': price, ...Object.fromEntries(users) })
    await repository.write({ 'src/price.ts': price.replace('number)', 'number, off: number)') })
    const report = await reviewAsJson(repository)
    expect(findingLocations(report)).toEqual([])
    expect(report.coverage).toMatchObject({ complete: true })
  })
})

describe('exit codes', () => {
  it.each([
    ['moderate findings', floatingPromiseCode, [], 1],
    ['moderate findings under the threshold', floatingPromiseCode, ['--fail-on', 'critical'], 0],
    ['critical findings', conflictMarkerCode, ['--fail-on', 'critical'], 1],
    ['minor findings', debuggerCode, [], 0],
    ['minor findings at the threshold', debuggerCode, ['--fail-on', 'minor'], 1],
    ['nothing found', 'one()\n', ['--fail-on', 'minor'], 0],
  ])('%s', async (_what, text, args, code) => {
    await repository.commit()
    await repository.write({ 'a.ts': text })
    expect((await repository.review(args)).code).toBe(code)
  })

  it('names the files when nothing is staged', async () => {
    await repository.commit({ 'a.ts': 'one()\n' })
    await repository.write({ 'a.ts': 'two()\n', 'b.ts': 'one()\n' })
    const said = 'Nothing is staged; 2 files have unstaged changes (umpire review --uncommitted).'
    expect(await repository.review(['--staged'])).toMatchObject({ code: 0, stdout: `${said}\n` })
    expect((await reviewAsJson(repository, ['--staged'])).summary).toBe(said)
  })

  it('explains why it fails', async () => {
    await repository.commit()
    await repository.write({ 'a.ts': debuggerCode })
    const { stdout } = await repository.review(['--fail-on', 'minor'])
    expect(stdout).toMatch(/^Passed · 1 minor$/m)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'exit 1: there are findings of severity minor or higher',
    )
    expect((await repository.review()).stdout).not.toContain('exit')
  })

  it('case 38: an unread binary makes the review partial', async () => {
    await repository.commit()
    await repository.write({ 'a.ts': `const a = 1\0\n` })
    const { code, stdout } = await repository.review()
    expect(code).toBe(4)
    expect(stdout).toContain('0 of 1 file reviewed: the review is partial')
  })

  it('succeeds without changes', async () => {
    await repository.commit({ 'a.ts': 'one()\n' })
    for (const args of [['--staged'], ['--uncommitted']]) {
      const nothing = { code: 0, stdout: 'Nothing to review.\n' }
      expect(await repository.review(args)).toMatchObject(nothing)
    }
    const stdout =
      'Nothing to review: there are no commits since main. Change a file, or review earlier ' +
      'commits: umpire review --base HEAD~1.\n'
    for (const args of [[], ['--base', 'main']])
      expect(await repository.review(args)).toMatchObject({ code: 0, stdout })
    expect(await reviewAsJson(repository)).toMatchObject({
      verdict: null,
      findings: [],
      exit_code: 0,
    })
  })

  it('fails outside of a repository and in a bare one', async () => {
    const outside = await repository.review([], { cwd: repository.home })
    expect(outside.code).toBe(2)
    expect(outside.stderr).toContain('not a git repository')
    await repository.git('init', '--quiet', '--bare', join(repository.home, 'bare'))
    const bare = await repository.review([], { cwd: join(repository.home, 'bare/refs') })
    expect(bare.code).toBe(2)
    expect(bare.stderr).toContain('bare repository')
  })

  it('reads the configuration', async () => {
    await repository.commit()
    await repository.write({ 'a.ts': 'one()\n' })
    const unknown = await repository.review([], { env: { MODEL: 'nobody:knows' } })
    expect(unknown).toMatchObject({ code: 3, stdout: '' })
    expect(unknown.stderr).toContain('MODEL must be')
    const none = await repository.review(['--mode', 'agentic'])
    expect(none.code).toBe(3)
    expect(none.stderr).toContain('needs MODEL')
  })

  it('ignores variables meant for other programs', async () => {
    await repository.commit()
    await repository.write({ 'a.ts': 'one()\n' })
    const env = {
      DATABASE_URL: 'mysql://somewhere',
      PORT: 'many',
      LOG_LEVEL: 'verbose',
      SECRET_KEY: 'short',
    }
    expect((await repository.review([], { env })).code).toBe(0)
  })

  it('clears progress on a terminal before the report', async () => {
    await repository.commit()
    await repository.write({ 'a.ts': floatingPromiseCode })
    for (const [format, begin] of Object.entries({
      pretty: 'Needs a person',
      ndjson: '{"type":"start"',
    })) {
      const shown = await repository.reviewOnTerminal(['--format', format])
      expect(shown).toContain('Judging the findings …')
      const line = shown.split('\n').find((text) => text.includes(begin)) ?? ''
      // Output before the last erased line is no longer visible.
      expect(stripVTControlCharacters(line.split('\u001b[2K').at(-1) ?? '')).toMatch(
        new RegExp(`^${begin}`),
      )
      expect(line).toContain('\u001b[2K')
    }
  })

  it('prints no progress with --quiet and only the report to stdout', async () => {
    await repository.commit()
    await repository.write({ 'a.ts': 'one()\n' })
    const loud = await repository.review(['--format', 'json'])
    expect(loud.stderr).toContain('Reviewing uncommitted changes')
    expect(() => JSON.parse(loud.stdout)).not.toThrow()
    expect((await repository.review(['--quiet'])).stderr).toBe('')
  })
})
