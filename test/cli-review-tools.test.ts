// `umpire review --sarif`: what other tools found, from logs of real tools and written ones.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startModelServer } from './fakes/models/model-server.ts'
import { claimsOf, makeCheck } from './fakes/models/verification.ts'
import {
  findingLocations,
  type LocalTestRepository,
  makeLocalRepository,
  reviewAsJson,
} from './local-test-repository.ts'
import { logOf, result } from './samples/sarif.ts'

let repository: LocalTestRepository
beforeEach(async () => {
  repository = await makeLocalRepository()
})
afterEach(() => repository[Symbol.asyncDispose]())

const binaries = fileURLToPath(new URL('../node_modules/.bin', import.meta.url))

/** Runs a linter in the work tree and saves its SARIF log. Linters fail if they find something. */
async function lint(tool: string, args: readonly string[], log = `${tool}.sarif`) {
  const folder = repository.folder
  const stdout = await new Promise<string>((resolve) => {
    execFile(join(binaries, tool), args, { cwd: folder }, (_error, text) => resolve(text))
  })
  return save(log, stdout)
}

/** Saves a log beside the work tree. */
async function save(log: string, content: unknown): Promise<string> {
  const file = join(repository.home, log)
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

/** Reviews a change of line 2 of `a.js`, with these results. */
async function reviewWith(...logs: readonly object[]) {
  const files = await Promise.all(logs.map((log, index) => save(`${index}.sarif`, log)))
  return reviewAsJson(
    repository,
    files.flatMap((file) => ['--sarif', file]),
  )
}

describe('logs of real linters', () => {
  const before = 'export function run(text) {\n  const unused = text\n}\n'
  const after = `${before}\nexport const parse = (text) => {\n  const unusedValue = text\n  debugger\n}\n`

  it.each([
    ['oxlint', ['--format=sarif'], 'eslint(no-unused-vars)', 6],
    ['biome', ['lint', '--reporter=sarif'], 'lint/correctness/noUnusedVariables', 6],
  ])('%s: reports what it found on added lines', async (tool, args, rule, line) => {
    await repository.commit({ 'src/a.js': before })
    await repository.write({ 'src/a.js': after })
    const report = await reviewAsJson(repository, ['--sarif', await lint(tool, args)])
    expect(findingLocations(report)).toContain(`src/a.js:${line} ${tool}/${rule}`)
    expect(findingLocations(report)).not.toContain(`src/a.js:2 ${tool}/${rule}`)
  })

  it('reports once what a rule of Umpire finds too', async () => {
    await repository.commit({ 'src/a.js': before })
    await repository.write({ 'src/a.js': after })
    const log = await lint('oxlint', ['--format=sarif'])
    const { findings } = await reviewAsJson(repository, ['--sarif', log])
    expect(findings.filter(({ start_line }) => start_line === 7)).toMatchObject([
      { rule: 'breakpoint' },
    ])
  })

  it('does not count the lines as read', async () => {
    await repository.commit({ 'a.zig': 'const x = 1;\n' })
    await repository.write({ 'a.zig': 'const x = 2;\n' })
    const log = await save('a.sarif', logOf([result({ uri: 'a.zig', line: 1 })]))
    const report = await reviewAsJson(repository, ['--sarif', log])
    expect(report.coverage).toMatchObject({ complete: false, files_reviewed: 0 })
  })
})

describe('results', () => {
  beforeEach(async () => {
    await repository.commit({ 'a.js': 'one()\ntwo()\nthree()\n' })
    await repository.write({ 'a.js': 'one()\nTWO()\nthree()\n' })
  })

  it('says which tool reported them, and links the rule', async () => {
    const rules = [{ id: 'R1', helpUri: 'https://lint.example/R1' }]
    const { findings } = await reviewWith(logOf([result()], { rules }))
    expect(findings).toMatchObject([
      {
        reviewer: 'Lint Pro',
        rule: 'lint-pro/R1',
        severity: 'moderate',
        title: 'R1 says no',
        body: 'Read the rule.\n\nReported by Lint Pro: [R1](https://lint.example/R1).',
        verified: true,
      },
    ])
  })

  it('counts only what the change brings in', async () => {
    const { findings } = await reviewWith(
      logOf([result({ line: 1 }), result({ line: 3 }), result({ uri: 'other.js' })]),
    )
    expect(findings).toEqual([])
  })

  it('finds results of a range that starts before the added line', async () => {
    const report = await reviewWith(logOf([result({ line: 1, endLine: 3 })]))
    expect(findingLocations(report)).toEqual(['a.js:2 lint-pro/R1'])
  })

  it.each([
    ['a path of another machine', { uri: 'file:///home/runner/work/shop/shop/a.js' }],
    ['a path with a dot', { uri: './b/../a.js' }],
    ['an address that is listed elsewhere', { more: listed() }],
    ['a rule that is named by its position', { more: { ruleId: undefined, ruleIndex: 0 } }],
    ['a message that is listed elsewhere', { more: { message: { id: 'no', arguments: ['R1'] } } }],
  ])('reads %s', async (_, written) => {
    const rules = [{ id: 'R1', messageStrings: { no: { text: '{0} says no.' } } }]
    const run = {
      artifacts: [{ location: { uri: 'a.js', uriBaseId: 'ROOT' } }],
      originalUriBaseIds: { ROOT: { uri: 'file:///build/' } },
    }
    const { findings } = await reviewWith(logOf([result(written)], { rules, run }))
    expect(findings).toMatchObject([{ rule: 'lint-pro/R1', title: 'R1 says no', start_line: 2 }])
  })

  it.each([
    ['passed', { kind: 'pass' }],
    ['is off', { level: 'none' }],
    ['was suppressed in the tool', { suppressions: [{ kind: 'inSource' }] }],
    ["is in the tool's own baseline", { baselineState: 'unchanged' }],
    ['leads out of the repository', { locations: result({ uri: '../a.js' }).locations }],
  ])('leaves out what %s', async (_, more) => {
    expect((await reviewWith(logOf([result({ more })]))).findings).toEqual([])
  })

  it.each([
    ['9.8', undefined, 'critical'],
    ['7.5', undefined, 'moderate'],
    ['2.0', 'error', 'minor'],
    [undefined, 'error', 'moderate'],
    [undefined, undefined, 'minor'],
  ])('security severity %s and level %s are %s', async (score, level, severity) => {
    const properties = score === undefined ? {} : { 'security-severity': score }
    const log = logOf([result({ more: { level } })], { rules: [{ id: 'R1', properties }] })
    expect((await reviewWith(log)).findings).toMatchObject([{ severity }])
  })

  it('leaves out rules that the settings of the repository disable', async () => {
    await repository.commit({ '.umpire.yml': 'rules:\n  disable: [lint-pro/R1]\n' })
    await repository.write({ 'a.js': 'one()\n2()\nthree()\n' })
    const report = await reviewWith(logOf([result(), result({ ruleId: 'R2' })]))
    expect(findingLocations(report)).toEqual(['a.js:2 lint-pro/R2'])
  })

  it('redacts secrets that a tool repeats', async () => {
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
    await repository.write({ 'a.js': `one()\nconst token = '${secret}'\nthree()\n` })
    const { stdout } = await repository.review([
      '--format=json',
      '--sarif',
      await save('a.sarif', logOf([result({ text: `Found ${secret}. Remove ${secret}.` })])),
    ])
    expect(stdout).toContain('lint-pro/R1')
    expect(stdout).not.toContain(secret)
  })

  it('names what can not be read, and reports the rest', async () => {
    const files = [await save('a.sarif', logOf([{ message: {} }, result()]))]
    const { stdout, stderr } = await repository.review(['--sarif', files[0]!, '--format=json'])
    expect(JSON.parse(stdout).findings).toHaveLength(1)
    expect(stderr).toContain('a.sarif: left out 1 result without line or message')
  })

  it('shows the most severe 100 of a tool', async () => {
    const many = Array.from({ length: 130 }, (_, number) => result({ ruleId: `R${number}` }))
    const { findings, coverage } = await reviewWith(logOf(many))
    expect(findings).toHaveLength(100)
    expect(coverage?.notes.join()).toContain('Not shown: 30 findings of Lint Pro')
  })
})

describe('--sarif-base', () => {
  it('reports only what the base does not have', async () => {
    await repository.commit({ 'a.js': 'one()\ntwo()\nthree()\n' })
    await repository.write({ 'a.js': 'one()\nTWO()\nthree()\n' })
    const head = [result({ line: 1 }), result({ line: 2 }), result({ line: 3, ruleId: 'R2' })]
    const base = [result({ line: 1 }), result({ line: 2, uri: 'b.js' })]
    const args = [
      ['--sarif', await save('head.sarif', logOf(head))],
      ['--sarif-base', await save('base.sarif', logOf(base))],
    ]
    const report = await reviewAsJson(repository, args.flat())
    expect(findingLocations(report)).toEqual(['a.js:2 lint-pro/R1', 'a.js:3 lint-pro/R2'])
  })
})

describe('usage errors', () => {
  beforeEach(() => repository.commit())

  it.each([
    ['a missing file', undefined, /missing\.sarif can't be read: ENOENT/],
    ['text', 'no log', /missing\.sarif can't be used: it is not a SARIF 2\.1\.0 log/],
    ['another version', '{"version":"2.0.0","runs":[]}', /it is not a SARIF 2\.1\.0 log/],
    ['a tool without a name', '{"version":"2.1.0","runs":[{}]}', /it is not a SARIF 2\.1\.0 log/],
    [
      'too many results',
      JSON.stringify(logOf(Array.from({ length: 25_001 }, () => ({})))),
      /it has more than 25000 results/,
    ],
  ])('%s', async (_, content, message) => {
    const file = join(repository.home, 'missing.sarif')
    if (content !== undefined) await save('missing.sarif', content)
    await repository.write({ 'a.js': 'one()\n' })
    const { code, stderr } = await repository.review(['--sarif', file])
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })

  it('--sarif-base without --sarif', async () => {
    const { code, stderr } = await repository.review(['--sarif-base', 'a.sarif'])
    expect(stderr).toContain('--sarif-base needs --sarif')
    expect(code).toBe(2)
  })
})

describe('with a model', () => {
  it('verifies results like the claims of a model', async () => {
    await repository.commit({ 'a.js': 'one()\ntwo()\nthree()\n' })
    await repository.write({ 'a.js': 'one()\nTWO()\nthree()\n' })
    const log = await save(
      'a.sarif',
      logOf([result({ text: 'This is right.' }), result({ ruleId: 'R2', text: 'This is wrong.' })]),
    )
    const refuted = {
      outcome: 'refuted',
      evidence: [{ path: 'a.js', line: 2, note: 'the call' }],
    }
    const server = await startModelServer({
      protocol: 'openai-chat',
      script: () => ({ json: { summary: '', findings: [] } }),
    })
    server.verifyWith((request) => {
      const checks = claimsOf(request).map((claim) =>
        makeCheck(claim, claim.text.includes('wrong') ? refuted : {}),
      )
      return { json: { checks } }
    })
    const env = { MODEL: 'compatible:local', MODEL_BASE_URL: server.url, MODEL_API_KEY: 'key' }
    const report = await reviewAsJson(repository, ['--sarif', log], { env })
    await server.close()
    expect(report.findings).toMatchObject([{ title: 'This is right', verified: true }])
  })
})

function listed() {
  const artifactLocation = { index: 0 }
  return { locations: [{ physicalLocation: { artifactLocation, region: { startLine: 2 } } }] }
}
