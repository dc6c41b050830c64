// Reads the address of a pull request's page.
import type { PullRequestRef } from '../domain/pull-request.ts'

/**
 * Parses the address of a pull request. Undefined for any other address.
 *
 * @param platformUrl address of the platform's pages; addresses of other platforms are not parsed
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
