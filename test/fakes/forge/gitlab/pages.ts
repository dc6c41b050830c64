// Lists in pages: by number with GitLab's headers, and by key for projects and trees.
import { type ForgeRequest, type ForgeResponse, json } from '../http.ts'
import { type Call, refuseInput } from './calls.ts'

/** Longer lists have no total, as Kaminari's `without_count` (lib/gitlab/pagination). */
const countedAtMost = 10_000

/** The number of entries on a page: 20 unless asked, 100 at most. */
function pageSize(request: ForgeRequest): number {
  return Math.min(100, readNumber(request, 'per_page', 20))
}

function readNumber(request: ForgeRequest, name: string, otherwise: number): number {
  const text = request.query.get(name)
  if (text === null || text === '') return otherwise
  if (!/^\d+$/.test(text)) throw refuseInput(`${name} is invalid`)
  if (Number(text) === 0) throw refuseInput(`${name} does not have a valid value`)
  return Number(text)
}

/** The address of the request's list with other parameters. */
export function linkTo(call: Call, change: Readonly<Record<string, string>>, relation: string) {
  const query = new URLSearchParams(call.request.query)
  for (const [name, value] of Object.entries(change)) query.set(name, value)
  return `<${call.state.url}${call.request.path}?${query}>; rel="${relation}"`
}

/** Returns one page of a list, and its headers. */
export function paginate<Entry>(
  call: Call,
  entries: readonly Entry[],
): [Entry[], Record<string, string>] {
  const size = pageSize(call.request)
  const page = readNumber(call.request, 'page', 1)
  const pages = Math.max(1, Math.ceil(entries.length / size))
  const counted = entries.length <= countedAtMost
  const link = (number: number, relation: string) =>
    linkTo(call, { page: String(number), per_page: String(size) }, relation)
  const links = [
    ...(page > 1 ? [link(page - 1, 'prev')] : []),
    ...(page < pages ? [link(page + 1, 'next')] : []),
    link(1, 'first'),
    ...(counted ? [link(pages, 'last')] : []),
  ]
  return [
    entries.slice((page - 1) * size, page * size),
    {
      'x-per-page': String(size),
      'x-page': String(page),
      'x-next-page': page < pages ? String(page + 1) : '',
      'x-prev-page': page > 1 ? String(page - 1) : '',
      link: links.join(', '),
      ...(counted ? { 'x-total': String(entries.length), 'x-total-pages': String(pages) } : {}),
    },
  ]
}

/** Answers with a page of a list. */
export async function answerPage<Entry>(
  call: Call,
  entries: readonly Entry[],
  shape: (entry: Entry) => unknown,
): Promise<ForgeResponse> {
  const [page, headers] = paginate(call, entries)
  return json(200, await Promise.all(page.map(shape)), headers)
}

/**
 * Answers with the entries after a key: the only header is a link to what follows
 * (lib/gitlab/pagination/keyset).
 */
export async function answerKeyset<Entry>(
  call: Call,
  entries: readonly Entry[],
  shape: (entry: Entry) => unknown,
  key: { readonly name: string; readonly of: (entry: Entry) => string },
): Promise<ForgeResponse> {
  const size = pageSize(call.request)
  const after = call.request.query.get(key.name)
  const start = after === null ? 0 : entries.findIndex((entry) => key.of(entry) === after) + 1
  const page = entries.slice(start, start + size)
  const last = page.at(-1)
  const more = last !== undefined && start + size < entries.length
  const headers = more ? { link: linkTo(call, { [key.name]: key.of(last) }, 'next') } : {}
  return json(200, await Promise.all(page.map(shape)), headers as Record<string, string>)
}
