// Defines the schemas of the control socket, which connects commands to a running service.
import { join } from 'node:path'
import { z } from 'zod'
import type { OwnedToken } from '../accounts/operator.ts'
import { errorResponses } from '../contract/common-schemas.ts'
import type { ToolAnswer } from '../mcp/mcp-backend.ts'
import type { McpTool } from '../mcp/mcp-tool.ts'
import type { IssuedToken, TokenRequest } from '../workflows/control.ts'
import type { DatabaseFacts } from '../workflows/diagnose/database-facts.ts'

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

export const issuedToken = z.object({
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
export const ownedTokens = z.array(ownedToken).readonly()

export const revokedToken = z.object({ name: z.string() })

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
}) satisfies z.ZodType<DatabaseFacts>

export const serviceStatus = z.object({
  /** Identifies the process that holds the database. */
  pid: z.int(),
  database: databaseFacts,
})

const isNamed = (value: unknown) => z.looseObject({ name: z.string() }).safeParse(value).success

/** The token of the user for whom `umpire mcp` makes requests, or null for none. */
const callerToken = { token: z.string().max(4096).nullable() }
const record = z.record(z.string(), z.unknown())
const toolCall = z.object({ ...callerToken, name: z.string(), given: record })
const readReviewsBody = z.object({ ...callerToken, repo: z.string().max(300) })
export const toolDefinitions = z.array(z.custom<McpTool['definition']>(isNamed)).readonly()
export const toolAnswer = z.object({
  kind: z.enum(['list', 'object']),
  records: z.array(record).readonly(),
  fault: z.string().nullable(),
}) satisfies z.ZodType<ToolAnswer>
export const repositoryNames = names
export const records = z.array(record).readonly()

export const listToolsRoute = {
  body: z.object(callerToken),
  response: { 200: toolDefinitions, ...errorResponses(401) },
}
export const callToolRoute = {
  body: toolCall,
  response: { 200: toolAnswer, ...errorResponses(401, 404) },
}
export const listRepositoriesRoute = {
  body: z.object(callerToken),
  response: { 200: repositoryNames, ...errorResponses(401) },
}
export const readReviewsRoute = {
  body: readReviewsBody,
  response: { 200: records, ...errorResponses(401) },
}

export const createTokenRoute = {
  body: tokenOrder,
  response: { 200: issuedToken, ...errorResponses(404, 409, 422) },
}
export const listTokensRoute = { response: { 200: ownedTokens } }
export const revokeTokenRoute = {
  params: z.object({ id: z.string() }),
  response: { 200: revokedToken, ...errorResponses(404) },
}
export const deletedCount = z.object({ count: z.int() })
export const trustSourceRoute = {
  body: z.object({ name: z.string().max(100) }),
  response: { 200: deletedCount },
}
export const deleteLostTokensRoute = { response: { 200: deletedCount } }
export const statusRoute = { response: { 200: serviceStatus } }
