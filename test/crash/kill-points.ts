// The named points of a review at which the service is killed (case 58), seen from outside.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hold, hold, type SeenRequest } from '../fakes/forge/forge.ts'
import { type CrashScenario, reviewScript, waitUntilReviewed } from './crash-scenario.ts'

export interface KillPoint {
  readonly name: string
  /** Whether a short run includes the point. */
  readonly inShortRun?: boolean
  /** Brings the service to the point and kills it. Held requests are dropped without an answer. */
  reach(scene: CrashScenario): Promise<void>
}

type Match = (request: SeenRequest) => boolean

const readsPullRequest: Match = ({ method, path }) => method === 'GET' && /\/pulls\/\d+$/.test(path)
const comparesCommits: Match = ({ path }) => path.includes('/compare/')
const fetchesWithGit: Match = ({ path }) => path.endsWith('/git-upload-pack')
const listsComments: Match = ({ method, path }) =>
  method === 'GET' && /\/issues\/\d+\/comments$/.test(path)
const postsSummary: Match = ({ method, path }) =>
  method === 'POST' && /\/issues\/\d+\/comments$/.test(path)
const editsSummary: Match = ({ method, path }) =>
  method === 'PATCH' && /\/issues\/comments\/\d+$/.test(path)
const postsReview: Match = ({ method, path }) =>
  method === 'POST' && /\/pulls\/\d+\/reviews$/.test(path)
const resolvesThread: Match = ({ path, body }) =>
  path === '/api/graphql' && body.includes('resolveReviewThread')
const showsProgress: Match = ({ path, body }) =>
  path.includes('/statuses/') && body.includes('"pending"')
const showsVerdict: Match = ({ path, body }) =>
  path.includes('/statuses/') && !body.includes('"pending"')

/** Matches from the second matching request on. */
function afterFirst(match: Match): Match {
  let count = 0
  return (request) => match(request) && ++count > 1
}

/** Kills the process that works on a review, or the only process of the deployment. */
async function killReviewer({ deployment }: CrashScenario): Promise<void> {
  const busy = deployment.busy()
  await deployment.kill(busy.length > 0 ? busy : deployment.names)
}

async function killReceiver({ deployment }: CrashScenario): Promise<void> {
  await deployment.kill([deployment.names[0]!])
}

/** Kills while the forge holds the first matching request; with `applied`, after its effect. */
async function killWhileHeld(
  scene: CrashScenario,
  how: {
    match: Match
    applied?: boolean
    act: () => Promise<unknown>
    whileDown?: () => Promise<unknown>
  },
): Promise<void> {
  const held = hold({ applied: how.applied ?? false })
  await reachHold(scene, held, how.match, how.act)
  await killReviewer(scene)
  held.release('drop')
  await how.whileDown?.()
}

async function reachHold(
  scene: CrashScenario,
  held: Hold,
  match: Match,
  act: () => Promise<unknown>,
): Promise<void> {
  const remove = scene.forge.faults.add({ match, times: 1, action: held })
  await act()
  await withDeadline(held.arrived)
  remove()
}

async function withDeadline<T>(promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error('The service did not get to the named point.')),
    30_000,
  )
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}

/** Creates a point in the first review of a pull request. */
function inFirstReview(
  name: string,
  match: () => Match,
  applied = false,
  isShort = false,
): KillPoint {
  return {
    name,
    inShortRun: isShort,
    reach: (scene) => killWhileHeld(scene, { match: match(), applied, act: () => scene.open(3) }),
  }
}

/** Creates a point in the review of a push that fixes some flaws and adds others. */
function inSecondReview(
  name: string,
  match: () => Match,
  applied = false,
  isShort = false,
): KillPoint {
  return {
    name,
    inShortRun: isShort,
    async reach(scene) {
      const pullRequest = await scene.open(2)
      await waitUntilReviewed(scene)
      await killWhileHeld(scene, { match: match(), applied, act: () => scene.push(pullRequest, 2) })
    },
  }
}

