// Lets only one process at a time connect or disconnect a repository or replace a webhook's secret,
// without holding a transaction or lock during calls to the platform.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/** The exclusive right to change a repository's connections and webhook, for a limited time. */
export interface Reservation {
  /** The name is in lower case. */
  readonly repo: string
  readonly holder: string
}

/** Longer than the work takes. The reservation of a dead process expires after this time. */
const reservationSeconds = 60

const maxWaitMs = 20_000
const retryDelayMs = 50

/**
 * Runs `work` while no one else changes the connections or webhook of the repository. Waits up to
 * `maxWaitMs`.
 *
 * @throws RequestError `conflict` when the repository stays reserved
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
    // A reservation that can't be released expires.
    await release(db, reservation).catch(() => {})
  }
}

/**
 * Asserts that the reservation is valid, and locks it until the transaction ends.
 *
 * @throws RequestError `conflict` when it has expired
 */
export async function assertReservation(tx: Db, { repo, holder }: Reservation): Promise<void> {
  const row = await tx
    .selectFrom('repositoryReservations')
    .select('repo')
    .where('repo', '=', repo)
    .where('holder', '=', holder)
    .where('expiresAt', '>', sql<Date>`now()`)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw reservationConflict()
}

/** Ends all reservations. For a process with exclusive access to the database, when it starts. */
export async function endAllReservations(db: Db): Promise<void> {
  await db.deleteFrom('repositoryReservations').execute()
}

/** Accepts deliveries that are signed with this secret while the reservation is valid. */
export async function saveReservedWebhookSecret(
  db: Db,
  { repo, holder }: Reservation,
  secret: string,
): Promise<void> {
  await db
    .updateTable('repositoryReservations')
    .set({ webhookSecret: secret })
    .where('repo', '=', repo)
    .where('holder', '=', holder)
    .execute()
}

async function reserve(db: Db, { repo, holder }: Reservation): Promise<boolean> {
  const expiresAt = sql<Date>`now() + make_interval(secs => ${reservationSeconds})`
  const row = await db
    .insertInto('repositoryReservations')
    .values({ repo, holder, expiresAt, webhookSecret: null })
    .onConflict((conflict) =>
      conflict
        .column('repo')
        .doUpdateSet({ holder, expiresAt, webhookSecret: null })
        .where('repositoryReservations.expiresAt', '<', sql<Date>`now()`),
    )
    .returning('repo')
    .executeTakeFirst()
  return row !== undefined
}

async function release(db: Db, { repo, holder }: Reservation): Promise<void> {
  await db
    .deleteFrom('repositoryReservations')
    .where('repo', '=', repo)
    .where('holder', '=', holder)
    .execute()
}

function reservationConflict(): RequestError {
  const message = 'Another request is changing this at the moment. Try again.'
  return new RequestError('conflict', message, { retryAfterMs: 5000 })
}
