// Tests when a review approves or requests changes on the platform, and when it withdraws that.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import type { ReviewEnd } from '../../src/domain/review.ts'
import { claimDecisionChecks } from '../../src/work/posted-decisions.ts'
import { hold, replyWith } from '../fakes/forge/forge.ts'
import { createTestDatabase, silentLog } from '../fakes/test-database.ts'
import {
  type InstalledScenario,
  type PullRequestOptions,
  type Reviewed,
  slug,
  startInstalledScenario,
} from '../installed-app-scenario.ts'

let scene: InstalledScenario
beforeAll(async () => {
  // The worker checks decisions every third of a lease.
  scene = await startInstalledScenario({ PLATFORM_TOKEN: '', REVIEW_LEASE_SECONDS: '6' })
})
afterAll(() => scene[Symbol.asyncDispose]())

const leak = `export const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sQ'\n`
const clean = 'export const a = 1\n'

/** What a pull request changes for each end of its review. */
const filesOf = {
  passed: { 'src/a.ts': clean },
  changes_requested: { 'src/a.ts': leak },
  needs_person: { 'src/a.ts': 'export const ports = { http: 80, admin: 81, http: 8080 }\n' },
  incomplete: { 'src/a.ts': clean, 'src/Main.hs': 'main = print 1\n' },
} as const
type PostedEnd = keyof typeof filesOf & ReviewEnd

const both = 'decisions: [approve, request_changes]\n'
const review = (end: PostedEnd, options: PullRequestOptions = { settings: both }) =>
  scene.review(filesOf[end], options)

const viewOf = ({ repo, number }: Pick<Reviewed, 'repo' | 'number'>) =>
  scene.forge.pullRequest(repo, number)

/** The decisions of the App, oldest first, without comments. */
function decisionsOf(reviewed: Pick<Reviewed, 'repo' | 'number'>): string[] {
  return viewOf(reviewed)
    .reviews.filter(({ author, state }) => author === `${slug}[bot]` && state !== 'COMMENTED')
    .map(({ state }) => state)
}

/** What counts at the platform: the latest decision. */
const standing = (reviewed: Pick<Reviewed, 'repo' | 'number'>) => decisionsOf(reviewed).at(-1)

let pushes = 0

async function push(reviewed: Reviewed, end: PostedEnd): Promise<string> {
  // Every push is a new commit, also of the same end.
  const files = { ...filesOf[end], 'docs/note.md': `${++pushes}\n` }
  const sha = await scene.forge.push(reviewed.repo, 'topic', files, { author: 'alice' })
  await scene.settled()
  return sha
}

const storedOf = ({ repo }: Reviewed) =>
  scene.app.db
    .selectFrom('postedDecisions')
    .select(['decision', 'headSha'])
    .where('repo', '=', repo)
    .execute()

