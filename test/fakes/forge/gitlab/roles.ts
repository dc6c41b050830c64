// Roles by GitLab's numbers, and what the scopes of tokens allow.
import { accountPermission } from '../access.ts'
import type { Permission, Repository, Token } from '../entities.ts'

export const guest = 10
export const reporter = 20
export const developer = 30
export const maintainer = 40
const owner = 50

/** GitLab has no role between reporter and developer that could label: `triage` is a reporter. */
const levels: Readonly<Record<Permission, number>> = {
  none: 0,
  read: reporter,
  triage: reporter,
  write: developer,
  maintain: maintainer,
  admin: owner,
}

const levelOf = (permission: Permission) => levels[permission]

/** The role of an account in a project: only members have one, also in public projects. */
export function memberLevel(user: Token['user'], repository: Repository): number {
  const member =
    user.id === repository.owner.id || repository.collaborators.has(user.login.toLowerCase())
  return member ? levelOf(accountPermission(user, repository)) : 0
}

/** Returns whether a token may make a call; any may read about itself. */
export function reachesApi({ scopes }: Token, method: string, path: string): boolean {
  const reads = method === 'GET' || method === 'HEAD'
  if (scopes.includes('api')) return true
  if (reads && scopes.includes('read_api')) return true
  if (reads && path === '/personal_access_tokens/self') return true
  return reads && path === '/user' && scopes.includes('read_user')
}

/** Returns the access of a token to the code of a repository, over git. */
export function gitPermission(token: Token | null, repository: Repository): Permission {
  const open: Permission = repository.private ? 'none' : 'read'
  if (token === null) return open
  const whole = accountPermission(token.user, repository)
  const { scopes } = token
  if (scopes.includes('api') || scopes.includes('write_repository')) return whole
  const reads = scopes.includes('read_repository') || scopes.includes('read_api')
  return reads && whole !== 'none' ? 'read' : open
}
