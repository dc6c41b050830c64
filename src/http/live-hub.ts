// Sends changes that the database announces to the live streams of callers who may see them.
import { z } from 'zod'
import { findScope } from '../accounts/scope.ts'
import type { Caller } from '../accounts/tokens.ts'
import { eventStatuses } from '../contract/enums.ts'
import type { Db, OpenDatabase } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import {
  type ConnectionChange,
  changesChannel,
  type ListingChange,
  type ScanChange,
} from '../events/listing.ts'
import type { EventStream } from '../lib/event-stream.ts'
import type { Log } from '../lib/logger.ts'

const maxStreamsPerCaller = 10
const maxStreams = 1000
const keepAliveMs = 20_000
const keepAlivesPerCallerCheck = 2

type Announcement = ListingChange | ConnectionChange | ScanChange

const status = z.enum(eventStatuses)
const announcementSchema: z.ZodType<Announcement> = z.union([
  z.object({
    repo: z.string(),
    number: z.int(),
    event: z.int(),
    status,
  }),
  z.object({ repo: z.string(), user: z.int(), connected: z.boolean() }),
  z.object({ repo: z.string(), scan: status, step: z.string(), done: z.int(), total: z.int() }),
])

type RefreshCaller = () => Promise<Caller | null>

interface Subscriber {
  readonly stream: EventStream
  readonly refreshCaller: RefreshCaller
  caller: Caller
  /** The repositories that the caller may see. It is empty until it was read for the first time. */
  scope: 'all' | ReadonlySet<string>
  /**
   * The last queued work of this subscriber. Its work runs in sequence, so that a review that is
   * announced after a connection is sent to everyone who may see it since that connection.
   */
  lastWork: Promise<unknown>
}

/** Listens to the announcements of the database. Close the hub to end all streams. */
export async function openLiveHub(
  database: Pick<OpenDatabase, 'db' | 'listen'>,
  log: Log,
): Promise<LiveHub> {
  const hub = new LiveHub(database.db, log)
  await hub.listen(database)
  return hub
}

/** The streams that are open in this process. */
class LiveHub {
  readonly #db: Db
  readonly #log: Log
  readonly #subscribers = new Set<Subscriber>()
  #listener: Awaited<ReturnType<OpenDatabase['listen']>> | undefined
  #isClosed = false

  constructor(db: Db, log: Log) {
    this.#db = db
    this.#log = log
  }

