// Reads lists page by page, without trusting that they end.
import { z } from 'zod'
import { type ApiCall, type Connection, invalidResponse, parseResponse, send } from './request.ts'

const maxItems = 10_000
/** Ample for a page: a comment has up to 65,536 characters, each of up to 12 bytes in JSON. */
const maxPageBytes = 64 * 2 ** 20
/** For lists whose items can be long. */
export const longItemPageSize = 30

/**
 * The items of a list, in the platform's order, fetched as they are asked for. The next page is asked for at our own
 * address with the query that the `Link` header (RFC 8288) names, so no answer can lead us elsewhere.
 *
 * @param call its path may have a query
 * @param pageSize how many items to ask for at once, at most 100
 * @throws PlatformError `platform_invalid_response` for more pages than 10,000 items have, and for pages that lead in
 *   a circle
 */
export async function* readPages<T>(
  connection: Connection,
  call: ApiCall,
  schema: z.ZodType<T>,
  pageSize = 100,
): AsyncGenerator<T> {
  const mostPages = Math.ceil(maxItems / pageSize)
  const page = z.array(schema)
  const seen = new Set<string>()
  const [path, given = ''] = call.path.split('?')
  let query: string | undefined = `?${given === '' ? '' : `${given}&`}per_page=${pageSize}`
  while (query !== undefined) {
    if (seen.has(query) || seen.size === mostPages)
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
