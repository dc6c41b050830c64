// Stores where people want to be notified.
import { createHash, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Row } from '../db/schema.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { type KeyRing, reseal, seal, unseal } from '../lib/key-ring.ts'

/** What people see of a channel. */
export type NotificationChannel = Pick<
  Row<'notificationChannels'>,
  'id' | 'kind' | 'label' | 'repo' | 'digestHour' | 'confirmedAt' | 'failure' | 'createdAt'
>

interface NewChannel {
  readonly userId: number
  readonly kind: 'chat' | 'email'
  /** The URL of a webhook, or an email address. */
  readonly target: string
  readonly label: string
  readonly repo: RepositoryName | null
  readonly digestHour: number | null
  /** The code that proves access to an email address; null for a channel that needs none. */
  readonly code: string | null
}

/** More wrong codes than this make a code useless. */
const maxCodeAttempts = 5

const columns = [
  ...(['id', 'kind', 'label', 'repo', 'digestHour'] as const),
  ...(['confirmedAt', 'failure', 'createdAt'] as const),
] as const

/** Lists the channels of a person, the oldest first. */
export function listChannels(db: Db, userId: number): Promise<NotificationChannel[]> {
  return db
    .selectFrom('notificationChannels')
    .select(columns)
    .where('userId', '=', userId)
    .orderBy('id')
    .execute()
}

/** Makes further requests of the person wait for this one, so that none exceeds the limits. */
export async function lockChannels(tx: Db, userId: number): Promise<void> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
}

/** Stores a new channel. */
export function insertChannel(
  tx: Db,
  keys: KeyRing,
  { target, code, ...channel }: NewChannel,
): Promise<NotificationChannel> {
  return tx
    .insertInto('notificationChannels')
    .values({
      ...channel,
      encryptedTarget: seal(keys, target, sealContextOf(channel.userId)),
      codeDigest: code === null ? null : digestOf(code),
      confirmedAt: code === null ? sql<Date>`now()` : null,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Deletes a channel of the person. Returns its label; undefined if there is no such channel. */
export async function deleteChannel(
  tx: Db,
  userId: number,
  id: number,
): Promise<string | undefined> {
  const deleted = await tx
    .deleteFrom('notificationChannels')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('label')
    .executeTakeFirst()
  return deleted?.label
}

/** Confirms a channel if the code is right. Returns undefined if no such channel needs a code. */
export async function confirmChannel(
  tx: Db,
  { userId, id, code }: { userId: number; id: number; code: string },
): Promise<'confirmed' | 'wrong' | 'too_many' | undefined> {
  const channel = await tx
    .updateTable('notificationChannels')
    .set({ codeAttempts: sql<number>`code_attempts + 1` })
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('confirmedAt', 'is', null)
    .where('codeAttempts', '<=', maxCodeAttempts)
    .returning(['codeDigest', 'codeAttempts'])
    .executeTakeFirst()
  if (channel === undefined) return undefined
  if (channel.codeAttempts > maxCodeAttempts) return 'too_many'
  if (channel.codeDigest === null || !timingSafeEqual(channel.codeDigest, digestOf(code)))
    return 'wrong'
  await tx
    .updateTable('notificationChannels')
    .set({ confirmedAt: sql<Date>`now()`, codeDigest: null })
    .where('id', '=', id)
    .execute()
  return 'confirmed'
}

/** A channel and its owner, for sending. */
export interface SendableChannel {
  readonly id: number
  readonly kind: 'chat' | 'email'
  readonly repo: RepositoryName | null
  /** Undefined if no current key decrypts it. */
  readonly target: string | undefined
  readonly user: {
    readonly userId: number
    readonly platform: string
    readonly login: string
    readonly isAdmin: boolean
  }
}

/** Reads a channel with its address; undefined if it was deleted. */
export async function readChannel(
  db: Db,
  keys: KeyRing,
  id: number,
): Promise<SendableChannel | undefined> {
  const row = await db
    .selectFrom('notificationChannels as c')
    .innerJoin('users as u', 'u.id', 'c.userId')
    .select(['c.id', 'c.kind', 'c.repo', 'c.encryptedTarget', 'c.userId'])
    .select(['u.platform', 'u.login', 'u.isAdmin'])
    .where('c.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { encryptedTarget, userId, platform, login, isAdmin, ...channel } = row
  const target = unseal(keys, encryptedTarget, sealContextOf(userId))
  return { ...channel, target, user: { userId, platform, login, isAdmin } }
}

/** Records why the last notification could not be sent; null after one that was. */
export async function saveChannelFailure(
  db: Db,
  id: number,
  failure: string | null,
): Promise<void> {
  await db.updateTable('notificationChannels').set({ failure }).where('id', '=', id).execute()
}

/** Encrypts addresses under older keys again with the current one. */
export async function resealChannels(db: Db, keys: KeyRing): Promise<void> {
  const channels = await db
    .selectFrom('notificationChannels')
    .select(['id', 'userId', 'encryptedTarget'])
    .execute()
  for (const { id, userId, encryptedTarget: sealed } of channels) {
    const encryptedTarget = reseal(keys, sealed, sealContextOf(userId))
    if (encryptedTarget === undefined) continue
    await db
      .updateTable('notificationChannels')
      .set({ encryptedTarget })
      .where('id', '=', id)
      .where('encryptedTarget', '=', sealed)
      .execute()
  }
}

const sealContextOf = (userId: number) => `notifications of user ${userId}`

const digestOf = (code: string) => createHash('sha256').update(code).digest()
