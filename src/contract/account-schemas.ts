// Schemas of sign-in and credentials.
import { z } from 'zod'
import { errorResponses, security, textInput, timestamp } from './common-schemas.ts'

/** The person behind the credential. */
export const me = z
  .object({
    id: z.int(),
    login: z.string(),
    name: z.string(),
    avatar_url: z.string(),
    is_admin: z.boolean(),
  })
  .meta({ id: 'Me' })

/** Whatever isn't one text is as good as missing: who comes back from the platform gets a 400 then, and no 422. */
const callbackParameter = z.string().optional().catch(undefined)
const redirect = (where: string) => z.null().describe(where)

export const startSignInSchema = {
  summary: 'Sign in at the platform',
  description:
    'Sends the browser to the platform, which sends it to `/auth/callback`. 404 where OAuth is not configured.',
  tags: ['Sign-in'],
  querystring: z.object({
    return_to: z
      .string()
      .catch('/')
      .default('/')
      .describe('Path of this service to go to afterwards; others become `/`'),
  }),
  response: {
    302: redirect('To the platform; sets the cookie `umpire_login`'),
    ...errorResponses(404),
  },
}

export const finishSignInSchema = {
  summary: 'Come back from the platform',
  description:
    'Sets the cookie `access_token`. What goes wrong is an error, or for `Accept: text/html` told on the page.',
  tags: ['Sign-in'],
  querystring: z.object({
    code: callbackParameter,
    state: callbackParameter,
    error: callbackParameter,
  }),
  response: {
    303: redirect('To where the person wanted to be; to sign-in, with what went wrong'),
    ...errorResponses(400, 403, 404, 502),
  },
}

export const signInWithTokenSchema = {
  summary: 'Sign in with a personal access token of the platform',
  description: 'Sets the cookie `access_token`.',
  tags: ['Sign-in'],
  body: z.object({
    token: z.string({ error: 'token must be a string' }).regex(/^[\x21-\x7e]{1,255}$/, {
      error: 'token must be a personal access token of the platform',
    }),
  }),
  response: { 200: me, ...errorResponses(401, 403, 422, 502) },
}

export const signInOptionsSchema = {
  summary: 'Show how people sign in here',
  description: 'For who is not signed in yet.',
  tags: ['Sign-in'],
  response: {
    200: z
      .object({
        service_name: z.string(),
        platform: z.string(),
        platform_url: z.string(),
        oauth: z.boolean().describe('Whether the platform can be gone to, by `/auth/login`'),
        is_new: z
          .boolean()
          .describe('Nobody signed in so far; who does so first becomes an administrator'),
      })
      .meta({ id: 'SignInOptions' }),
  },
}

export const signOutSchema = {
  summary: 'Sign out',
  description:
    'Ends the session of the cookie and all bearer tokens made from it. Answers the same without a session.',
  tags: ['Sign-in'],
  response: { 200: z.object({ status: z.literal('signed_out') }), ...errorResponses(403) },
}

export const showMeSchema = {
  summary: 'Show who is signed in',
  tags: ['Sign-in'],
  security: security.either,
  response: {
    200: me
      .extend({ service_name: z.string(), platform: z.string(), platform_url: z.string() })
      .meta({ id: 'MeHere' }),
    ...errorResponses(401),
  },
}

export const shortLivedTokenSchema = {
  summary: 'Get a short-lived bearer token for the session',
  tags: ['Sign-in'],
  security: security.cookie,
  response: {
    200: z.object({ access_token: z.string(), expires_at: timestamp }),
    ...errorResponses(401, 403),
  },
}

const apiToken = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: timestamp,
    expires_at: timestamp,
    last_used_at: timestamp.nullable().describe('To the minute'),
  })
  .meta({ id: 'ApiToken' })

export const listApiTokensSchema = {
  summary: 'List the named tokens that count, the newest first',
  tags: ['Tokens'],
  security: security.cookie,
  response: { 200: z.object({ tokens: z.array(apiToken) }), ...errorResponses(401) },
}

const days = 'expires_in_days must be a whole number from 1 to 365'

export const createApiTokenSchema = {
  summary: 'Make a named token for a program',
  description: 'A bearer token with the rights of who makes it. It is shown here and never again.',
  tags: ['Tokens'],
  security: security.cookie,
  body: z.strictObject(
    {
      name: textInput('name', 100).trim().min(1, { error: 'name must not be empty' }),
      expires_in_days: z
        .int({ error: days })
        .min(1, { error: days })
        .max(365, { error: days })
        .default(90),
    },
    // Not the stranger's name: whatever was sent isn't repeated.
    { error: 'the body must be an object with name and expires_in_days only' },
  ),
  response: {
    200: z.object({ id: z.string(), name: z.string(), expires_at: timestamp, token: z.string() }),
    ...errorResponses(401, 403, 409, 422),
  },
}

export const revokeApiTokenSchema = {
  summary: 'Revoke a named token',
  tags: ['Tokens'],
  security: security.cookie,
  params: z.object({ id: z.string() }),
  response: {
    200: z.object({ status: z.literal('revoked'), id: z.string() }),
    ...errorResponses(401, 403, 404),
  },
}
