// The shape of repository names, and how they and other untrusted text become parts of an address.

const partPattern = /^[A-Za-z0-9._-]{1,100}$/

/**
 * Splits `owner/repo`. Undefined for anything that isn't exactly two parts of letters, digits, `.`, `_` and `-`,
 * or where a part is `.` or `..`, which would change the address it is put into. No owner begins with a dot, and no
 * repository is called `.git`.
 */
export function splitRepositoryName(name: string): { owner: string; repo: string } | undefined {
  const [owner, repo, ...rest] = name.split('/', 3)
  if (owner === undefined || repo === undefined || rest.length > 0) return undefined
  return isPart(owner) && !owner.startsWith('.') && isPart(repo) && repo !== '.git'
    ? { owner, repo }
    : undefined
}

function isPart(part: string): boolean {
  return partPattern.test(part) && part !== '.' && part !== '..'
}

/** Encodes text as one segment of a path. Undefined for an empty segment, `.` and `..`: no encoding protects those. */
export function encodeSegment(text: string): string | undefined {
  return text === '' || text === '.' || text === '..'
    ? undefined
    : encodeURIComponent(text.toWellFormed())
}

/** Encodes a file's path, segment by segment. Undefined where one of them can't be. */
export function encodeFilePath(path: string): string | undefined {
  const segments = path.split('/').map(encodeSegment)
  return segments.includes(undefined) ? undefined : segments.join('/')
}
