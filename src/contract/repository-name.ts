// Parses repository names, and translates them to paths of a host and back.
//
// Hosts separate groups with slashes. Our names have exactly one slash, so that `owner` and `repo`
// fit every address: a colon separates groups, and an at sign precedes the id of a code host that
// isn't the first of `PLATFORMS`. No host allows either in a name.
//
// Names are `owner/name`, `group:subgroup/name`, `owner/name@gitlab` and `group:sub/name@gitlab`.

const partPattern = /^[A-Za-z0-9._-]{1,100}$/
/** Platform ids that begin with a letter differ from the ids of former repositories. */
const namePattern = /^([^/@]+)\/([^/@]+)(?:@([a-z][a-z0-9-]{0,30}))?$/i
/** Names are limited because indexes of the database contain them. */
const maxNameLength = 500

interface RepositoryNameParts {
  /** With all groups, separated by colons. */
  readonly owner: string
  readonly repo: string
  /** It is the id of the code host in lower case, or null for the first one. */
  readonly host: string | null
}

/**
 * Splits a name. Returns undefined unless each part has 1 to 100 letters, digits, `.`, `_` and `-`.
 * Rejects parts that change the URL or path that they are inserted into: `.`, `..`, groups and
 * owners that start with a dot, and the repository `.git`.
 */
export function splitRepositoryName(name: string): RepositoryNameParts | undefined {
  const match = name.length > maxNameLength ? null : namePattern.exec(name)
  if (match === null) return undefined
  const [, owner, repo, host] = match as unknown as [string, string, string, string | undefined]
  const isOwner = owner.split(':').every((group) => isPart(group) && !group.startsWith('.'))
  return isOwner && isPart(repo) && repo !== '.git'
    ? { owner, repo, host: host?.toLowerCase() ?? null }
    : undefined
}

function isPart(part: string): boolean {
  return partPattern.test(part) && part !== '.' && part !== '..'
}

/** The id of the repository's code host; null for the first one, and for malformed names. */
export function hostOf(name: string): string | null {
  return splitRepositoryName(name)?.host ?? null
}

/**
 * The end of names at a code host: `@gitlab`.
 *
 * @param host id of the code host; null for the first one, whose names end without it
 */
export function hostSuffix(host: string | null): string {
  return host === null ? '' : `@${host}`
}

/**
 * Removes the id of the first host from the end of a name: the repository has one name without it.
 *
 * @param firstHost the id of the first host
 */
export function withoutFirstHost(name: string, firstHost: string): string {
  const ending = `@${firstHost}`
  return name.toLowerCase().endsWith(ending) ? name.slice(0, -ending.length) : name
}

/** The result is the name of another repository of the same owner at the same host. */
export function siblingOf(name: string, repo: string): string {
  return name.replace(/\/[^/@]*/, () => `/${repo}`)
}

/** The repository's path at its host, as people read it there: `group/subgroup/name`. */
export function toHostPath(name: string): string {
  const parts = splitRepositoryName(name)
  return parts === undefined ? name : `${parts.owner.replaceAll(':', '/')}/${parts.repo}`
}

/**
 * Our name of the repository at a path of a host, such as `group/subgroup/name`. Undefined for a
 * path that no repository can have.
 *
 * @param host id of the code host; null for the first one
 */
export function toRepositoryName(path: string, host: string | null = null): string | undefined {
  if (/[:@]/.test(path)) return undefined
  const slash = path.lastIndexOf('/')
  const owner = path.slice(0, Math.max(0, slash)).replaceAll('/', ':')
  const name = `${owner}/${path.slice(slash + 1)}${hostSuffix(host)}`
  return splitRepositoryName(name) === undefined ? undefined : name
}
