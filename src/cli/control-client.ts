// Speaks to a running service through its control socket.
import { request } from 'node:http'
import { z } from 'zod'
import { UmpireError } from '../domain/errors.ts'
import {
  controlSocketPath,
  deletedCount,
  issuedToken,
  maxSocketPathBytes,
  ownedTokens,
  records,
  repositoryNames,
  revokedToken,
  serviceStatus,
  toolAnswer,
  toolDefinitions,
} from '../http/control-schemas.ts'
import type { McpBackend } from '../mcp/mcp-backend.ts'
import type { McpTool, ToolRecord } from '../mcp/mcp-tool.ts'
import type { Control } from '../workflows/control.ts'

/** A running service that holds the embedded database. */
export interface RunningService extends Control {
  readonly pid: number
  /** What MCP clients ask it for. @param token of the person as whom it asks; null for none */
  createMcpBackend(token: string | null): McpBackend
}

const timeoutMs = 10_000
/** The longest of them waits for a review. */
const toolTimeoutMs = 650_000
const versionMismatchMessage = 'The running service is of another version than this command.'
const maxResponseBytes = 10 * 2 ** 20
/** Nobody is there: no socket, or that of a dead process. */
const notListeningCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR'])

/** Finds the service that works on a data folder; null where none listens there. Throws where it is silent. */
export async function findRunningService(
  dataDir: string,
  signal?: AbortSignal,
): Promise<RunningService | null> {
  const path = controlSocketPath(dataDir)
  if (Buffer.byteLength(path) > maxSocketPathBytes) return null
  const ask: SendRequest = (call) => send({ signal, ...call, path })
  const status = () => ask({ method: 'GET', route: '/status', schema: serviceStatus })
  try {
    const { pid } = await status()
    return {
      pid,
      createToken: (order) =>
        ask({ method: 'POST', route: '/tokens', body: order, schema: issuedToken }),
      listTokens: () => ask({ method: 'GET', route: '/tokens', schema: ownedTokens }),
      async revokeToken(id) {
        const route = `/tokens/${encodeURIComponent(id)}`
        return (await ask({ method: 'DELETE', route, schema: revokedToken })).name
      },
      readDatabase: async () => (await status()).database,
      async trustSource(name) {
        return (
          await ask({
            method: 'POST',
            route: '/sources/trust',
            body: { name },
            schema: deletedCount,
          })
        ).count
      },
      async forgetLostTokens() {
        return (await ask({ method: 'DELETE', route: '/lost-tokens', schema: deletedCount })).count
      },
      createMcpBackend: (token) => createRemoteBackend(ask, token),
    }
  } catch (error) {
    if (notListeningCodes.has((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

type SendRequest = <T>(call: Omit<ControlRequest<T>, 'path'>) => Promise<T>

function createRemoteBackend(ask: SendRequest, token: string | null): McpBackend {
  const post = async <T>(
    route: string,
    body: object,
    schema: z.ZodType<T>,
    more?: Pick<ControlRequest<T>, 'timeoutMs' | 'signal'>,
  ) => {
    try {
      return await ask({ method: 'POST', route, body: { token, ...body }, schema, ...more })
    } catch (error) {
      if (!notListeningCodes.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      throw new UmpireError(
        'control_silent',
        'The service does not run any more: start it again.',
        { retryable: true },
      )
    }
  }
  /** What tools answer with, as far as they were told. */
  const outputs = new Map<string, OutputSchema>()
  return {
    async listTools() {
      const tools = await post('/mcp/tools', {}, toolDefinitions).catch((error) => {
        throw error instanceof UmpireError && error.code === 'not_found'
          ? new UmpireError('control_failed', versionMismatchMessage)
          : error
      })
      for (const { name, outputSchema } of tools) outputs.set(name, outputSchema)
      return tools
    },
    async callTool(name, given, { signal }) {
      try {
        return await post('/mcp/call', { name, given }, toolAnswer, {
          timeoutMs: toolTimeoutMs,
          signal,
        })
      } catch (error) {
        if (error instanceof UmpireError && error.code === 'not_found') return undefined
        const fault =
          error instanceof UmpireError ? error.message : 'The running service could not be asked.'
        const schema = outputs.get(name)
        return Object.hasOwn(schema?.properties ?? {}, 'result')
          ? { kind: 'list', records: [], fault }
          : {
              kind: 'object',
              records: [{ ...fillRequiredFields(schema, given), error: fault }],
              fault,
            }
      }
    },
    listRepositories: () => post('/mcp/repositories', {}, repositoryNames),
    readReviews: (repo) => post('/mcp/reviews', { repo }, records),
    // Nobody follows anything on stdin and stdout.
    findRepository: async () => undefined,
  }
}

type OutputSchema = McpTool['definition']['outputSchema']

/** What an answer must have that says nothing: clients check it. */
function fillRequiredFields(schema: OutputSchema, given: ToolRecord): ToolRecord {
  const { required = [], properties = {} } = objectSchema.parse(schema ?? {})
  return Object.fromEntries(
    required.map((name) => {
      const type = properties[name]?.type
      const empty = type === 'string' ? '' : type === 'integer' || type === 'number' ? 0 : null
      return [name, typeof given[name] === type ? given[name] : empty]
    }),
  )
}

const objectSchema = z.object({
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.object({ type: z.unknown().optional() })).optional(),
})

interface ControlRequest<T> {
  /** Of the socket. */
  readonly path: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly route: string
  readonly body?: unknown
  readonly schema: z.ZodType<T>
  /** How long it may take. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

async function send<T>(call: ControlRequest<T>): Promise<T> {
  const { status, text } = await sendOnce(call)
  if (status !== 200) throw toResponseError(status, text)
  const parsed = call.schema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new UmpireError('control_failed', versionMismatchMessage)
}

async function sendOnce(call: ControlRequest<unknown>): Promise<{ status: number; text: string }> {
  const { path: socketPath, method, route, body } = call
  // A connection of its own: one that was kept may lead to a service that has ended since.
  const to = { socketPath, agent: false }
  const deadline = AbortSignal.timeout(call.timeoutMs ?? timeoutMs)
  const signal = call.signal ? AbortSignal.any([call.signal, deadline]) : deadline
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  try {
    return await new Promise((resolve, reject) => {
      const outgoing = request({ ...to, method, path: route, headers, signal }, (answer) => {
        readBody(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text }), reject)
      })
      outgoing.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
  } catch (error) {
    call.signal?.throwIfAborted()
    const code = deadline.aborted ? 'no answer' : ((error as NodeJS.ErrnoException).code ?? '')
    if (error instanceof UmpireError || notListeningCodes.has(code)) throw error
    throw toConnectionError(socketPath, code)
  }
}

function toConnectionError(socketPath: string, code: string): UmpireError {
  if (code === 'EACCES' || code === 'EPERM') {
    const message = `${socketPath} is for its owner only: run this as the user that the service runs as.`
    return new UmpireError('control_denied', message)
  }
  const message = `The running service can't be asked at ${socketPath} (${code}). Try again.`
  return new UmpireError('control_silent', message, { retryable: true })
}

async function readBody(answer: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    length += chunk.length
    if (length > maxResponseBytes)
      throw new UmpireError('control_failed', 'The running service answered too much.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The code by which the command's exit code is chosen: the same as if this process had done it. */
function toResponseError(status: number, text: string): UmpireError {
  const { detail } = (parseJson(text) ?? {}) as { detail?: unknown }
  const message =
    typeof detail === 'string' ? detail : `The running service answered with status ${status}.`
  const codes: Readonly<Record<number, string>> = { 404: 'not_found', 409: 'conflict' }
  return new UmpireError(codes[status] ?? 'control_failed', message, { retryable: status === 503 })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
