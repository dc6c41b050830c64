// Reads webhook requests: each platform's headers, and the payload format that they share.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { splitRepositoryName } from '../contract/repository-name.ts'
import { invalidDelivery, parseDeliveryJson, readHeader, toStorableJson } from './delivery-json.ts'
import { findJsonString } from './find-json-string.ts'
import type { DeliveredPullRequest, Delivery, UnverifiedDelivery } from './platform.ts'
import { readFormField } from './read-form-field.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** The database's integer columns hold no larger number. */
const maxInteger = 2 ** 31 - 1
const headerPrefixes = ['x-host-', 'x-github-', 'x-gitea-', 'x-forgejo-']

/**
 * Reads the headers of a webhook request. The body is only parsed by `parse()`, after its signature
 * was checked, because parsing is the most expensive thing that a hostile body can cause.
 *
 * @param headers with lower-case names, as Node provides them
 */
export function readUnverifiedDelivery(headers: Headers, rawBody: Uint8Array): UnverifiedDelivery {
  const body = Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  const isForm = /^\s*application\/x-www-form-urlencoded\b/i.test(
    readHeader(headers, 'content-type') ?? '',
  )
  let json: Buffer | null | undefined
  const readJson = () => (json ??= isForm ? readFormField(body, 'payload') : body)
  return {
    isAppLevel: readPrefixedHeader(headers, 'hook-installation-target-type') === 'integration',
    isSentWith: (secrets) =>
      isSigned(readHeader(headers, 'x-hub-signature-256') ?? '', body, secrets),
    findRepository: () => {
      const name = findJsonString(readJson() ?? Buffer.alloc(0), ['repository', 'full_name'])
      return name !== null && splitRepositoryName(name) !== undefined ? name : null
    },
    parse: () => {
      const text = readJson()
      if (text === null) throw invalidDelivery('The form has no field named payload.')
      return parseDelivery(headers, text)
    },
  }
}

/** Returns whether the header has the HMAC-SHA256 of the body, keyed with one of the secrets. */
function isSigned(header: string, body: Uint8Array, secrets: readonly string[]): boolean {
  const hexDigest = /^sha256=([0-9a-fA-F]{64})$/.exec(header)?.[1]
  if (hexDigest === undefined) return false
  const digest = Buffer.from(hexDigest, 'hex')
  return secrets.some((secret) =>
    timingSafeEqual(digest, createHmac('sha256', secret).update(body).digest()),
  )
}

/** Stores the received text: a copy made by parsing and serializing would round large numbers. */
function parseDelivery(headers: Headers, body: Buffer): Delivery {
  const json = toStorableJson(body)
  const fields = parseDeliveryJson(json, payloadFields)
  const { repository, pull_request: value } = fields
  const pullRequest = pullRequestFields.safeParse(value).data ?? null
  return {
    event: readEventName(headers) ?? inferEventName(fields),
    action: fields.action === 'synchronized' ? 'synchronize' : fields.action,
    deliveryId: readPrefixedHeader(headers, 'delivery', /^[\x21-\x7e]{1,200}$/) ?? null,
    repo: repository?.full_name ?? null,
    hasPullRequest: value != null,
    pullRequest: pullRequest && toDeliveredPullRequest(pullRequest),
    payload: json,
    parsedFields: { action: fields.action, repository, pull_request: pullRequest },
  }
}

const text = z.string().catch('')
const count = z.int().min(0).max(maxInteger).catch(0)
const commit = z.object({ ref: text, sha: text }).catch({ ref: '', sha: '' })
/** Also refuses the year 1, which Go programs send for "never". */
const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
  .refine((value) => Date.parse(value) > 0)
  .transform((value) => new Date(value).toISOString())
  .nullable()
  .catch(null)

const payloadFields = z.object({
  action: z.string().min(1).max(100).nullable().catch(null),
  repository: z
    .object({ full_name: z.string().refine((name) => splitRepositoryName(name) !== undefined) })
    .nullable()
    .catch(null),
  pull_request: z.unknown().optional(),
  issue: z.unknown().optional(),
})
type PayloadFields = z.output<typeof payloadFields>

const pullRequestFields = z.object({
  number: z.int().min(1).max(maxInteger),
  title: text,
  // An index of the database covers this value, and no login is longer.
  user: z.object({ login: z.string().max(255).catch('') }).catch({ login: '' }),
  head: commit,
  base: commit,
  html_url: z
    .string()
    .regex(/^https?:\/\//i)
    .catch(''),
  state: text,
  merged: z.boolean().catch(false),
  draft: z.boolean().catch(false),
  additions: count,
  deletions: count,
  created_at: time,
  updated_at: time,
  merged_at: time,
})

function toDeliveredPullRequest(fields: z.output<typeof pullRequestFields>): DeliveredPullRequest {
  const isMerged = fields.merged || fields.merged_at !== null
  const unmergedState = fields.state === 'closed' ? 'closed' : 'open'
  return {
    number: fields.number,
    title: fields.title,
    author: fields.user.login,
    branch: fields.head.ref,
    baseBranch: fields.base.ref,
    headSha: fields.head.sha,
    url: fields.html_url,
    state: isMerged ? 'merged' : unmergedState,
    draft: fields.draft,
    additions: fields.additions,
    deletions: fields.deletions,
    createdAt: fields.created_at,
    updatedAt: fields.updated_at,
    mergedAt: fields.merged_at,
  }
}

function readEventName(headers: Headers): string | undefined {
  return readPrefixedHeader(headers, 'event', /^\w[\w.-]{0,99}$/)
}

function inferEventName(fields: PayloadFields): string {
  if (fields.pull_request != null) return 'pull_request'
  return fields.issue != null ? 'issue' : 'unknown'
}

function readPrefixedHeader(headers: Headers, name: string, pattern = /./): string | undefined {
  for (const prefix of headerPrefixes) {
    const value = readHeader(headers, prefix + name)
    if (value !== undefined && pattern.test(value)) return value
  }
  return undefined
}
