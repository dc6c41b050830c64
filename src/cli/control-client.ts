// Sends requests to a running service through its control socket.

import { request } from 'node:http'
import { z } from 'zod'
import { formatPath } from '../contract/addresses.ts'
import type { RequestInput, Route } from '../contract/endpoint.ts'
import { UmpireError } from '../domain/errors.ts'
import * as endpoints from '../http/control-endpoints.ts'
import { parseJson } from '../lib/parse-json.ts'
import { readBytes } from '../lib/read-bytes.ts'
import type { McpBackend, ToolAnswer } from '../mcp/mcp-backend.ts'
import type { McpTool, ToolRecord } from '../mcp/mcp-tool.ts'
import type { Control } from '../workflows/control.ts'

/** A running service that holds the embedded database. */
interface RunningService extends Control {
  readonly pid: number
  /** @param token token of the user for whom requests are made; null for none */
  createMcpBackend(token: string | null): McpBackend
}

const defaultTimeoutMs = 10_000
/** The tool `request_review` waits up to ten minutes for a review. */
const toolTimeoutMs = 650_000
/** A deletion calls the code host for each connected repository, and reads all payloads. */
const deletionTimeoutMs = 1_800_000
const versionMismatchMessage = 'The running service is of another version than this command.'
const maxResponseBytes = 10 * 2 ** 20
/** These errors mean that there is no socket, or that its process is dead. */
const notListeningCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR'])

/**
 * Finds the service that uses a data folder. Returns null if none listens there.
 *
 * @throws UmpireError if a service exists but can't be reached or does not answer
 */
export async function findRunningService(
  dataDir: string,
  signal?: AbortSignal,
): Promise<RunningService | null> {
  const socketPath = endpoints.controlSocketPath(dataDir)
  if (Buffer.byteLength(socketPath) > endpoints.maxSocketPathBytes) return null
  const call: Call = (route, input, options) =>
    send(route, input as RequestParts, { signal, ...options, socketPath })
  try {
    const { pid } = await call(endpoints.readStatus, {})
    return { pid, ...createRemoteControl(call) }
  } catch (error) {
    if (isNotListening(error)) return null
    throw error
  }
}

/** Sends a request by its route. Resolves to the response. */
type Call = <Called extends ControlRoute>(
  route: Called,
  input: RequestInput<Called>,
  options?: Pick<SendOptions, 'timeoutMs' | 'signal'>,
) => Promise<z.output<Called['response']>>

type ControlRoute = Route & { readonly response: z.ZodType }

