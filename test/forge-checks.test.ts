// The fake forge's checks: runs with annotations and buttons, required checks, the merge queue.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RegisteredApp } from './fakes/forge/apps/app-interface.ts'
import { type Forge, startForge } from './fakes/forge/forge.ts'
import { type CallOptions, callForge, requestToken, signJwt, startReceiver } from './forge-calls.ts'
import { createDescriptionCheck, type DescriptionCheck } from './github/check-forge.ts'

const repo = 'acme/shop'
const runs = `/repos/${repo}/check-runs`
const name = 'umpire/review'

let forge: Forge
let check: DescriptionCheck
let app: RegisteredApp
let token: string
let number: number
let sha: string

beforeEach(async () => {
  check = createDescriptionCheck()
  forge = await startForge({ observe: check.observe })
  for (const login of ['ann', 'ben', 'eve']) forge.createUser(login, { token: `${login}-token` })
  await forge.createRepository(repo, { private: true, admins: ['ann'], writers: ['ben'] })
  await forge.push(repo, 'main', { 'a.ts': 'one\n' }, { author: 'ann' })
  app = forge.createApp('acme', {
    name: 'Judge',
    url: 'https://judge.example',
    default_permissions: { checks: 'write', contents: 'read', merge_queues: 'read' },
    default_events: ['check_run', 'check_suite', 'merge_group'],
  })
  const installation = forge.installApp('judge', 'acme', { by: 'ann' })
  token = (await requestToken(forge, app, installation)).body.token
  sha = await forge.push(repo, 'topic', { 'a.ts': 'two\n' }, { author: 'ben' })
  number = await forge.openPullRequest({ repo, head: 'topic', author: 'ben' })
})

afterEach(async () => {
  await forge.close()
  expect(check.answerProblems(forge)).toEqual([])
})

const call = (method: string, path: string, options?: CallOptions) =>
  callForge(forge, method, path, { token, ...options })

const annotation = (line: number) => ({
  path: 'a.ts',
  start_line: line,
  end_line: line,
  annotation_level: 'warning',
  message: `Line ${line}`,
})

const actions = [{ label: 'Review again', identifier: 'again', description: 'Starts a review' }]

const create = (more: Record<string, unknown> = {}) =>
  call('POST', runs, { body: { name, head_sha: sha, ...more } })

async function hookTo(url: string): Promise<void> {
  const jwt = await signJwt(app.pem, app.clientId)
  await call('PATCH', '/app/hook/config', { token: jwt, body: { url, content_type: 'json' } })
}

describe('check runs', () => {
  it('are made, changed and listed by an App, with annotations that add up', async () => {
    const made = await create({ status: 'in_progress', external_id: 'x-1' })
    expect(made).toMatchObject({
      status: 201,
      body: {
        name,
        status: 'in_progress',
        conclusion: null,
        external_id: 'x-1',
        app: { slug: 'judge' },
        pull_requests: [{ number }],
      },
    })
    const one = `${runs}/${made.body.id}`
    const output = { title: 'Reading', summary: 'Some' }
    const fifty = Array.from({ length: 50 }, (_, index) => annotation(index + 1))
    await call('PATCH', one, { body: { output: { ...output, annotations: fifty } } })
    const last = { output: { ...output, annotations: [annotation(51)] }, actions }
    const done = await call('PATCH', one, { body: { conclusion: 'failure', ...last } })
    expect(done.body).toMatchObject({
      status: 'completed',
      conclusion: 'failure',
      completed_at: expect.any(String),
      output: { title: 'Reading', annotations_count: 51 },
    })
    const listed = await call('GET', `${one}/annotations?per_page=100`)
    expect(listed.body).toHaveLength(51)
    expect(listed.body[50]).toMatchObject({ message: 'Line 51', blob_href: expect.any(String) })
    await create()
    const latest = await call('GET', `/repos/${repo}/commits/topic/check-runs`)
    expect(latest.body).toMatchObject({ total_count: 1, check_runs: [{ status: 'queued' }] })
    const all = await call('GET', `/repos/${repo}/commits/${sha}/check-runs?filter=all`)
    expect(all.body.total_count).toBe(2)
    expect(forge.checkRuns(repo, sha)).toMatchObject([
      { name, app: 'judge', conclusion: 'failure', edits: 2, actions },
      { status: 'queued' },
    ])
  })

  it('are written by nobody but the App that made them', async () => {
    const { id } = (await create()).body
    const person = await call('POST', runs, { token: 'ann-token', body: { name, head_sha: sha } })
    expect(person).toMatchObject({
      status: 403,
      body: { message: 'You must authenticate via a GitHub App.' },
    })
    const other = forge.createApp('acme', {
      name: 'Other',
      url: 'https://other.example',
      default_permissions: { checks: 'write' },
    })
    const installation = forge.installApp('other', 'acme', { by: 'ann' })
    const theirs = (await requestToken(forge, other, installation)).body.token
    const body = { conclusion: 'success' }
    const refused = await call('PATCH', `${runs}/${id}`, { token: theirs, body })
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('only be modified by the GitHub App that created it'),
    ])
    const narrow = await requestToken(forge, other, installation, { permissions: {} })
    const { status } = await call('POST', runs, {
      token: narrow.body.token,
      body: { name, head_sha: sha },
    })
    expect(status).toBe(403)
  })

  it('are refused beyond the limits', async () => {
    const output = { title: 'T', summary: 'S' }
    const wrong: Record<string, unknown>[] = [
      { output: { ...output, annotations: Array.from({ length: 51 }, () => annotation(1)) } },
      { output: { ...output, summary: 'x'.repeat(65_536) } },
      { output: { ...output, text: 'x'.repeat(65_536) } },
      { output: { summary: 'S' } },
      { output: { ...output, annotations: [{ ...annotation(1), annotation_level: 'bad' }] } },
      { output: { ...output, annotations: [{ ...annotation(1), end_line: 0 }] } },
      { actions: [...actions, ...actions, ...actions, ...actions] },
      { actions: [{ ...actions[0], label: 'x'.repeat(21) }] },
      { actions: [{ ...actions[0], identifier: 'x'.repeat(21) }] },
      { actions: [{ ...actions[0], description: 'x'.repeat(41) }] },
      { status: 'completed' },
      { conclusion: 'stale' },
      { name: '' },
      { head_sha: '0'.repeat(40) },
    ]
    for (const body of wrong) expect([body, (await create(body)).status]).toEqual([body, 422])
    expect(forge.checkRuns(repo, sha)).toEqual([])
  })

  it('deliver what happened, and what people want', async () => {
    await using receiver = await startReceiver()
    await hookTo(receiver.url)
    const next = await forge.push(repo, 'topic', { 'a.ts': 'three\n' }, { author: 'ben' })
    sha = next
    const { id } = (await create({ actions })).body
    await call('PATCH', `${runs}/${id}`, { body: { conclusion: 'success' } })
    forge.rerunCheck(repo, id, 'ben')
    expect(forge.checkRuns(repo, sha)).toMatchObject([{ status: 'completed' }])
    await forge.rerunAllChecks(repo, sha, 'judge', 'ben')
    forge.pressCheckButton(repo, id, 'again', 'ben')
    await forge.waitFor(() => forge.deliveries.length === 6)
    expect(forge.deliveries.map((one) => `${one.event}.${one.action}`)).toEqual([
      'check_suite.requested',
      'check_run.created',
      'check_run.completed',
      'check_run.rerequested',
      'check_suite.rerequested',
      'check_run.requested_action',
    ])
    expect(forge.deliveries.at(-1)!.payload).toMatchObject({
      check_run: { id, head_sha: sha, app: { id: app.id }, pull_requests: [{ number }] },
      requested_action: { identifier: 'again' },
      sender: { login: 'ben' },
    })
    forge.createUser('eve')
    expect(() => forge.rerunCheck(repo, id, 'eve')).toThrow(/can't write/)
    expect(() => forge.pressCheckButton(repo, id, 'none', 'ben')).toThrow(/no button/)
  })
})

