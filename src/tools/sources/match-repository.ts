// Decides which repositories the globs of a context source match.
import { hostOf, toHostPath } from '../../contract/repository-name.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import { createGlobMatcher } from '../../lib/glob.ts'

/**
 * Globs are written like paths of the first code host. Those of another one end with `@` and its
 * id; `**` alone is for all repositories of all hosts. So a glob for an owner's repositories can't
 * let in those of an account with the same name elsewhere. Ignores case.
 */
export function createRepositoryMatcher(
  globs: readonly string[],
): (repo: RepositoryName) => boolean {
  const rules = globs.map((text) => {
    const [, glob = text, host = null] = /^(.+)@([a-z][a-z0-9-]*)$/i.exec(text) ?? []
    return {
      glob: glob.toLowerCase(),
      host: host?.toLowerCase() ?? null,
      isForAll: text === '**',
    }
  })
  return (repo) => {
    const own = rules.filter(({ isForAll, host }) => isForAll || host === hostOf(repo))
    const matches = createGlobMatcher(own.map(({ glob }) => glob))
    return matches(toHostPath(repo).toLowerCase()) === true
  }
}