describe('the decision of a review', () => {
  const nothing = undefined
  const expected: Record<string, Record<PostedEnd, string | undefined>> = {
    '': {
      ...{ passed: nothing, changes_requested: nothing },
      ...{ needs_person: nothing, incomplete: nothing },
    },
    'decisions: request_changes\n': {
      ...{ passed: nothing, changes_requested: 'CHANGES_REQUESTED' },
      ...{ needs_person: nothing, incomplete: nothing },
    },
    'decisions: approve\n': {
      ...{ passed: 'APPROVED', changes_requested: nothing },
      ...{ needs_person: nothing, incomplete: nothing },
    },
    [both]: {
      ...{ passed: 'APPROVED', changes_requested: 'CHANGES_REQUESTED' },
      ...{ needs_person: nothing, incomplete: nothing },
    },
    [`${both}gate: [incomplete]\n`]: {
      ...{ passed: 'APPROVED', changes_requested: nothing },
      ...{ needs_person: nothing, incomplete: nothing },
    },
  }
  it.for(Object.entries(expected))(
    'follows its end with the settings %j',
    async ([settings, ends]) => {
      for (const [end, decision] of Object.entries(ends)) {
        const reviewed = await review(end as PostedEnd, { settings })
        expect(decisionsOf(reviewed), end).toEqual(decision === undefined ? [] : [decision])
        const { reviews } = viewOf(reviewed)
        const decided = reviews.find(({ state }) => state === decision)
        if (decision !== undefined) expect(decided?.commitId).toBe(reviewed.sha)
        expect(await storedOf(reviewed)).toHaveLength(decision === undefined ? 0 : 1)
      }
    },
  )

  it('says what it is, and links the summary', async () => {
    for (const [end, start] of [
      ['passed', 'Approved'],
      ['changes_requested', 'Changes requested'],
    ] as const) {
      const { reviews, comments } = viewOf(await review(end))
      expect(reviews).toHaveLength(1)
      expect(reviews[0]?.body.startsWith(`${start}: the [summary](http`)).toBe(true)
      expect(reviews[0]?.body).toContain(`#issuecomment-${comments[0]?.id})`)
    }
    const commented = viewOf(await review('needs_person')).reviews
    expect(commented).toMatchObject([{ body: expect.stringMatching(/^The \[summary\]/) }])
    expect(viewOf(await review('passed', { settings: '' })).reviews).toEqual([])
  })

  it('never approves a change from a fork', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    await forge.push(repo, 'main', { '.umpire.yml': both }, { author: 'alice' })
    scene.install(repo)
    const fork = `bob/${repo.split('/')[1]}`
    await forge.createRepository(fork, { forkOf: repo })
    await forge.push(fork, 'topic', filesOf.passed, { author: 'bob' })
    const number = await forge.openPullRequest({ repo, head: 'topic', headRepo: fork })
    await scene.settled()
    expect(decisionsOf({ repo, number })).toEqual([])
    await forge.push(fork, 'topic', filesOf.changes_requested, { author: 'bob' })
    await scene.settled()
    expect(decisionsOf({ repo, number })).toEqual(['CHANGES_REQUESTED'])
  })

  it('is not an approval of a draft that rules alone review', async () => {
    const settings = `${both}reviews: { drafts: static }\n`
    const reviewed = await review('passed', { settings, draft: true })
    expect(decisionsOf(reviewed)).toEqual([])
    scene.forge.markReadyForReview(reviewed.repo, reviewed.number)
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['APPROVED'])
  })

  it('is not taken from the settings of the pull request itself', async () => {
    const reviewed = await scene.review({ ...filesOf.passed, '.umpire.yml': both })
    expect(decisionsOf(reviewed)).toEqual([])
  })
})

describe('a push', () => {
  const dismissed = 'DISMISSED'
  const strict = `${both}policy: { moderate: request_changes }\n`
  it.for<[before: PostedEnd, after: PostedEnd, decisions: string[], settings?: string]>([
    ['passed', 'passed', [dismissed, 'APPROVED']],
    ['passed', 'incomplete', [dismissed]],
    ['passed', 'needs_person', [dismissed]],
    ['passed', 'changes_requested', [dismissed, 'CHANGES_REQUESTED']],
    ['changes_requested', 'changes_requested', ['CHANGES_REQUESTED']],
    // A leaked secret stays open when it is removed.
    ['changes_requested', 'passed', ['CHANGES_REQUESTED']],
    ['needs_person', 'passed', [dismissed, 'APPROVED'], strict],
    ['needs_person', 'incomplete', [dismissed], strict],
    ['needs_person', 'passed', ['APPROVED']],
    ['incomplete', 'changes_requested', ['CHANGES_REQUESTED']],
  ])(
    'from a head that is %s to one that is %s leaves %j',
    async ([before, after, decisions, settings = both]) => {
      const reviewed = await review(before, { settings })
      const sha = await push(reviewed, after)
      expect(decisionsOf(reviewed)).toEqual(decisions)
      const approval = viewOf(reviewed).reviews.findLast(({ state }) => state === 'APPROVED')
      if (approval !== undefined) expect(approval.commitId).toBe(sha)
    },
  )

  it('withdraws an approval before the new head is reviewed', async () => {
    const reviewed = await review('passed')
    const held = hold()
    const remove = scene.forge.faults.add({
      match: ({ path }) => path.includes(reviewed.repo) && path.includes('/compare/'),
      action: held,
    })
    await scene.forge.push(reviewed.repo, 'topic', filesOf.incomplete, { author: 'alice' })
    await held.arrived
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
    remove()
    held.release()
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
  })

  it('whose delivery is lost withdraws an approval all the same', async () => {
    const reviewed = await review('passed')
    scene.forge.faultyDeliveries({ seed: 1, drop: 1, double: 0, reorder: 0, delay: 0 })
    await scene.forge.push(reviewed.repo, 'topic', filesOf.incomplete, { author: 'alice' })
    scene.forge.faultyDeliveries(null)
    await checkDecisions(reviewed)
    await scene.forge.waitFor(() => standing(reviewed) === 'DISMISSED')
    await expect.poll(() => storedOf(reviewed)).toEqual([])
  })
})

