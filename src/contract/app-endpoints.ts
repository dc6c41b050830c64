// Defines the endpoints that create, show and remove the App of this service.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { count, hostParameter, secretRotation, timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

const query = z.object({ host: hostParameter })

const installation = z
  .object({
    id: z.int(),
    account: z.string().describe('Username of the person or organization that installed the App'),
    account_type: z.enum(['user', 'organization']),
    url: z.string().describe('Page at which its owner changes the installation'),
    suspended: z.boolean().describe('Whether the account suspended the installation'),
    repositories: count.describe('Number of repositories that are connected through it'),
  })
  .meta({ id: 'AppInstallation' })

export const showApp = endpoint(addresses.showApp, {
  summary: 'Get the App',
  description:
    'Returns the App of this service with its installations, without its secrets. Only for ' +
    'administrators.',
  tags: ['App'],
  credential: 'cookie',
  query,
  response: z
    .object({
      supported: z.boolean().describe('Whether the code-hosting platform has Apps'),
      app: z
        .object({
          name: z.string(),
          slug: z.string(),
          owner: z.string().describe('Username of the account that owns the App'),
          url: z.string(),
          install_url: z.string().describe('Page at which people install the App'),
          created_at: timestamp,
          installations: z.array(installation),
        })
        .nullable()
        .describe('The App, or null if none was created'),
    })
    .meta({ id: 'AppState' }),
  errors: [403, 404],
})

export const startAppRegistration = endpoint(addresses.startAppRegistration, {
  summary: 'Start to create the App',
  description:
    'Returns a form that the browser has to post to the code-hosting platform, whose page then ' +
    'asks to create the App and redirects to `/api/v1/app/callback`. It is valid for ten minutes ' +
    'and for the session that requested it. Only for administrators.',
  tags: ['App'],
  credential: 'cookie',
  query,
  body: z.object({
    organization: z
      .string()
      .regex(/^[\w-]{1,100}$/, 'organization must be the username of an organization')
      .nullable()
      .describe('Organization that will own the App, or null for your own account'),
  }),
  response: z
    .object({
      action: z.string().describe('Address to which the browser posts the form'),
      manifest: z.string().describe('Value of the only field of the form, `manifest`'),
    })
    .meta({ id: 'AppRegistrationForm' }),
  errors: [403, 404, 409, 422],
})

/** Counts a malformed parameter as missing, so that the callback redirects instead of failing. */
const callbackParameter = z.string().max(10_000).optional().catch(undefined)

export const finishAppRegistration = endpoint(addresses.finishAppRegistration, {
  summary: 'Finish creating the App',
  description:
    'The code-hosting platform redirects the browser here. Stores the App with its secrets, and ' +
    'redirects to the page of the settings. Only for administrators.',
  tags: ['App'],
  credential: 'cookie',
  query: z.object({ code: callbackParameter, state: callbackParameter }),
  status: 302,
  response: z.null().describe('Redirect to the settings'),
  errors: [400, 403, 404, 409, 502],
})

export const removeApp = endpoint(addresses.removeApp, {
  summary: 'Remove the App',
  description:
    'Deletes the App with its secrets from this service, and disconnects the repositories that ' +
    'are connected only through it. Delete the App at the code-hosting platform too. Only for ' +
    'administrators.',
  tags: ['App'],
  credential: 'cookie',
  query,
  response: z.object({ status: z.literal('removed') }).meta({ id: 'AppRemoved' }),
  errors: [403, 404],
})

export const rotateAppWebhookSecret = endpoint(addresses.rotateAppWebhookSecret, {
  summary: "Rotate the App's webhook secret",
  description:
    'Creates a new secret for the webhook of the App and sets it at the code-hosting platform. ' +
    'If this fails half-way, repeat it: until then, the former and the new secret are accepted. ' +
    'Only for administrators.',
  tags: ['App'],
  credential: 'either',
  query,
  body: secretRotation,
  response: z.object({ status: z.literal('rotated') }).meta({ id: 'AppWebhookSecretRotated' }),
  errors: [403, 404, 409, 422, 502],
})