const afterSignatureCheck: KillPoint = {
  name: 'after the signature check',
  async reach(scene) {
    // The progress of a request isn't visible, so the delay before the kill varies.
    for (const milliseconds of [0, 2, 4, 8, 16]) {
      scene.deployment.start()
      await scene.deployment.ready()
      await scene.open(1)
      await sleep(milliseconds)
      await killReceiver(scene)
    }
  },
}

const afterCommit: KillPoint = {
  name: 'after the commit',
  inShortRun: true,
  async reach(scene) {
    const before = scene.forge.deliveries.length
    await scene.open(2)
    await scene.forge.waitForDelivery((one) => scene.forge.deliveries.indexOf(one) >= before)
    await scene.deployment.kill(scene.deployment.names)
  },
}

const whileModelResponds: KillPoint = {
  name: 'while the model answers',
  inShortRun: true,
  async reach(scene) {
    const next = scene.model.requests.length + 1
    scene.model.respondWith(() => ({ hang: true }))
    await scene.open(3)
    await withDeadline(scene.model.arrived(next))
    await killReviewer(scene)
    scene.model.respondWith(reviewScript)
  },
}

const postedThenFixed: KillPoint = {
  name: 'after posting and before recording, then a push that fixes what was posted',
  async reach(scene) {
    const act = async () => {
      pullRequest = await scene.open(2)
    }
    let pullRequest: Awaited<ReturnType<CrashScenario['open']>>
    await killWhileHeld(scene, {
      match: postsReview,
      applied: true,
      act,
      whileDown: () => scene.push(pullRequest, 1),
    })
  },
}

/** Kills nothing: the push's delivery duplicates the one under review and must not be lost. */
const pushedWhilePosting: KillPoint = {
  name: 'a push that is skipped as a duplicate while its review is posted',
  async reach(scene) {
    const pullRequest = await scene.open(1)
    await waitUntilReviewed(scene)
    const held = hold()
    await reachHold(scene, held, editsSummary, () => scene.push(pullRequest, 2))
    const before = scene.forge.deliveries.length
    await scene.push(pullRequest, 1)
    await scene.forge.waitForDelivery((one) => scene.forge.deliveries.indexOf(one) >= before)
    held.release()
  },
}

const skippedThenKilled: KillPoint = {
  name: 'killed while editing, after another push was skipped as a duplicate',
  async reach(scene) {
    const pullRequest = await scene.open(1)
    await waitUntilReviewed(scene)
    const act = async () => {
      await scene.push(pullRequest, 2)
    }
    const held = hold({ applied: true })
    await reachHold(scene, held, editsSummary, act)
    const before = scene.forge.deliveries.length
    await scene.push(pullRequest, 1, { keep: true })
    await scene.forge.waitForDelivery((one) => scene.forge.deliveries.indexOf(one) >= before)
    await killReviewer(scene)
    held.release('drop')
  },
}

export const killPoints: readonly KillPoint[] = [
  afterSignatureCheck,
  afterCommit,
  inFirstReview('after the claim', () => readsPullRequest),
  inFirstReview('while progress is shown', () => showsProgress, true),
  inFirstReview('while fetching: the merge base', () => comparesCommits),
  inFirstReview('while fetching: git', () => fetchesWithGit),
  whileModelResponds,
  inFirstReview('before posting: the second look at the head', () => afterFirst(readsPullRequest)),
  inFirstReview('before posting: the look for an earlier summary', () => listsComments),
  inFirstReview('before posting: the summary', () => postsSummary),
  inFirstReview('after posting and before recording: the summary', () => postsSummary, true, true),
  inFirstReview('before posting: the comments', () => postsReview),
  inFirstReview('after posting and before recording: the comments', () => postsReview, true, true),
  inFirstReview('before posting: the status', () => showsVerdict),
  inFirstReview('after posting and before recording: the status', () => showsVerdict, true),
  inSecondReview('while editing: before the summary', () => editsSummary),
  inSecondReview('while editing: after the summary', () => editsSummary, true, true),
  inSecondReview('while editing: after the comments', () => postsReview, true),
  inSecondReview('while editing: before a thread is resolved', () => resolvesThread),
  inSecondReview('while editing: after a thread was resolved', () => resolvesThread, true),
  postedThenFixed,
  pushedWhilePosting,
  skippedThenKilled,
]
