// The code graph rules of the static reviewer: what they report and what they ignore.
import { afterAll, describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import type {
  BrokenImport,
  CallSite,
  ChangedSymbol,
  ChangeGraph,
} from '../src/domain/change-graph.ts'
import type { ProposedFinding } from '../src/domain/finding.ts'
import { defaultSettings } from '../src/domain/repository-settings.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { judgeFindings } from '../src/workflows/judge-findings.ts'
import { callerOf, graphOf, symbolOf } from './samples/change-graph.ts'
import { changeOf, emptyContext, snapshotOf } from './samples/change-of-files.ts'
import { createStaticReviewer } from './samples/static-reviewer.ts'

const reviewer = createStaticReviewer()
const syntax = createSyntaxParser()
afterAll(() => Promise.all([reviewer[Symbol.asyncDispose](), syntax[Symbol.asyncDispose]()]))

type Files = Record<string, string>

async function review(
  change: Change,
  graph: Partial<ChangeGraph>,
): Promise<readonly ProposedFinding[]> {
  const report = await reviewer.review(
    { ...change, graph: graphOf(graph) },
    emptyContext,
    AbortSignal.timeout(60_000),
  )
  expect(report).toMatchObject({ complete: true, notes: [], skippedRules: [] })
  for (const { title, body } of report.findings) {
    expect(title).not.toMatch(/[\n.]$|\n/)
    expect(body).toMatch(/^When .*\.$/s)
  }
  return report.findings
}

const rulesOf = (findings: readonly ProposedFinding[]) => findings.map(({ rule }) => rule)

describe('changed-signature', () => {
  /** Builds a function whose first line changed, and one call of it elsewhere. */
  interface Case {
    readonly path?: string
    readonly before?: string
    readonly after?: string
    readonly symbol?: Partial<ChangedSymbol>
    readonly caller?: Partial<CallSite>
  }
  const two = { least: 2, most: 2 }

  function check({ path = 'src/users.ts', before, after, symbol, caller }: Case = {}) {
    const files = {
      [path]:
        after ?? 'export function loadUser(id: string, at: Date) {\n  return find(id, at)\n}\n',
    }
    const old = {
      [path]: before ?? 'export function loadUser(id: string) {\n  return find(id)\n}\n',
    }
    const callers = [callerOf({ path: path.replace('users', 'login'), ...caller })]
    const symbols = [symbolOf({ path, change: 'signature', parameters: two, ...symbol })]
    return review(changeOf(old, files), { symbols, callers })
  }

  it('reports a call that no longer fits, on the changed line, with evidence', async () => {
    const [finding] = await check()
    expect(finding).toMatchObject({
      rule: 'changed-signature',
      path: 'src/users.ts',
      side: 'RIGHT',
      startLine: 1,
      endLine: 1,
      quote: 'export function loadUser(id: string, at: Date) {',
      severity: 'critical',
      title:
        'The parameters of `loadUser` changed, and 1 call outside of the changed lines ' +
        'no longer matches',
      body:
        'When `handleLogin` in `src/login.ts` calls `loadUser`, it passes 1 argument, and ' +
        '2 arguments must be passed now: it does not compile.',
    })
    expect(finding?.evidence[1]).toEqual({
      path: 'src/login.ts',
      line: 4,
      note: 'passes 1 argument',
    })
  })

  it('is critical only for certain calls outside of tests', async () => {
    const cases: Case[] = [
      { caller: { confidence: 0.85 } },
      { caller: { isTest: true } },
      { symbol: { name: 'Users.load' }, caller: { text: 'users.load(id)' } },
    ]
    for (const given of cases) expect(await check(given)).toMatchObject([{ severity: 'moderate' }])
  })

  it.each<[string, Case]>([
    [
      'too many arguments',
      {
        symbol: { parametersBefore: two, parameters: { least: 0, most: 1 } },
        caller: { arguments: 2 },
      },
    ],
    [
      'Python',
      {
        path: 'app/users.py',
        before: 'def load(id):\n',
        after: 'def load(id, at):\n',
        symbol: { name: 'load' },
      },
    ],
    [
      'Python behind a decorator that leaves parameters as they are',
      {
        path: 'app/users.py',
        before: '@functools.lru_cache(maxsize=3)\ndef load(id):\n',
        after: '@functools.lru_cache(maxsize=3)\ndef load(id, at):\n',
        symbol: { name: 'load', startLine: 2 },
      },
    ],
    [
      'Go',
      {
        path: 'users.go',
        before: 'func Load(id int) {\n',
        after: 'func Load(id int, at int) {\n',
        symbol: { name: 'Load' },
        caller: { text: 'Load(id)' },
      },
    ],
    ['a constructor', { caller: { kind: 'new' } }],
    [
      'TypeScript that returns nothing, or takes what does',
      {
        after: [
          'export function loadUser(id: string, then: () => void): void {',
          '  set({ id: void 0 })',
          '}',
          '',
        ].join('\n'),
      },
    ],
    [
      'a method of a class of C#',
      {
        path: 'src/Users.cs',
        before: 'static class Users {\n  static void Load(int id) {}\n}\n',
        after: 'static class Users {\n  static void Load(int id, int at) {}\n}\n',
        symbol: { name: 'Users.Load', startLine: 2, endLine: 2 },
      },
    ],
    [
      'a method of Java beside constructors that are made',
      {
        path: 'src/Users.java',
        before: '@Data\nclass Users {\n  void load(int id) {}\n}\n',
        after: '@Data\nclass Users {\n  void load(int id, int at) {}\n}\n',
        symbol: { name: 'Users.load', startLine: 3, endLine: 3 },
      },
    ],
    [
      'Ruby',
      {
        path: 'lib/users.rb',
        before: 'def load(id)\n',
        after: 'def load(id, at)\n',
        caller: { text: 'load(1)' },
      },
    ],
    [
      'a method of Java',
      {
        path: 'src/Users.java',
        before: 'class Users {\n  void load(int id) {}\n}\n',
        after: 'class Users {\n  void load(int id, int at) {}\n}\n',
        symbol: { name: 'Users.load', startLine: 2, endLine: 2 },
        caller: { path: 'src/Login.java' },
      },
    ],
  ])('reports %s', async (_, given) => {
    expect(rulesOf(await check(given))).toEqual(['changed-signature'])
  })

  it.each<[string, Case]>([
    ['a call that still fits', { symbol: { parameters: { least: 1, most: 2 } } }],
    ['a call that takes any number', { symbol: { parameters: { least: 0, most: null } } }],
    ['a call that did not fit before either', { caller: { arguments: 3 } }],
    ['a call whose arguments are spread', { caller: { arguments: null } }],
    ['an unsure call', { caller: { confidence: 0.7 } }],
    ['a function that is only passed on', { caller: { kind: 'value', arguments: 1 } }],
    [
      'overloads, whose parameters nobody knows',
      { symbol: { parametersBefore: null, parameters: null } },
    ],
    ['a changed body', { symbol: { change: 'body' } }],
    ['JavaScript, where every call is legal', { path: 'src/users.js' }],
    ['a call from JavaScript, which nobody checks', { caller: { path: 'src/login.js' } }],
    [
      'too many arguments in PHP',
      {
        path: 'src/users.php',
        before: 'function load($id, $at) {\n',
        after: 'function load($id) {\n',
        symbol: { parametersBefore: two, parameters: { least: 1, most: 1 } },
        caller: { arguments: 2 },
      },
    ],
    [
      'a decorator of Python that may give callers another function',
      {
        path: 'app/users.py',
        before: '@click.command()\ndef load(id):\n',
        after: '@click.command()\ndef load(id, at):\n',
        symbol: { startLine: 2 },
      },
    ],
    [
      'a decorator over several lines, taken for a part of the definition',
      {
        path: 'app/users.py',
        before: '@app.get(\n    "/users",\n)\nasync def load(id):\n',
        after: '@app.get(\n    "/users",\n)\nasync def load(id, at):\n',
        symbol: { startLine: 1, endLine: 4 },
      },
    ],
    [
      'a call of Python on the class',
      {
        path: 'app/users.py',
        before: 'def load(self, id):\n',
        after: 'def load(self):\n',
        symbol: {
          name: 'Base.load',
          parametersBefore: { least: 1, most: 2 },
          parameters: { least: 1, most: 1 },
        },
        caller: { text: 'Base.load(self, id)', arguments: 2 },
      },
    ],
    [
      'a call of Go that passes all results of another',
      {
        path: 'users.go',
        before: 'func Load(id int) {\n',
        after: 'func Load(id int, at int) {\n',
        symbol: { name: 'Load' },
        caller: { text: 'x := Load(current())' },
      },
    ],
    [
      'a parameter of TypeScript called this',
      { after: 'export function loadUser(this: Shop, id: string) {\n}\n' },
    ],
    [
      'a last parameter of TypeScript that may be void',
      { after: 'export function loadUser(id: string, at: void) {\n}\n' },
    ],
    [
      'a parameter of TypeScript that is void or something else',
      { after: 'export function loadUser(\n  id: string,\n  at: Date | void,\n): User {\n}\n' },
    ],
    [
      'a method of a partial class of C#, of which there may be more',
      {
        path: 'src/Users.cs',
        before: 'static partial class Users {\n  static void Load(int id) {}\n}\n',
        after: 'static partial class Users {\n  static void Load(int id, int at) {}\n}\n',
        symbol: { name: 'Users.Load', startLine: 2, endLine: 2 },
      },
    ],
    ...[
      '@lombok.AllArgsConstructor',
      '@RequiredArgsConstructor(staticName = "of")',
      '@NoArgsConstructor',
      '@Data',
      '@Value',
      '@Builder',
    ].map((annotation): [string, Case] => [
      `a constructor of Java beside ${annotation}`,
      {
        path: 'src/Users.java',
        before: 'class Users {\n  int id;\n  Users(int id) {}\n}\n',
        after: `${annotation}\npublic class Users {\n  int id;\n  Users() {}\n}\n`,
        symbol: {
          name: 'Users.Users',
          startLine: 4,
          endLine: 4,
          parameters: { least: 0, most: 0 },
        },
        caller: { kind: 'new' },
      },
    ]),
    [
      'a method of Java whose class inherits',
      {
        path: 'src/Users.java',
        before: 'class Users extends Store {\n  void load(int id) {}\n}\n',
        after: 'class Users extends Store {\n  void load(int id, int at) {}\n}\n',
        symbol: { name: 'Users.load', startLine: 2, endLine: 2 },
        caller: { path: 'src/Login.java' },
      },
    ],
    [
      'keywords of Ruby',
      {
        path: 'lib/users.rb',
        before: 'def load(id)\n',
        after: 'def load(id, at)\n',
        caller: { text: 'load(id: 1)' },
      },
    ],
    ['calls in fixtures', { caller: { path: 'test/fixtures/login.ts' } }],
  ])('is silent about %s', async (_, given) => {
    expect(await check(given)).toEqual([])
  })

  it('is on the first changed line when the diff lacks the start of the definition', async () => {
    const change = changeOf({ 'src/users.ts': 'a\n' }, { 'src/users.ts': 'a\nb\n' })
    const symbols = [symbolOf({ change: 'signature', parameters: two, startLine: 0, endLine: 9 })]
    expect(await review(change, { symbols, callers: [callerOf()] })).toMatchObject([
      { startLine: 2, quote: 'b' },
    ])
    const hidden = [symbolOf({ change: 'signature', parameters: two, startLine: 50, endLine: 60 })]
    expect(await review(change, { symbols: hidden, callers: [callerOf()] })).toEqual([])
  })

  it('is limited and can be switched off', async () => {
    const change = changeOf({ 'src/users.ts': 'a\n' }, { 'src/users.ts': 'b\n' })
    const symbols = Array.from({ length: 50 }, () =>
      symbolOf({ change: 'signature', parameters: two }),
    )
    const callers = symbols.flatMap((_, symbol) =>
      Array.from({ length: 9 }, (_, line) => callerOf({ symbol, line })),
    )
    const findings = await review(change, { symbols, callers })
    expect(findings).toHaveLength(10)
    expect(findings[0]?.title).toContain('9 calls outside of the changed lines no longer match')
    expect(findings[0]?.evidence).toHaveLength(6)
    const settings = { ...defaultSettings, disabledRules: ['changed-signature'] }
    expect(await review({ ...change, settings }, { symbols, callers })).toEqual([])
  })
})

describe('removed-export', () => {
  const others: Files = {
    'src/login.ts': "import { loadUser } from './users.ts'\n\nexport const user = loadUser(1)\n",
    'src/safe.py':
      'try:\n    from users import load_user\nexcept ImportError:\n    load_user = None\n',
    'src/types.py': 'if TYPE_CHECKING:\n    from users import load_user\n',
    'src/meant.ts': "// @ts-expect-error: gone\nimport { loadUser } from './users.ts'\n",
  }
  const before = {
    ...others,
    'src/users.ts': 'export function loadUser() {}\nexport function saveUser() {}\n',
  }
  const after = { ...others, 'src/users.ts': 'export function saveUser() {}\n' }
  const change = changeOf(before, after)
  const gone = symbolOf({ change: 'removed', startLine: 1, endLine: 1, parameters: null })
  const broken: BrokenImport = {
    path: 'src/login.ts',
    line: 1,
    from: './users.ts',
    name: 'loadUser',
    target: 'src/users.ts',
    inChange: false,
  }

  it('reports a name that others still import, on the removed line', async () => {
    expect(await review(change, { symbols: [gone], brokenImports: [broken] })).toMatchObject([
      {
        rule: 'removed-export',
        path: 'src/users.ts',
        side: 'LEFT',
        startLine: 1,
        quote: 'export function loadUser() {}',
        severity: 'critical',
        title: '`loadUser` is removed or renamed, but 1 other file still uses it',
        evidence: [{}, { path: 'src/login.ts', line: 1, note: 'imports it' }],
      },
    ])
  })

  it('reports a name that is no longer exported', async () => {
    const changed = changeOf(before, {
      ...after,
      'src/users.ts': 'function loadUser() {}\nexport function saveUser() {}\n',
    })
    const hidden = symbolOf({ change: 'signature', endLine: 1 })
    const findings = await review(changed, { symbols: [hidden], brokenImports: [broken] })
    expect(findings).toMatchObject([{ rule: 'removed-export', side: 'RIGHT', startLine: 1 }])
  })

  it('reports calls without an import with lower severity, and tests last', async () => {
    const go = {
      'users.go': 'func LoadUser() {}\nfunc SaveUser() {}\n',
      'login.go': 'package a\nvar u = LoadUser()\n',
    }
    const files = { ...go, 'users_test.go': 'LoadUser()\n' }
    const changed = changeOf(files, { ...files, 'users.go': 'func SaveUser() {}\n' })
    const symbols = [{ ...gone, path: 'users.go', name: 'LoadUser' }]
    const callers = [
      callerOf({ path: 'users_test.go', line: 1, isTest: true }),
      callerOf({ path: 'login.go', line: 2, confidence: 0.92 }),
    ]
    expect(await review(changed, { symbols, callers })).toMatchObject([
      {
        severity: 'moderate',
        title: '`LoadUser` is removed or renamed, but 2 other files still use it',
        evidence: [
          {},
          { path: 'login.go', line: 2, note: 'uses it' },
          { path: 'users_test.go', line: 1 },
        ],
      },
    ])
  })

  it.each<[string, Partial<ChangeGraph>]>([
    ['nobody uses', {}],
    ['an unsure call uses', { callers: [callerOf({ line: 3, confidence: 0.85 })] }],
    ['is no export', { symbols: [{ ...gone, exported: false }], brokenImports: [broken] }],
    [
      'is a member, which may be inherited',
      { symbols: [{ ...gone, name: 'Users.load' }], callers: [callerOf({ line: 3 })] },
    ],
    [
      'the change defines elsewhere',
      {
        symbols: [gone, symbolOf({ change: 'added', path: 'src/other.ts' })],
        callers: [callerOf({ line: 3 })],
      },
    ],
    ['JavaScript may get from elsewhere', { callers: [callerOf({ path: 'src/login.js' })] }],
    [
      'an import expects to be gone',
      { brokenImports: [{ ...broken, path: 'src/meant.ts', line: 2 }] },
    ],
    [
      'a file that can not be read imports',
      { brokenImports: [{ ...broken, path: 'src/unknown.ts' }] },
    ],
    [
      'another file of that name exports',
      { brokenImports: [{ ...broken, target: 'lib/users.ts' }] },
    ],
    ['fixtures use', { brokenImports: [{ ...broken, path: 'test/fixtures/login.ts' }] }],
  ])('is silent about a name that %s', async (_, graph) => {
    expect(await review(change, { symbols: [gone], ...graph })).toEqual([])
  })

  describe.each<[string, Pick<Partial<ChangeGraph>, 'brokenImports' | 'callers'>]>([
    ['an import', { brokenImports: [broken] }],
    ['a call', { callers: [callerOf({ line: 3 })] }],
  ])('where %s uses it', (_, uses) => {
    const check = (path: string, text: string) => {
      const texts = { ...others, [path]: `${text}\n` }
      const changed = changeOf({ ...others, [path]: before['src/users.ts'] }, texts)
      const brokenImports = (uses.brokenImports ?? []).map((item) => ({ ...item, target: path }))
      return review(changed, { ...uses, symbols: [{ ...gone, path }], brokenImports })
    }

    it.each([
      ['src/users.ts', 'function load() {}\nexport { load as loadUser }'],
      ['src/users.ts', 'export {\n  save,\n  loadUser,\n}'],
      ['src/users.ts', "export type { loadUser } from './others.ts'"],
      ['src/users.ts', 'export import loadUser = users.loadUser'],
      ['users.py', 'type loadUser = int'],
      ['users.py', 'for at, loadUser in enumerate(users):\n    pass'],
      ['users.py', 'with users() as (saveUser, loadUser):\n    pass'],
      ['users.py', 'with open(path) as file, users() as loadUser:\n    pass'],
      ['users.py', 'if (loadUser := find()) is None:\n    pass'],
      ['users.py', 'def setup():\n    global saveUser, loadUser\n    loadUser = 1'],
    ])('is silent about a name that %s still binds: %s', async (path, text) => {
      expect(await check(path, text)).toEqual([])
    })

    it.each([
      ['src/users.ts', 'function loadUser() {}\nexport { loadUser as load }'],
      ['src/users.ts', 'export { load }\nconst users = { loadUser }'],
      ['users.py', 'for user in loadUser():\n    print(user)'],
      ['users.py', 'with loadUser() as user:\n    pass'],
    ])('reports a name that %s does not: %s', async (path, text) => {
      expect(rulesOf(await check(path, text))).toEqual(['removed-export'])
    })
  })

  it('is silent about optional and type-only imports', async () => {
    const brokenImports = ['src/safe.py', 'src/types.py'].map((path) => ({
      ...broken,
      path,
      line: 2,
    }))
    expect(await review(change, { symbols: [gone], brokenImports })).toEqual([])
  })

  describe('of a file', () => {
    const lost = { ...broken, name: null, target: null }
    const deleted = changeOf(before, others)
    const calls = { symbols: [gone], callers: [callerOf({ line: 3 })] }

    it('that was deleted is reported once, however many of its names are used', async () => {
      const findings = await review(deleted, { ...calls, brokenImports: [lost] })
      expect(findings).toMatchObject([
        { path: 'src/users.ts', side: 'LEFT', startLine: 1, severity: 'critical' },
      ])
      expect(findings[0]?.title).toBe(
        '`src/users.ts` is removed or renamed, but 1 other file still uses it',
      )
    })

    it('that was only renamed goes to the summary, as it has no line in the diff', async () => {
      const text = before['src/users.ts']
      const head = { ...others, 'src/people.ts': text }
      const diff = parseDiff(
        [
          'diff --git a/src/users.ts b/src/people.ts',
          'similarity index 100%',
          'rename from src/users.ts',
          'rename to src/people.ts',
          '',
        ].join('\n'),
      )
      const renamed = {
        ...deleted,
        diff,
        files: diff.files,
        head: snapshotOf('b'.repeat(40), head),
      }
      const findings = await review(renamed, { brokenImports: [lost] })
      expect(findings).toMatchObject([{ path: 'src/people.ts', side: 'RIGHT', startLine: 1 }])
      const judged = await judgeFindings(
        { syntax },
        {
          change: renamed,
          reports: [{ reviewer: 'static', findings, unread: [] }],
          verifier: null,
          maxInline: 8,
        },
        AbortSignal.timeout(60_000),
      )
      expect(judged.findings).toMatchObject([
        { rule: 'removed-export', placement: 'summary', verified: true },
      ])
    })

    it.each([
      ['./users.ts', true],
      ['./users.js', true],
      ['./users', true],
      ['../src/users', true],
      ['src/users', true],
      ['@/src/users', true],
      ['~/users', true],
      ['github.com/acme/shop/src/users', true],
      ['src.users', true],
      ['other/users', false],
      ['./people', false],
      ['../users', false],
      ['users', true],
    ])('decides whether an import of %s means the file: %s', async (from, isMeant) => {
      expect(await review(deleted, { brokenImports: [{ ...lost, from }] })).toHaveLength(
        isMeant ? 1 : 0,
      )
    })
  })
})

describe('broken-import', () => {
  const added = (path: string, line: string) => changeOf({}, { [path]: `${line}\n` })
  const broken: BrokenImport = {
    path: 'src/a.ts',
    line: 1,
    from: './b.ts',
    name: null,
    target: null,
    inChange: true,
  }
  const change = added('src/a.ts', "import { b } from './b.ts'; b()")

  it('reports an added import of a missing file or a missing name', async () => {
    expect(await review(change, { brokenImports: [broken] })).toMatchObject([
      {
        rule: 'broken-import',
        startLine: 1,
        severity: 'critical',
        title: "The import of `./b.ts` doesn't resolve to a file",
      },
    ])
    const named = { ...broken, name: 'b', target: 'src/b.ts' }
    expect(await review(change, { brokenImports: [named] })).toMatchObject([
      {
        severity: 'moderate',
        title: '`b` is not exported by `src/b.ts`',
        evidence: [{}, { path: 'src/b.ts' }],
      },
    ])
  })

  it.each<[string, Partial<BrokenImport>]>([
    ['that stood there before', { inChange: false }],
    ['of what a program writes', { from: './__generated__/schema' }],
    ['of what a build writes', { from: '../dist/index.js' }],
    ['of what a loader makes', { from: './page.svg?raw' }],
    ['of an asset', { from: './page.css' }],
    ['in a file that is not reviewed', { path: 'src/other.ts' }],
  ])('is silent about an import %s', async (_, item) => {
    expect(await review(change, { brokenImports: [{ ...broken, ...item }] })).toEqual([])
  })

  it('is silent about a name that its file binds in an unusual way', async () => {
    const files = { 'a.py': 'from b import T\n', 'b.py': 'type T = int\n' }
    const item = { ...broken, path: 'a.py', from: 'b', name: 'T', target: 'b.py' }
    expect(await review(changeOf({}, files), { brokenImports: [item] })).toEqual([])
    const without = changeOf({}, { ...files, 'b.py': 'U = 1\n' })
    expect(rulesOf(await review(without, { brokenImports: [item] }))).toEqual(['broken-import'])
  })

  it('is silent where code expects a failure or imports are generated', async () => {
    const tried = added(
      'app/a.py',
      'try:\n    from .fast import run\nexcept ImportError:\n    run = slow',
    )
    expect(
      await review(tried, {
        brokenImports: [{ ...broken, path: 'app/a.py', line: 2, from: '.fast' }],
      }),
    ).toEqual([])
    const java = added('src/A.java', 'import com.acme.Orders; class A extends Orders {}')
    expect(
      await review(java, {
        brokenImports: [{ ...broken, path: 'src/A.java', from: 'com.acme.Orders' }],
      }),
    ).toEqual([])
    const dotted = added('app/b.py', 'from app.users import load')
    const found = await review(dotted, {
      brokenImports: [{ ...broken, path: 'app/b.py', from: 'app.users' }],
    })
    expect(rulesOf(found)).toEqual(['broken-import'])
  })
})

describe('untested-change', () => {
  const body = `${'  if (a) step()\n'.repeat(3)}${'  step(1)\n'.repeat(15)}`
  const code = `export function parseRange(a) {\n${body}}\n`
  const files = { 'src/range.js': code, 'src/date.js': 'export const date = 1\n' }
  const change = changeOf({}, files)
  const symbol = symbolOf({
    path: 'src/range.js',
    name: 'parseRange',
    change: 'added',
    endLine: 20,
  })
  const graph: Partial<ChangeGraph> = {
    symbols: [symbol],
    untested: ['src/range.js'],
    tests: [{ path: 'test/date.test.js', distance: 1, reaches: ['src/date.js'] }],
  }

  it('reports the largest new untested function when code next to it has tests', async () => {
    const findings = await review(change, {
      ...graph,
      symbols: [{ ...symbol, name: 'small', endLine: 17 }, symbol],
    })
    expect(findings).toMatchObject([
      {
        rule: 'untested-change',
        severity: 'minor',
        category: 'tests',
        path: 'src/range.js',
        startLine: 1,
      },
    ])
    expect(findings[0]?.title).toBe(
      'No test reaches the new `parseRange`, although other code in its folder is tested',
    )
  })

  it.each<[string, Partial<ChangeGraph>, Change?]>([
    ['a function that a test reaches', { untested: [] }],
    ['a function that was there before', { symbols: [{ ...symbol, change: 'body' }] }],
    ['a trivial function', { symbols: [{ ...symbol, endLine: 10 }] }],
    ['a class or a value', { symbols: [{ ...symbol, kind: 'value' }] }],
    [
      'a folder without tests',
      { tests: [{ path: 'test/x.test.js', distance: 1, reaches: ['lib/x.js'] }] },
    ],
    [
      'a folder that tests reach from afar only',
      { tests: [{ path: 'test/x.test.js', distance: 3, reaches: ['src/date.js'] }] },
    ],
    [
      'what stands in for other code',
      { symbols: [{ ...symbol, path: 'src/mock-range.js' }], untested: ['src/mock-range.js'] },
      changeOf({}, { 'src/mock-range.js': code, 'src/date.js': 'export const date = 1\n' }),
    ],
    ['a change with a test', {}, changeOf({}, { ...files, 'test/cli.test.js': 'run()\n' })],
  ])('is silent about %s', async (_, more, other = change) => {
    expect(await review(other, { ...graph, ...more })).toEqual([])
  })
})

it('keeps findings without a graph and resolves them once a graph shows a fix', async () => {
  const before = { 'src/users.ts': 'export function loadUser(id: string) {\n}\n' }
  const change = changeOf(before, {
    'src/users.ts': 'export function loadUser(id: string, at: Date) {\n}\n',
  })
  const symbols = [symbolOf({ change: 'signature', parameters: { least: 2, most: 2 } })]
  const judge = async (next: Change) => {
    const report = await reviewer.review(next, emptyContext, AbortSignal.timeout(60_000))
    const reports = [{ ...report, reviewer: 'static' }]
    return judgeFindings(
      { syntax },
      { change: next, reports, verifier: null, maxInline: 8 },
      AbortSignal.timeout(60_000),
    )
  }
  const first = await judge({ ...change, graph: graphOf({ symbols, callers: [callerOf()] }) })
  expect(first.findings).toMatchObject([{ rule: 'changed-signature', placement: 'inline' }])
  const earlier = { ...change.earlier, findings: first.findings }
  const searched = graphOf({ commit: null, isSearched: true })
  for (const graph of [null, graphOf({ commit: null }), searched]) {
    expect(await judge({ ...change, earlier, graph })).toMatchObject({
      findings: [{ state: 'open' }],
      resolved: [],
    })
  }
  const mended = graphOf({ symbols, callers: [callerOf({ arguments: 2 })] })
  expect(await judge({ ...change, earlier, graph: mended })).toMatchObject({
    findings: [],
    resolved: [{}],
  })
})
