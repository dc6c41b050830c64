// Reads the address of a pull request's page.
import { toRepositoryName } from '../contract/repository-name.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'

/**
 * Parses the address of a pull request. Undefined for any other address.
 *
 * @param platform `url` is the address of its pages; addresses of other platforms are not parsed.
 *   `pullRequestPath` is what is between the repository and the number.
 */
export function parsePullRequestUrl(
  address: string,
  { url: platformUrl, pullRequestPath }: { url: string; pullRequestPath: string },
): PullRequestRef | undefined {
  const url = URL.parse(address)
  const platform = new URL(platformUrl)
  const folder = platform.pathname.replace(/\/+$/, '')
  if (url === null || url.origin !== platform.origin || !url.pathname.startsWith(`${folder}/`))
    return undefined
  const form = new RegExp(`^/(.+?)/${RegExp.escape(pullRequestPath)}/(\\d{1,9})(?:/|$)`)
  const [, path = '', number] = form.exec(url.pathname.slice(folder.length)) ?? []
  const repo = toRepositoryName(path)
  return repo === undefined ? undefined : { repo, number: Number(number) }
}
