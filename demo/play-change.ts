// Plays what people do with a pull request, and waits for the reviews.
import type { Forge, PullRequestView } from '../test/fakes/forge/forge.ts'
import { openChange, reviewer, type SampleChange, repo as shop } from './sample-shop.ts'
import type { Session } from './start-service.ts'

const reviewTimeout = { timeoutMs: 15 * 60_000, what: 'a review' }

export interface Stage {
  readonly forge: Forge
  /** The session of `reviewer`. */
  readonly umpire: Session
  /** Rejects when the service exits. */
  readonly failed: Promise<never>
  /** Reports what a person does. */
  readonly step: (text: string) => void
  /** Reports what follows from it. */
  readonly detail: (text: string) => void
  readonly showFindings: (pullRequest: PullRequestView) => void
}

/**
 * Opens the pull request, and does the rest of the change after its review. Returns its URL.
 *
 * @param hours how long it takes, by the clock of the code host
 */
export async function playChange(stage: Stage, change: SampleChange, hours = 0): Promise<string> {
  const { forge, umpire, step, detail } = stage
  const { repo = shop, author, title, fix, dismissal, draft } = change
  const wait = (share: number) => forge.shiftClock(share * hours * 3_600_000)
  wait(0.3)
  const number = await openChange(forge, change)
  step(`${author} opens #${number}${draft ? ' as a draft' : ''}: ${title}`)
  await waitForReview(stage, repo, number)
  stage.showFindings(forge.pullRequest(repo, number))
  if (fix !== undefined) {
    await forge.push(repo, change.branch, fix.files, { author, message: fix.message })
    step(`${author} pushes a fix: ${fix.message}`)
    await waitForReview(stage, repo, number)
  }
  if (dismissal !== undefined) {
    const seen = listStatuses(forge, repo, number).length
    const finding = await dismissFinding(umpire, title, dismissal)
    step(`${reviewer} dismisses “${finding}”: ${dismissal.reason}`)
    await waitForReview(stage, repo, number, seen)
  }
  wait(0.7)
  if (change.merge) {
    await forge.mergePullRequest(repo, number, author)
    detail(`${author} merges it`)
  }
  return forge.pullRequest(repo, number).url
}

/** Dismisses the worst open finding of the newest review. Returns its title. */
async function dismissFinding(
  umpire: Session,
  pullRequest: string,
  dismissal: NonNullable<SampleChange['dismissal']>,
): Promise<string> {
  const reviews = (await umpire.send('GET', '/api/v1/reviews')) as {
    id: number
    pr_title: string
  }[]
  const { id } = reviews.find((review) => review.pr_title === pullRequest)!
  const { findings } = (await umpire.send('GET', `/api/v1/reviews/${id}`)) as {
    findings: { fingerprint: string; title: string; severity: string; state: string }[]
  }
  const open = findings.filter(({ state }) => state === 'open')
  const worst = open.find(({ severity }) => severity === 'critical') ?? open[0]
  if (worst === undefined) throw new Error(`${pullRequest} has no finding to dismiss.`)
  const path = `/api/v1/reviews/${id}/findings/${worst.fingerprint}/dismiss`
  await umpire.send('POST', path, dismissal)
  return worst.title
}

/**
 * Waits for the review of the newest commit, and prints its status.
 *
 * @param seen how many statuses the commit had before
 */
async function waitForReview(
  { forge, failed, detail }: Stage,
  repo: string,
  number: number,
  seen = 0,
): Promise<void> {
  const startedAt = performance.now()
  const findFinal = () =>
    listStatuses(forge, repo, number)
      .slice(seen)
      .findLast(({ state }) => state !== 'pending')
  const status = await Promise.race([forge.waitFor(findFinal, reviewTimeout), failed])
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  detail(`Umpire, after ${seconds} s: ${status.description}`)
}

function listStatuses(
  forge: Forge,
  repo: string,
  number: number,
): PullRequestView['statuses'][string] {
  const { headSha, statuses } = forge.pullRequest(repo, number)
  return statuses[headSha] ?? []
}
