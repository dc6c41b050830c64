// The shape of repository names.

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
