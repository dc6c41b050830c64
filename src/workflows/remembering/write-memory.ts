// Lets people add, edit and dismiss memories.
import { type Actor, recordAudit } from '../../accounts/audit.ts'
import type { ServiceContext } from '../../context.ts'
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

/** Limits the active memories that people wrote about one repository. */
const maxWrittenMemories = 2_000

type Context = Pick<ServiceContext, 'db' | 'embedder' | 'config' | 'log'>

/**
 * Saves a memory that a person wrote. The same text again is the same memory.
 *
 * @throws RequestError `conflict` if people have written too many
 */
export async function addWrittenMemory(
  ctx: Context,
  caller: Actor,
  repo: RepositoryName,
  { type, text, path }: { type: MemoryType; text: string; path: string | null },
): Promise<Memory> {
  // A path has one entry in the map; other texts get a subject of their own.
  const subject =
    type === 'project_map' && path !== null ? path : `written/${hashText(`${path}\0${text}`)}`
  const memory: NewMemory = { type, subject, text, path, componentType: null, ...writtenBy(caller) }
  const saved = await transactionWithRetry(ctx.db, async (tx) => {
    await lockMemories(tx, repo)
    if ((await countPersonMemories(tx, repo)) >= maxWrittenMemories) {
      throw new RequestError(
        'conflict',
        `There are ${maxWrittenMemories} memories that people wrote: dismiss one first`,
      )
    }
    const existing = await findCurrentMemory(tx, repo, memory)
    return save(
      tx,
      caller,
      repo,
      { ...memory, componentType: existing?.componentType ?? null },
      'memory_added',
    )
  })
  await embedNewMemories(ctx, repo)
  return saved
}

/**
 * Replaces the text of a memory with a person's text.
 *
 * @throws RequestError `conflict` if the memory has ended, `not_found` if the repository has none
 *   with this id
 */
export async function editMemory(
  ctx: Context,
  caller: Actor,
  repo: RepositoryName,
  { id, text }: { id: string; text: string },
): Promise<Memory> {
  const saved = await transactionWithRetry(ctx.db, async (tx) => {
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
  return saved
}

/** Dismisses a memory in the caller's transaction. Throws like `editMemory`. */
export async function dismissMemoryManually(
  tx: Db,
  caller: Actor,
  repo: RepositoryName,
  id: string,
): Promise<void> {
  if (!(await dismissMemory(tx, repo, id, caller.login))) await refuseChange(tx, repo, id)
  await recordAudit(tx, caller, 'memory_dismissed', `${repo} ${id}`)
}

function writtenBy({ login }: Actor): Pick<NewMemory, 'trust' | 'provenance'> {
  return { trust: 'person', provenance: { source: 'person', user: login } }
}

async function save(
  tx: Db,
  caller: Actor,
  repo: RepositoryName,
  memory: NewMemory,
  action: AuditAction,
): Promise<Memory> {
  await saveMemories(tx, repo, [memory])
  const saved = (await findCurrentMemory(tx, repo, memory)) ?? notFound()
  await recordAudit(tx, caller, action, `${repo} ${saved.id}`)
  return saved
}

/** Throws why a memory can't be changed, and what to do instead. */
async function refuseChange(tx: Db, repo: RepositoryName, id: string): Promise<never> {
  const [newest, ...older] = await readMemoryHistory(tx, repo, id)
  if (newest === undefined) notFound()
  if (newest.endedAt === null && older.length > 0) {
    throw new RequestError(
      'conflict',
      `The memory was superseded: the current one has the id ${newest.id}`,
    )
  }
  throw new RequestError(
    'conflict',
    'The memory is no longer active: add a new one with the same text',
  )
}

function notFound(): never {
  throw new RequestError('not_found', 'Memory not found')
}
