// A fake of the part of Sentry's API that its MCP server calls to search issues, on loopback.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SentryIssue {
  readonly shortId: string
  readonly title: string
  /** The files of its stack trace. */
  readonly files: readonly string[]
  readonly functions?: readonly string[]
}

export interface SentryApi extends AsyncDisposable {
  /** The host and port. */
  readonly host: string
  /** The queries of all searches so far. */
  readonly queries: readonly string[]
}

/** Serves unresolved issues of the organization `acme`; a request without the token gets 401. */
export async function startSentryApi(
  token: string,
  faults: readonly SentryIssue[],
): Promise<SentryApi> {
  const queries: string[] = []
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://sentry')
    const respond = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (request.headers.authorization !== `Bearer ${token}`)
      return respond(401, { detail: 'Invalid token' })
    if (url.pathname !== '/api/0/organizations/acme/issues/')
      return respond(404, { detail: 'The requested resource does not exist' })
    const query = url.searchParams.get('query') ?? ''
    queries.push(query)
    const ending = /^is:unresolved stack\.filename:"\*([^"]+)"$/.exec(query)?.[1]
    const named = /^is:unresolved stack\.function:\[([^\]]+)\]$/.exec(query)?.[1]?.split(', ') ?? []
    const found = faults.filter(
      ({ files, functions = [] }) =>
        (ending !== undefined && files.some((file) => file.endsWith(ending))) ||
        functions.some((name) => named.includes(name)),
    )
    respond(
      200,
      found
        .slice(0, Number(url.searchParams.get('limit')))
        .map((fault, index) => describe(fault, index, host())),
    )
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const host = () => `127.0.0.1:${(http.address() as AddressInfo).port}`
  return {
    host: host(),
    queries,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

function describe({ shortId, title, files }: SentryIssue, index: number, host: string) {
  return {
    id: String(4711 + index),
    shortId,
    title,
    culprit: files[0],
    permalink: `http://${host}/organizations/acme/issues/${4711 + index}/`,
    firstSeen: '2026-10-01T00:00:00.000Z',
    lastSeen: '2026-10-02T00:00:00.000Z',
    count: '12',
    userCount: 3,
    status: 'unresolved',
    substatus: 'ongoing',
    platform: 'node',
    type: 'error',
    issueType: 'error',
    issueCategory: 'error',
    assignedTo: null,
    metadata: { type: title.split(':')[0], value: title, filename: files[0] },
    project: { id: '1', name: 'shop', slug: 'shop', platform: 'node' },
  }
}
