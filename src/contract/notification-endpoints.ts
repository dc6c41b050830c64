// Defines the endpoints for the channels in which people are notified.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { integerParameter, textInput, timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

const kind = z.enum(['chat', 'email'])
const repo = textInput('repo', 300).nullable()

const channel = z
  .object({
    id: z.int(),
    kind,
    label: z.string().describe('Host of the webhook, or the email address'),
    repo: z.string().nullable().describe('Repository, or null for all that you see'),
    digest_hour: z
      .int()
      .nullable()
      .describe('Hour of the daily digest in UTC, or null for notifications at once'),
    confirmed_at: timestamp
      .nullable()
      .describe('Null until the code that was sent to the email address is entered'),
    failure: z.string().nullable().describe('Why the last notification could not be sent'),
    created_at: timestamp,
  })
  .meta({ id: 'NotificationChannel' })

const channelParams = z.object({ id: integerParameter('id', 1, 999_999_999_999_999) })

export const listNotificationChannels = endpoint(addresses.listNotificationChannels, {
  summary: 'List your notification channels',
  description: 'Returns where you are notified of new critical findings.',
  tags: ['Notifications'],
  credential: 'cookie',
  response: z.object({
    email: z.boolean().describe('Whether this service can send email'),
    channels: z.array(channel),
  }),
})

export const addNotificationChannel = endpoint(addresses.addNotificationChannel, {
  summary: 'Add a notification channel',
  description:
    'Sends a first message, which the chat must accept. An email address gets a code, which ' +
    'confirms it. Webhooks are those of Slack, and of chats that accept the same JSON. They are ' +
    'reached in private networks only if the operator allows their host.',
  tags: ['Notifications'],
  credential: 'cookie',
  body: z.object({
    kind,
    target: textInput('target', 2000).describe('URL of an incoming webhook, or email address'),
    repo: repo.default(null).describe('Repository, or null for all that you see'),
    digest_hour: integerParameter('digest_hour', 0, 23)
      .nullable()
      .default(null)
      .describe('Hour in UTC, or null for at once'),
  }),
  response: channel,
  errors: [403, 409, 422, 503],
})

export const confirmNotificationChannel = endpoint(addresses.confirmNotificationChannel, {
  summary: 'Confirm an email address',
  description: 'Takes the code that was sent to the address, and at most five wrong ones.',
  tags: ['Notifications'],
  credential: 'cookie',
  params: channelParams,
  body: z.object({ code: textInput('code', 100) }),
  response: z.object({ status: z.literal('confirmed') }),
  errors: [403, 404, 409, 422],
})

export const removeNotificationChannel = endpoint(addresses.removeNotificationChannel, {
  summary: 'Remove a notification channel',
  description: 'What was not sent yet is not sent any more.',
  tags: ['Notifications'],
  credential: 'cookie',
  params: channelParams,
  response: z.object({ status: z.literal('removed') }),
  errors: [403, 404, 422],
})
