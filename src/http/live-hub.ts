// Who is told of what, live: the database's announcements, handed to the streams of those who may see them.
import { z } from 'zod'
import { findScope } from '../accounts/scope.ts'
import type { Caller } from '../accounts/tokens.ts'
import type { OpenDatabase } from '../db/database.ts'
import { RequestError } from '../domain/errors.ts'
import {
  type ConnectionChange,
  changesChannel,
  type ListingChange,
  type ScanChange,
} from '../events/listing.ts'
import type { EventStream } from '../lib/event-stream.ts'
import type { Log } from '../lib/logger.ts'

const streamsPerCaller = 10
const streamsPerProcess = 1000
/** Every so often a stream shows that it lives; every other time its caller is looked at anew. */
const keepAliveMs = 20_000

type Announcement = ListingChange | ConnectionChange | ScanChange

const status = z.enum(['pending', 'processing', 'completed', 'failed'])
const announcement: z.ZodType<Announcement> = z.union([
  z.object({
    repo: z.string(),
    number: z.int(),
    event: z.int(),
    status,
  }),
  z.object({ repo: z.string(), user: z.int(), connected: z.boolean() }),
  z.object({ repo: z.string(), scan: status, step: z.string(), done: z.int(), total: z.int() }),
])

interface Subscriber {
  readonly stream: EventStream
  readonly findCallerAgain: () => Promise<Caller | null>
  caller: Caller
  /** Names of repositories; empty until it was read. */
  scope: 'all' | ReadonlySet<string>
  /** What is under way for it. One after the other: what comes after a connection is told to whom may see it then. */
  turn: Promise<void>
}

/** The streams of this process. */
export interface LiveHub {
  /**
   * Feeds a stream until it is over. Its first event is `ready`: what is read after it, and again after `repository` and
   * `resync`, misses nothing.
   *
   * @param findCallerAgain whom the credential names now; null when it counts no more, which ends the stream
   * @throws RequestError `too_many` when there are too many streams
   */
  subscribe(
    caller: Caller,
    stream: EventStream,
    findCallerAgain: () => Promise<Caller | null>,
  ): Promise<void>
  /** Ends all streams. */
  close(): Promise<void>
}

/** Listens to the database's announcements. */
export async function openLiveHub(
  database: Pick<OpenDatabase, 'db' | 'listen'>,
  log: Log,
): Promise<LiveHub> {
  const subscribers = new Set<Subscriber>()
  let closed = false

  async function readScope(subscriber: Subscriber): Promise<void> {
    const scope = await findScope(database.db, subscriber.caller)
    subscriber.scope = scope === 'all' ? scope : new Set(scope)
  }

  function enqueue(subscriber: Subscriber, work: () => void | Promise<void>): Promise<void> {
    subscriber.turn = subscriber.turn.catch(() => {}).then(work)
    return subscriber.turn
  }

  /** Looks at the caller and the scope anew, and then tells. What can't be read ends the stream: its client comes again. */
  async function renew(subscriber: Subscriber, event?: string, data: object = {}): Promise<void> {
    const { stream, findCallerAgain } = subscriber
    try {
      const caller = await findCallerAgain()
      if (caller === null) return stream.end()
      subscriber.caller = caller
      await readScope(subscriber)
      if (event !== undefined) stream.send(event, data)
    } catch (error) {
      log.warn(
        { err: error, user: subscriber.caller.userId },
        'A live stream ends: its caller could not be looked at',
      )
      stream.end()
    }
  }

  async function tell(subscriber: Subscriber, told: Announcement): Promise<void> {
    const { stream, caller, scope } = subscriber
    if ('number' in told) {
      if (scope !== 'all' && !scope.has(told.repo)) return
      const { repo: repo_name, number: pr_number, event: id, status } = told
      stream.send('review', { id, repo_name, pr_number, status })
    } else if ('scan' in told) {
      if (scope !== 'all' && !scope.has(told.repo)) return
      const { repo: repo_name, scan: status, step, done, total } = told
      stream.send('scan', { repo_name, status, step, done, total })
    } else if (told.user === caller.userId || caller.isAdmin) {
      await renew(subscriber, 'repository', { repo_name: told.repo, connected: told.connected })
    } else if (scope !== 'all' && scope.has(told.repo)) {
      // Somebody else's connection may end what is seen of an own one that is over.
      await renew(subscriber)
    }
  }

  function checkRoom({ userId }: Caller): void {
    if (closed)
      throw new RequestError('not_configured', 'The service is stopping', { retryAfterMs: 2000 })
    const own = [...subscribers].filter(({ caller }) => caller.userId === userId)
    if (own.length >= streamsPerCaller) {
      throw new RequestError(
        'too_many',
        `There are ${streamsPerCaller} live streams of this caller already`,
      )
    }
    if (subscribers.size >= streamsPerProcess)
      throw new RequestError('too_many', 'There are too many live streams')
  }

  const listening = await database.listen(
    changesChannel,
    (payload) => {
      if (subscribers.size === 0) return
      const told = readAnnouncement(payload)
      if (told === null) return log.warn({}, 'An announcement of the database was not understood')
      for (const subscriber of subscribers) void enqueue(subscriber, () => tell(subscriber, told))
    },
    () => {
      for (const subscriber of subscribers)
        void enqueue(subscriber, () => renew(subscriber, 'resync'))
    },
  )

  return {
    async subscribe(caller, stream, findCallerAgain) {
      checkRoom(caller)
      const scope = new Set<string>()
      const subscriber: Subscriber = {
        caller,
        stream,
        findCallerAgain,
        scope,
        turn: Promise.resolve(),
      }
      subscribers.add(subscriber)
      let ticks = 0
      const timer = setInterval(() => {
        stream.keepAlive()
        if (++ticks % 2 === 0) void enqueue(subscriber, () => renew(subscriber))
      }, keepAliveMs)
      stream.output.once('close', () => {
        clearInterval(timer)
        subscribers.delete(subscriber)
      })
      await enqueue(subscriber, async () => {
        await readScope(subscriber)
        stream.send('ready', {})
      })
    },
    async close() {
      closed = true
      for (const { stream } of subscribers) stream.end()
      await listening.close()
    },
  }
}

function readAnnouncement(payload: string): Announcement | null {
  try {
    return announcement.parse(JSON.parse(payload))
  } catch {
    return null
  }
}
