// Reservations: of all processes one at a time connects or disconnects a repository, and no transaction or lock is held
// while it asks the platform.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/** A repository that is ours for a while. */
export interface Reservation {
  /** In lower case. */
  readonly repo: string
  readonly holder: string
}

/** Ample for what is done under one; what a dead process left behind is in nobody's way for longer. */
export const reservationSeconds = 60

const maxWaitMs = 20_000
const retryDelayMs = 50

/**
 * Does `work` while nobody else connects or disconnects the repository. Waits for others, but not for long.
 *
 * @throws RequestError `conflict` when others took too long
 */
export async function withReservation<Result>(
  db: Db,
  repo: RepositoryName,
  work: (reservation: Reservation) => Promise<Result>,
): Promise<Result> {
  const reservation: Reservation = { repo: repo.toLowerCase(), holder: randomUUID() }
  const deadline = performance.now() + maxWaitMs
  while (!(await reserve(db, reservation))) {
    if (performance.now() > deadline) throw reservationConflict()
    await sleep(retryDelayMs * (1 + Math.random()))
  }
  try {
    return await work(reservation)
  } finally {
    // It ends by itself, too.
    await release(db, reservation).catch(() => {})
  }
}

/**
 * Makes sure that the reservation still holds, and holds it until the transaction ends.
 *
 * @throws RequestError `conflict` when it ran out
 */
export async function assertReservation(tx: Db, { repo, holder }: Reservation): Promise<void> {
  const row = await tx
    .selectFrom('repository_reservations')
    .select('repo')
    .where('repo', '=', repo)
    .where('holder', '=', holder)
    .where('expires_at', '>', sql<Date>`now()`)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw reservationConflict()
}

/** Ends all reservations: for a process that alone has the database, at its start. */
export async function endAllReservations(db: Db): Promise<void> {
  await db.deleteFrom('repository_reservations').execute()
}

/** Has deliveries accepted that are signed with this secret, as long as the reservation holds. */
export async function saveReservedWebhookSecret(
  db: Db,
  { repo, holder }: Reservation,
  secret: string,
): Promise<void> {
  await db
    .updateTable('repository_reservations')
    .set({ webhook_secret: secret })
    .where('repo', '=', repo)
    .where('holder', '=', holder)
    .execute()
}

async function reserve(db: Db, { repo, holder }: Reservation): Promise<boolean> {
  const expiresAt = sql<Date>`now() + make_interval(secs => ${reservationSeconds})`
  const row = await db
    .insertInto('repository_reservations')
    .values({ repo, holder, expires_at: expiresAt, webhook_secret: null })
    .onConflict((conflict) =>
      conflict
        .column('repo')
        .doUpdateSet({ holder, expires_at: expiresAt, webhook_secret: null })
        .where('repository_reservations.expires_at', '<', sql<Date>`now()`),
    )
    .returning('repo')
    .executeTakeFirst()
  return row !== undefined
}

async function release(db: Db, { repo, holder }: Reservation): Promise<void> {
  await db
    .deleteFrom('repository_reservations')
    .where('repo', '=', repo)
    .where('holder', '=', holder)
    .execute()
}

function reservationConflict(): RequestError {
  const message = 'The repository is being connected or disconnected at the moment. Try again.'
  return new RequestError('conflict', message, { retryAfterMs: 5000 })
}
