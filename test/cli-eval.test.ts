// `umpire eval`: measures of reviews of known changes, with and without a scripted model.
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileCache } from './compile-cache.ts'
import { type ModelServer, startModelServer } from './fakes/models/model-server.ts'
import {
  type LocalTestRepository,
  makeLocalRepository,
  waitForExit,
} from './local-test-repository.ts'

const umpire = fileURLToPath(new URL('../bin/umpire', import.meta.url))
const before = 'export function one() {}\n'
/** A rule finds the comparison with NaN in line 4. */
const buggy = `${before}
export function isMissing(value) {
  return value === NaN
}
`
const clean = `${before}
export function isMissing(value) {
  return Number.isNaN(value)
}
`

let repository: LocalTestRepository
let commits: { readonly base: string; readonly buggy: string; readonly clean: string }
let folder: string
beforeAll(async () => {
  repository = await makeLocalRepository()
  const base = await repository.commit({ 'src/a.js': before })
  const buggyHead = await repository.commit({ 'src/a.js': buggy })
  const cleanHead = await repository.commit({ 'src/a.js': clean })
  commits = { base, buggy: buggyHead, clean: cleanHead }
  folder = join(repository.home, 'repositories')
  await mkdir(join(folder, 'acme'), { recursive: true })
  await repository.git('clone', '--quiet', '--bare', '.', join(folder, 'acme/shop.git'))
})
afterAll(() => repository[Symbol.asyncDispose]())

