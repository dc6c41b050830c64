// Display name of the code-hosting platform.
import { useSuspenseQuery } from '@tanstack/react-query'
import { meQuery } from './shared-queries.ts'
import { useApi } from './use-api.ts'

const platformNames: Readonly<Record<string, string>> = {
  github: 'GitHub',
  gitea: 'Gitea',
  forgejo: 'Forgejo',
}

/** The display name of a platform id such as `github`. */
export function formatPlatformName(id: string): string {
  return platformNames[id] ?? id
}

/** The display name of the platform in use. Only for signed-in users. */
export function usePlatformName(): string {
  const { data: me } = useSuspenseQuery(meQuery(useApi()))
  return formatPlatformName(me.platform)
}
