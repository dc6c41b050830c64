// The fake forge's conversation: reactions, edits, threads, labels, requests, and withdrawn reviews.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Forge, startForge } from './fakes/forge/forge.ts'
import { type CallOptions, callForge, startReceiver } from './forge-calls.ts'
import { createDescriptionCheck, type DescriptionCheck } from './github/check-forge.ts'

const repo = 'acme/shop'

let forge: Forge
let check: DescriptionCheck
let number: number

beforeEach(async () => {
  check = createDescriptionCheck()
  forge = await startForge({ observe: check.observe })
  for (const login of ['ann', 'ben', 'cas', 'eve'])
    forge.createUser(login, { token: `${login}-token` })
  await forge.createRepository(repo, { private: true, admins: ['ann'], writers: ['ben'] })
  await forge.push(repo, 'main', { 'a.ts': 'one\n' }, { author: 'ann' })
  await forge.push(repo, 'other', { 'b.ts': 'b\n' }, { author: 'ann' })
  await forge.push(repo, 'topic', { 'a.ts': 'two\n' }, { author: 'ben' })
  number = await forge.openPullRequest({ repo, head: 'topic', author: 'ben' })
})

afterEach(async () => {
  await forge.close()
  expect(check.answerProblems(forge)).toEqual([])
})

const call = (method: string, path: string, options?: CallOptions) =>
  callForge(forge, method, `/repos/${repo}${path}`, options)

/** Receives all events of the repository from now on. Returns what they are, in order. */
async function listen() {
  const receiver = await startReceiver()
  forge.addWebhook(repo, { url: receiver.url, events: ['*'] })
  return {
    names: () => forge.deliveries.map((one) => `${one.event}.${one.action}`),
    [Symbol.asyncDispose]: receiver[Symbol.asyncDispose],
  }
}

async function review(event: string, token = 'ann-token', body = 'Well') {
  const comments = event === 'COMMENT' ? [{ path: 'a.ts', line: 1, body: 'Why?' }] : []
  return call('POST', `/pulls/${number}/reviews`, { token, body: { event, body, comments } })
}

describe('reactions', () => {
  it('are added once a person and kind, listed and removed by their author', async () => {
    await review('COMMENT')
    const plain = forge.comment(repo, number, 'ben', 'Hello')
    const inline = forge.pullRequest(repo, number).inlineComments[0]!.id
    for (const comment of [`/issues/comments/${plain}`, `/pulls/comments/${inline}`]) {
      const path = `${comment}/reactions`
      const eyes = { body: { content: 'eyes' } }
      const made = await call('POST', path, eyes)
      expect(made).toMatchObject({ status: 201, body: { content: 'eyes', user: { login: 'ann' } } })
      expect(await call('POST', path, eyes)).toMatchObject({ status: 200, body: made.body })
      expect((await call('POST', path, { body: { content: 'nod' } })).status).toBe(422)
      await call('POST', path, { token: 'ben-token', body: { content: '+1' } })
      expect((await call('GET', `${path}?content=%2B1`)).body).toHaveLength(1)
      expect((await call('GET', comment)).body.reactions).toMatchObject({
        total_count: 2,
        eyes: 1,
        '+1': 1,
        '-1': 0,
      })
      const one = `${path}/${made.body.id}`
      expect((await call('DELETE', one, { token: 'ben-token' })).status).toBe(404)
      expect((await call('DELETE', one)).status).toBe(204)
    }
    forge.react(repo, number, plain, { author: 'ann', content: 'rocket' })
    expect(forge.pullRequest(repo, number).comments[0]!.reactions).toEqual([
      { content: '+1', author: 'ben' },
      { content: 'rocket', author: 'ann' },
    ])
  })
})

describe('permissions of others', () => {
  it('are four levels and all roles, for those who can write', async () => {
    forge.setPermission(repo, 'cas', 'maintain')
    const read = async (login: string) =>
      (await call('GET', `/collaborators/${login}/permission`, { token: 'ben-token' })).body
    expect(await read('ann')).toMatchObject({ permission: 'admin', role_name: 'admin' })
    expect(await read('ben')).toMatchObject({ permission: 'write', role_name: 'write' })
    expect(await read('cas')).toMatchObject({ permission: 'write', role_name: 'maintain' })
    expect(await read('eve')).toMatchObject({ permission: 'none', role_name: 'none' })
    forge.setPermission(repo, 'cas', 'triage')
    expect(await read('cas')).toMatchObject({ permission: 'read', role_name: 'triage' })
    forge.setPrivate(repo, false)
    expect(await read('eve')).toMatchObject({ permission: 'read', role_name: 'read' })
    expect(
      (await call('GET', '/collaborators/ann/permission', { token: 'cas-token' })).status,
    ).toBe(403)
  })
})

