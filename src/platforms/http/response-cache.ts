// Keeps responses with their tag, because GitHub doesn't count against the rate limit when it
// answers that they haven't changed.
// https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
import { LRUCache } from 'lru-cache'

/** Limits what one process keeps. */
const maxBytes = 16 * 2 ** 20
/** Larger responses are diffs and trees, which are read once. */
const maxBodyBytes = 256 * 2 ** 10
/** Bounds the memory of each entry besides its body. */
const overheadBytes = 2048

interface CachedResponse {
  readonly tag: string
  readonly headers: Headers
  readonly body: Buffer
}

/** What a response depends on. Tags of one token are not valid for another one. */
interface Request {
  readonly method?: string
  readonly path: string
  readonly accept?: string
  readonly token?: string
}

export interface ResponseCache {
  /** @param party identifies the token, so that nobody gets what only another token may read */
  find(request: Request, party: string): CachedResponse | undefined
  add(request: Request, party: string, response: Omit<CachedResponse, 'tag'>): void
}

export function createResponseCache(): ResponseCache {
  const responses = new LRUCache<string, CachedResponse>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }) => body.length + overheadBytes,
  })
  return {
    find: (request, party) => responses.get(keyOf(request, party)),
    add(request, party, { headers, body }) {
      const tag = headers.get('etag')
      if (tag === null || body.length > maxBodyBytes || !mayBeRepeated(request)) return
      responses.set(keyOf(request, party), { tag, headers, body })
    },
  }
}

function keyOf({ path, accept = '' }: Request, party: string): string {
  return `${party} ${accept} ${path}`
}

/** What belongs to a commit doesn't change, and isn't polled. */
function mayBeRepeated({ method = 'GET', path, token }: Request): boolean {
  return method === 'GET' && token !== undefined && !/[0-9a-f]{40}/.test(path)
}