/** Makes the check of the decisions due at once. */
async function checkDecisions({ repo }: Reviewed): Promise<void> {
  await sql`update posted_decisions set checked_at = '-infinity' where repo = ${repo}`.execute(
    scene.app.db,
  )
}

/** A pull request that is reviewed before, and a branch `release` with other settings. */
async function reviewBeside(release: string, main = both): Promise<Reviewed> {
  const reviewed = await review('passed', { settings: main })
  await scene.forge.push(reviewed.repo, 'release', { '.umpire.yml': release }, { author: 'alice' })
  return reviewed
}

const changeBase = ({ repo, number }: Reviewed) =>
  scene.forge.editPullRequest(repo, number, { base: 'release' })

const isComparison =
  ({ repo }: Reviewed) =>
  ({ path }: { path: string }) =>
    path.includes(repo) && path.includes('/compare/')

describe('a change of the base branch', () => {
  it('withdraws an approval before the change to the new base is reviewed', async () => {
    const reviewed = await reviewBeside('{}\n')
    const held = hold()
    scene.forge.faults.add({ match: isComparison(reviewed), times: 1, action: held })
    await changeBase(reviewed)
    await held.arrived
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
    held.release()
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
    expect(await storedOf(reviewed)).toEqual([])
  })

  it('withdraws an approval while a review is under way', async () => {
    const reviewed = await reviewBeside('{}\n')
    const held = hold()
    scene.forge.faults.add({ match: isComparison(reviewed), times: 1, action: held })
    scene.forge.rerunCheck(reviewed.repo, scene.checkOf(reviewed).id, 'carol')
    await held.arrived
    await changeBase(reviewed)
    await scene.forge.waitFor(() => standing(reviewed) === 'DISMISSED')
    held.release()
    await scene.settled()
    expect(standing(reviewed)).toBe('DISMISSED')
  })

  it('whose delivery is lost withdraws an approval all the same', async () => {
    const reviewed = await reviewBeside(both)
    scene.forge.faultyDeliveries({ seed: 1, drop: 1, double: 0, reorder: 0, delay: 0 })
    await changeBase(reviewed)
    scene.forge.faultyDeliveries(null)
    await checkDecisions(reviewed)
    await scene.forge.waitFor(() => standing(reviewed) === 'DISMISSED')
    await expect.poll(() => storedOf(reviewed)).toEqual([])
  })

  it('leads to an approval again when the default branch is the base again', async () => {
    const reviewed = await reviewBeside(both)
    await changeBase(reviewed)
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
    await scene.forge.editPullRequest(reviewed.repo, reviewed.number, { base: 'main' })
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED', 'APPROVED'])
    expect(await storedOf(reviewed)).toHaveLength(1)
  })

  it('keeps a request for changes until the new base is reviewed', async () => {
    const reviewed = await review('changes_requested')
    await scene.forge.push(reviewed.repo, 'release', { '.umpire.yml': both }, { author: 'alice' })
    await changeBase(reviewed)
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['CHANGES_REQUESTED'])
  })
})