async function saveCorpus(name: string, content: unknown): Promise<string> {
  const file = join(repository.home, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

function runEval(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return waitForExit(
    spawn(umpire, ['eval', ...args], {
      cwd: repository.home,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: repository.home,
        NODE_COMPILE_CACHE: compileCache,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

async function evaluate(
  corpus: unknown,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  const file = await saveCorpus('corpus.json', corpus)
  const all = [file, '--repositories', folder, '--format', 'json', ...args]
  const { code, stdout, stderr } = await runEval(all, env)
  if (stdout === '') throw new Error(stderr)
  return { code, stderr, ...JSON.parse(stdout) }
}

const change = (head: string, lines: readonly number[]) => ({
  repository: 'acme/shop',
  base: commits.base,
  head,
  expected: lines.map((line) => ({ path: 'src/a.js', start_line: line })),
})
const corpusOf = (...changes: readonly object[]) => ({ version: 1, changes })

describe('with rules only', () => {
  it('measures places, findings and false alarms', async () => {
    const { code, model, summary } = await evaluate(
      corpusOf(change(commits.buggy, [4]), change(commits.clean, [1]), change(commits.clean, [])),
      ['--tolerance', '0'],
    )
    expect(code).toBe(0)
    expect(model).toBeNull()
    expect(summary).toMatchObject({
      changes: 3,
      incomplete: 0,
      recall: { value: 0.5, count: 1, of: 2, low: 0, high: 1 },
      precision: { value: 1, count: 1, of: 1 },
      // One of the four added lines.
      chance: 0.25,
      false_alarms: { value: 0, count: 0, of: 1 },
      attention: { shown: 0, missed: 0 },
    })
  })

  it('counts findings near a place, and those that are not', async () => {
    const far = await evaluate(corpusOf(change(commits.buggy, [1])), ['--tolerance', '2'])
    expect(far.summary).toMatchObject({ recall: { count: 0 }, precision: { count: 0, of: 1 } })
    const near = await evaluate(corpusOf(change(commits.buggy, [1])), ['--tolerance', '3'])
    expect(near.summary).toMatchObject({ recall: { count: 1 }, precision: { count: 1, of: 1 } })
  })

  it('repeats the same intervals for the same results', async () => {
    const corpus = corpusOf(change(commits.buggy, [4]), change(commits.clean, [4, 1]))
    const [first, second] = [await evaluate(corpus), await evaluate(corpus)]
    expect(first.summary.recall).toEqual(second.summary.recall)
    expect(first.summary.recall.low).toBeLessThan(first.summary.recall.high)
  })

  it("reads AACR-Bench's format", async () => {
    const { summary } = await evaluate([
      {
        githubPrUrl: 'https://github.com/acme/shop/pull/7',
        source_commit: commits.buggy,
        target_commit: commits.base,
        comments: [
          { path: 'src/a.js', side: 'right', from_line: 5, to_line: 4, note: 'A comment.' },
          { path: 'src/b.js', side: 'left', from_line: null, to_line: 1 },
        ],
      },
    ])
    expect(summary.recall).toMatchObject({ count: 1, of: 2 })
  })

  it('goes on when a change can not be reviewed', async () => {
    const gone = { ...change(commits.buggy, [4]), head: '0'.repeat(40) }
    const elsewhere = { ...change(commits.buggy, [4]), repository: 'acme/other' }
    const { code, failures, summary, stderr } = await evaluate(
      corpusOf(gone, elsewhere, change(commits.buggy, [4])),
      ['--jobs', '2'],
    )
    expect(code).toBe(4)
    expect(failures).toMatchObject([
      { reason: expect.stringContaining(`no commit that is called ${'0'.repeat(40)}`) },
      { reason: expect.stringContaining('clone the repository there') },
    ])
    expect(stderr).toContain('clone the repository there')
    expect(summary).toMatchObject({ changes: 1, recall: { count: 1, of: 1 } })
  })

  it('prints a table for people', async () => {
    const file = await saveCorpus(
      'pretty.json',
      corpusOf(change(commits.buggy, [4]), change(commits.clean, [])),
    )
    const { stdout } = await runEval([file, '--repositories', folder])
    expect(stdout).toContain('2 changes reviewed by rules only')
    expect(stdout).toMatch(/Expected places found +100\.0% \(1 of 1; 20\.7% to 100\.0%\)/)
    expect(stdout).toMatch(/Findings in a clean change +0\.00 \(0 in 1; 0\.00 to 0\.79\)/)
  })
})

describe('with a model', () => {
  let server: ModelServer
  let env: Record<string, string>
  beforeAll(async () => {
    server = await startModelServer({
      protocol: 'openai-chat',
      script: () => ({ json: { summary: '', findings: [] } }),
    })
    env = { MODEL: 'compatible:local', MODEL_BASE_URL: server.url, MODEL_API_KEY: 'key' }
  })
  afterAll(() => server.close())

  it('counts how often the model does not report the planted defect', async () => {
    const corpus = corpusOf(change(commits.buggy, [4]))
    const attentive = await evaluate(corpus, [], env)
    expect(attentive).toMatchObject({
      model: expect.stringContaining('local'),
      summary: { attention: { shown: 1, missed: 0 }, usage: { cost_usd: null } },
    })
    server.respondWith(() => ({ text: JSON.stringify({ summary: '', findings: [] }) }))
    const silent = await evaluate(corpus, [], env)
    expect(silent.summary).toMatchObject({ attention: { shown: 2, missed: 2 }, incomplete: 1 })
    const parallel = await evaluate(corpus, ['--mode', 'parallel'], env)
    expect(parallel.summary.attention).toEqual({ shown: 10, missed: 10 })
  })

  it('stops at the maximum cost', async () => {
    await using priced = await startPricedServer()
    const changes = [change(commits.buggy, [4]), change(commits.clean, [])]
    const { code, summary, failures } = await evaluate(
      corpusOf(...changes),
      ['--max-cost', '0.5'],
      priced.env,
    )
    expect(code).toBe(4)
    expect(summary.changes).toBe(1)
    expect(failures).toMatchObject([{ reason: '--max-cost was reached' }])
  })
})

/** Starts a server whose answers cost $0.30 each. */
async function startPricedServer() {
  const priced = await startModelServer({
    protocol: 'anthropic',
    script: () => ({ json: { summary: '', findings: [] }, usage: { input: 100_000 } }),
  })
  const model = { MODEL: 'anthropic:claude-sonnet-4-5', ANTHROPIC_API_KEY: 'key' }
  return {
    env: { ...model, MODEL_BASE_URL: priced.url },
    [Symbol.asyncDispose]: () => priced.close(),
  }
}

describe('usage errors', () => {
  it.each([
    [[], /name the file of the corpus/],
    [['corpus.json'], /--repositories needs the folder/],
    [['missing.json', '--repositories', '.'], /missing\.json can't be read: ENOENT/],
    [['text.json', '--repositories', '.'], /text\.json is not JSON/],
    [['wrong.json', '--repositories', '.'], /wrong\.json is not a corpus: changes\.0\.base/],
    [['empty.json', '--repositories', '.'], /empty\.json has no changes/],
    [['empty.json', '--repositories', '.', '--jobs', '0'], /--jobs needs a whole number from 1/],
    [['empty.json', '--repositories', '.', '--max-cost', 'x'], /--max-cost needs an amount/],
  ])('%j', async (args, message) => {
    await saveCorpus('text.json', 'no JSON')
    await saveCorpus('empty.json', corpusOf())
    await saveCorpus('wrong.json', corpusOf({ ...change(commits.buggy, []), base: 'main' }))
    const { code, stderr } = await runEval(args)
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })
})
