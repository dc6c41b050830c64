// Has Umpire review pull requests, one by one or all at once, and says what each review cost.
import { setTimeout as wait } from 'node:timers/promises'
import type { BenchForge, OpenPullRequest } from './overhead-forge.ts'
import type { BenchModel } from './overhead-model.ts'
import type { BenchProcess, Memory } from './overhead-process.ts'

/** What takes part. */
export interface Scene {
  readonly forge: BenchForge
  readonly model: BenchModel
  readonly umpire: BenchProcess
  /** Breaks off. */
  readonly signal: AbortSignal
}

/** One review. Times in milliseconds. */
export interface Sample {
  /** CPU of Umpire's process, and of its children. */
  readonly own: number
  readonly children: number
  /** Calls of the platform's API. */
  readonly calls: number
  /** From the delivery to the posted review, less what the model took. */
  readonly overhead: number
}

/** Many reviews. `own` and `children` are CPU for one of them on average. */
export interface Flight {
  readonly own: number
  readonly children: number
  readonly overheads: readonly number[]
  /** When all waited for the model. */
  readonly memory: Memory
  /** The most that the process had in the end, in bytes. */
  readonly peak: number
}

const oneMs = 5 * 60_000
const allMs = 25 * 60_000
/** What a review leaves to be done after it is told of, such as the job's end in the queue. */
const afterwardsMs = 100

/** Reviews one after the other. */
export async function reviewOneByOne(
  scene: Scene,
  pulls: readonly OpenPullRequest[],
): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const pull of pulls) samples.push(await reviewOne(scene, pull))
  return samples
}

async function reviewOne(
  { forge, umpire, model, signal }: Scene,
  pull: OpenPullRequest,
): Promise<Sample> {
  const [before, callsBefore] = [umpire.cpu(), forge.calls()]
  const sentAt = await forge.deliver(pull, umpire.url)
  await umpire.reviewed(pull, oneMs, signal)
  await wait(afterwardsMs)
  const after = umpire.cpu()
  return {
    own: after.own - before.own,
    children: after.children - before.children,
    calls: forge.calls() - callsBefore,
    overhead: forge.postedAt(pull) - sentAt - model.spentOn(pull.key),
  }
}

/** Reviews all at once: the model answers nobody before all have asked it. */
export async function reviewAllAtOnce(
  scene: Scene,
  pulls: readonly OpenPullRequest[],
): Promise<Flight> {
  const { forge, umpire, model, signal } = scene
  const before = umpire.cpu()
  const allAsk = model.hold(pulls.map(({ key }) => key))
  const reviews = pulls.map(async (pull) => {
    await umpire.reviewed(pull, allMs, signal)
    model.excuse(pull.key)
  })
  const done = Promise.all([sendAll(scene, pulls), ...reviews])
  await Promise.race([allAsk, done])
  const memory = umpire.memory()
  const [sentAt] = await done
  await wait(afterwardsMs)
  const after = umpire.cpu()
  const unfinished = pulls.filter((pull) => !forge.isReviewed(pull))
  if (unfinished.length > 0)
    throw new Error(`${unfinished.length} pull requests show no finished review.`)
  return {
    own: (after.own - before.own) / pulls.length,
    children: (after.children - before.children) / pulls.length,
    overheads: pulls.map(
      (pull, at) => forge.postedAt(pull) - sentAt[at]! - model.spentOn(pull.key),
    ),
    memory,
    peak: umpire.memory().peak,
  }
}

/** Sends the deliveries over a few connections. Returns when each was sent. */
async function sendAll(
  { forge, umpire }: Scene,
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
