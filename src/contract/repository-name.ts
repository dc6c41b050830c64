// Parses repository names.

const partPattern = /^[A-Za-z0-9._-]{1,100}$/

/**
 * Splits `owner/repo`. Returns undefined unless there are exactly two parts of 1 to 100 letters,
 * digits, `.`, `_` and `-`. Rejects parts that change the URL or path that they are inserted into:
 * `.`, `..`, owners that start with a dot, and the repository `.git`.
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
