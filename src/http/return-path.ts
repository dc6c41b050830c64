// Chooses the path on this service to which people return after signing in.

/** The path is stored in a cookie, whose size browsers limit. */
const maxPathLength = 1500

/** Excludes `//host` and `/\host`, which browsers read as another host, and control characters. */
const localPathPattern = /^\/(?![/\\])[\x21-\x7e]*$/

/** Finds encoded slashes at the start, and encoded control characters, which a proxy may decode. */
const unsafeEncodingPattern = /^\/(\/|%2f|%5c)|%[01]/i

/**
 * Returns the path if it stays on this service, even when a proxy decodes it once more. Otherwise
 * returns `/`.
 *
 * @param publicUrl URL at which people reach the service
 */
export function readReturnPath(requestedPath: string, publicUrl: string): string {
  if (!localPathPattern.test(requestedPath)) return '/'
  const { origin } = new URL(publicUrl)
  const target = URL.parse(requestedPath, origin)
  if (target?.origin !== origin || unsafeEncodingPattern.test(target.pathname)) return '/'
  const path = target.pathname + target.search + target.hash
  return path.length <= maxPathLength ? path : '/'
}
