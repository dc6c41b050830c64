// Describes what differs between Gitea and Forgejo, which have one API.
import type { Platform, PlatformLimits } from '../platform.ts'

export interface Variant {
  readonly id: string
  readonly terms: Platform['terms']
  /** @param version that of the server, for example `1.26.3`; null while it is unknown */
  resolvableThreads(version: string | null): PlatformLimits['resolvableThreads']
  /**
   * Whether a review has an address for each of its comments, at which it accepts replies and from
   * which they are deleted. Elsewhere a reply is a review of its own on the same line.
   */
  readonly hasReviewComments: boolean
}

const tokenHelp =
  'Requires the permissions “Read and write” for issue and repository, and “Read” for ' +
  'organization and user.'

export const gitea: Variant = {
  id: 'gitea',
  terms: { platform: 'Gitea', pullRequest: 'pull request', tokenHelp },
  resolvableThreads: (version) =>
    version === null || isAtLeast(version, 1, 26)
      ? true
      : { reason: 'Gitea lets applications resolve conversations from version 1.26 on.' },
  hasReviewComments: false,
}

export const forgejo: Variant = {
  id: 'forgejo',
  terms: { platform: 'Forgejo', pullRequest: 'pull request', tokenHelp },
  // Its API refuses that with 405, which was seen with version 11.
  resolvableThreads: () => ({
    reason: 'Forgejo lets people resolve conversations, but no applications.',
  }),
  hasReviewComments: true,
}

/** True for versions that can't be read, such as those of development builds. */
function isAtLeast(version: string, major: number, minor: number): boolean {
  const [, first, second] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  if (first === undefined) return true
  return Number(first) > major || (Number(first) === major && Number(second) >= minor)
}
