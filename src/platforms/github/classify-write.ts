// Classifies calls: which GitHub counts as writes, and which of those notify people.

/** The endpoints that GitHub documents with "This endpoint triggers notifications". */
const notifying =
  /^\/repos\/[^/]+\/[^/]+\/(issues|pulls)(\/\d+\/(comments(\/\d+\/replies)?|reviews|requested_reviewers))?$/

/** Returns null for reads, and for calls that manage Apps, tokens and webhooks. */
export function classifyWrite({
  method = 'GET',
  path,
  body,
}: {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
}): 'notifying' | 'silent' | null {
  if (isMutation(body)) return 'silent'
  if (method === 'GET' || !/^\/repos\/[^/]+\/[^/]+\/(?!hooks\b)/.test(path)) return null
  return method === 'POST' && notifying.test(path) ? 'notifying' : 'silent'
}

/** All calls of GraphQL are POST requests. */
function isMutation(body: unknown): boolean {
  const query = (body as { query?: unknown } | undefined)?.query
  return typeof query === 'string' && /^\s*mutation\b/.test(query)
}