describe('a base branch that anybody with write access can create', () => {
  async function openInto(base: string, end: PostedEnd): Promise<Reviewed> {
    const { forge } = scene
    const repo = await scene.createRepository()
    await forge.push(repo, 'main', { '.umpire.yml': '{}\n' }, { author: 'alice' })
    await forge.push(repo, base, { '.umpire.yml': both }, { author: 'alice' })
    scene.install(repo)
    const sha = await forge.push(repo, 'topic', filesOf[end], { author: 'alice' })
    const number = await forge.openPullRequest({ repo, head: 'topic', base, author: 'alice' })
    await scene.settled()
    return { repo, number, sha }
  }

  it.for<[base: string, end: PostedEnd, decisions: string[]]>([
    ['mine', 'passed', []],
    ['mine', 'changes_requested', ['CHANGES_REQUESTED']],
    ['main', 'passed', ['APPROVED']],
  ])('earns no approval: %s, %s', async ([base, end, decisions]) => {
    const reviewed = await openInto(base, end)
    expect(decisionsOf(reviewed)).toEqual(decisions)
    expect(await storedOf(reviewed)).toHaveLength(decisions.length)
    expect(scene.checkOf(reviewed).conclusion).toBe(end === 'passed' ? 'success' : 'failure')
  })
})

