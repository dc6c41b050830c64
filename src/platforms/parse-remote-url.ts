// Reads the address of a git remote.
import { splitRepositoryName } from '../contract/repository-name.ts'
import type { RepositoryName } from '../domain/pull-request.ts'

/**
 * Returns the repository that a remote's address names: with `https:`, `ssh:`, or in the short form
 * `git@host:owner/repo`. Undefined for any other address.
 *
 * @param platformUrl address of the platform's pages; addresses of other platforms are not parsed
 */
export function parseRemoteUrl(address: string, platformUrl: string): RepositoryName | undefined {
  const short = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(address)
  const long = short === null ? URL.parse(address) : null
  const host = short?.[1] ?? long?.hostname
  const path = short?.[2] ?? long?.pathname
  const platform = new URL(platformUrl)
  if (host !== platform.hostname || path === undefined) return undefined
  const folder = platform.pathname.replace(/^\/+|\/+$/g, '')
  const inside = path.replace(/^\/+/, '').replace(/(?:\.git)?\/*$/, '')
  const isWeb = long?.protocol.startsWith('http') === true && folder !== ''
  const name = isWeb ? inside.slice(folder.length + 1) : inside
  return splitRepositoryName(name) === undefined ? undefined : name
}