  async listen(database: Pick<OpenDatabase, 'listen'>): Promise<void> {
    this.#listener = await database.listen(
      changesChannel,
      (payload) => this.#publish(payload),
      () => this.#resync(),
    )
  }

  /**
   * Feeds a stream until it ends. Its first event is `ready`. A client that reads its lists after
   * `ready`, and again after each `repository` and `resync`, misses nothing.
   *
   * @param refreshCaller returns the caller that the credential identifies now, or null if it is no
   *   longer valid, which ends the stream
   * @throws RequestError `too_many` if too many streams are open, `not_configured` after `close`
   */
  async subscribe(
    caller: Caller,
    stream: EventStream,
    refreshCaller: RefreshCaller,
  ): Promise<void> {
    this.#assertCapacity(caller)
    const subscriber: Subscriber = {
      caller,
      stream,
      refreshCaller,
      scope: new Set<string>(),
      lastWork: Promise.resolve(),
    }
    this.#subscribers.add(subscriber)
    const timer = this.#startKeepAlive(subscriber)
    stream.output.once('close', () => {
      clearInterval(timer)
      this.#subscribers.delete(subscriber)
    })
    await this.#enqueue(subscriber, async () => {
      await this.#readScope(subscriber)
      stream.send('ready', {})
    })
  }

  /** Ends all streams. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { stream } of this.#subscribers) stream.end()
    await this.#listener?.close()
  }

  #assertCapacity({ userId }: Caller): void {
    if (this.#isClosed) {
      throw new RequestError('not_configured', 'The service is stopping', { retryAfterMs: 2000 })
    }
    const ownStreams = [...this.#subscribers].filter(({ caller }) => caller.userId === userId)
    if (ownStreams.length >= maxStreamsPerCaller) {
      throw new RequestError(
        'too_many',
        `You already have ${maxStreamsPerCaller} live streams open: close one first`,
      )
    }
    if (this.#subscribers.size >= maxStreams) {
      throw new RequestError('too_many', 'Too many live streams are open: try again later')
    }
  }

  #startKeepAlive(subscriber: Subscriber): NodeJS.Timeout {
    let keepAlives = 0
    return setInterval(() => {
      subscriber.stream.keepAlive()
      keepAlives += 1
      if (keepAlives % keepAlivesPerCallerCheck === 0) {
        void this.#enqueue(subscriber, () => this.#refresh(subscriber))
      }
    }, keepAliveMs)
  }

  #publish(payload: string): void {
    if (this.#subscribers.size === 0) return
    const announcement = parseAnnouncement(payload)
    if (announcement === null) {
      this.#log.warn({}, 'An announcement of the database could not be parsed')
      return
    }
    for (const subscriber of this.#subscribers) {
      void this.#enqueue(subscriber, () => this.#announce(subscriber, announcement))
    }
  }

  #resync(): void {
    for (const subscriber of this.#subscribers) {
      void this.#enqueue(subscriber, () => this.#refreshAndSend(subscriber, 'resync', {}))
    }
  }

  async #announce(subscriber: Subscriber, announcement: Announcement): Promise<void> {
    if ('number' in announcement) announceReview(subscriber, announcement)
    else if ('scan' in announcement) announceScan(subscriber, announcement)
    else await this.#announceConnection(subscriber, announcement)
  }

  async #announceConnection(subscriber: Subscriber, change: ConnectionChange): Promise<void> {
    const { caller, scope } = subscriber
    if (change.user === caller.userId || caller.isAdmin) {
      const data = { repo_name: change.repo, connected: change.connected }
      await this.#refreshAndSend(subscriber, 'repository', data)
    } else if (scope !== 'all' && scope.has(change.repo)) {
      // A caller who disconnected loses sight of a repository when another user connects it.
      await this.#refresh(subscriber)
    }
  }

  async #refreshAndSend(subscriber: Subscriber, event: string, data: object): Promise<void> {
    const isActive = await this.#refresh(subscriber)
    if (isActive) subscriber.stream.send(event, data)
  }

  /**
   * Reads the caller and the scope again. Returns false after ending the stream, because the
   * credential is no longer valid or could not be checked. Clients then connect again.
   */
  async #refresh(subscriber: Subscriber): Promise<boolean> {
    const { stream, refreshCaller } = subscriber
    try {
      const caller = await refreshCaller()
      if (caller === null) {
        stream.end()
        return false
      }
      subscriber.caller = caller
      await this.#readScope(subscriber)
      return true
    } catch (error) {
      const fields = { err: error, user: subscriber.caller.userId }
      this.#log.warn(fields, 'A live stream ends: its caller could not be checked')
      stream.end()
      return false
    }
  }

  async #readScope(subscriber: Subscriber): Promise<void> {
    const scope = await findScope(this.#db, subscriber.caller)
    subscriber.scope = scope === 'all' ? scope : new Set(scope)
  }

  #enqueue(subscriber: Subscriber, work: () => Promise<unknown>): Promise<unknown> {
    subscriber.lastWork = subscriber.lastWork.catch(() => {}).then(work)
    return subscriber.lastWork
  }
}

function announceReview(subscriber: Subscriber, change: ListingChange): void {
  if (!canSee(subscriber, change.repo)) return
  subscriber.stream.send('review', {
    id: change.event,
    repo_name: change.repo,
    pr_number: change.number,
    status: change.status,
  })
}

function announceScan(subscriber: Subscriber, change: ScanChange): void {
  if (!canSee(subscriber, change.repo)) return
  const { repo: repo_name, scan: status, step, done, total } = change
  subscriber.stream.send('scan', { repo_name, status, step, done, total })
}

function canSee({ scope }: Subscriber, repo: string): boolean {
  return scope === 'all' || scope.has(repo)
}

function parseAnnouncement(payload: string): Announcement | null {
  try {
    return announcementSchema.parse(JSON.parse(payload))
  } catch {
    return null
  }
}
