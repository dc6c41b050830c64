// Tests the list of rules and how often each was right, by who may see the findings.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConnectScenario, startConnectScenario, tokenOf } from '../connect-scenario.ts'
import { waitUntilSettled } from '../review-scenario.ts'
import { signInWithToken } from '../sign-in.ts'

let scene: ConnectScenario
let repo: string
beforeAll(async () => {
  scene = await startConnectScenario({ env: { MEMORY: 'off', GRAPH: 'off' } })
  repo = await scene.createRepository()
  await scene.forge.push(repo, 'main', { 'README.md': '# Shop\n' }, { author: 'alice' })
  await scene.connect('alice', repo)
  const flaws = [1, 2, 3, 4, 5, 6].map(
    (part) => `export const isBad${part} = (n: number) => n === NaN\n`,
  )
  const names = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts']
  await review('topic', Object.fromEntries(names.map((name, index) => [name, flaws[index]!])))
})
afterAll(() => scene[Symbol.asyncDispose]())

let reviewId: number

/** Opens a pull request and waits for its review. */
async function review(head: string, files: Record<string, string>): Promise<void> {
  await scene.forge.push(repo, head, files, { author: 'alice' })
  await scene.forge.openPullRequest({ repo, head, author: 'alice' })
  await scene.forge.waitForDelivery((one) => one.repo === repo && one.action === 'opened')
  await waitUntilSettled(scene.app)
  const { body } = await scene.request('alice', '/api/v1/reviews')
  reviewId = body[0].id
}

async function readRule(person: 'alice' | 'bob', query = '') {
  const { status, body } = await scene.request(person, `/api/v1/rules${query}`)
  expect(status).toBe(200)
  return body.rules.find(({ id }: { id: string }) => id === 'nan-comparison')
}

it('counts what became of the findings that the caller may see', async () => {
  // Nobody has asked for the counts before, so none are cached.
  const { body } = await scene.request('alice', `/api/v1/reviews/${reviewId}`)
  const person = await signInWithToken(scene.app, tokenOf('alice'))
  const dismiss = async (path: string, dismissal: Record<string, string>) => {
    const finding = body.findings.find((one: { path: string }) => one.path === path)
    const dismissed = await fetch(
      `${scene.app.url}/api/v1/reviews/${reviewId}/findings/${finding.fingerprint}/dismiss`,
      {
        method: 'POST',
        headers: { ...person.bearer, 'content-type': 'application/json' },
        body: JSON.stringify(dismissal),
      },
    )
    expect(dismissed.status).toBe(200)
  }
  await dismiss('a.ts', { reason: 'Intended here' })
  await dismiss('d.ts', { reason: 'Intended here', kind: 'false_positive' })
  await dismiss('e.ts', { reason: 'Removed next week', kind: 'accepted' })
  await dismiss('f.ts', { reason: 'Fixed upstream', kind: 'handled' })
  const fix = { 'b.ts': 'export const isBad2 = (n: number) => Number.isNaN(n)\n' }
  await scene.forge.push(repo, 'topic', fix, { author: 'alice' })
  await scene.forge.waitForDelivery((one) => one.repo === repo && one.action === 'synchronize')
  await waitUntilSettled(scene.app)

  const rule = await readRule('alice')
  expect(rule).toMatchObject({
    category: 'correctness',
    severity: 'moderate',
    languages: expect.arrayContaining(['TypeScript', 'Go']),
    see_also: expect.arrayContaining(['ESLint `use-isnan`']),
    reported: 6,
    fixed: 1,
    dismissed: 4,
    // A dismissal without a kind may mean that the finding is wrong.
    wrong: 2,
    open: 1,
    left: 0,
    reasons: [
      { reason: 'Intended here', count: 2 },
      { reason: 'Fixed upstream', count: 1 },
      { reason: 'Removed next week', count: 1 },
    ],
  })
  expect(await readRule('alice', `?repo=${repo}`)).toEqual(rule)
  const nothing = { reported: 0, fixed: 0, dismissed: 0, wrong: 0, open: 0, left: 0, reasons: [] }
  for (const query of ['', `?repo=${repo}`])
    expect(await readRule('bob', query)).toMatchObject(nothing)
})

it('shows the samples of a rule', async () => {
  const { body } = await scene.request('bob', '/api/v1/rules/nan-comparison')
  expect(body.samples).toMatch(/^## src\/numbers\.ts\n[\s\S]*if \(value === NaN\) fail\(\) ◀/)
  expect(body.samples).toContain('Not reported:')
  const graph = await scene.request('bob', '/api/v1/rules/changed-signature')
  expect(graph).toEqual({ status: 200, body: { id: 'changed-signature', samples: '' } })
  for (const id of ['unknown', '..%2f..%2fsecret'])
    expect((await scene.request('bob', `/api/v1/rules/${id}`)).status).toBe(404)
  expect((await fetch(`${scene.app.url}/api/v1/rules`)).status).toBe(401)
})
