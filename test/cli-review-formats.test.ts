// The formats of `umpire review` for programs and for people.
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  floatingPromiseCode,
  type JsonReport,
  type LocalTestRepository,
  makeLocalRepository,
} from './local-test-repository.ts'

const oddName = 'src/50% off, a:b é.ts'

let repository: LocalTestRepository
beforeAll(async () => {
  repository = await makeLocalRepository()
  await repository.commit({ 'a.ts': 'export {}\n' })
  await repository.write({
    'src/close.ts': floatingPromiseCode,
    [oddName]: floatingPromiseCode,
    'c.js': 'debugger\n',
  })
})
afterAll(() => repository[Symbol.asyncDispose]())

async function render(format: string): Promise<string> {
  return (await repository.review(['--format', format, '--quiet'])).stdout
}

it('json: prints one document with version, findings, coverage and end', async () => {
  const report = JSON.parse(await render('json')) as JsonReport & Record<string, unknown>
  expect(report).toMatchObject({
    schema_version: 1,
    compared: { kind: 'uncommitted', head: null, url: null },
    verdict: 'NEEDS_DISCUSSION',
    confidence: 3,
    reviewers: ['static'],
    coverage: { complete: true, files_total: 3, files_reviewed: 3, skipped: [], notes: [] },
    usage: { calls: 0, input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    fail_on: 'moderate',
    exit_code: 1,
  })
  expect(report.findings.find(({ path }) => path === 'src/close.ts')).toMatchObject({
    rule: 'unawaited-promise',
    reviewer: 'static',
    severity: 'moderate',
    category: 'correctness',
    side: 'new',
    start_line: 4,
    end_line: 4,
    suggestion: '  await save()',
    verified: true,
    held_back: false,
    fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
})

it('ndjson: streams one event a line and ends with the result', async () => {
  const lines = (await render('ndjson'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines[0]).toMatchObject({
    type: 'start',
    schema_version: 1,
    compared: { kind: 'uncommitted' },
  })
  expect(lines.filter(({ type }) => type === 'progress').map(({ step }) => step)).toEqual([
    'gather',
    'pack',
    'review',
    'judge',
  ])
  expect(lines.filter(({ type }) => type === 'finding')).toHaveLength(3)
  expect(lines.at(-1)).toMatchObject({ type: 'review', verdict: 'NEEDS_DISCUSSION', exit_code: 1 })
})

describe('sarif', () => {
  interface Result {
    ruleId: string
    ruleIndex: number
    level: string
    partialFingerprints: Record<string, string>
    relatedLocations?: { physicalLocation: { region: { startLine: number } } }[]
    locations: {
      physicalLocation: { artifactLocation: { uri: string; uriBaseId: string }; region: unknown }
    }[]
    fixes?: { artifactChanges: unknown[] }[]
  }
  interface Run {
    tool: {
      driver: {
        name: string
        informationUri?: string
        rules: { id: string; shortDescription: { text: string }; helpUri?: string }[]
      }
    }
    invocations: { executionSuccessful: boolean; exitCode: number }[]
    results: Result[]
  }
  const read = async () =>
    JSON.parse(await render('sarif')) as { version: string; $schema: string; runs: [Run] }

  it('has all fields that the format requires and stable rule ids', async () => {
    const { version, $schema, runs } = await read()
    expect({ version, $schema }).toEqual({
      version: '2.1.0',
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    })
    const [{ tool, results, invocations }] = runs
    expect(tool.driver).toMatchObject({
      name: 'Umpire',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    const program = await readFile(new URL('../package.json', import.meta.url), 'utf8')
    expect(tool.driver.informationUri).toBe(JSON.parse(program).homepage)
    expect(tool.driver.rules.every((rule) => rule.shortDescription.text !== '')).toBe(true)
    expect(results).toHaveLength(3)
    for (const result of results)
      expect(tool.driver.rules[result.ruleIndex]?.id).toBe(result.ruleId)
    expect(invocations).toMatchObject([{ executionSuccessful: true, exitCode: 1 }])
  })

  it('describes rules, and links the pages about them', async () => {
    const [{ tool }] = (await read()).runs
    const text =
      'Floating promise: a promise or coroutine is created and never awaited. ' +
      'See also: typescript-eslint no-floating-promises.'
    expect(tool.driver.rules.find(({ id }) => id === 'unawaited-promise')).toMatchObject({
      fullDescription: { text },
      help: { text, markdown: expect.stringContaining('`no-floating-promises`') },
      helpUri: 'https://typescript-eslint.io/rules/no-floating-promises',
    })
    expect(tool.driver.rules.find(({ id }) => id === 'breakpoint')).toMatchObject({
      helpUri: 'https://cwe.mitre.org/data/definitions/489.html',
    })
  })

  it('locates results by relative, percent-encoded URIs', async () => {
    const [{ results }] = (await read()).runs
    const uris = results
      .map(({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri)
      .sort()
    expect(uris).toEqual(['c.js', 'src/50%25%20off%2C%20a%3Ab%20%C3%A9.ts', 'src/close.ts'])
    const result = results.find(
      ({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri === 'src/close.ts',
    )
    const related = result?.relatedLocations?.map(
      ({ physicalLocation }) => physicalLocation.region.startLine,
    )
    expect(related).toEqual([1])
    expect(result).toMatchObject({
      ruleId: 'unawaited-promise',
      level: 'warning',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uriBaseId: '%SRCROOT%' },
            region: { startLine: 4, endLine: 4 },
          },
        },
      ],
      fixes: [
        {
          artifactChanges: [
            {
              artifactLocation: { uri: 'src/close.ts' },
              replacements: [
                {
                  deletedRegion: { startLine: 4, endLine: 4 },
                  insertedContent: { text: '  await save()' },
                },
              ],
            },
          ],
        },
      ],
    })
  })

  it('keeps fingerprints when lines move', async () => {
    const fingerprints = async () => {
      const [{ results }] = (await read()).runs
      return results.map(({ partialFingerprints }) => partialFingerprints['umpire/v1']).sort()
    }
    const before = await fingerprints()
    await repository.write({ 'src/close.ts': `// One more line.\n${floatingPromiseCode}` })
    expect(await fingerprints()).toEqual(before)
    await repository.write({ 'src/close.ts': floatingPromiseCode })
  })
})

it('github: prints one escaped workflow command per finding', async () => {
  const lines = (await render('github')).trimEnd().split('\n')
  const levels = lines.map((line) => /^::(\w+)/.exec(line)?.[1])
  expect(levels).toEqual(['warning', 'warning', 'notice', 'notice'])
  expect(lines.at(-1)).toBe(
    '::notice::Needs a person · 2 moderate, 1 minor · 3 of 3 files, ' +
      '11 of 11 changed lines checked by rules',
  )
  expect(lines.some((line) => line.startsWith('::notice file=c.js,line=1,endLine=1,title='))).toBe(
    true,
  )
  const odd = lines.find((line) => line.includes('50'))
  expect(odd).toMatch(
    new RegExp(
      '^::warning file=src/50%25 off%2C a%3Ab é\\.ts,line=4,endLine=4,' +
        'title=moderate%2C correctness::',
    ),
  )
  expect(odd).toContain('%0A')
})

it('github: warns about unreviewed files and always ends with the verdict', async () => {
  await using other = await makeLocalRepository()
  await other.commit({ '.umpire.yml': 'colour: blue\n' })
  const nothing = await other.review(['--format', 'github'])
  expect(nothing.stdout).toMatch(/^::notice::Nothing to review: there are no commits since main\./)
  await other.write({ 'a.ts': 'const a = 1\0\n' })
  const { stdout, code } = await other.review(['--format', 'github'])
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toBe('::warning::The review is partial: part of what matters was not reviewed.')
  expect(lines).toContainEqual(expect.stringMatching(/^::warning::a\.ts was not reviewed: binary/))
  expect(lines).toContainEqual(
    expect.stringMatching(/^::warning::`\.umpire\.yml`: unknown key `colour`/),
  )
  expect(lines.at(-1)).toMatch(
    /^::notice::.* · no findings · 0 of 1 file reviewed: the review is partial$/,
  )
  expect(code).toBe(4)
})

describe('many findings', () => {
  it('are all listed, regardless of the comment limit of pull requests', async () => {
    await using other = await makeLocalRepository()
    await other.commit({ '.umpire.yml': 'policy:\n  max_comments: 1\n' })
    await other.write({ 'b.ts': floatingPromiseCode, 'a.js': 'debugger\n'.repeat(12) })
    const { stdout } = await other.review([], { env: { REVIEW_MAX_COMMENTS: '2' } })
    const places = stdout.match(/^ {4}\S+:\d+ · /gm)
    expect(places).toEqual([
      '    b.ts:4 · ',
      ...Array.from({ length: 12 }, (_, at) => `    a.js:${at + 1} · `),
    ])
    expect(stdout).toContain('    +   await save()\n')
    const { findings } = JSON.parse((await other.review(['--format', 'json'])).stdout) as JsonReport
    expect(findings.map(({ path }) => path)).toEqual(['b.ts', ...Array(12).fill('a.js')])
    expect(findings.some(({ held_back }) => held_back)).toBe(false)
  })

  it('pretty shows the 200 most severe and explains how to see the rest', async () => {
    await using other = await makeLocalRepository()
    await other.commit()
    const many = 'debugger\n'.repeat(90)
    await other.write({ 'a.js': many, 'b.js': many, 'c.js': many, 'd.ts': floatingPromiseCode })
    const { stdout } = await other.review([])
    expect(stdout.match(/^ {4}\S+:\d+ · /gm)).toHaveLength(200)
    expect(stdout).toContain('await save()')
    expect(stdout).toContain(
      '\n… and 71 more findings, less severe: see them all with --format json\n',
    )
    const report = JSON.parse((await other.review(['--format', 'json'])).stdout) as JsonReport
    expect(report.findings).toHaveLength(271)
  })
})

describe('pretty', () => {
  it('shows verdict, code, reason and suggestion within 80 columns', async () => {
    const text = await render('pretty')
    expect(text).toMatch(/^Needs a person · 2 moderate, 1 minor\n\n/)
    expect(text).toContain('\n    src/close.ts:4 · unawaited-promise\n')
    expect(text).toMatch(/\n\nNeeds a person · 2 moderate, 1 minor\nexit 1: .*\n$/)
    expect(text).toContain('    -   save()\n    +   await save()\n')
    expect(text).toContain('    1 │ debugger\n')
    expect(text).toContain('3 of 3 files, ')
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it('says once that only rules reviewed, and no confidence', async () => {
    const text = await render('pretty')
    expect(text).toContain('\n3 of 3 files, 11 of 11 changed lines checked by rules\n')
    expect(text).toMatch(/\nReviewed in \d+\.\d s with rules only\n/)
    expect(text.match(/only/g)).toHaveLength(1)
    expect(text).not.toMatch(/confidence/i)
  })

  it('says where findings are suppressed, if there are any', async () => {
    expect(await render('pretty')).toMatch(
      /with rules only\nTo suppress a rule or files, set rules\.disable or paths\.exclude in /,
    )
    await using clean = await makeLocalRepository()
    await clean.commit({ 'a.ts': 'one()\n' })
    await clean.write({ 'a.ts': 'two()\n' })
    expect((await clean.review([])).stdout).not.toContain('.umpire.yml')
  })

  it('uses colors only where they are enabled', async () => {
    const sequence = '\u001b['
    expect(await render('pretty')).not.toContain(sequence)
    const colourful = await repository.review([], { env: { FORCE_COLOR: '1' } })
    expect(colourful.stdout).toContain(sequence)
    const plain = await repository.review([], { env: { NO_COLOR: '1' } })
    expect(plain.stdout).not.toContain(sequence)
  })
})