describe('a decision is withdrawn', () => {
  it('when findings are dismissed, and made again when the dismissal ends', async () => {
    const reviewed = await review('changes_requested')
    const { repo, number } = reviewed
    const thread = viewOf({ repo, number }).inlineComments[0]!
    scene.forge.resolveThread(repo, number, thread.id, 'carol')
    await checkThreads(repo)
    await scene.forge.waitFor(() => standing(reviewed) === 'APPROVED')
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED', 'APPROVED'])
    scene.forge.resolveThread(repo, number, thread.id, null)
    await checkThreads(repo)
    await scene.forge.waitFor(() => standing(reviewed) === 'CHANGES_REQUESTED')
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED', 'DISMISSED', 'CHANGES_REQUESTED'])
  })

  it.for<PostedEnd>(['passed', 'changes_requested'])(
    'while a person pauses the reviews: %s',
    async (end) => {
      const settings = `${both}reviews: { skip: { labels: [no-review] } }\n`
      const reviewed = await review(end, { settings })
      const { repo, number } = reviewed
      const before = decisionsOf(reviewed)
      scene.forge.addLabel(repo, number, 'no-review', 'carol')
      await scene.settled()
      expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
      scene.forge.removeLabel(repo, number, 'no-review', 'carol')
      await scene.settled()
      expect(decisionsOf(reviewed)).toEqual(['DISMISSED', ...before])
    },
  )

  it.for<[end: PostedEnd, decisions: string[]]>([
    ['passed', ['DISMISSED']],
    // Else its author could get rid of it.
    ['changes_requested', ['CHANGES_REQUESTED']],
  ])('when its author has the next head skipped, but not a refusal: %s', async ([end, after]) => {
    const settings = `${both}reviews: { skip: { titles: ["[WIP]"] } }\n`
    const reviewed = await review(end, { settings })
    const { repo, number } = reviewed
    await scene.forge.editPullRequest(repo, number, { title: '[WIP] Later' })
    await scene.settled()
    await push(reviewed, 'passed')
    expect(decisionsOf(reviewed)).toEqual(after)
  })

  it.for<PostedEnd>(['passed', 'changes_requested'])(
    'when the settings have the next head skipped: %s',
    async (end) => {
      const settings = `${both}gate: [changes_requested, incomplete]\n`
      const reviewed = await review(end, { settings })
      const skipping = `${settings}reviews: { start: on_request }\n`
      await scene.forge.push(reviewed.repo, 'main', { '.umpire.yml': skipping })
      await push(reviewed, 'passed')
      expect(scene.checksOf(await headOf(reviewed))[0]).toMatchObject({ conclusion: 'neutral' })
      expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
    },
  )

  it.for<PostedEnd>(['passed', 'changes_requested'])(
    'when the settings do not permit it any longer: %s',
    async (end) => {
      const reviewed = await review(end)
      await scene.forge.push(reviewed.repo, 'main', { '.umpire.yml': '{}\n' })
      await scene.settled()
      expect(standing(reviewed)).not.toBe('DISMISSED')
      await checkDecisions(reviewed)
      await scene.forge.waitFor(() => standing(reviewed) === 'DISMISSED')
      await expect.poll(() => storedOf(reviewed)).toEqual([])
    },
  )

  it('when the latest review failed, for an approval', async () => {
    const reviewed = await review('passed')
    const { repo } = reviewed
    const remove = scene.forge.faults.add({
      match: ({ path }) => path.includes(repo) && path.includes('/compare/'),
      action: replyWith(403, { message: 'Resource not accessible by integration' }),
    })
    scene.forge.rerunCheck(repo, scene.checkOf(reviewed).id, 'carol')
    await scene.settled()
    remove()
    expect(await scene.runsOf(reviewed)).toMatchObject([{}, { status: 'failed' }])
    await scene.forge.waitFor(() => standing(reviewed) === 'DISMISSED')
  })

  it('although another one on the repository cannot be checked', async () => {
    const first = await review('passed')
    const { repo } = first
    await scene.forge.push(repo, 'second', { 'src/b.ts': clean }, { author: 'alice' })
    const number = await scene.forge.openPullRequest({ repo, head: 'second', author: 'alice' })
    await scene.settled()
    const second = { repo, number }
    expect([standing(first), standing(second)]).toEqual(['APPROVED', 'APPROVED'])
    await scene.forge.push(repo, 'main', { '.umpire.yml': '{}\n' }, { author: 'alice' })
    await scene.settled()
    const remove = scene.forge.faults.add({
      match: ({ path }) => path.endsWith(`/repos/${repo}/pulls/${first.number}`),
      action: replyWith(500, { message: 'Server Error' }),
    })
    await checkDecisions(first)
    await scene.forge.waitFor(() => standing(second) === 'DISMISSED')
    remove()
    expect(standing(first)).toBe('APPROVED')
  })

  it('although the clock of the database was set back', async () => {
    const reviewed = await review('passed')
    const { repo } = reviewed
    await scene.forge.push(repo, 'main', { '.umpire.yml': '{}\n' }, { author: 'alice' })
    await scene.settled()
    await sql`update posted_decisions set checked_at = now() + interval '1 day'
      where repo = ${repo}`.execute(scene.app.db)
    await scene.forge.waitFor(() => standing(reviewed) === 'DISMISSED')
  })

  it('at ever longer intervals where that fails', async () => {
    await using stack = new AsyncDisposableStack()
    const database = stack.adopt(await createTestDatabase(), (one) => one.dispose())
    const { db } = stack.adopt(await openDatabase(database.config, silentLog), (one) => one.close())
    await sql`insert into pull_requests
      (repo, number, author, title, branch, base_branch, url, state, head_sha, updated_at)
      values ('acme/shop', 1, '', '', '', '', '', 'open', 'new', now())`.execute(db)
    await sql`insert into posted_decisions (repo, number, decision, head_sha)
      values ('acme/shop', 1, 'approve', 'old')`.execute(db)
    const ago = (seconds: number) => sql`now() - make_interval(secs => ${seconds})`
    const isDue = async (secondsSincePush: number, secondsSinceCheck: number) => {
      await sql`update pull_requests set updated_at = ${ago(secondsSincePush)}`.execute(db)
      await sql`update posted_decisions set checked_at = ${ago(secondsSinceCheck)}`.execute(db)
      const due = await claimDecisionChecks(db, { limit: 1, everySeconds: 600, retrySeconds: 5 })
      return due.length > 0
    }
    const minute = 60
    expect(await isDue(10, 6)).toBe(true)
    expect([await isDue(50 * minute, 6), await isDue(50 * minute, 310)]).toEqual([false, true])
    const day = 24 * 60 * minute
    expect([await isDue(day, 310), await isDue(day, 610)]).toEqual([false, true])
  })

  it('when the last person disconnects the repository', async () => {
    const reviewed = await review('passed')
    const { repo } = reviewed
    const disconnect = async (person: 'alice' | 'bob') =>
      expect((await scene.disconnect(person, repo)).status).toBe(200)
    expect((await scene.connect('bob', repo)).status).toBe(200)
    await disconnect('bob')
    expect(decisionsOf(reviewed)).toEqual(['APPROVED'])
    await disconnect('alice')
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
    expect(await storedOf(reviewed)).toEqual([])
  })

  it('by a request for changes where the platform does not let it be dismissed', async () => {
    const reviewed = await review('passed')
    scene.forge.restrictDismissals(reviewed.repo, true)
    await push(reviewed, 'incomplete')
    expect(decisionsOf(reviewed)).toEqual(['APPROVED', 'CHANGES_REQUESTED'])
    await push(reviewed, 'incomplete')
    expect(decisionsOf(reviewed)).toEqual(['APPROVED', 'CHANGES_REQUESTED'])
    scene.forge.restrictDismissals(reviewed.repo, false)
    await push(reviewed, 'incomplete')
    expect(standing(reviewed)).toBe('DISMISSED')
  })

  it.for<[author: string, state: 'COMMENTED' | 'CHANGES_REQUESTED']>([
    ['alice', 'COMMENTED'],
    ['bob', 'COMMENTED'],
    ['bob', 'CHANGES_REQUESTED'],
  ])('also if a review of %s (%s) contains its marker', async ([author, state]) => {
    const reviewed = await review('passed')
    const { repo, number } = reviewed
    scene.forge.restrictDismissals(repo, true)
    const body = 'Thanks! <!-- umpire:decision -->'
    await scene.forge.postReview(repo, number, { author, state, body })
    const sha = await push(reviewed, 'incomplete')
    expect(decisionsOf(reviewed)).toEqual(['APPROVED', 'CHANGES_REQUESTED'])
    // Both are remembered, so that they can be withdrawn later.
    expect(await storedOf(reviewed)).toMatchObject([{ decision: 'request_changes' }])
    expect(viewOf(reviewed).headSha).toBe(sha)
  })

  it('and not repeated on the same head after a person dismissed it', async () => {
    const reviewed = await review('changes_requested')
    const { repo, number } = reviewed
    const posted = viewOf(reviewed).reviews.find(({ state }) => state === 'CHANGES_REQUESTED')!
    scene.forge.dismissReview(repo, number, posted.id, 'carol')
    scene.forge.rerunCheck(repo, scene.checkOf(reviewed).id, 'carol')
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
    expect(await storedOf(reviewed)).toEqual([])
    await push(reviewed, 'changes_requested')
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED', 'CHANGES_REQUESTED'])
  })
})

