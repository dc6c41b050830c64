// Reads what deliveries to the App say about its installations, and which reviews they request.
import { z } from 'zod'
import { toStorableText } from '../../contract/storable-text.ts'
import { maxRequestLength, type PlatformRequest } from '../../domain/platform-request.ts'
import type { Delivery } from '../platform.ts'
import type { AppInstallationChange } from '../platform-app.ts'
import { appRepositorySchema, installationSchema } from './app-schemas.ts'

const repositories = z.array(z.unknown()).catch([]).transform(readRepositories)

const installationId = z.object({ id: z.int() }).transform(({ id }) => String(id))

const installationDelivery = z.object({
  action: z.string(),
  installation: installationSchema,
  sender: installationId.nullable().catch(null),
  repositories,
  repositories_added: repositories,
  repositories_removed: repositories,
})

const repositoryDelivery = z.object({
  action: z.enum(['renamed', 'transferred']),
  installation: installationId,
  repository: appRepositorySchema,
})

/** Null for deliveries that say nothing about installations, or that can't be read. */
export function readInstallationChange({
  event,
  payload,
}: Pick<Delivery, 'event' | 'payload'>): AppInstallationChange | null {
  switch (event) {
    case 'installation':
    case 'installation_repositories':
      return readChange(JSON.parse(payload))
    case 'repository':
      return readRename(JSON.parse(payload))
    default:
      return null
  }
}

function readChange(payload: unknown): AppInstallationChange | null {
  const { data } = installationDelivery.safeParse(payload)
  if (data === undefined) return null
  const { action, installation, sender: senderId } = data
  switch (action) {
    case 'created':
      return { kind: 'changed', installation, senderId, added: data.repositories, removed: [] }
    case 'added':
    case 'removed': {
      const { repositories_added: added, repositories_removed: removed } = data
      return { kind: 'changed', installation, senderId, added, removed }
    }
    case 'suspend':
    case 'unsuspend': {
      const isSuspended = action === 'suspend'
      const changed = { ...installation, isSuspended }
      return { kind: 'changed', installation: changed, senderId, added: [], removed: [] }
    }
    case 'deleted':
      return { kind: 'deleted', installationId: installation.id }
    default:
      return null
  }
}

function readRename(payload: unknown): AppInstallationChange | null {
  const { data } = repositoryDelivery.safeParse(payload)
  if (data === undefined) return null
  return { kind: 'renamed', installationId: data.installation, repository: data.repository }
}

const senderOf = (types: readonly string[]) =>
  z
    .object({ id: z.int(), login: z.string().min(1), type: z.enum(types) })
    .transform(({ id, login }) => ({ id: String(id), login }))

const sender = senderOf(['User'])

const headSha = z.string().regex(/^[0-9a-f]{40,64}$/)
const ofHead = z.object({ head_sha: headSha }).transform(({ head_sha }) => head_sha)

/** What people press on a check. GitHub sends it to the App of the check alone. */
const checkDelivery = z.union([
  z
    .object({ action: z.literal('rerequested'), check_run: ofHead, sender })
    .transform(({ check_run, ...rest }) => toRequest('review', check_run, rest)),
  z
    .object({ action: z.literal('rerequested'), check_suite: ofHead, sender })
    .transform(({ check_suite, ...rest }) => toRequest('review', check_suite, rest)),
  z
    .object({
      action: z.literal('requested_action'),
      check_run: ofHead,
      requested_action: z.object({ identifier: z.enum(['review', 'dismiss_minor']) }),
      sender,
    })
    .transform(({ check_run, requested_action: { identifier }, ...rest }) =>
      toRequest(identifier, check_run, rest),
    ),
])

const changed = z.object({}).optional().catch(undefined)

const edit = z.object({ changes: z.object({ base: changed, title: changed }) })

/** The settings may skip a pull request by its title, and another base has another diff. */
function changesBaseOrTitle(payload: unknown): boolean {
  const { changes } = edit.safeParse(payload).data ?? {}
  return changes?.base !== undefined || changes?.title !== undefined
}

/** Pushes and new pull requests start reviews with every webhook, and aren't listed here. */
const starts: Readonly<Record<string, (payload: unknown) => boolean>> = {
  reopened: () => true,
  ready_for_review: () => true,
  edited: changesBaseOrTitle,
}

/** See `PlatformApps`. */
export function startsReview({
  event,
  action,
  payload,
}: Pick<Delivery, 'event' | 'action' | 'payload'>): boolean {
  if (event !== 'pull_request' || action === null || !Object.hasOwn(starts, action)) return false
  return starts[action]!(JSON.parse(payload))
}

const pullNumber = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

const changedPull = z.object({
  number: pullNumber,
  head: z.object({ sha: headSha }),
})

const label = z.object({ name: z.string().min(1) })

