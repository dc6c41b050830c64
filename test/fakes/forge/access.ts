// The access of people and Apps to repositories.
import { includesPermission, installationFor, reachesRepository } from './apps/app-state.ts'
import type { Permission, Repository, Token, User } from './entities.ts'

/**
 * Returns the access of a token to a repository. A person's depends on the account and on the
 * token's scopes. An App's is all or nothing here: `requireAppPermission` checks the permissions of
 * the installation for each resource.
 */
export function permissionOf(token: Token | null, repository: Repository): Permission {
  const open: Permission = repository.private ? 'none' : 'read'
  if (token === null) return open
  if (token.grant !== undefined) return reachesRepository(token.grant, repository) ? 'admin' : open
  if (token.app !== undefined) {
    const installed = installationFor(token.app, repository) !== undefined
    return installed ? accountPermission(token.user, repository) : open
  }
  const { scopes } = token
  const counts = scopes.includes('repo') || (!repository.private && scopes.includes('public_repo'))
  return counts ? accountPermission(token.user, repository) : open
}

/** Returns the access of an account to a repository, whatever token it uses. */
export function accountPermission(user: User, repository: Repository): Permission {
  if (user.id === repository.owner.id) return 'admin'
  const open: Permission = repository.private ? 'none' : 'read'
  return repository.collaborators.get(user.login.toLowerCase()) ?? open
}

/** Returns what an App's token may do in a repository; null for other tokens and repositories. */
export function appPermissions(
  token: Token | null,
  repository: Repository,
): Readonly<Record<string, string>> | null {
  if (token?.grant !== undefined) {
    return reachesRepository(token.grant, repository) ? token.grant.permissions : null
  }
  if (token?.app === undefined) return null
  return installationFor(token.app, repository)?.permissions ?? null
}

/** Returns the access of a token to the code of a repository, over git. */
export function gitPermission(token: Token | null, repository: Repository): Permission {
  const whole = permissionOf(token, repository)
  const granted = appPermissions(token, repository)
  if (granted === null || includesPermission(granted, 'contents', 'write')) return whole
  const readable = includesPermission(granted, 'contents', 'read') || !repository.private
  return readable && whole !== 'none' ? 'read' : 'none'
}

const roles: readonly Permission[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin']

export function permits(has: Permission, needed: Permission): boolean {
  return roles.indexOf(has) >= roles.indexOf(needed)
}