async function headOf({ repo, number }: Reviewed) {
  return { repo, sha: viewOf({ repo, number }).headSha }
}

async function checkThreads(repo: string): Promise<void> {
  await sql`update pull_requests set threads_checked_at = null where repo = ${repo}`.execute(
    scene.app.db,
  )
}

it('a decision on a merged pull request stays', async () => {
  const reviewed = await review('passed')
  await scene.forge.mergePullRequest(reviewed.repo, reviewed.number, 'alice')
  await scene.settled()
  await expect.poll(() => storedOf(reviewed)).toEqual([])
  expect(decisionsOf(reviewed)).toEqual(['APPROVED'])
})

describe('a worker that is lost', () => {
  const posts = (path: string, method: string) => method === 'POST' && /\/reviews$/.test(path)
  const marks = (path: string, method: string) => method === 'PUT' && /\/reviews\/\d+$/.test(path)
  const dismisses = (path: string) => path.endsWith('/dismissals')
  const steps = { posts, marks, dismisses }

  it.for(
    Object.entries(steps).flatMap(([name, isStep]) =>
      [false, true].map((applied) => [name, applied, isStep] as const),
    ),
  )('where it %s a decision (applied: %s) leaves the right one', async ([, applied, isStep]) => {
    const reviewed = await review('passed')
    const held = hold({ applied })
    const remove = scene.forge.faults.add({
      match: ({ path, method }) => path.includes(reviewed.repo) && isStep(path, method),
      times: 1,
      action: held,
    })
    await scene.forge.push(reviewed.repo, 'topic', filesOf.changes_requested, { author: 'alice' })
    await held.arrived
    await loseWorker(reviewed)
    await scene.forge.waitFor(() => standing(reviewed) === 'CHANGES_REQUESTED')
    remove()
    held.release('drop')
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED', 'CHANGES_REQUESTED'])
    expect(viewOf(reviewed).comments).toHaveLength(1)
    const sha = viewOf(reviewed).headSha
    expect(await storedOf(reviewed)).toEqual([{ decision: 'request_changes', headSha: sha }])
  })

  it('where it approved leaves no approval if the head has moved', async () => {
    const reviewed = await review('needs_person')
    const { repo } = reviewed
    const held = hold({ applied: true })
    const remove = scene.forge.faults.add({
      match: ({ path, method, body }) =>
        path.includes(repo) && posts(path, method) && body.includes('APPROVE'),
      times: 1,
      action: held,
    })
    await scene.forge.push(repo, 'topic', filesOf.passed, { author: 'alice' })
    await held.arrived
    expect(decisionsOf(reviewed)).toEqual(['APPROVED'])
    await scene.forge.push(repo, 'topic', filesOf.incomplete, { author: 'alice' })
    await loseWorker(reviewed)
    await scene.forge.waitFor(() => standing(reviewed) === 'DISMISSED')
    remove()
    held.release('drop')
    await scene.settled()
    expect(decisionsOf(reviewed)).toEqual(['DISMISSED'])
    expect(await storedOf(reviewed)).toEqual([])
  })

  /** Lets another worker take the review over. */
  const loseWorker = ({ repo }: Reviewed) =>
    sql`
      update work_items set fence = nextval('work_fences'), due_at = now() - interval '1 second'
      where repo = ${repo}`.execute(scene.app.db)
})