describe('comments', () => {
  it('are edited and deleted with the former text and the one who did it', async () => {
    await review('COMMENT')
    const plain = forge.comment(repo, number, 'ben', 'Hello')
    const inline = forge.pullRequest(repo, number).inlineComments[0]!.id
    await using events = await listen()
    await call('PATCH', `/issues/comments/${plain}`, { body: { body: 'Bye' } })
    forge.editComment(repo, number, inline, { author: 'ben', body: 'Changed' })
    const view = forge.pullRequest(repo, number)
    expect(view.comments[0]).toMatchObject({ body: 'Bye', editedBy: 'ann', edits: 1 })
    expect(view.inlineComments[0]).toMatchObject({ body: 'Changed', editedBy: 'ben' })
    const query = `{ repository(owner: "acme", name: "shop") { pullRequest(number: ${number}) {
      reviewThreads(first: 1) { nodes { comments(first: 1) { nodes {
        lastEditedAt editor { login } } } } } } } }`
    const answer = await callForge(forge, 'POST', forge.graphqlUrl, { body: { query } })
    const [thread] = answer.body.data.repository.pullRequest.reviewThreads.nodes
    expect(thread.comments.nodes[0]).toMatchObject({ editor: { login: 'ben' } })
    forge.deleteComment(repo, number, plain, 'ben')
    forge.deleteComment(repo, number, inline, 'ann')
    expect(events.names()).toEqual([
      'issue_comment.edited',
      'pull_request_review_comment.edited',
      'issue_comment.deleted',
      'pull_request_review_comment.deleted',
    ])
    expect(forge.deliveries.slice(0, 2).map(({ payload }) => payload)).toMatchObject([
      { changes: { body: { from: 'Hello' } }, sender: { login: 'ann' } },
      { changes: { body: { from: 'Why?' } }, sender: { login: 'ben' } },
    ])
  })

  it('form threads whose resolution is delivered', async () => {
    await review('COMMENT')
    const inline = forge.pullRequest(repo, number).inlineComments[0]!.id
    await using events = await listen()
    const replies = `/pulls/${number}/comments/${inline}/replies`
    const body = { body: 'Because' }
    expect((await call('POST', replies, { token: 'ben-token', body })).status).toBe(201)
    forge.resolveThread(repo, number, inline, 'ben')
    forge.resolveThread(repo, number, inline, 'ben')
    forge.resolveThread(repo, number, inline, null)
    expect(events.names()).toEqual([
      'pull_request_review.submitted',
      'pull_request_review_comment.created',
      'pull_request_review_thread.resolved',
      'pull_request_review_thread.unresolved',
    ])
    expect(forge.deliveries[2]!.payload).toMatchObject({
      thread: { node_id: expect.any(String), comments: [{ body: 'Why?' }, { body: 'Because' }] },
    })
  })
})

describe('reviews', () => {
  it('approve, request changes, and are withdrawn with a message', async () => {
    const approved = (await review('APPROVE')).body
    const refused = (await review('REQUEST_CHANGES')).body
    const commented = (await review('COMMENT')).body
    await using events = await listen()
    const dismiss = (id: number, message = 'Outdated', token = 'ann-token') =>
      call('PUT', `/pulls/${number}/reviews/${id}/dismissals`, { token, body: { message } })
    expect((await dismiss(approved.id)).body).toMatchObject({ state: 'DISMISSED' })
    expect((await dismiss(approved.id)).status).toBe(422)
    expect((await dismiss(commented.id)).status).toBe(422)
    expect((await dismiss(refused.id, ' ')).status).toBe(422)
    forge.setPermission(repo, 'eve', 'read')
    expect((await dismiss(refused.id, 'No', 'eve-token')).status).toBe(403)
    expect(forge.pullRequest(repo, number).reviews.map(({ state }) => state)).toEqual([
      'DISMISSED',
      'CHANGES_REQUESTED',
      'COMMENTED',
    ])
    expect(events.names()).toEqual(['pull_request_review.dismissed'])
  })

  it('are requested of collaborators, and no more after they came', async () => {
    forge.setPermission(repo, 'cas', 'read')
    await using events = await listen()
    const path = `/pulls/${number}/requested_reviewers`
    const ask = (reviewers: string[], method = 'POST') =>
      call(method, path, { body: { reviewers } })
    expect((await ask(['cas', 'ann'])).body.requested_reviewers).toMatchObject([
      { login: 'cas' },
      { login: 'ann' },
    ])
    expect([(await ask(['eve'])).status, (await ask(['ben'])).status]).toEqual([422, 422])
    await ask(['ann'], 'DELETE')
    expect((await call('GET', path)).body).toMatchObject({ users: [{ login: 'cas' }], teams: [] })
    await review('APPROVE', 'cas-token')
    expect(forge.pullRequest(repo, number).requestedReviewers).toEqual([])
    forge.requestReview(repo, number, 'cas', 'ann')
    expect(events.names()).toEqual([
      'pull_request.review_requested',
      'pull_request.review_requested',
      'pull_request.review_request_removed',
      'pull_request_review.submitted',
      'pull_request.review_requested',
    ])
    expect(forge.deliveries.at(-1)!.payload).toMatchObject({
      requested_reviewer: { login: 'cas' },
      sender: { login: 'ann' },
    })
  })
})

describe('pull requests', () => {
  it('deliver labels and a new base', async () => {
    await using events = await listen()
    const labels = `/issues/${number}/labels`
    expect((await call('POST', labels, { body: { labels: ['Skip', 'wip'] } })).body).toMatchObject([
      { name: 'Skip' },
      { name: 'wip' },
    ])
    expect((await call('DELETE', `${labels}/skip`)).body).toMatchObject([{ name: 'wip' }])
    expect((await call('DELETE', `${labels}/skip`)).status).toBe(404)
    forge.addLabel(repo, number, 'skip', 'ann')
    await forge.editPullRequest(repo, number, { base: 'other' }, 'ann')
    expect(forge.pullRequest(repo, number)).toMatchObject({
      labels: ['wip', 'Skip'],
      baseRef: 'other',
    })
    expect(events.names()).toEqual([
      'pull_request.labeled',
      'pull_request.labeled',
      'pull_request.unlabeled',
      'pull_request.labeled',
      'pull_request.edited',
    ])
    expect(forge.deliveries[2]!.payload).toMatchObject({ label: { name: 'Skip' } })
    expect(forge.deliveries[4]!.payload).toMatchObject({
      changes: { base: { ref: { from: 'main' }, sha: { from: expect.any(String) } } },
      sender: { login: 'ann' },
    })
  })
})