/** GitHub sends the same when a reviewer is requested again. */
const pullDelivery = z.union([
  z
    .object({ action: z.literal('labeled'), label, pull_request: changedPull, sender })
    .transform(({ action, label: { name }, ...rest }) => toPullRequestAction(action, name, rest)),
  // To remove a label skips nothing, so a bot may do it.
  z
    .object({
      action: z.literal('unlabeled'),
      label,
      pull_request: changedPull,
      sender: senderOf(['User', 'Bot']),
    })
    .transform(({ action, label: { name }, ...rest }) => toPullRequestAction(action, name, rest)),
  z
    .object({
      action: z.literal('review_requested'),
      requested_reviewer: z.object({ login: z.string().min(1) }),
      pull_request: changedPull,
      sender,
    })
    .transform(({ requested_reviewer: { login }, ...rest }) =>
      toPullRequestAction('reviewer_requested', login, rest),
    ),
])

function toPullRequestAction(
  kind: 'labeled' | 'unlabeled' | 'reviewer_requested',
  subject: string,
  rest: { pull_request: z.output<typeof changedPull>; sender: z.output<typeof sender> },
): PlatformRequest {
  const { number, head } = rest.pull_request
  return { kind, subject, number, headSha: head.sha, sender: rest.sender }
}

/** What a person wrote. Edited and deleted comments are ignored, like those of applications. */
const commentDelivery = z.object({ action: z.literal('created'), sender })
const commentFields = z.object({
  id: z.int(),
  // The cut may leave half of a character.
  body: z.string().transform((body) => toStorableText(body.slice(0, maxRequestLength))),
  in_reply_to_id: z.int().nullish(),
})

/** GitHub delivers comments on issues, too. */
const conversationDelivery = commentDelivery.extend({
  comment: commentFields,
  issue: z.object({ number: pullNumber, pull_request: z.object({}) }),
})

const inlineDelivery = commentDelivery.extend({
  comment: commentFields,
  pull_request: z.object({ number: pullNumber }),
})

const groupDelivery = z.object({
  action: z.literal('checks_requested'),
  merge_group: z.object({ head_sha: headSha, head_ref: z.string() }),
})

type Reading = PlatformRequest | 'nothing' | null

const readCheck = (payload: unknown): Reading => checkDelivery.safeParse(payload).data ?? 'nothing'

const readers: Readonly<Record<string, (payload: unknown) => Reading>> = {
  check_run: readCheck,
  check_suite: readCheck,
  pull_request: (payload) => pullDelivery.safeParse(payload).data ?? null,
  issue_comment: (payload) => readConversationComment(payload) ?? 'nothing',
  pull_request_review_comment: (payload) => readInlineComment(payload) ?? 'nothing',
  merge_group: (payload) => readGroup(payload) ?? 'nothing',
  // Apps that earlier versions created subscribe to it.
  push: () => 'nothing',
}

/** Implements `PlatformApps.readRequest`. */
export function readRequest({ event, payload }: Pick<Delivery, 'event' | 'payload'>): Reading {
  return Object.hasOwn(readers, event) ? readers[event]!(JSON.parse(payload)) : null
}

function toRequest(
  kind: 'review' | 'dismiss_minor',
  headSha: string,
  { sender }: { sender: { id: string; login: string } },
): PlatformRequest {
  return { kind, headSha, sender }
}

function readConversationComment(payload: unknown): PlatformRequest | null {
  const { data } = conversationDelivery.safeParse(payload)
  if (data === undefined) return null
  const { comment, issue, sender } = data
  const ref = { id: String(comment.id), isInline: false, threadId: null }
  return { kind: 'comment', number: issue.number, comment: ref, body: comment.body, sender }
}

function readInlineComment(payload: unknown): PlatformRequest | null {
  const { data } = inlineDelivery.safeParse(payload)
  if (data === undefined) return null
  const { comment, pull_request: pull, sender } = data
  const { id, in_reply_to_id: opening } = comment
  const threadId = opening == null ? null : String(opening)
  const ref = { id: String(id), isInline: true, threadId }
  return { kind: 'comment', number: pull.number, comment: ref, body: comment.body, sender }
}

/** The name of the group's branch ends with the pull request and the commit that it is based on. */
function readGroup(payload: unknown): PlatformRequest | null {
  const { data } = groupDelivery.safeParse(payload)
  if (data === undefined) return null
  const { head_sha: headSha, head_ref: ref } = data.merge_group
  const number = Number(/\/pr-(\d{1,9})-[0-9a-f]+$/.exec(ref)?.[1] ?? 0)
  return { kind: 'merge_group', headSha, number: number === 0 ? null : number }
}

/** Leaves out repositories that can't be read, so that the others are connected nevertheless. */
function readRepositories(listed: readonly unknown[]) {
  return listed.flatMap((one) => appRepositorySchema.safeParse(one).data ?? [])
}