describe('after the rename of a repository', () => {
  let former: string | null = null
  // The installation of the scenario knows the repository by its former name.
  afterEach(async () => {
    if (former !== null) scene.forge.renameRepository(`${former}-renamed`, former)
    former = null
    await scene.settled()
  })

  function rename(repo: string): string {
    former = repo
    scene.forge.renameRepository(repo, `${repo}-renamed`)
    return `${repo}-renamed`
  }

  it('a push withdraws an approval', async () => {
    const reviewed = await review('passed')
    expect(standing(reviewed)).toBe('APPROVED')
    const renamed = { ...reviewed, repo: rename(reviewed.repo) }
    await scene.settled()
    const sha = await push(renamed, 'changes_requested')
    expect(scene.checkOf({ ...renamed, sha })).toMatchObject({ conclusion: 'failure' })
    expect(decisionsOf(renamed)).toEqual(['DISMISSED', 'CHANGES_REQUESTED'])
    expect(viewOf(renamed).comments).toHaveLength(1)
  })

  it('a pause and dismissals still hold', async () => {
    const reviewed = await review('needs_person')
    const { repo, number } = reviewed
    const opening = viewOf(reviewed).threads[0]!.comments[0]!.id
    const say = { author: 'carol', body: `@${slug} dismiss` }
    scene.forge.replyToComment(repo, number, opening, say)
    await scene.settled()
    expect(standing(reviewed)).toBe('APPROVED')
    scene.forge.comment(repo, number, 'carol', `@${slug} pause`)
    await scene.settled()
    const renamed = { ...reviewed, repo: rename(reviewed.repo) }
    await scene.settled()
    await push(renamed, 'needs_person')
    expect(decisionsOf(renamed)).toEqual(['DISMISSED'])
    scene.forge.comment(renamed.repo, number, 'carol', `@${slug} resume`)
    await scene.settled()
    expect(standing(renamed)).toBe('APPROVED')
  })

  it('a review that was under way ends at the new name', async () => {
    const { forge } = scene
    const repo = await scene.createRepository()
    await forge.push(repo, 'main', { '.umpire.yml': both }, { author: 'alice' })
    scene.install(repo)
    await scene.settled()
    const sha = await forge.push(repo, 'topic', filesOf.passed, { author: 'alice' })
    const held = hold()
    const isComparison = ({ path }: { path: string }) =>
      path.includes(repo) && path.includes('/compare/')
    forge.faults.add({ match: isComparison, times: 1, action: held })
    const number = await forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
    await held.arrived
    const renamed = { repo: rename(repo), number, sha }
    await forge.waitFor(() => forge.deliveries.at(-1)!.status === 200)
    held.release()
    await scene.settled()
    expect(standing(renamed)).toBe('APPROVED')
    expect(await scene.runsOf(renamed)).toMatchObject([{ status: 'completed' }])
    expect(scene.checkOf(renamed)).toMatchObject({ conclusion: 'success' })
  })
})
