// Reads the address of a git remote.
import { toRepositoryName } from '../contract/repository-name.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/**
 * Returns the repository that a remote's address names: with `https:`, `ssh:`, or in the short form
 * `git@host:owner/repo`. Undefined for any other address.
 *
 * @param platformUrl address of the platform's pages; addresses of other platforms are not parsed
 */
export function parseRemoteUrl(address: string, platformUrl: string): RepositoryName | undefined {
  const url = URL.parse(address.replace(/^((?:[\w.-]+@)?[\w.-]+):(?!\/\/)/, 'ssh://$1/'))
  const platform = new URL(platformUrl)
  if (url === null || url.hostname !== platform.hostname) return undefined
  const folder = url.protocol === 'ssh:' ? '' : platform.pathname.replace(/\/+$/, '')
  if (!url.pathname.startsWith(`${folder}/`)) return undefined
  const inside = url.pathname.slice(folder.length)
  return toRepositoryName(inside.replace(/^\/+/, '').replace(/(?:\.git)?\/*$/, ''))
}
