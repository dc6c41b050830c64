// Sends the notifications that are due, one message to each channel.
import {
  readChannel,
  type SendableChannel,
  saveChannelFailure,
} from '../../accounts/notification-channels.ts'
import { findScope } from '../../accounts/scope.ts'
import { maySignIn } from '../../accounts/users.ts'
import type { ServiceContext } from '../../context.ts'
import {
  claimNotifications,
  delayNotifications,
  deleteNotifications,
  listDueChannels,
  type Notification,
} from '../../events/notifications.ts'
import { postToChat } from '../../notifications/chat-webhook.ts'
import { NotificationError } from '../../notifications/notification-error.ts'
import { sendMail } from '../../notifications/send-mail.ts'
import { formatChatMessage, formatMail } from './format-notification.ts'

const maxChannelsPerRound = 100
const maxReviewsPerMessage = 500
/** Over about a day. */
const maxAttempts = 10
const firstDelaySeconds = 60
const maxDelaySeconds = 4 * 3600

/**
 * Sends due notifications. One that fails is repeated for about a day. After the loss of a worker,
 * one may be sent twice, because neither chats nor mail servers recognize repeated messages.
 */
export async function sendNotifications(ctx: ServiceContext, signal: AbortSignal): Promise<void> {
  for (const channelId of await listDueChannels(ctx.db, maxChannelsPerRound)) {
    signal.throwIfAborted()
    await notifyChannel(ctx, channelId)
  }
}

async function notifyChannel(ctx: ServiceContext, channelId: number): Promise<void> {
  const channel = await readChannel(ctx.db, ctx.keys, channelId)
  const claimed = await claimNotifications(ctx.db, channelId, maxReviewsPerMessage)
  if (channel === undefined || claimed.length === 0) return
  const wanted = await selectVisible(ctx, channel, claimed)
  try {
    if (wanted.length > 0) await send(ctx, channel, wanted)
    await deleteNotifications(ctx.db, idsOf(claimed))
    await saveChannelFailure(ctx.db, channelId, null)
  } catch (error) {
    if (!(error instanceof NotificationError)) throw error
    const isLast = ({ attempts }: Notification) => !error.retryable || attempts >= maxAttempts
    const [given, kept] = partition(claimed, isLast)
    await deleteNotifications(ctx.db, idsOf(given))
    // The newest one decides: the others are sent with it.
    const attempts = Math.min(...kept.map((notification) => notification.attempts))
    const seconds = Math.min(firstDelaySeconds * 2 ** (attempts - 1), maxDelaySeconds)
    await delayNotifications(ctx.db, idsOf(kept), seconds)
    await saveChannelFailure(ctx.db, channelId, error.message)
    ctx.log.warn({ err: error, channel: channelId }, 'A notification could not be sent')
  }
}

const idsOf = (notifications: readonly Notification[]) => notifications.map(({ id }) => id)

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

/** Selects those with open findings in repositories that the person may see now. */
async function selectVisible(
  { db, config }: ServiceContext,
  { user, repo }: SendableChannel,
  notifications: readonly Notification[],
): Promise<Notification[]> {
  if (!maySignIn(config, user)) return []
  const scope = await findScope(db, user)
  return notifications.filter(
    (notification) =>
      notification.findings.length > 0 &&
      (repo === null || repo.toLowerCase() === notification.repo.toLowerCase()) &&
      (scope === 'all' || scope.includes(notification.repo)),
  )
}

async function send(
  { config }: ServiceContext,
  { kind, target }: SendableChannel,
  notifications: readonly Notification[],
): Promise<void> {
  const { publicUrl } = config.http
  const { hosts, mail } = config.notifications
  if (target === undefined) {
    throw new NotificationError('The secret key changed: remove this channel and add it again', {
      retryable: true,
    })
  }
  if (kind === 'chat') return postToChat(target, formatChatMessage(notifications, publicUrl), hosts)
  if (mail === null) throw new NotificationError('Email is not configured any more')
  const { serviceName } = config
  return sendMail(mail, { to: target, ...formatMail(notifications, { publicUrl, serviceName }) })
}
