// Reads the address of a pull request's page.
import type { PullRequestRef } from '../domain/pull-request.ts'

/**
 * The pull request that an address names; undefined for any other address.
 *
 * @param platformUrl address of the platform's pages; pull requests of other platforms can't be read
 */
export function parsePullRequestUrl(
  address: string,
  platformUrl: string,
): PullRequestRef | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const platform = new URL(platformUrl)
  const folder = platform.pathname.replace(/\/+$/, '')
  if (url === undefined || url.origin !== platform.origin || !url.pathname.startsWith(`${folder}/`))
    return undefined
  const match = /^\/([\w.-]+\/[\w.-]+)\/pulls?\/(\d{1,9})(?:\/|$)/.exec(
    url.pathname.slice(folder.length),
  )
  return match === null ? undefined : { repo: match[1] as string, number: Number(match[2]) }
}
