// Tests that a full review, requested by a comment, reuses nothing of earlier reviews.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ModelServer, startModelServer } from '../fakes/models/model-server.ts'
import {
  claimsOf,
  confirmAll,
  isVerificationRequest,
  makeCheck,
} from '../fakes/models/verification.ts'
import { type InstalledScenario, slug, startInstalledScenario } from '../installed-app-scenario.ts'

const path = 'src/discount.ts'
const line = 'export const rate = (count: number) => 1 / count'
const finding = {
  ...{ path, side: 'RIGHT', start_line: 1, end_line: 1, quote: line },
  ...{ severity: 'critical', category: 'correctness', title: 'It divides by zero' },
  ...{ body: 'When it is empty, then it breaks.', suggestion: null, evidence: [], confidence: 0.9 },
}

let server: ModelServer
let scene: InstalledScenario
beforeAll(async () => {
  const answer = { json: { summary: 'It adds discounts.', findings: [finding] } }
  server = await startModelServer({ protocol: 'anthropic', script: () => answer })
  scene = await startInstalledScenario({
    MODEL: 'anthropic:claude-opus-5-5',
    MODEL_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
  })
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

it('asks the models again, and verifies what was confirmed before', async () => {
  server.verifyWith(confirmAll)
  const reviewed = await scene.review({ [path]: `${line}\n` })
  const { repo, number } = reviewed
  expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'failure' })
  const request = async (command: string) => {
    const from = server.requests.length
    scene.forge.comment(repo, number, 'carol', `@${slug} ${command}`)
    await scene.settled()
    const requests = server.requests.slice(from)
    const verified = requests.filter(isVerificationRequest).length
    return { verified, reviewed: requests.length - verified }
  }
  const refuted = {
    outcome: 'refuted',
    reason: 'It is never empty.',
    evidence: [{ path, line: 1, note: 'the division' }],
  }
  server.verifyWith((asked) => ({
    json: { checks: claimsOf(asked).map((claim) => makeCheck(claim, refuted)) },
  }))
  expect(await request('review')).toEqual({ verified: 0, reviewed: 1 })
  expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'failure' })
  expect(await request('review full')).toEqual({ verified: 1, reviewed: 1 })
  expect(scene.checkOf(reviewed)).toMatchObject({ conclusion: 'success' })
  expect(await scene.auditOf(reviewed)).toMatchObject([
    { action: 'review_retried' },
    { action: 'command_done' },
    { action: 'review_retried' },
    { action: 'command_done' },
  ])
})
