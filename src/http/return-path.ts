// Where a person goes after signing in: a path of our own, whatever was asked for.

/** Longer ones would not fit into a cookie. */
const maxPathLength = 1500

/**
 * The path to go to; `/` for whatever leads elsewhere, or would once somebody on the way decoded it once more.
 *
 * @param publicUrl where people reach us
 */
export function readReturnPath(asked: string, publicUrl: string): string {
  const { origin } = new URL(publicUrl)
  const target = /^\/(?![/\\])[\x21-\x7e]*$/.test(asked) ? URL.parse(asked, origin) : null
  if (target?.origin !== origin || /^\/(\/|%2f|%5c)|%[01]/i.test(target.pathname)) return '/'
  const path = target.pathname + target.search + target.hash
  return path.length <= maxPathLength ? path : '/'
}
