// `umpire review` without a model, on files of which the rules read no more than the text: it says so. With one, it has no need to.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startModelServer } from './fakes/models/model-server.ts'
import { type LocalTestRepository, makeLocalRepository, reviewAsJson } from './local-repository.ts'

let repository: LocalTestRepository
beforeEach(async () => {
  repository = await makeLocalRepository()
  await repository.commit({ 'README.md': 'Shop\n' })
})
afterEach(() => repository[Symbol.asyncDispose]())

const ruby = { 'm.rb': 'eval(params[:x])\n' }
const broken = { 'bad.py': 'from x import (\n a b\n', 'bad.ts': 'export function ( {{{\n' }

it('names a file in a language without rules, and is less sure of its verdict', async () => {
  await repository.write({ ...ruby, 'README.md': 'A shop\n' })
  const report = await reviewAsJson(repository, ['--uncommitted'])
  expect(report).toMatchObject({ verdict: 'APPROVE', confidence: 2, coverage: { complete: true } })
  expect(report.coverage?.notes).toEqual(['No rules know the language of `m.rb`: only its text was searched.'])
  const { stdout } = await repository.review(['--uncommitted'])
  expect(stdout).toContain('No rules know the language of')
  expect(stdout).toContain('no more than the text')
})

it('names files that could not be parsed where they changed', async () => {
  await repository.write(broken)
  const report = await reviewAsJson(repository, ['--uncommitted'])
  expect(report).toMatchObject({ verdict: 'APPROVE', confidence: 2 })
  expect(report.coverage?.notes).toEqual([
    '`bad.py` and `bad.ts` could not be parsed where changed: only their text was searched there.',
  ])
})

it('is as sure as ever where rules read the syntax of one of the programs', async () => {
  await repository.write({ ...ruby, 'a.ts': 'export const a = 1\n' })
  const report = await reviewAsJson(repository, ['--uncommitted'])
  expect(report).toMatchObject({ verdict: 'APPROVE', confidence: 3 })
  expect(report.coverage?.notes).toHaveLength(1)
})

it('counts what it does not name, however many there are', async () => {
  await repository.write(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}.rb`, 'run\n'])))
  const [note, ...others] = (await reviewAsJson(repository, ['--uncommitted'])).coverage!.notes
  expect(note).toMatch(
    /^No rules know the language of (`m\d+\.rb`(, )?){5} and 35 more: only their text was searched\.$/,
  )
  expect(others).toEqual([])
})

it('says nothing of it where a model read the files', async () => {
  const script = () => ({ json: { summary: '', findings: [] } })
  await using server = await startModelServer({ protocol: 'openai-chat', script })
  await repository.write({ ...ruby, ...broken })
  const env = { MODEL: 'compatible:local', MODEL_BASE_URL: server.url, MODEL_API_KEY: 'sk-test-0123456789' }
  const report = await reviewAsJson(repository, ['--uncommitted'], { env })
  expect(report).toMatchObject({ verdict: 'APPROVE', confidence: 5, coverage: { notes: [] } })
})
