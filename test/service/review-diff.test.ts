// The diff of a review: who sees it, of which commit, and how much of it.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { readSample } from '../../demo/read-sample.ts'
import {
  type ConnectScenario,
  type Person,
  startConnectScenario,
  tokenOf,
} from '../connect-scenario.ts'
import { replyWith } from '../fakes/forge/forge.ts'
import { waitUntilSettled } from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { webhookSecret } from '../start-app.ts'

let scene: ConnectScenario
let root: SignedInUser

beforeAll(async () => {
  scene = await startConnectScenario()
  root = await signInWithToken(scene.app, tokenOf('root'))
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
})
beforeEach(() => scene.forge.faults.clear())

const denied = { status: 403, body: { detail: 'Repo not connected or access denied' } }
const notFound = { status: 404, body: { detail: 'Review not found' } }

const read = (person: Person, id: number) => scene.request(person, `/api/v1/reviews/${id}/diff`)

async function readAsRoot(id: number) {
  const response = await fetch(`${scene.app.url}/api/v1/reviews/${id}/diff`, {
    headers: root.bearer,
  })
  return { status: response.status, body: await response.json() }
}

async function settled(): Promise<void> {
  const isAnswered = () => scene.forge.deliveries.every((delivery) => delivery.status !== null)
  await scene.forge.waitFor(isAnswered, { description: 'the answers to all deliveries' })
  await waitUntilSettled(scene.app)
}

/** Connects a repository for alice and reviews a pull request in it. */
async function reviewed(files: Record<string, string | null> = readSample('topic')) {
  const repo = await scene.createRepository()
  await scene.connect('alice', repo)
  await scene.forge.push(repo, 'main', readSample('main'), { author: 'alice', message: 'Start' })
  await scene.forge.push(repo, 'topic', files, { author: 'alice', message: 'Take payments' })
  const number = await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  await settled()
  return { repo, number, id: await newestReview(repo) }
}

async function newestReview(repo: string): Promise<number> {
  const { body } = await scene.request('alice', `/api/v1/reviews?search=${repo}`)
  return body[0].id
}

it('shows files with hunks that contain the lines of the findings', async () => {
  const { repo, id } = await reviewed({
    ...readSample('topic'),
    'src/old.ts': null,
    'end.txt': 'no end',
  })
  const { status, body } = await read('alice', id)
  expect(status).toBe(200)
  expect(body.head_sha).toBe((await scene.forge.branches(repo)).get('topic'))
  expect(body.base_sha).toBe((await scene.forge.branches(repo)).get('main'))
  expect(body.notes).toEqual([])
  const { body: review } = await scene.request('alice', `/api/v1/reviews/${id}`)
  expect(review.confidence_reason).toMatch(/\w/)
  expect(review.findings.length).toBeGreaterThan(0)
  for (const { path, start_line } of review.findings) {
    const { hunks } = body.files.find((file: { path: string }) => file.path === path)
    const hunk = hunks.find(
      ({ new_start: start, new_lines: count }: { new_start: number; new_lines: number }) =>
        start <= start_line && start_line < start + count,
    )
    const newSide = hunk.lines.filter(
      (line: string) => line.startsWith('+') || line.startsWith(' '),
    )
    expect(newSide).toHaveLength(hunk.new_lines)
  }
  expect(body.files.find((file: { path: string }) => file.path === 'end.txt')).toMatchObject({
    old_path: 'end.txt',
    status: 'added',
    binary: false,
    additions: 1,
    deletions: 0,
    left_out: null,
    hunks: [
      {
        old_start: 0,
        old_lines: 0,
        new_start: 1,
        lines: ['+no end', '\\ No newline at end of file'],
      },
    ],
  })
})

it('shows the reviewed commit after later pushes and after the merge', async () => {
  const { repo, number, id } = await reviewed()
  const before = await read('alice', id)
  await scene.forge.push(
    repo,
    'topic',
    { 'more.txt': 'more\n' },
    { author: 'alice', message: 'More' },
  )
  await settled()
  expect((await read('alice', id)).body).toEqual(before.body)
  const newer = await read('alice', await newestReview(repo))
  expect(newer.body.files.map(({ path }: { path: string }) => path)).toContain('more.txt')
  await scene.forge.mergePullRequest(repo, number)
  expect((await read('alice', id)).body).toEqual(before.body)
})

