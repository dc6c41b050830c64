// Defines the endpoints for the people who sign in, and for their deletion.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { count, integerParameter, timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

const person = z
  .object({
    id: z.int(),
    login: z.string().describe('Username at the last sign-in'),
    name: z.string(),
    host: z
      .string()
      .nullable()
      .describe('ID of the code host. Null for the account of the operator.'),
    is_admin: z.boolean(),
    admin_reason: z
      .enum(['first_account', 'granted'])
      .nullable()
      .describe('Why the person is an administrator: the first account is one from the start'),
    admin_granted_by: z.string().nullable().describe('Who made the person an administrator'),
    admin_granted_at: timestamp.nullable(),
    may_sign_in: z.boolean().describe('Whether the person may sign in at present'),
    created_at: timestamp.describe('First sign-in'),
    last_seen_at: timestamp.nullable().describe('Last use of a session or token, to the minute'),
    sessions: count.describe('Valid sessions'),
    api_tokens: count.describe('Valid API tokens'),
    admin_tokens: count.describe('Valid tokens of `umpire token --admin`, which see all'),
    repositories: count.describe('Repositories that the person connected'),
  })
  .meta({ id: 'Person' })

export const listPeople = endpoint(addresses.listPeople, {
  summary: 'List people',
  description:
    'Returns everyone who has signed in, for administrators. Other callers get only themselves.',
  tags: ['People'],
  credential: 'either',
  response: z.object({
    people: z.array(person).describe('Administrators first, then by username. At most 1,000.'),
    sign_in: z
      .object({
        allowed: z
          .array(z.string())
          .nullable()
          .describe('Who may sign in (`SIGN_IN_ALLOWED`), or null for everyone'),
      })
      .nullable()
      .describe('Null for callers who are no administrators'),
  }),
})

const params = z.object({ id: integerParameter('id', 1, Number.MAX_SAFE_INTEGER) })

export const changePerson = endpoint(addresses.changePerson, {
  summary: 'Change who is an administrator',
  description:
    'Makes a person an administrator or takes that back. Only for administrators. Returns 409 if ' +
    'no other administrator who may sign in would remain. Requires the cookie, so that a token ' +
    'of a program cannot do it.',
  tags: ['People'],
  credential: 'cookie',
  params,
  body: z.strictObject(
    { is_admin: z.boolean({ error: 'is_admin must be true or false' }) },
    { error: 'the body must be an object with is_admin only' },
  ),
  response: z.object({ id: z.int(), is_admin: z.boolean() }),
  errors: [403, 404, 409, 422],
})

export const signOutPerson = endpoint(addresses.signOutPerson, {
  summary: 'Sign a person out everywhere',
  description:
    'Ends all sessions of a person and revokes all API tokens. Administrators can do that to ' +
    'everyone, other people to themselves. Reviews of connected repositories continue. Requires ' +
    'the cookie.',
  tags: ['People'],
  credential: 'cookie',
  params,
  response: z.object({
    id: z.int(),
    revoked: count.describe('Number of sessions and tokens that were valid'),
  }),
  errors: [403, 404, 422],
})

const plan = {
  repositories: z
    .array(
      z.object({
        repo: z.string(),
        outcome: z
          .enum(['ends', 'continues', 'handed_over'])
          .describe(
            '`ends`: nobody else connected it, so reviews end and the webhook is removed. ' +
              '`continues`: others connected it. `handed_over`: the App reviews it, so the ' +
              "operator's account takes the connection over.",
          ),
      }),
    )
    .describe('Repositories that the person connected'),
  memories: count.describe('Memories about the person, which are deleted'),
  files: count.describe('Changed files whose author is forgotten'),
  written: count.describe('Memories that the person wrote, which stay without the name'),
  pull_requests: count.describe('Pull requests of the person, which stay without the name'),
  dismissals: count.describe('Dismissals by the person, which stay without the name'),
  questions: count.describe('Questions of the person, which stay without the name'),
}

export const planPersonDeletion = endpoint(addresses.planPersonDeletion, {
  summary: 'Preview the deletion of a person',
  description: 'Returns what the deletion of a person would do. Only for administrators.',
  tags: ['People'],
  credential: 'cookie',
  params,
  response: z.object({ id: z.int(), ...plan }).meta({ id: 'DeletionPlan' }),
  errors: [403, 404, 422],
})

export const deletePerson = endpoint(addresses.deletePerson, {
  summary: 'Delete a person',
  description:
    'Deletes the account of a person with sessions, tokens and encrypted credentials, and what ' +
    'was learned about the person. Replaces the name by `ghost` in what stays. Only for ' +
    'administrators. Returns 409 for the only administrator who may sign in. Requires the cookie.',
  tags: ['People'],
  credential: 'cookie',
  params,
  response: z
    .object({
      id: z.int(),
      ...plan,
      left_webhooks: z
        .array(z.string())
        .describe('Repositories whose webhook could not be removed. Umpire ignores it.'),
      payloads: count.describe('Stored deliveries that named the person and were emptied'),
    })
    .meta({ id: 'PersonDeleted' }),
  errors: [403, 404, 409, 422],
})
