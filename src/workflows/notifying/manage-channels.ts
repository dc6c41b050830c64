// Creates, confirms and deletes the channels in which a person is notified.
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { hasRepeatedAction, recordAudit } from '../../accounts/audit.ts'
import {
  confirmChannel,
  deleteChannel,
  insertChannel,
  listChannels,
  lockChannels,
  type NotificationChannel,
} from '../../accounts/notification-channels.ts'
import { findScope } from '../../accounts/scope.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { ServiceContext } from '../../context.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { RequestError } from '../../domain/errors.ts'
import { findChatUrlProblem, postToChat } from '../../notifications/chat-webhook.ts'
import { NotificationError } from '../../notifications/notification-error.ts'
import { sendMail } from '../../notifications/send-mail.ts'

const maxChannels = 20
/** Each one sends a message, to an address that may be someone else's. */
const maxAddedPerHour = 20

type ManagingContext = Pick<ServiceContext, 'db' | 'keys' | 'config'>

interface ChannelRequest {
  readonly kind: 'chat' | 'email'
  readonly target: string
  readonly repo: string | null
  readonly digestHour: number | null
}

/**
 * Creates a channel and sends a first message: a chat has to accept it, and an email contains the
 * code that confirms the address. Throws RequestError.
 */
export async function createChannel(
  ctx: ManagingContext,
  caller: Caller,
  request: ChannelRequest,
): Promise<NotificationChannel> {
  const { kind, digestHour } = request
  const target = request.target.trim()
  const repo = await findVisibleRepository(ctx, caller, request.repo)
  const checked = kind === 'chat' ? checkChat(ctx, target) : checkMail(ctx, target)
  // Sending first would let a person send any number of messages.
  const { userId } = caller
  const channel = await transactionWithRetry(ctx.db, async (tx) => {
    await lockChannels(tx, userId)
    if (await hasRepeatedAction(tx, userId, 'notifications_added', maxAddedPerHour)) {
      throw new RequestError(
        'too_many',
        `You added ${maxAddedPerHour} notification channels within an hour: try again later`,
      )
    }
    if ((await listChannels(tx, userId)).length >= maxChannels) {
      throw new RequestError(
        'conflict',
        `You have ${maxChannels} notification channels: remove one first`,
      )
    }
    const inserted = await insertChannel(tx, ctx.keys, {
      ...{ userId, kind, target, repo, digestHour },
      ...{ label: checked.label, code: checked.code },
    })
    await recordAudit(tx, caller, 'notifications_added', checked.label)
    return inserted
  })
  try {
    await checked.send()
  } catch (error) {
    await transactionWithRetry(ctx.db, (tx) => deleteChannel(tx, userId, channel.id))
    if (error instanceof NotificationError)
      throw new RequestError('request_invalid', error.message, { cause: error })
    throw error
  }
  return channel
}

/** Confirms an email address. Throws RequestError. */
export async function confirmAddress(
  { db }: Pick<ManagingContext, 'db'>,
  caller: Caller,
  { id, code }: { id: number; code: string },
): Promise<void> {
  const outcome = await transactionWithRetry(db, (tx) =>
    confirmChannel(tx, { userId: caller.userId, id, code: code.trim() }),
  )
  if (outcome === undefined) throw new RequestError('not_found', 'Notification channel not found')
  if (outcome === 'too_many') {
    throw new RequestError('conflict', 'Too many wrong codes: remove the address and add it again')
  }
  if (outcome === 'wrong') throw new RequestError('request_invalid', 'The code is wrong')
}

/** Deletes a channel. Throws RequestError `not_found` if the person has no such channel. */
export async function removeChannel(
  { db }: Pick<ManagingContext, 'db'>,
  caller: Caller,
  id: number,
): Promise<void> {
  await transactionWithRetry(db, async (tx) => {
    const label = await deleteChannel(tx, caller.userId, id)
    if (label === undefined) throw new RequestError('not_found', 'Notification channel not found')
    await recordAudit(tx, caller, 'notifications_removed', label)
  })
}

async function findVisibleRepository(
  { db }: ManagingContext,
  caller: Caller,
  repo: string | null,
): Promise<string | null> {
  if (repo === null) return null
  const scope = await findScope(db, caller)
  if (scope === 'all') return repo
  const visible = scope.find((one) => one.toLowerCase() === repo.toLowerCase())
  if (visible === undefined) throw new RequestError('access_denied', 'Repo not connected')
  return visible
}

/** The first message of a channel. */
interface CheckedTarget {
  readonly label: string
  readonly code: string | null
  send(): Promise<void>
}

function checkChat({ config }: ManagingContext, address: string): CheckedTarget {
  const { hosts } = config.notifications
  const problem = findChatUrlProblem(address, hosts)
  if (problem !== undefined) throw new RequestError('request_invalid', problem)
  const text = `${config.serviceName} will post new critical findings here.`
  return {
    label: new URL(address).hostname,
    code: null,
    send: () => postToChat(address, text, hosts),
  }
}

const mailAddress = z.email()

function checkMail({ config }: ManagingContext, address: string): CheckedTarget {
  const { mail } = config.notifications
  if (mail === null) {
    throw new RequestError(
      'not_configured',
      'Email is not configured: an administrator sets SMTP_URL and SMTP_FROM',
    )
  }
  if (!mailAddress.safeParse(address).success)
    throw new RequestError('request_invalid', 'The address must be an email address')
  const code = randomInt(100_000_000).toString().padStart(8, '0')
  const { serviceName, http } = config
  return {
    label: address,
    code,
    send: () =>
      sendMail(mail, {
        to: address,
        subject: `[${serviceName}] Code for notifications: ${code}`,
        text:
          `Enter this code at ${http.publicUrl}/settings?tab=notifications to be notified of new ` +
          `critical findings: ${code}\n\nIf you did not ask for it, ignore this email.\n`,
      }),
  }
}
