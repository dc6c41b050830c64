// `umpire review` reports unread code: without a model, code in languages without rules.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startModelServer } from './fakes/models/model-server.ts'
import {
  type LocalTestRepository,
  makeLocalRepository,
  reviewAsJson,
} from './local-test-repository.ts'

let repository: LocalTestRepository
beforeEach(async () => {
  repository = await makeLocalRepository()
  await repository.commit({ 'README.md': 'Shop\n' })
})
afterEach(() => repository[Symbol.asyncDispose]())

const ruby = { 'm.rb': 'puts 1\n' }
const broken = { 'bad.py': 'from x import (\n a b\n', 'bad.ts': 'export function ( {{{\n' }

it('case 74: is partial and says so first for a language with few rules', async () => {
  await repository.write({ ...ruby, 'README.md': 'A shop\n' })
  const report = await reviewAsJson(repository, ['--uncommitted'])
  expect(report).toMatchObject({
    verdict: 'NEEDS_DISCUSSION',
    ends: ['incomplete'],
    confidence: 2,
    exit_code: 4,
    coverage: {
      complete: false,
      files_total: 2,
      files_reviewed: 1,
      lines: { changed: 3, read_by_model: 0, read_by_rules: 0, searched_as_text: 2, not_read: 1 },
      skipped: [
        {
          path: 'm.rb',
          reason: 'few rules for Ruby: searched for known dangers only',
          matters: true,
          lines: 1,
        },
      ],
    },
  })
  const { stdout, code } = await repository.review(['--uncommitted'])
  expect(code).toBe(4)
  expect(stdout).toMatch(/^Incomplete\n1 changed line was not read\.\n/)
  expect(stdout).toContain('1 of 2 files, 2 of 3 changed lines searched as text')
})

it.each([
  ['src/Cart.kt', 'class Cart(val size: Int)\n'],
  ['src/Cart.scala', 'class Cart(val size: Int)\n'],
])('rules of its language read %s', async (path, text) => {
  await repository.write({ [path]: text })
  const report = await reviewAsJson(repository, ['--uncommitted'])
  expect(report.coverage).toMatchObject({
    complete: true,
    lines: { changed: 1, read_by_rules: 1, not_read: 0 },
    skipped: [],
  })
})

it('is partial when changed code could not be parsed', async () => {
  await repository.write(broken)
  const report = await reviewAsJson(repository, ['--uncommitted'])
  expect(report).toMatchObject({ verdict: 'NEEDS_DISCUSSION', coverage: { files_reviewed: 0 } })
  const reason = 'not parsed where changed: searched as text only there'
  expect(report.coverage?.skipped).toEqual([
    { path: 'bad.py', reason, matters: true, lines: 2 },
    { path: 'bad.ts', reason, matters: true, lines: 1 },
  ])
})

it('reports no gap when a model read the files', async () => {
  const script = () => ({ json: { summary: '', findings: [] } })
  await using server = await startModelServer({ protocol: 'openai-chat', script })
  await repository.write({ ...ruby, ...broken })
  const env = {
    MODEL: 'compatible:local',
    MODEL_BASE_URL: server.url,
    MODEL_API_KEY: 'sk-test-0123456789',
  }
  const report = await reviewAsJson(repository, ['--uncommitted'], { env })
  expect(report).toMatchObject({
    verdict: 'APPROVE',
    confidence: 5,
    coverage: { notes: [], skipped: [], lines: { changed: 4, read_by_model: 4, not_read: 0 } },
  })
})
