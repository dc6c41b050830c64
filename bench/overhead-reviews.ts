// Runs reviews one by one or all at once and measures each review.
import { setTimeout as wait } from 'node:timers/promises'
import type { BenchForge, OpenPullRequest } from './overhead-forge.ts'
import type { BenchModel } from './overhead-model.ts'
import type { BenchProcess, MemoryUsage } from './overhead-process.ts'

export interface BenchSetup {
  readonly forge: BenchForge
  readonly model: BenchModel
  readonly umpire: BenchProcess
  readonly signal: AbortSignal
}

/** One review, with times in milliseconds. */
export interface ReviewCost {
  /** CPU of the process and of its children. */
  readonly ownCpuMs: number
  readonly childrenCpuMs: number
  /** Number of API calls to the platform. */
  readonly apiCalls: number
  /** From the delivery to the posted review, without the time of the model. */
  readonly overheadMs: number
}

/** Concurrent reviews. CPU values are the mean per review. */
export interface ConcurrentReviewCost {
  readonly ownCpuMs: number
  readonly childrenCpuMs: number
  readonly overheadsMs: readonly number[]
  /** Memory while all reviews wait for the model. */
  readonly memory: MemoryUsage
  /** Peak memory of the process, in bytes. */
  readonly peakBytes: number
}

const reviewTimeoutMs = 5 * 60_000
const batchTimeoutMs = 25 * 60_000
/** Time for cleanup after a review, such as finishing the job. */
const settleDelayMs = 100

/** Runs reviews one after the other. */
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

/** Runs all reviews at once. The model responds after all of them have sent a request. */
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
    throw new Error(`${unfinished.length} pull requests have no finished review.`)
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

/** Sends the deliveries over a few connections. Returns the time of each. */
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
