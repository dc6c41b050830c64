// Pushes during a review: none is lost, and comments on older heads are followed up.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hold, type SeenRequest } from '../fakes/forge/forge.ts'
import { repo, reviewerLogin, runsOf, type Scenario, startScenario } from '../review-scenario.ts'

let scenario: Scenario
beforeAll(async () => {
  scenario = await startScenario()
})
afterAll(() => scenario[Symbol.asyncDispose]())
afterEach(() => scenario.forge.faults.clear())

/**
 * Returns a line that the static reviewer reports. Unlike a secret, it is resolved when it is gone.
 */
const flaw = (letter: string) =>
  `export const send = (list) => list.forEach(async (${letter}) => { await post(${letter}) })\n`

const editsSummary = ({ method, path }: SeenRequest) =>
  method === 'PATCH' && path.includes('/issues/comments/')
const showsVerdict = ({ path, body }: SeenRequest) =>
  path.includes('/statuses/') && !body.includes('"pending"')

const push = (branch: string, text: string) =>
  scenario.forge.push(repo, branch, { 'src/keys.ts': text }, { author: 'alice' })

function summariesOf(number: number): string[] {
  const { comments } = scenario.forge.pullRequest(repo, number)
  return comments
    .filter((comment) => comment.author === reviewerLogin)
    .map((comment) => comment.body)
}

describe('a push while the review is posted', () => {
  it('case 54: is reviewed although its delivery was skipped as a duplicate', async () => {
    const { forge } = scenario
    const number = await scenario.openPullRequest(
      { 'src/keys.ts': flaw('a') },
      { branch: 'skipped' },
    )
    await scenario.waitUntilSettled()
    const held = hold()
    forge.faults.add({ match: editsSummary, times: 1, action: held })
    await push('skipped', flaw('b'))
    await held.arrived
    const head = await push('skipped', flaw('c'))
    const skipped = await forge.waitForDelivery((delivery) =>
      delivery.request.body.includes(`"after":"${head}"`),
    )
    expect(JSON.parse(skipped.attempts[0]?.responseBody ?? '')).toEqual({
      status: 'duplicate_skipped',
    })
    held.release()
    await scenario.waitUntilSettled()
    expect(summariesOf(number)).toEqual([expect.stringContaining(`head=${head} `)])
    expect(forge.pullRequest(repo, number).threads.map((thread) => thread.resolved)).toEqual([
      true,
      true,
      false,
    ])
    expect((await scenario.app.events()).filter((event) => event.prNumber === number)).toEqual([
      expect.objectContaining({ eventType: 'pull_request.opened', status: 'completed' }),
      expect.objectContaining({ eventType: 'pull_request.synchronize', status: 'completed' }),
    ])
  })

  it('case 54: leaves no pending status on the superseded commit', async () => {
    const { forge } = scenario
    const held = hold()
    forge.faults.add({ match: ({ path }) => path.includes('/compare/'), times: 1, action: held })
    const number = await scenario.openPullRequest(
      { 'src/keys.ts': flaw('g') },
      { branch: 'superseded' },
    )
    await held.arrived
    const { headSha } = forge.pullRequest(repo, number)
    const head = await push('superseded', flaw('h'))
    held.release()
    await scenario.waitUntilSettled()
    const { statuses, inlineComments } = forge.pullRequest(repo, number)
    expect(statuses[headSha]?.map(({ state, description }) => [state, description])).toEqual([
      ['pending', 'Review in progress'],
      ['error', `Superseded by ${head.slice(0, 7)}`],
    ])
    expect(statuses[head]?.at(-1)?.state).toBe('failure')
    expect(inlineComments).toHaveLength(1)
  })

  it('case 58: resolves what the interrupted review had posted', async () => {
    const { forge } = scenario
    const held = hold()
    forge.faults.add({ match: showsVerdict, times: 1, action: held })
    const number = await scenario.openPullRequest(
      { 'src/keys.ts': flaw('d') },
      { branch: 'broken-off' },
    )
    await held.arrived
    const head = await push('broken-off', flaw('e'))
    held.release('drop')
    await scenario.waitUntilSettled()
    expect(summariesOf(number)).toEqual([expect.stringContaining(`head=${head} `)])
    expect(forge.pullRequest(repo, number).threads.map((thread) => thread.resolved)).toEqual([
      true,
      false,
    ])
  })
})

describe('a finding that comes back after it was resolved', () => {
  it('gets one new comment, which is resolved in turn', async () => {
    const { forge } = scenario
    const number = await scenario.openPullRequest(
      { 'src/keys.ts': flaw('f') },
      { branch: 'comes-back' },
    )
    await scenario.waitUntilSettled()
    const threads = () => forge.pullRequest(repo, number).threads.map((thread) => thread.resolved)
    const steps = [
      { text: 'export const none = 1\n', expected: [true] },
      { text: flaw('f'), expected: [true, false] },
      { text: `export const first = 1\n${flaw('f')}`, expected: [true, false] },
      { text: 'export const none = 2\n', expected: [true, true] },
    ]
    for (const { text, expected } of steps) {
      await push('comes-back', text)
      await scenario.waitUntilSettled()
      expect(threads()).toEqual(expected)
    }
    // The only changed line is stored as one that rules have read.
    expect((await runsOf(scenario.app, number)).at(-1)?.seenLines).toHaveLength(8)
  })
})
