// Gives memories their vectors, by which they are found whatever words they use. What has none is found by words alone.
import { recordSpend } from '../../analytics/model-spend.ts'
import type { AppContext } from '../../context.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { ModelError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { readModelConsent } from '../../jobs/model-consent.ts'
import { lockMemories } from '../../knowledge/memory/save-memories.ts'
import {
  countUnembedded,
  listUnembedded,
  saveVectors,
  type UnembeddedMemory,
} from '../../knowledge/memory/save-vectors.ts'
import type { Budget, Embedder } from '../../models/index.ts'
import { createBackgroundBudget } from './background-budget.ts'

/** Each in a transaction of its own: deliveries wait for the one connection of the embedded database meanwhile. */
const batchSize = 128

/** What comes after a review or a person's request; a scan makes up for the rest. */
const maxNewMemories = 64
const newMemoriesTimeoutMs = 5_000

/** For one piece of many. */
const batchTimeoutMs = 60_000

type Context = Pick<AppContext, 'db' | 'embedder' | 'config' | 'log'>

/** How far it goes. */
interface Extent {
  readonly maxMemories: number
  readonly batchTimeoutMs: number
  readonly signal: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Has the embedder see all current memories of a repository that it hasn't seen, the newest first. Each piece is kept at
 * once: what breaks off goes on from there the next time.
 *
 * @returns what the embedder failed of, in words; null where it didn't
 * @throws the signal's reason, or what the database throws
 */
export async function embedMemories(
  ctx: Context,
  repo: RepositoryName,
  options: Pick<Extent, 'signal' | 'onProgress'>,
): Promise<string | null> {
  return embedWithin(ctx, repo, {
    ...options,
    maxMemories: Number.POSITIVE_INFINITY,
    batchTimeoutMs,
  })
}

/** Has it see the newest few, within some seconds. Never throws: the next scan makes up for it. */
export async function embedNewMemories(ctx: Context, repo: RepositoryName): Promise<void> {
  try {
    await embedWithin(ctx, repo, {
      maxMemories: maxNewMemories,
      batchTimeoutMs: newMemoriesTimeoutMs,
      signal: AbortSignal.timeout(2 * newMemoriesTimeoutMs),
    })
  } catch (error) {
    ctx.log.warn(
      { err: error, repo },
      'New memories have no vectors; the next scan makes up for it',
    )
  }
}

async function embedWithin(
  ctx: Context,
  repo: RepositoryName,
  extent: Extent,
): Promise<string | null> {
  const { db, embedder } = ctx
  if (embedder === null || !(await readModelConsent(db, repo))) return null
  const total = Math.min(extent.maxMemories, await countUnembedded(db, repo, embedder.name))
  if (total === 0) return null
  const budget = createBackgroundBudget(ctx, repo)
  try {
    await embedInBatches(ctx, { repo, embedder, budget, total }, extent)
    return null
  } catch (error) {
    extent.signal.throwIfAborted()
    if (!(error instanceof ModelError)) throw error
    ctx.log.warn(
      { repo, code: error.code, reason: error.message },
      'Some memories are found by their words alone',
    )
    return error.message
  } finally {
    await recordSpend(db, { repo }, budget.uses)
  }
}

interface Task {
  readonly repo: RepositoryName
  readonly embedder: Embedder
  readonly budget: Budget
  readonly total: number
}

async function embedInBatches(
  { db }: Context,
  { repo, embedder, budget, total }: Task,
  extent: Extent,
): Promise<void> {
  let after: string | undefined
  for (let done = 0; done < total; ) {
    extent.onProgress?.(done, total)
    const limit = Math.min(batchSize, total - done)
    const memories = await listUnembedded(db, repo, { embedder: embedder.name, after, limit })
    if (memories.length === 0) return
    const texts = memories.map(describe)
    const request = { texts, purpose: 'document', timeMs: extent.batchTimeoutMs, budget } as const
    const { vectors } = await embedder.embed(request, extent.signal)
    const made = memories.map(({ id }, at) => ({ id, vector: vectors[at] as readonly number[] }))
    await transactionWithRetry(db, async (tx) => {
      await lockMemories(tx, repo)
      // It may have been withdrawn since, and what there was have gone.
      if (await readModelConsent(tx, repo)) await saveVectors(tx, repo, embedder.name, made)
    })
    after = memories.at(-1)?.id
    done += memories.length
  }
}

/** A path says what its directories are called, which is much of what a memory is about. */
function describe({ text, path }: UnembeddedMemory): string {
  return path === null || path === '.' ? text : `${path}: ${text}`
}
