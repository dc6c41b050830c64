// Reviews without a model, from the delivery to the comments on the pull request.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSample } from '../../demo/read-sample.ts'
import { createBareRepository, nameBytes } from '../fakes/bare-repository.ts'
import {
  ownComments,
  repo,
  reviewerLogin,
  runsOf,
  type Scenario,
  startScenario,
} from '../review-scenario.ts'

let scenario: Scenario
beforeAll(async () => {
  scenario = await startScenario()
})
afterAll(() => scenario[Symbol.asyncDispose]())

const topic = readSample('topic')
const orders = topic['src/orders.ts'] as string
const clean =
  'export function formatPrice(cents: number): string {\n  return (cents / 100).toFixed(2)\n}\n'

/** Returns a line that the static reviewer reports. */
function leak(letter: string): string {
  return `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3s${letter}'\n`
}

/** Returns the 1-based number of the first line that contains the text. */
function lineOf(content: string, text: string): number {
  return content.split('\n').findIndex((line) => line.includes(text)) + 1
}

describe('a pull request with bugs', () => {
  let number: number
  beforeAll(async () => {
    number = await scenario.openPullRequest(topic, {
      branch: 'bugs',
      title: 'Cancel and pay orders',
    })
    await scenario.waitUntilSettled()
  })

  it('gets one summary with marker, verdict and a list that links to the lines', () => {
    const view = scenario.forge.pullRequest(repo, number)
    const { summaries, inline } = ownComments(view)
    expect(summaries).toHaveLength(1)
    const body = summaries[0]?.body ?? ''
    expect(body).toMatch(new RegExp(`^<!-- umpire:review v=1 head=${view.headSha} run=\\d+ -->\n`))
    expect(body).toMatch(/^### 🔴 Changes requested: 2 critical, \d+ moderate/m)
    const items = body.match(/^- (🔴|🟡|🔵) \*\*\w+\*\* · .+ · \[`src\/\w+\.ts:\d+`\]\(.+\)$/gm)
    expect(items).toHaveLength(inline.length)
    const { path, line } = inline[0]!
    expect(body).toContain(`/${repo}/blob/${view.headSha}/${path}#L${line})`)
    expect(body).toContain(`reviewed ${view.headSha.slice(0, 7)} in`)
    expect(view.reviews.map((review) => [review.author, review.state])).toEqual([
      [reviewerLogin, 'COMMENTED'],
    ])
  })

  it('gets comments on the right lines, with suggestions that can be committed', () => {
    const { inline } = ownComments(scenario.forge.pullRequest(repo, number))
    const locations = inline.map(({ path, line, side }) => `${path}:${line} ${side}`)
    const payments = topic['src/payments.ts'] as string
    expect(locations).toEqual(
      expect.arrayContaining([
        `src/orders.ts:${lineOf(orders, "user.role !== 'admin' ||")} RIGHT`,
        `src/orders.ts:${lineOf(orders, 'orders.forEach(async')} RIGHT`,
        `src/orders.ts:${lineOf(orders, 'new Date(order.placedAt) ===')} RIGHT`,
        `src/orders.ts:${lineOf(orders, "where customer = '$")} RIGHT`,
        `src/payments.ts:${lineOf(payments, 'const providerKey')} RIGHT`,
        `src/payments.ts:${lineOf(payments, '    charge(order')} RIGHT`,
      ]),
    )
    const condition = inline.find(
      (comment) => comment.line === lineOf(orders, "user.role !== 'admin' ||"),
    )
    expect(condition?.body).toContain(
      "```suggestion\n  if (user.role !== 'admin' && user.role !== 'support') {\n```\n",
    )
    const markers = inline.map((comment) => /<!-- umpire:finding (\w+) -->/.exec(comment.body)?.[1])
    expect(new Set(markers).size).toBe(inline.length)
    expect(markers).not.toContain(undefined)
  })

  it('links the findings of the first summary to their threads, and posts it once', () => {
    const { summaries, inline } = ownComments(scenario.forge.pullRequest(repo, number))
    expect(summaries).toMatchObject([{ edits: 1 }])
    for (const { id } of inline) expect(summaries[0]?.body).toContain(`#discussion_r${id})`)
  })

  it('shows the progress and the verdict on the commit', () => {
    const view = scenario.forge.pullRequest(repo, number)
    const summary = ownComments(view).summaries[0]
    const statuses = (view.statuses[view.headSha] ?? []).map((status) => [
      status.context,
      status.state,
    ])
    expect(statuses).toEqual([
      ['umpire/review', 'pending'],
      ['umpire/review', 'failure'],
    ])
    const last = view.statuses[view.headSha]?.at(-1)
    expect(last?.description).toMatch(/^Changes requested: 2 critical, \d+ moderate, 1 minor$/)
    expect(last?.targetUrl).toBe(`${view.url}#issuecomment-${summary?.id}`)
  })

  it('is recorded with event, verdict, confidence and the exact summary', async () => {
    const events = await scenario.app.events()
    expect(events.filter((event) => event.prNumber === number)).toMatchObject([
      { eventType: 'pull_request.opened', status: 'completed', repo },
    ])
    const { id } = events.find((event) => event.prNumber === number)!
    const { summaries } = ownComments(scenario.forge.pullRequest(repo, number))
    const page = `${scenario.app.app.context.config.http.publicUrl}/reviews/${id}`
    expect(summaries[0]?.body).toContain(`[the review's page](${page})`)
    const runs = await runsOf(scenario.app, number)
    expect(runs).toMatchObject([
      {
        status: 'completed',
        verdict: 'REQUEST_CHANGES',
        filesAnalyzed: 2,
        attempts: 1,
        error: null,
      },
    ])
    const lines = runs[0]?.summary?.split('\n') ?? []
    expect(lines[0]).toBe('REQUEST_CHANGES')
    expect(lines[1]).toBe(`Confidence: ${runs[0]?.confidence}/5`)
    expect(lines[3]).toMatch(/^Findings: (\d+ (critical|moderate|minor)(, |$))+$/)
    expect(runs[0]?.headSha).toBe(scenario.forge.pullRequest(repo, number).headSha)
  })

  it('reports on the next push what is resolved, and posts nothing twice', async () => {
    const { forge } = scenario
    const before = ownComments(forge.pullRequest(repo, number))
    const dateLine = lineOf(orders, 'new Date(order.placedAt) ===')
    const fixed = orders.replace(
      'new Date(order.placedAt) ===',
      'new Date(order.placedAt).getTime() ===',
    )
    const fixedDay = fixed.replace('=== new Date(day)', '=== new Date(day).getTime()')
    const moved = `// A line more.\n// And another one.\n${fixedDay}`
    await forge.push(repo, 'bugs', { 'src/orders.ts': moved }, { author: 'alice' })
    await scenario.waitUntilSettled()

    const view = forge.pullRequest(repo, number)
    const after = ownComments(view)
    expect(after.summaries.map((comment) => comment.id)).toEqual(
      before.summaries.map((comment) => comment.id),
    )
    expect(after.summaries[0]?.edits).toBe(2)
    expect(after.summaries[0]?.body).toContain(`head=${view.headSha} `)
    expect(after.summaries[0]?.body).toMatch(/· Resolved 1<\/strong>/)
    expect(after.summaries[0]?.body).toMatch(/^- 🟡 Resolved: The dates /m)
    expect(after.inline.map((comment) => comment.id)).toEqual(
      before.inline.map((comment) => comment.id),
    )
    const resolved = view.threads.filter((thread) => thread.resolved)
    expect(resolved.map((thread) => [thread.resolvedBy, thread.comments[0]?.originalLine])).toEqual(
      [[reviewerLogin, dateLine]],
    )
    expect(view.statuses[view.headSha]?.map((status) => status.state)).toEqual([
      'pending',
      'failure',
    ])
    expect(await runsOf(scenario.app, number)).toMatchObject([
      { status: 'completed' },
      { status: 'completed' },
    ])
  })
})

describe('a clean pull request', () => {
  it('gets one line that names the commit, and a green status', async () => {
    const { forge, app } = scenario
    const number = await scenario.openPullRequest({ 'src/format.ts': clean }, { branch: 'clean' })
    await scenario.waitUntilSettled()
    const view = forge.pullRequest(repo, number)
    const { summaries, inline } = ownComments(view)
    expect(summaries).toHaveLength(1)
    expect(summaries[0]?.body).toMatch(
      new RegExp(
        '\n### 🟢 Passed: nothing found in 1 file\n\n' +
          `<sub>Umpire reviewed ${view.headSha.slice(0, 7)} in [\\d.]+ s with rules only.*</sub>$`,
        's',
      ),
    )
    expect(inline).toEqual([])
    expect(view.reviews).toEqual([])
    expect(view.statuses[view.headSha]?.at(-1)).toMatchObject({ state: 'success' })
    expect(await runsOf(app, number)).toMatchObject([
      { verdict: 'APPROVE', summary: expect.stringMatching(/^APPROVE\nConfidence: [1-5]\/5\n/) },
    ])
  })
})

describe('a review', () => {
  it('case 57: does not start for comments, reviews and statuses of the service', async () => {
    const { forge, app } = scenario
    // This webhook listens to everything, as people configure them by hand.
    const [hook] = forge.webhooks(repo)
    const id = forge.addWebhook(repo, {
      url: `${hook!.url}?all`,
      secret: hook!.secret,
      events: ['*'],
    })
    const number = await scenario.openPullRequest({ 'src/leak.ts': leak('a') }, { branch: 'own' })
    await scenario.waitUntilSettled()
    forge.removeWebhook(repo, id)
    const byUs = forge.deliveries.filter(
      ({ payload }) => (payload.sender as { login?: string } | undefined)?.login === reviewerLogin,
    )
    expect(new Set(byUs.map((delivery) => delivery.event))).toEqual(
      new Set(['issue_comment', 'pull_request_review', 'pull_request_review_comment']),
    )
    expect(byUs.map((delivery) => delivery.status)).toEqual(byUs.map(() => 200))
    expect(await runsOf(app, number)).toHaveLength(1)
    expect(ownComments(forge.pullRequest(repo, number)).summaries).toMatchObject([{ edits: 1 }])
  })

  it('does not start when a pull request is closed or reopened', async () => {
    const { forge, app } = scenario
    const number = await scenario.openPullRequest({ 'src/other.ts': clean }, { branch: 'closed' })
    await scenario.waitUntilSettled()
    forge.closePullRequest(repo, number)
    await forge.reopenPullRequest(repo, number)
    await scenario.waitUntilSettled()
    const events = (await app.events()).filter((event) => event.prNumber === number)
    expect(events.map((event) => [event.eventType, event.status]).sort()).toEqual([
      ['pull_request.closed', 'pending'],
      ['pull_request.opened', 'completed'],
      ['pull_request.reopened', 'pending'],
    ])
    expect(await runsOf(app, number)).toHaveLength(1)
  })
})

describe('unusual changes', () => {
  it('case 40: reviews files with line breaks, quotes and invalid UTF-8 in names', async () => {
    const { forge } = scenario
    await using made = await createBareRepository()
    const address = new URL(forge.cloneUrl(repo))
    address.username = 'alice'
    address.password = 'ghp_token_of_alice'
    const names = ['src/new\nline.ts', 'src/"quoted\\".ts', 'latin1:src/caf\xe9.ts']
    const main = (await forge.branches(repo)).get('main') ?? ''
    await made.git(['fetch', '--quiet', address.href, 'main'])
    await made.git(['read-tree', main])
    for (const [index, name] of names.entries()) {
      const blob = (await made.git(['hash-object', '-w', '--stdin'], leak(String(index))))
        .toString()
        .trim()
      const entry = Buffer.concat([
        Buffer.from(`100644 ${blob}\t`),
        nameBytes(name),
        Buffer.from('\0'),
      ])
      await made.git(['update-index', '-z', '--index-info'], entry)
    }
    const tree = (await made.git(['write-tree'])).toString().trim()
    const identity = ['-c', 'user.name=alice', '-c', 'user.email=alice@example.org']
    const commit = await made.git([...identity, 'commit-tree', '-p', main, '-m', 'Odd names', tree])
    await made.git([
      'push',
      '--quiet',
      address.href,
      `${commit.toString().trim()}:refs/heads/names`,
    ])
    const number = await forge.openPullRequest({ repo, head: 'names', author: 'alice' })
    await scenario.waitUntilSettled()

    const { summaries, inline } = ownComments(forge.pullRequest(repo, number))
    expect(inline.map(({ path, line }) => [path, line]).sort()).toEqual([
      ['src/"quoted\\".ts', 1],
      ['src/new\nline.ts', 1],
    ])
    // The platform cannot name this path, so the summary contains the full finding.
    expect(summaries).toHaveLength(1)
    expect(summaries[0]?.body).toContain(String.raw`"src/caf\351.ts":1`)
    expect(summaries[0]?.body).toContain('[`src/new line.ts:1`](')
    expect(summaries[0]?.body).toContain('3 critical')
    expect(
      await scenario.app.db
        .selectFrom('findings')
        .select('path')
        .where('prNumber', '=', number)
        .execute(),
    ).toEqual(
      expect.arrayContaining([
        { path: 'src/new\nline.ts' },
        { path: String.raw`"src/caf\351.ts"` },
      ]),
    )
  })

  it('case 56: reads more than 300 files through git and states the coverage', async () => {
    const { forge, app } = scenario
    const files = Object.fromEntries(
      Array.from({ length: 301 }, (_, at) => [`src/many/f${at}.ts`, `${clean}// ${at}\n`]),
    )
    const last = 'src/many/f300.ts'
    const picture = Buffer.from('89504e470d0a1a0a0000000049454e44ae426082', 'hex')
    const requestsBefore = forge.requests.length
    const number = await forge
      .push(repo, 'many', { ...files, [last]: leak('z'), 'logo.png': picture }, { author: 'alice' })
      .then(() => forge.openPullRequest({ repo, head: 'many', author: 'alice' }))
    await scenario.waitUntilSettled()
    const { summaries, inline } = ownComments(forge.pullRequest(repo, number))
    expect(inline.map((comment) => comment.path)).toEqual([last])
    expect(summaries[0]?.body).toContain('Coverage: 301 of 302 files')
    expect(summaries[0]?.body).toContain('- Not reviewed (image): `logo.png`')
    expect(await runsOf(app, number)).toMatchObject([{ filesAnalyzed: 301, status: 'completed' }])
    // The platform refuses to return a diff of this size.
    const paths = forge.requests.slice(requestsBefore).map((request) => request.path)
    expect(paths.filter((path) => path.endsWith('/git-upload-pack')).length).toBeGreaterThan(0)
    const diff = await fetch(`${forge.apiUrl}/repos/${repo}/pulls/${number}`, {
      headers: {
        accept: 'application/vnd.github.diff',
        authorization: 'Bearer ghp_token_of_alice',
      },
    })
    expect(diff.status).toBe(406)
  })
})
