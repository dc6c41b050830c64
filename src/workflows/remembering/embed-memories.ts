// Embeds memories, so that they are found by meaning. Those without vectors are found by words
// alone.
import { recordSpend } from '../../analytics/model-spend.ts'
import type { ServiceContext } from '../../context.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { ModelError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { lockMemories } from '../../knowledge/memory/save-memories.ts'
import {
  countUnembedded,
  listUnembedded,
  saveVectors,
  type UnembeddedMemory,
} from '../../knowledge/memory/save-vectors.ts'
import type { Budget, Embedder } from '../../models/index.ts'
import { readModelConsent } from '../../work/model-consent.ts'
import { openBackgroundBudget } from '../open-budget.ts'

/**
 * Each batch has its own transaction, because deliveries wait for the embedded database's one
 * connection.
 */
const batchSize = 128

/** Limits embedding after a review or a person's request; the next scan embeds the rest. */
const maxNewMemories = 64
const newMemoriesTimeoutMs = 5_000

/** A batch of a scan may take this long. */
const batchTimeoutMs = 60_000

type Context = Pick<ServiceContext, 'db' | 'embedder' | 'config' | 'log'>

interface Extent {
  readonly maxMemories: number
  readonly batchTimeoutMs: number
  readonly signal: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Embeds all current memories of a repository without vectors, the newest first. Each batch is
 * saved at once, so an interrupted run goes on there the next time.
 *
 * @returns the embedder's error in words; null if there was none
 * @throws the signal's reason, or an error of the database
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

/**
 * Embeds the newest memories within some seconds. Never throws: the next scan makes up for
 * failures.
 */
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
      'New memories were not embedded; the next scan makes up for it',
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
  const budget = openBackgroundBudget(ctx, repo)
  try {
    await embedInBatches(ctx, { repo, embedder, budget, total }, extent)
    return null
  } catch (error) {
    extent.signal.throwIfAborted()
    if (!(error instanceof ModelError)) throw error
    ctx.log.warn(
      { repo, code: error.code, reason: error.message },
      'Some memories were not embedded and are found by words alone',
    )
    return error.message
  } finally {
    await recordSpend(db, { repo }, budget)
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
    const texts = memories.map(toEmbeddingText)
    const request = { texts, purpose: 'document', timeMs: extent.batchTimeoutMs, budget } as const
    const { vectors } = await embedder.embed(request, extent.signal)
    const embedded = memories.map(({ id }, index) => ({
      id,
      vector: vectors[index] as readonly number[],
    }))
    await transactionWithRetry(db, async (tx) => {
      await lockMemories(tx, repo)
      // The consent may have been withdrawn meanwhile, and the vectors deleted.
      if (await readModelConsent(tx, repo)) await saveVectors(tx, repo, embedder.name, embedded)
    })
    after = memories.at(-1)?.id
    done += memories.length
  }
}

/** The path's directory names are much of what a memory is about. */
function toEmbeddingText({ text, path }: UnembeddedMemory): string {
  return path === null || path === '.' ? text : `${path}: ${text}`
}
