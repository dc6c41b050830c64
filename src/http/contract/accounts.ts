// Schemas of sign-in and credentials.
import { z } from 'zod'
import { errors, security, timestamp } from './common.ts'

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

export const signInWithToken = {
  summary: 'Sign in with a personal access token of the platform',
  description: 'Sets the cookie `access_token`.',
  tags: ['Sign-in'],
  body: z.object({
    token: z
      .string({ error: 'token must be a text' })
      .regex(/^[\x21-\x7e]{1,255}$/, { error: 'token must be a personal access token of the platform' }),
  }),
  response: { 200: me, ...errors(401, 403, 422, 502) },
}

export const shortLivedToken = {
  summary: 'Get a short-lived bearer token for the session',
  tags: ['Sign-in'],
  security: security.cookie,
  response: {
    200: z.object({ access_token: z.string(), expires_at: timestamp }),
    ...errors(401, 403),
  },
}
