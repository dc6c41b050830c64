// Has Umpire review pull requests, one by one or all at once, and says what each review cost.
import { setTimeout as wait } from 'node:timers/promises'
import type { BenchForge, OpenPullRequest } from './overhead-forge.ts'
import type { BenchModel } from './overhead-model.ts'
import type { BenchProcess, MemoryUsage } from './overhead-process.ts'

/** What takes part. */
export interface BenchSetup {
  readonly forge: BenchForge
  readonly model: BenchModel
  readonly umpire: BenchProcess
  /** Breaks off. */
  readonly signal: AbortSignal
}

/** One review. Times in milliseconds. */
export interface ReviewCost {
  /** CPU of Umpire's process, and of its children. */
  readonly ownCpuMs: number
  readonly childrenCpuMs: number
  /** Calls of the platform's API. */
  readonly apiCalls: number
  /** From the delivery to the posted review, less what the model took. */
  readonly overheadMs: number
}

/** Many reviews. `own` and `children` are CPU for one of them on average. */
export interface ConcurrentReviewCost {
  readonly ownCpuMs: number
  readonly childrenCpuMs: number
  readonly overheadsMs: readonly number[]
  /** When all waited for the model. */
  readonly memory: MemoryUsage
  /** The most that the process had in the end, in bytes. */
  readonly peakBytes: number
}

const reviewTimeoutMs = 5 * 60_000
const batchTimeoutMs = 25 * 60_000
/** What a review leaves to be done after it is told of, such as the job's end in the queue. */
const settleDelayMs = 100

/** Reviews one after the other. */
export async function reviewSequentially(
  scene: BenchSetup,
  pulls: readonly OpenPullRequest[],
): Promise<ReviewCost[]> {
  const samples: ReviewCost[] = []
  for (const pull of pulls) samples.push(await reviewOne(scene, pull))
  return samples
}

async function reviewOne(
  { forge, umpire, model, signal }: BenchSetup,
  pull: OpenPullRequest,
): Promise<ReviewCost> {
  const [before, callsBefore] = [umpire.readCpu(), forge.countApiCalls()]
  const sentAt = await forge.deliver(pull, umpire.url)
  await umpire.waitForReview(pull, reviewTimeoutMs, signal)
  await wait(settleDelayMs)
  const after = umpire.readCpu()
  return {
    ownCpuMs: after.own - before.own,
    childrenCpuMs: after.children - before.children,
    apiCalls: forge.countApiCalls() - callsBefore,
    overheadMs: forge.postedAt(pull) - sentAt - model.timeSpentOnMs(pull.key),
  }
}

/** Reviews all at once: the model answers nobody before all have asked it. */
export async function reviewConcurrently(
  scene: BenchSetup,
  pulls: readonly OpenPullRequest[],
): Promise<ConcurrentReviewCost> {
  const { forge, umpire, model, signal } = scene
  const before = umpire.readCpu()
  const allAsk = model.holdUntilAsked(pulls.map(({ key }) => key))
  const reviews = pulls.map(async (pull) => {
    await umpire.waitForReview(pull, batchTimeoutMs, signal)
    model.skip(pull.key)
  })
  const done = Promise.all([deliverAll(scene, pulls), ...reviews])
  await Promise.race([allAsk, done])
  const memory = umpire.readMemory()
  const [sentAt] = await done
  await wait(settleDelayMs)
  const after = umpire.readCpu()
  const unfinished = pulls.filter((pull) => !forge.isReviewed(pull))
  if (unfinished.length > 0)
    throw new Error(`${unfinished.length} pull requests show no finished review.`)
  return {
    ownCpuMs: (after.own - before.own) / pulls.length,
    childrenCpuMs: (after.children - before.children) / pulls.length,
    overheadsMs: pulls.map(
      (pull, at) => forge.postedAt(pull) - sentAt[at]! - model.timeSpentOnMs(pull.key),
    ),
    memory,
    peakBytes: umpire.readMemory().peak,
  }
}

/** Sends the deliveries over a few connections. Returns when each was sent. */
async function deliverAll(
  { forge, umpire }: BenchSetup,
  pulls: readonly OpenPullRequest[],
): Promise<number[]> {
  const sentAt: number[] = []
  const waiting = pulls.entries()
  const sender = async () => {
    for (const [at, pull] of waiting) sentAt[at] = await forge.deliver(pull, umpire.url)
  }
  await Promise.all(Array.from({ length: 16 }, sender))
  return sentAt
}
