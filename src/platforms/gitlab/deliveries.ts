// Reads webhook requests of GitLab, and gives events and actions the names that the service knows.
// https://docs.gitlab.com/user/project/integrations/webhook_events/
import { z } from 'zod'
import { toRepositoryName } from '../../contract/repository-name.ts'
import { parseDeliveryJson, readHeader, toStorableJson } from '../delivery-json.ts'
import { findJsonString } from '../find-json-string.ts'
import type { DeliveredPullRequest, Delivery, UnverifiedDelivery } from '../platform.ts'
import { readAction } from './delivered-change.ts'
import { parseTime } from './parse-time.ts'
import { isSentWith } from './verify-delivery.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** The database's integer columns hold no larger number. */
const maxInteger = 2 ** 31 - 1

/**
 * Reads the headers of a webhook request. The body is only parsed by `parse()`, after its sender
 * was verified.
 *
 * @param headers with lower-case names, as Node provides them
 */
export function readUnverifiedDelivery(headers: Headers, rawBody: Uint8Array): UnverifiedDelivery {
  const body = Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  return {
    isAppLevel: false,
    isSentWith: (secrets) => isSentWith((name) => readHeader(headers, name), body, secrets),
    findRepository: () => {
      const path = findJsonString(body, ['project', 'path_with_namespace'])
      return path === null ? null : (toRepositoryName(path) ?? null)
    },
    parse: () => parseDelivery(headers, body),
  }
}

const text = z.string().catch('')
const time = z.unknown().transform((value) => parseTime(value)?.toISOString() ?? null)
const account = z
  .object({ id: z.int(), username: z.string().max(255) })
  .nullable()
  .catch(null)

const mergeRequest = z.object({
  iid: z.int().min(1).max(maxInteger),
  title: text,
  author_id: z.int().nullable().catch(null),
  source_branch: text,
  target_branch: text,
  last_commit: z.object({ id: text }).catch({ id: '' }),
  url: z
    .string()
    .regex(/^https?:\/\//i)
    .catch(''),
  state: text,
  draft: z.boolean().optional().catch(undefined),
  work_in_progress: z.boolean().catch(false),
  action: z.string().min(1).max(100).nullable().catch(null),
  created_at: time,
  updated_at: time,
})

const payloadFields = z.object({
  object_kind: text,
  user: account,
  project: z
    .object({ path_with_namespace: z.string().max(1000) })
    .nullable()
    .catch(null),
  object_attributes: z.unknown().optional(),
  changes: z.unknown().optional(),
})
type PayloadFields = z.output<typeof payloadFields>

/** Stores the received text: a copy made by parsing and serializing would round large numbers. */
function parseDelivery(headers: Headers, body: Buffer): Delivery {
  const json = toStorableJson(body)
  const fields = parseDeliveryJson(json, payloadFields)
  const { project, object_attributes: value } = fields
  const event = readEventName(headers, fields)
  const isMergeRequest = event === 'pull_request'
  const pull = isMergeRequest ? (mergeRequest.safeParse(value).data ?? null) : null
  const path = project?.path_with_namespace
  return {
    event,
    action: readAction(value, fields.changes),
    deliveryId: readDeliveryId(headers),
    repo: (path !== undefined && toRepositoryName(path)) || null,
    hasPullRequest: isMergeRequest && value != null,
    pullRequest: pull && toDeliveredPullRequest(pull, fields.user),
    payload: json,
    parsedFields: {
      object_kind: fields.object_kind,
      project: project && { path_with_namespace: path },
      object_attributes: pull,
    },
  }
}

/** GitLab's payload has no numbers of lines. Its `locked` is a merge that takes place. */
function toDeliveredPullRequest(
  fields: z.output<typeof mergeRequest>,
  user: PayloadFields['user'],
): DeliveredPullRequest {
  const { state } = fields
  return {
    number: fields.iid,
    title: fields.title,
    // Only the person who did something is named.
    author: user !== null && user.id === fields.author_id ? user.username : '',
    branch: fields.source_branch,
    baseBranch: fields.target_branch,
    headSha: fields.last_commit.id,
    url: fields.url,
    state: state === 'merged' || state === 'closed' ? state : 'open',
    draft: fields.draft ?? fields.work_in_progress,
    additions: 0,
    deletions: 0,
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    mergedAt: fields.action === 'merge' ? fields.updated_at : null,
  }
}

const events: ReadonlyMap<string, string> = new Map([
  ['merge_request', 'pull_request'],
  ['issue', 'issues'],
  ['confidential_issue', 'issues'],
  ['note', 'note'],
  ['confidential_note', 'note'],
])

/** `Merge Request Hook` in the header, or `merge_request` in the payload. */
function readEventName(headers: Headers, { object_kind: kind }: PayloadFields): string {
  const header = readHeader(headers, 'x-gitlab-event') ?? ''
  const named = /^([\w ]{1,80}) Hook$/.exec(header)?.[1]
  // One header is sent for all events of the whole server.
  const name = named === undefined || named === 'System' ? kind : named
  const slug = name.toLowerCase().replaceAll(' ', '_')
  return events.get(slug) ?? (/^\w{1,100}$/.test(slug) ? slug : 'unknown')
}

/** The same for an attempt that is repeated. Versions before 17 have another one for each event. */
function readDeliveryId(headers: Headers): string | null {
  const names = ['idempotency-key', 'webhook-id', 'x-gitlab-event-uuid']
  const ids = names.map((name) => readHeader(headers, name))
  return ids.find((id) => id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id)) ?? null
}