describe('required checks', () => {
  it('pass by success, neutral and skipped, and block a merge otherwise', async () => {
    forge.requireChecks(repo, 'main', [name])
    const merge = () =>
      call('PUT', `/repos/${repo}/pulls/${number}/merge`, { token: 'ann-token', body: {} })
    const state = () => forge.requiredChecks(repo, 'main', sha).get(name)
    expect(await merge()).toMatchObject({
      status: 405,
      body: { message: `Required status check "${name}" is expected.` },
    })
    const conclude = async (conclusion: string) => {
      await create({ conclusion })
      return state()
    }
    await create()
    expect(state()).toBe('pending')
    for (const conclusion of ['failure', 'cancelled', 'timed_out', 'action_required'])
      expect([conclusion, await conclude(conclusion)]).toEqual([conclusion, 'failing'])
    expect((await merge()).body.message).toBe(`Required status check "${name}" is failing.`)
    for (const conclusion of ['success', 'neutral', 'skipped'])
      expect([conclusion, await conclude(conclusion)]).toEqual([conclusion, 'passing'])
    const status = { state: 'failure', context: name }
    await call('POST', `/repos/${repo}/statuses/${sha}`, { token: 'ann-token', body: status })
    expect(state()).toBe('failing')
    await call('POST', `/repos/${repo}/statuses/${sha}`, {
      token: 'ann-token',
      body: { ...status, state: 'success' },
    })
    expect((await merge()).status).toBe(200)
  })

  it('are asked of the merge of a queue, which then merges or not', async () => {
    await using receiver = await startReceiver()
    await hookTo(receiver.url)
    forge.requireChecks(repo, 'main', [name])
    const group = await forge.enqueue(repo, number, 'ben')
    const asked = await forge.waitForDelivery((one) => one.event === 'merge_group')
    expect(asked.payload).toMatchObject({
      action: 'checks_requested',
      merge_group: {
        head_sha: group,
        base_ref: 'refs/heads/main',
        head_ref: expect.stringMatching(`^refs/heads/gh-readonly-queue/main/pr-${number}-`),
        head_commit: { id: group },
      },
    })
    expect(await forge.settleMergeGroup(repo, group, 'ben')).toBe(false)
    const again = await forge.enqueue(repo, number, 'ben')
    sha = again
    await create({ conclusion: 'success' })
    expect(await forge.settleMergeGroup(repo, again, 'ben')).toBe(true)
    expect(forge.pullRequest(repo, number)).toMatchObject({ merged: true })
    expect((await forge.branches(repo)).get('main')).toBe(again)
    const ended = await forge.waitForDelivery((one) => one.payload.reason === 'merged')
    expect(ended.payload).toMatchObject({ action: 'destroyed', merge_group: { head_sha: again } })
  })
})
