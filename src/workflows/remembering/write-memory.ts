// What people do with memories by hand: add one, put one in their own words, dismiss one.
import { recordAudit } from '../../accounts/audit.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { AppContext } from '../../context.ts'
import type { Db } from '../../db/database.ts'
import type { AuditAction } from '../../db/schema.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { RequestError } from '../../domain/errors.ts'
import type { Memory, MemoryType, NewMemory } from '../../domain/memory.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { dismissMemory } from '../../knowledge/memory/dismiss-memory.ts'
import {
  countPersonMemories,
  findCurrentMemory,
  findMemory,
  readMemoryHistory,
} from '../../knowledge/memory/read-memories.ts'
import { hashText, lockMemories, saveMemories } from '../../knowledge/memory/save-memories.ts'
import { embedNewMemories } from './embed-memories.ts'

/** Of one repository, that people wrote and that count. */
const maxWrittenMemories = 2_000

type Context = Pick<AppContext, 'db' | 'embedder' | 'config' | 'log'>

/**
 * Keeps what a person says. The same words once more are the same memory.
 *
 * @throws RequestError `conflict` where people have written too many
 */
export async function addWrittenMemory(
  ctx: Context,
  caller: Caller,
  repo: RepositoryName,
  { type, text, path }: { type: MemoryType; text: string; path: string | null },
): Promise<Memory> {
  // An entry of the map is about its path. Of other things there is more to say than one.
  const subject =
    type === 'project_map' && path !== null ? path : `written/${hashText(`${path}\0${text}`)}`
  const memory: NewMemory = { type, subject, text, path, componentType: null, ...writtenBy(caller) }
  const kept = await transactionWithRetry(ctx.db, async (tx) => {
    await lockMemories(tx, repo)
    if ((await countPersonMemories(tx, repo)) >= maxWrittenMemories) {
      throw new RequestError(
        'conflict',
        `There are ${maxWrittenMemories} memories that people wrote: dismiss one first`,
      )
    }
    const known = await findCurrentMemory(tx, repo, memory)
    return save(
      tx,
      caller,
      repo,
      { ...memory, componentType: known?.componentType ?? null },
      'memory_added',
    )
  })
  await embedNewMemories(ctx, repo)
  return kept
}

/**
 * Puts a memory in a person's words.
 *
 * @throws RequestError `conflict` where it doesn't count any more, `not_found` where the repository has none of this id
 */
export async function editMemory(
  ctx: Context,
  caller: Caller,
  repo: RepositoryName,
  { id, text }: { id: string; text: string },
): Promise<Memory> {
  const kept = await transactionWithRetry(ctx.db, async (tx) => {
    await lockMemories(tx, repo)
    const { type, subject, path, componentType } =
      (await findMemory(tx, repo, id)) ?? (await refuseChange(tx, repo, id))
    return save(
      tx,
      caller,
      repo,
      { type, subject, text, path, componentType, ...writtenBy(caller) },
      'memory_edited',
    )
  })
  await embedNewMemories(ctx, repo)
  return kept
}

/** Throws as `editMemorySchema`. */
export async function dismissMemoryManually(
  ctx: Context,
  caller: Caller,
  repo: RepositoryName,
  id: string,
): Promise<void> {
  await transactionWithRetry(ctx.db, async (tx) => {
    if (!(await dismissMemory(tx, repo, id, caller.login))) await refuseChange(tx, repo, id)
    await recordAudit(tx, caller, 'memory_dismissed', `${repo} ${id}`)
  })
}

function writtenBy({ login }: Caller): Pick<NewMemory, 'trust' | 'provenance'> {
  return { trust: 'person', provenance: { source: 'person', user: login } }
}

async function save(
  tx: Db,
  caller: Caller,
  repo: RepositoryName,
  memory: NewMemory,
  action: AuditAction,
): Promise<Memory> {
  await saveMemories(tx, repo, [memory])
  const kept = (await findCurrentMemory(tx, repo, memory)) ?? notFound()
  await recordAudit(tx, caller, action, `${repo} ${kept.id}`)
  return kept
}

/** Says why a memory can't be changed, and what can be done. */
async function refuseChange(tx: Db, repo: RepositoryName, id: string): Promise<never> {
  const [newest, ...older] = await readMemoryHistory(tx, repo, id)
  if (newest === undefined) notFound()
  if (newest.endedAt === null && older.length > 0) {
    throw new RequestError(
      'conflict',
      `The memory was superseded: what counts now has the id ${newest.id}`,
    )
  }
  throw new RequestError(
    'conflict',
    'The memory does not count any more: add a new one to say it again',
  )
}

function notFound(): never {
  throw new RequestError('not_found', 'Memory not found')
}