interface RequestParts {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface SendOptions {
  readonly socketPath: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

function isNotListening(error: unknown): boolean {
  return notListeningCodes.has((error as NodeJS.ErrnoException).code ?? '')
}

function createRemoteControl(call: Call): Omit<RunningService, 'pid'> {
  return {
    createToken: (order) => call(endpoints.createToken, { body: order }),
    listTokens: () => call(endpoints.listTokens, {}),
    revokeToken: async (id) => (await call(endpoints.revokeToken, { params: { id } })).name,
    readDatabase: async () => (await call(endpoints.readStatus, {})).database,
    trustSource: async (name) => (await call(endpoints.trustSource, { body: { name } })).count,
    listPeople: () => call(endpoints.listPeople, {}),
    changeAdministrator: async (user, isAdmin) => {
      await call(endpoints.changeAdministrator, { body: { user, isAdmin } })
    },
    planDeletion: (user) => call(endpoints.planDeletion, { body: { user } }),
    deletePerson: (user) =>
      call(endpoints.deletePerson, { params: { user } }, { timeoutMs: deletionTimeoutMs }),
    forgetLostTokens: async () => (await call(endpoints.deleteLostTokens, {})).count,
    createMcpBackend: (token) => createRemoteBackend(call, token),
  }
}

function createRemoteBackend(sendRequest: Call, token: string | null): McpBackend {
  const call: Call = async (route, input, options) => {
    try {
      return await sendRequest(route, input, options)
    } catch (error) {
      if (!isNotListening(error)) throw error
      const message = 'The service is no longer running: start it again.'
      throw new UmpireError('control_silent', message, { retryable: true })
    }
  }
  const outputSchemas = new Map<string, OutputSchema>()
  return {
    async listTools() {
      const tools = await call(endpoints.listTools, { body: { token } }).catch((error) => {
        // A service without this route is of an earlier version.
        if (!isNotFound(error)) throw error
        throw new UmpireError('control_failed', versionMismatchMessage)
      })
      for (const { name, outputSchema } of tools) outputSchemas.set(name, outputSchema)
      return tools
    },
    async callTool(name, given, { signal }) {
      const options = { timeoutMs: toolTimeoutMs, signal }
      try {
        return await call(endpoints.callTool, { body: { token, name, given } }, options)
      } catch (error) {
        if (isNotFound(error)) return undefined
        const isForCaller = error instanceof UmpireError
        const message = isForCaller ? error.message : 'The running service could not be reached.'
        return createFailureAnswer(outputSchemas.get(name), given, message)
      }
    },
    listRepositories: () => call(endpoints.listRepositories, { body: { token } }),
    readReviews: (repo) => call(endpoints.readReviews, { body: { token, repo } }),
    // This is only used for subscriptions, which stdin and stdout don't support.
    findRepository: async () => undefined,
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof UmpireError && error.code === 'not_found'
}

type OutputSchema = McpTool['definition']['outputSchema']

function createFailureAnswer(schema: OutputSchema, given: ToolRecord, message: string): ToolAnswer {
  const isList = Object.hasOwn(schema?.properties ?? {}, 'result')
  if (isList) return { kind: 'list', records: [], fault: message }
  const record = { ...fillRequiredFields(schema, given), error: message }
  return { kind: 'object', records: [record], fault: message }
}

/** Fills the required fields of a record, because clients validate it against the schema. */
function fillRequiredFields(schema: OutputSchema, given: ToolRecord): ToolRecord {
  const { required = [], properties = {} } = objectSchema.parse(schema ?? {})
  const fields = required.map((name) => {
    const type = properties[name]?.type
    const value = typeof given[name] === type ? given[name] : emptyValueOf(type)
    return [name, value]
  })
  return Object.fromEntries(fields)
}

function emptyValueOf(type: unknown): string | number | null {
  if (type === 'string') return ''
  return type === 'integer' || type === 'number' ? 0 : null
}

const objectSchema = z.object({
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.object({ type: z.unknown().optional() })).optional(),
})

async function send<Called extends ControlRoute>(
  { method, path, response }: Called,
  { params, body }: RequestParts,
  options: SendOptions,
): Promise<z.output<Called['response']>> {
  const request = { method, path: formatPath(path, params), body }
  const { status, text } = await sendOnce(request, options)
  if (status !== 200) throw toResponseError(status, text)
  const parsed = response.safeParse(parseJson(text))
  if (parsed.success) return parsed.data as z.output<Called['response']>
  throw new UmpireError('control_failed', versionMismatchMessage)
}

async function sendOnce(
  { method, path, body }: { method: string; path: string; body: unknown },
  { socketPath, timeoutMs = defaultTimeoutMs, signal: cancelled }: SendOptions,
): Promise<{ status: number; text: string }> {
  // Each request opens a connection: a pooled one may belong to a service that has ended.
  const connection = { socketPath, agent: false }
  const deadline = AbortSignal.timeout(timeoutMs)
  const signal = cancelled ? AbortSignal.any([cancelled, deadline]) : deadline
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  try {
    return await new Promise((resolve, reject) => {
      const options = { ...connection, method, path, headers, signal }
      const outgoing = request(options, (response) => {
        const status = response.statusCode ?? 0
        readBody(response).then((text) => resolve({ status, text }), reject)
      })
      outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
  } catch (error) {
    cancelled?.throwIfAborted()
    const code = deadline.aborted ? 'no answer' : ((error as NodeJS.ErrnoException).code ?? '')
    if (error instanceof UmpireError || notListeningCodes.has(code)) throw error
    throw toConnectionError(socketPath, code)
  }
}

function toConnectionError(socketPath: string, code: string): UmpireError {
  if (code === 'EACCES' || code === 'EPERM') {
    const message =
      `${socketPath} can be opened only by its owner: ` +
      'run this command as the user that the service runs as.'
    return new UmpireError('control_denied', message)
  }
  const message = `The running service can't be reached at ${socketPath} (${code}). Try again.`
  return new UmpireError('control_silent', message, { retryable: true })
}

async function readBody(response: AsyncIterable<Buffer>): Promise<string> {
  const body = await readBytes(response, maxResponseBytes)
  if (body !== undefined) return body.toString('utf8')
  throw new UmpireError('control_failed', 'The answer of the running service is too large.')
}

/** Maps the status to the error that this process would have thrown, which sets the exit code. */
function toResponseError(status: number, text: string): UmpireError {
  const { detail } = (parseJson(text) ?? {}) as { detail?: unknown }
  const message =
    typeof detail === 'string' ? detail : `The running service answered with status ${status}.`
  const codes: Readonly<Record<number, string>> = { 404: 'not_found', 409: 'conflict' }
  return new UmpireError(codes[status] ?? 'control_failed', message, { retryable: status === 503 })
}
