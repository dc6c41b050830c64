// The HTTP server of the forge: reads, logs and routes requests, and injects faults.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isJwt } from './apps/app-jwt.ts'
import type { Token } from './entities.ts'
import { matchFault, type Outcome, runWithFault } from './faults.ts'
import { type Exchange, type ForgeRequest, type ForgeResponse, json, Refusal } from './http.ts'
import { isGitPath, serveGit } from './smart-http.ts'
import { announceChange, type ForgeState, type SeenRequest } from './state.ts'

/** Creates the server; it doesn't listen yet. */
export function createForgeServer(state: ForgeState): Server {
  return createServer((message, response) => {
    serve(state, message, response).catch((error: unknown) => {
      // A disconnected client is no error here; anything else is an error of the forge.
      if (!response.destroyed && !response.headersSent) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
        response.writeHead(500, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ message: 'The forge failed', error: text }))
      }
    })
  })
}

async function serve(
  state: ForgeState,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request = await readRequest(state, message)
  const seen = request.seen as { -readonly [Key in keyof SeenRequest]: SeenRequest[Key] }
  state.requests.push(seen)
  announceChange(state)
  const fault = matchFault(state, seen)
  let outcome: Outcome
  try {
    outcome = await runWithFault(state, fault, seen, () => dispatch(state, request))
  } catch (error) {
    seen.status = 500
    announceChange(state)
    throw error
  }
  seen.status = outcome === 'drop' ? 0 : outcome.response.status
  if (outcome === 'drop') message.socket.destroy()
  else sendResponse(request, response, outcome)
  announceChange(state)
}

async function readRequest(state: ForgeState, message: IncomingMessage): Promise<ForgeRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const address = message.url ?? '/'
  const question = address.indexOf('?')
  const path = question < 0 ? address : address.slice(0, question)
  const query = question < 0 ? '' : address.slice(question + 1)
  const credential = readCredential(message.headers.authorization) ?? readPrivateToken(message)
  const token = findToken(state, credential)
  const jwt = credential !== null && isJwt(credential) ? credential : null
  const method = message.method ?? 'GET'
  const seen: SeenRequest = {
    method,
    path,
    query,
    headers: message.headers,
    body: isGitPath(path) ? '' : body.toString('utf8'),
    login: token?.user.login ?? null,
    status: null,
  }
  const credentials = message.headers.authorization !== undefined
  return {
    seen,
    method,
    path,
    query: new URLSearchParams(query),
    headers: message.headers,
    body,
    token,
    jwt,
    credentials,
  }
}

/** Returns the token with that text, unless it has expired. */
function findToken(state: ForgeState, credential: string | null): Token | null {
  const token = state.tokens.get(credential ?? '') ?? null
  const ended = (token?.expiresAt ?? Number.POSITIVE_INFINITY) <= state.clock().getTime()
  return ended ? null : token
}

/** The token in an `Authorization` header: bearer, token, or basic with the token as password. */
function readCredential(authorization: string | undefined): string | null {
  const [, scheme, value] = /^(\S+)\s+(.+)$/.exec(authorization ?? '') ?? []
  if (scheme === undefined || value === undefined) return null
  if (/^(bearer|token)$/i.test(scheme)) return value.trim()
  if (!/^basic$/i.test(scheme)) return null
  const text = Buffer.from(value, 'base64').toString('utf8')
  const [user, password] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]
  return password === 'x-oauth-basic' || password === '' ? user : password
}

/** The token in GitLab's own header. */
function readPrivateToken(message: IncomingMessage): string | null {
  const token = message.headers['private-token']
  return typeof token === 'string' ? token : null
}

async function dispatch(state: ForgeState, request: ForgeRequest): Promise<ForgeResponse> {
  try {
    if (isGitPath(request.path)) return await serveGit(state, request)
    const response = await state.dialect.serve(state, request)
    const { apiPath } = state.dialect
    if (`${request.path}/`.startsWith(`${apiPath}/`))
      state.observe(exchangeOf(request, response, apiPath))
    return response
  } catch (error) {
    if (error instanceof Refusal) return json(error.status, error.body, error.headers)
    throw error
  }
}

function exchangeOf(request: ForgeRequest, response: ForgeResponse, apiPath: string): Exchange {
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
  return {
    method: request.method,
    path: request.path.slice(apiPath.length),
    query: request.query.toString(),
    requestBody: request.body.toString('utf8'),
    status: response.status,
    responseBody: isJson ? String(response.body) : '',
  }
}

function sendResponse(
  request: ForgeRequest,
  response: ServerResponse,
  outcome: Exclude<Outcome, 'drop'>,
): void {
  const { status, headers, body } = outcome.response
  const bytes = Buffer.from(body as Buffer)
  response.writeHead(status, {
    ...(status === 204 || status === 304 ? {} : { 'content-length': String(bytes.length) }),
    ...headers,
  } as Record<string, string>)
  if (request.method === 'HEAD') response.end()
  else if (outcome.cut)
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy())
  else response.end(bytes)
}
