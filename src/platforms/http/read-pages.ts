// Reads lists page by page, with an upper bound.
import { z } from 'zod'
import type { ApiCall, Connection } from './connection.ts'
import { invalidResponse, parseResponse, send } from './request.ts'

const maxItems = 10_000
/** A page of comments fits: each has up to 65,536 characters of up to 12 bytes in JSON. */
const maxPageBytes = 64 * 2 ** 20
export const longItemPageSize = 30

/**
 * Yields the items of a list in the platform's order, and requests a page when it is needed. Only
 * the query of the `Link` header (RFC 8288) is used, so a response can't redirect calls to another
 * host.
 *
 * @param call its path may have a query
 * @param pageSize number of items per request, at most 100
 * @throws PlatformError `platform_invalid_response` for more than 10,000 items' worth of pages, and
 *   when a page repeats
 */
export async function* readPages<T>(
  connection: Connection,
  call: ApiCall,
  schema: z.ZodType<T>,
  pageSize = 100,
): AsyncGenerator<T> {
  const maxPages = Math.ceil(maxItems / pageSize)
  const page = z.array(schema)
  const seen = new Set<string>()
  const [path, ownQuery = ''] = call.path.split('?')
  const firstParameters = ownQuery === '' ? '' : `${ownQuery}&`
  const sizeParameter = connection.rules.pageSizeParameter
  let query: string | undefined = `?${firstParameters}${sizeParameter}=${pageSize}`
  while (query !== undefined) {
    if (seen.has(query) || seen.size === maxPages)
      throw invalidResponse('The pages of a list did not end.')
    seen.add(query)
    const answer = await send(connection, { maxBytes: maxPageBytes, ...call, path: path + query })
    yield* parseResponse(answer, page)
    query = findNextQuery(answer.headers.get('link'))
  }
}

function findNextQuery(link: string | null): string | undefined {
  const address = link?.match(/<([^<>]*)>\s*;[^,<]*\brel="?next\b/i)?.[1]
  return address !== undefined && URL.canParse(address, 'http://localhost')
    ? new URL(address, 'http://localhost').search
    : undefined
}
