// Reads which reviews and answers the deliveries to webhooks request.
import { z } from 'zod'
import { toStorableText } from '../../contract/storable-text.ts'
import { maxRequestLength, type PlatformRequest } from '../../domain/platform-request.ts'
import type { DeliveryReader } from '../delivery-reader.ts'
import { changesBaseOrTitle, readNamedChange } from './delivered-change.ts'
import { isBotLogin } from './sign-in.ts'

const number = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

const user = z
  .object({ id: z.int(), username: z.string().min(1) })
  .transform(({ id, username }) => ({ id: String(id), login: username }))

const changeDelivery = z.object({
  user,
  object_attributes: z.object({
    iid: number,
    action: z.literal('update'),
    last_commit: z.object({ id: z.string().regex(/^[0-9a-f]{40,64}$/) }),
  }),
  changes: z.unknown(),
})

/** Versions before 16.11 have no action, and send edited comments too. */
const noteDelivery = z.object({
  user,
  object_attributes: z.object({
    id: z.int(),
    // The cut may leave half of a character.
    note: z.string().transform((body) => toStorableText(body.slice(0, maxRequestLength))),
    noteable_type: z.literal('MergeRequest'),
    type: z.string().nullish(),
    system: z.literal(false),
    action: z.literal('create'),
  }),
  merge_request: z.object({ iid: number }),
})

export const hookReader: DeliveryReader = {
  startsReview({ event, action, payload }) {
    if (event !== 'pull_request') return false
    if (action === 'reopened' || action === 'ready_for_review') return true
    if (action !== 'edited') return false
    return changesBaseOrTitle((JSON.parse(payload) as { changes?: unknown }).changes)
  },
  readRequest({ event, payload }) {
    if (event === 'pull_request') return readChange(JSON.parse(payload))
    return event === 'note' ? (readNote(JSON.parse(payload)) ?? 'nothing') : null
  },
}

function readChange(payload: unknown): PlatformRequest | null {
  const { data } = changeDelivery.safeParse(payload)
  const change = data === undefined ? null : readNamedChange(data.changes)
  if (data === undefined || change === null) return null
  // To remove a label skips nothing, so a bot may do it.
  if (change.kind !== 'unlabeled' && isBotLogin(data.user.login)) return null
  const { iid, last_commit: commit } = data.object_attributes
  return { ...change, number: iid, headSha: commit.id, sender: data.user }
}

/**
 * A comment in the conversation. One on a line doesn't say which comment it answers: it is found by
 * `listComments`.
 */
function readNote(payload: unknown): PlatformRequest | null {
  const { data } = noteDelivery.safeParse(payload)
  if (data === undefined || isBotLogin(data.user.login)) return null
  const { id, note: body, type } = data.object_attributes
  if (type === 'DiffNote') return null
  const comment = { id: String(id), isInline: false, threadId: null }
  return { kind: 'comment', number: data.merge_request.iid, comment, body, sender: data.user }
}