it('case 26: shows the diff only to connected people with access on the platform', async () => {
  const { repo, id } = await reviewed()
  expect(await read('bob', id)).toEqual(notFound)
  expect(await readAsRoot(id)).toEqual(denied)
  expect((await fetch(`${scene.app.url}/api/v1/reviews/${id}/diff`)).status).toBe(401)
  scene.forge.setPrivate(repo, true)
  scene.forge.setPermission(repo, 'alice', 'none')
  const hidden = await read('alice', id)
  expect(hidden).toEqual({
    status: 404,
    body: { detail: 'The code host does not show the reviewed commit any more' },
  })
  scene.forge.setPermission(repo, 'alice', 'admin')
  expect((await read('alice', id)).status).toBe(200)
  await scene.disconnect('alice', repo)
  expect(await read('alice', id)).toEqual(denied)
})

it('shows administrators unconnected repositories with the deployment token', async () => {
  const repo = await scene.createRepository()
  await scene.forge.push(repo, 'main', readSample('main'), { author: 'alice', message: 'Start' })
  await scene.forge.push(repo, 'topic', readSample('topic'), {
    author: 'alice',
    message: 'Take payments',
  })
  const url = `${scene.app.url}/api/v1/webhooks/host`
  scene.forge.addWebhook(repo, { url, secret: webhookSecret, events: ['pull_request'] })
  await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  await settled()
  const list = await fetch(`${scene.app.url}/api/v1/reviews?search=${repo}`, {
    headers: root.bearer,
  })
  const [{ id }] = (await list.json()) as [{ id: number }]
  expect((await readAsRoot(id)).status).toBe(200)
  expect(await read('alice', id)).toEqual(notFound)
})

it('reports a review that has no diff yet, and a platform that fails', async () => {
  const { repo, id } = await reviewed()
  const pulls = ({ path }: { path: string }) => path.includes(`/repos/${repo}/pulls/`)
  scene.forge.faults.add({ match: pulls, action: replyWith(500, { message: 'Broken' }) })
  const failed = await read('alice', id)
  expect(failed.status).toBe(502)
  expect(failed.body.detail).toContain('The diff could not be read: ')
  scene.forge.faults.clear()
  scene.forge.faults.add({ match: pulls, action: replyWith(404, { message: 'Not Found' }) })
  await scene.request('alice', `/api/v1/reviews/${id}/retry`, 'POST')
  await settled()
  const { body } = await scene.request('alice', `/api/v1/deliveries?repo=${repo}&limit=1`)
  expect(await read('alice', body.deliveries[0].id)).toEqual({
    status: 409,
    body: { detail: 'No commit was reviewed here yet' },
  })
})

it('uses the platform where git cannot fetch', async () => {
  const repo = await scene.createRepository()
  scene.forge.faults.add({
    match: ({ path }) => path.startsWith(`/${repo}.git/`),
    action: replyWith(404, { message: 'Not Found' }),
  })
  await scene.connect('alice', repo)
  await scene.forge.push(repo, 'main', readSample('main'), { author: 'alice', message: 'Start' })
  await scene.forge.push(repo, 'topic', readSample('topic'), {
    author: 'alice',
    message: 'Take payments',
  })
  await scene.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
  await settled()
  const { status, body } = await read('alice', await newestReview(repo))
  expect(status).toBe(200)
  expect(body.files).toHaveLength(2)
})

it('omits what exceeds the size limit, files with findings last, and cuts lines', async () => {
  const lines = (count: number, word: string) =>
    Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('')
  const { id } = await reviewed({
    ...readSample('topic'),
    'a-first.txt': lines(19_995, 'first'),
    'b-second.txt': lines(12_000, 'second'),
    'c-long.txt': `${'long '.repeat(1000)}\n`,
  })
  const { body } = await read('alice', id)
  const { body: review } = await scene.request('alice', `/api/v1/reviews/${id}`)
  const leftOut = new Map(
    body.files.map((file: { path: string; left_out: string | null }) => [file.path, file.left_out]),
  )
  for (const { path } of review.findings) expect(leftOut.get(path)).toBeNull()
  expect(leftOut.get('a-first.txt')).toBe('The diff is too large to show all of it.')
  expect(body.files[0]).toMatchObject({ path: 'a-first.txt', hunks: [], additions: 19_995 })
  expect(leftOut.get('b-second.txt')).toBeNull()
  expect(leftOut.get('c-long.txt')).toContain('are cut')
  const text = JSON.stringify(body)
  expect(text).not.toContain('long '.repeat(201))
})
