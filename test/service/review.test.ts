// The main job through the front door: a delivery comes in, a review stands on the pull request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSample } from '../../demo/sample.ts'
import { repo, reviewerLogin, type Scenario, startScenario } from '../review-scenario.ts'

let scenario: Scenario
beforeAll(async () => {
  scenario = await startScenario()
})
afterAll(() => scenario[Symbol.asyncDispose]())

describe('a pull request with bugs', () => {
  it('gets one summary, comments on the right lines, a status and a recorded run', async () => {
    const { forge, app } = scenario
    const number = await scenario.openPullRequest(readSample('topic'), { title: 'Cancel and pay orders' })
    await scenario.settled()
    const view = forge.pullRequest(repo, number)
    console.log(view.comments[0]?.body)
    for (const c of view.inlineComments) console.log(c.path, c.line, c.body)
    expect(view.comments.filter((comment) => comment.author === reviewerLogin)).toHaveLength(1)
    console.log(await app.db.selectFrom('workflow_runs').selectAll().execute())
  })
})
