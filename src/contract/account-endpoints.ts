// Defines the sign-in and API-token endpoints.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { hostParameter, textInput, timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

const me = z
  .object({
    id: z.int().describe('ID of the user in Umpire'),
    login: z.string().describe('Username on the code-hosting platform'),
    name: z.string().describe('Display name'),
    avatar_url: z.string(),
    is_admin: z.boolean().describe('Whether the user is an administrator of this service'),
  })
  .meta({ id: 'Me' })

/** Fields that describe the service. */
const serviceFields = {
  service_name: z.string().describe('Name of this service'),
  platform: z.string().describe('ID of the code host'),
  platform_url: z.string().describe('URL of the code-hosting platform'),
}

const codeHost = z
  .object({
    id: z.string(),
    name: z.string().describe('Name of the code host for people'),
    url: z.string(),
    suffix: z
      .string()
      .describe('End of the names of its repositories: `@` and its id. Empty for the first host.'),
    apps: z.boolean().describe('Whether the code host has Apps'),
    token_help: z.string().describe('Says what a personal access token must permit'),
  })
  .meta({ id: 'CodeHost' })

/** Counts a malformed parameter as missing, so that the callback answers 400 instead of 422. */
const callbackParameter = z.string().optional().catch(undefined)
const redirect = (description: string) => z.null().describe(description)

export const startSignIn = endpoint(addresses.startSignIn, {
  summary: 'Start sign-in with OAuth',
  description:
    'Redirects the browser to the code-hosting platform, which then redirects it to ' +
    '`/auth/callback`, or to `/auth/<id>/callback` for a further code host. Returns 404 if OAuth ' +
    'is not configured.',
  tags: ['Sign-in'],
  credential: 'none',
  query: z.object({
    return_to: z
      .string()
      .catch('/')
      .default('/')
      .describe(
        'Path on this service to open after sign-in. Any value that is not such a path is ' +
          'replaced by `/`.',
      ),
    host: hostParameter,
  }),
  status: 302,
  response: redirect('Redirect to the code-hosting platform. Sets the cookie `umpire_login`.'),
  errors: [404],
})

export const finishSignIn = endpoint(addresses.finishSignIn, {
  summary: 'Finish sign-in with OAuth',
  description:
    'The code-hosting platform redirects the browser here. Each further code host has an address ' +
    'of its own, and a sign-in has to end at the host where it began. Sets the cookie ' +
    '`access_token`. ' +
    'If sign-in fails and the request accepts `text/html`, redirects to the sign-in page, which ' +
    'shows the reason. Otherwise returns an error.',
  tags: ['Sign-in'],
  credential: 'none',
  query: z.object({
    code: callbackParameter,
    state: callbackParameter,
    error: callbackParameter,
  }),
  status: 303,
  response: redirect('Redirect to the path in `return_to`, or to the sign-in page on failure'),
  errors: [400, 403, 404, 502],
})

export const signInWithToken = endpoint(addresses.signInWithToken, {
  summary: 'Sign in with a personal access token',
  description:
    'Takes a personal access token of the code-hosting platform and sets the cookie ' +
    '`access_token`.',
  tags: ['Sign-in'],
  credential: 'none',
  body: z.object({
    token: z.string({ error: 'token must be a string' }).regex(/^[\x21-\x7e]{1,255}$/, {
      error: 'token must be a personal access token of the code host',
    }),
    host: hostParameter,
  }),
  response: me,
  errors: [401, 403, 404, 422, 502],
})

export const signInOptions = endpoint(addresses.signInOptions, {
  summary: 'Get the sign-in options',
  description: 'Returns what a sign-in page needs. Requires no credential.',
  tags: ['Sign-in'],
  credential: 'none',
  response: z
    .object({
      ...serviceFields,
      oauth: z.boolean().describe('Whether sign-in with OAuth at `/auth/login` is configured'),
      hosts: z
        .array(codeHost.extend({ oauth: z.boolean() }).meta({ id: 'SignInHost' }))
        .describe('All code hosts of this service, the first one first'),
      is_new: z
        .boolean()
        .describe(
          'Whether no one has signed in yet. The first user to sign in becomes an administrator.',
        ),
    })
    .meta({ id: 'SignInOptions' }),
})

export const signOut = endpoint(addresses.signOut, {
  summary: 'Sign out',
  description:
    'Ends the session of the cookie and revokes all bearer tokens that were created from it. ' +
    'Returns the same response if there is no session.',
  tags: ['Sign-in'],
  credential: 'none',
  response: z.object({ status: z.literal('signed_out') }),
  errors: [403],
})

export const showMe = endpoint(addresses.showMe, {
  summary: 'Get the signed-in user',
  tags: ['Sign-in'],
  credential: 'either',
  response: me
    .extend({
      ...serviceFields,
      hosts: z.array(codeHost).describe('All code hosts of this service, the first one first'),
    })
    .meta({ id: 'MeHere' }),
})

export const shortLivedToken = endpoint(addresses.shortLivedToken, {
  summary: 'Create a short-lived bearer token',
  description: 'Creates a bearer token from the session of the cookie. It expires in 15 minutes.',
  tags: ['Sign-in'],
  credential: 'cookie',
  response: z.object({ access_token: z.string(), expires_at: timestamp }),
  errors: [403],
})

const apiToken = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: timestamp,
    expires_at: timestamp,
    last_used_at: timestamp
      .nullable()
      .describe('When the token was last used, to the minute. Null if it was never used.'),
  })
  .meta({ id: 'ApiToken' })

export const listApiTokens = endpoint(addresses.listApiTokens, {
  summary: 'List API tokens',
  description: 'Returns the active API tokens of the signed-in user, newest first.',
  tags: ['Tokens'],
  credential: 'cookie',
  response: z.object({ tokens: z.array(apiToken) }),
})

const daysError = 'expires_in_days must be a whole number from 1 to 365'

export const createApiToken = endpoint(addresses.createApiToken, {
  summary: 'Create an API token',
  description:
    'Creates a bearer token for a program. The token has the rights of the user who creates it. ' +
    'Its value is returned only once.',
  tags: ['Tokens'],
  credential: 'cookie',
  body: z.strictObject(
    {
      name: textInput('name', 100)
        .trim()
        .min(1, { error: 'name must not be empty' })
        .describe('Name to recognize the token by'),
      expires_in_days: z
        .int({ error: daysError })
        .min(1, { error: daysError })
        .max(365, { error: daysError })
        .default(90)
        .describe('Number of days until the token expires'),
    },
    // The message doesn't repeat unknown keys, because the client controls them.
    { error: 'the body must be an object with name and expires_in_days only' },
  ),
  response: z.object({
    id: z.string(),
    name: z.string(),
    expires_at: timestamp,
    token: z.string().describe('Value of the token. Store it now: it is not shown again.'),
  }),
  errors: [403, 409, 422],
})

export const revokeApiToken = endpoint(addresses.revokeApiToken, {
  summary: 'Revoke an API token',
  tags: ['Tokens'],
  credential: 'cookie',
  params: z.object({ id: z.string().describe('ID of the token') }),
  response: z.object({ status: z.literal('revoked'), id: z.string() }),
  errors: [403, 404],
})
