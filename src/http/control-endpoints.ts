// Defines the endpoints of the control socket, which connects commands to a running service.
import { join } from 'node:path'
import { z } from 'zod'
import type { OwnedToken } from '../accounts/operator.ts'
import type { ListedPerson } from '../accounts/people.ts'
import type { Route } from '../contract/endpoint.ts'
import type { ToolAnswer } from '../mcp/mcp-backend.ts'
import type { McpTool } from '../mcp/mcp-tool.ts'
import type { IssuedToken, TokenRequest } from '../workflows/control.ts'
import type { DatabaseFacts } from '../workflows/diagnose/database-facts.ts'
import type { Deletion, DeletionPlan } from '../workflows/people/delete-person.ts'

export function controlSocketPath(dataDir: string): string {
  return join(dataDir, 'control.sock')
}

/** Linux limits the path of a Unix socket to 107 bytes and a NUL (`sun_path`). */
export const maxSocketPathBytes = 107

/** JSON has no dates, so both sides convert the text. */
const time = z.coerce.date()

const tokenOrder = z.object({
  user: z.string().max(100).nullable(),
  admin: z.boolean(),
  name: z.string().min(1).max(100),
  days: z.int().min(1).max(365),
}) satisfies z.ZodType<TokenRequest>

const issuedToken = z.object({
  jwt: z.string(),
  id: z.string(),
  login: z.string(),
  issuer: z.string(),
  expiresAt: time,
}) satisfies z.ZodType<IssuedToken>

const ownedToken = z.object({
  id: z.string(),
  name: z.string(),
  login: z.string(),
  grantsAdmin: z.boolean(),
  createdAt: time,
  expiresAt: time,
  lastUsedAt: time.nullable(),
}) satisfies z.ZodType<OwnedToken>

const names = z.array(z.string()).readonly()

const databaseFacts = z.object({
  engine: z.enum(['embedded', 'postgresql']),
  version: z.string(),
  schema: z.object({ missing: names, unknown: names }),
  fsync: z.boolean(),
  hasSearchIndex: z.boolean(),
  now: time,
  activity: z
    .object({ connectedRepositories: z.int(), newestDeliveryAt: time.nullable() })
    .nullable(),
  seals: z
    .array(z.object({ keyId: z.string(), count: z.int() }))
    .readonly()
    .nullable(),
  apps: z
    .array(
      z.object({
        source: z.string(),
        name: z.string(),
        clientId: z.string(),
        encryptedSecrets: z.string(),
        installations: z
          .array(z.object({ account: z.string(), isSuspended: z.boolean(), repositories: z.int() }))
          .readonly(),
      }),
    )
    .readonly()
    .nullable(),
  hosts: z
    .array(z.object({ id: z.string(), url: z.string(), isFirst: z.boolean() }))
    .readonly()
    .nullable(),
}) satisfies z.ZodType<DatabaseFacts>

const deletedCount = z.object({ count: z.int() })

export const readStatus = {
  method: 'GET',
  path: '/status',
  response: z.object({
    /** Identifies the process that holds the database. */
    pid: z.int(),
    database: databaseFacts,
  }),
} as const satisfies Route

export const createToken = {
  method: 'POST',
  path: '/tokens',
  body: tokenOrder,
  response: issuedToken,
  errors: [404, 409, 422],
} as const satisfies Route

export const listTokens = {
  method: 'GET',
  path: '/tokens',
  response: z.array(ownedToken).readonly(),
} as const satisfies Route

export const revokeToken = {
  method: 'DELETE',
  path: '/tokens/:id',
  params: z.object({ id: z.string() }),
  response: z.object({ name: z.string() }),
  errors: [404],
} as const satisfies Route

export const deleteLostTokens = {
  method: 'DELETE',
  path: '/lost-tokens',
  response: deletedCount,
} as const satisfies Route

const listedPerson = z.object({
  id: z.int(),
  platform: z.string(),
  login: z.string(),
  name: z.string(),
  isAdmin: z.boolean(),
  createdAt: time,
  lastSeenAt: time.nullable(),
  sessions: z.int(),
  apiTokens: z.int(),
  adminTokens: z.int(),
  repositories: z.int(),
  isFirst: z.boolean(),
  grantedBy: z.string().nullable(),
  grantedAt: time.nullable(),
}) satisfies z.ZodType<ListedPerson>

const deletionPlan = z.object({
  login: z.string(),
  repositories: z
    .array(z.object({ repo: z.string(), outcome: z.enum(['ends', 'continues', 'handed_over']) }))
    .readonly(),
  memories: z.int(),
  written: z.int(),
  files: z.int(),
  pullRequests: z.int(),
  dismissals: z.int(),
  questions: z.int(),
}) satisfies z.ZodType<DeletionPlan>

const deletion = deletionPlan.extend({
  leftWebhooks: z.array(z.string()).readonly(),
  payloads: z.int(),
}) satisfies z.ZodType<Deletion>

const namedUser = z.object({ user: z.string().max(300) })

export const listPeople = {
  method: 'GET',
  path: '/people',
  response: z.array(listedPerson).readonly(),
} as const satisfies Route

export const changeAdministrator = {
  method: 'POST',
  path: '/people/administrators',
  body: namedUser.extend({ isAdmin: z.boolean() }),
  response: namedUser,
  errors: [404, 409],
} as const satisfies Route

export const planDeletion = {
  method: 'POST',
  path: '/people/deletion',
  body: namedUser,
  response: deletionPlan,
  errors: [404],
} as const satisfies Route

export const deletePerson = {
  method: 'DELETE',
  path: '/people/:user',
  params: namedUser,
  response: deletion,
  errors: [404, 409],
} as const satisfies Route

export const trustSource = {
  method: 'POST',
  path: '/sources/trust',
  body: z.object({ name: z.string().max(100) }),
  response: deletedCount,
} as const satisfies Route

const isNamed = (value: unknown) => z.looseObject({ name: z.string() }).safeParse(value).success

/** The token of the user for whom `umpire mcp` makes requests, or null for none. */
const callerToken = z.object({ token: z.string().max(4096).nullable() })
const record = z.record(z.string(), z.unknown())
const records = z.array(record).readonly()

export const listTools = {
  method: 'POST',
  path: '/mcp/tools',
  body: callerToken,
  response: z.array(z.custom<McpTool['definition']>(isNamed)).readonly(),
  errors: [401],
} as const satisfies Route

export const callTool = {
  method: 'POST',
  path: '/mcp/call',
  body: callerToken.extend({ name: z.string(), given: record }),
  response: z.object({
    kind: z.enum(['list', 'object']),
    records,
    fault: z.string().nullable(),
  }) satisfies z.ZodType<ToolAnswer>,
  errors: [401, 404],
} as const satisfies Route

export const listRepositories = {
  method: 'POST',
  path: '/mcp/repositories',
  body: callerToken,
  response: names,
  errors: [401],
} as const satisfies Route

export const readReviews = {
  method: 'POST',
  path: '/mcp/reviews',
  body: callerToken.extend({ repo: z.string().max(300) }),
  response: records,
  errors: [401],
} as const satisfies Route
