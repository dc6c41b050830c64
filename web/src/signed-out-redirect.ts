// Redirects to sign-in when the session ends, and back to the same page afterwards.
import { MutationCache, QueryCache, type QueryClientConfig } from '@tanstack/react-query'
import { isUnauthorized } from './api/api-error.ts'
import type { createPageRouter } from './router.tsx'

/** Caches for the query client. `findRouter` breaks the cycle between router and client. */
export function createSignedOutRedirect(
  findRouter: () => ReturnType<typeof createPageRouter>,
): Pick<QueryClientConfig, 'queryCache' | 'mutationCache'> {
  const redirectIfSignedOut = (error: unknown) => {
    const router = findRouter()
    const { pathname, href } = router.state.location
    if (!isUnauthorized(error) || pathname === '/sign-in') return
    void router.navigate({
      to: '/sign-in',
      search: { return_to: href, failed: 'ended' },
      replace: true,
    })
  }
  return {
    queryCache: new QueryCache({
      onError: (error, { queryKey, state }) => {
        // The router redirects if the user was not signed in before.
        if (queryKey[0] !== 'me' || state.data !== undefined) redirectIfSignedOut(error)
      },
    }),
    mutationCache: new MutationCache({ onError: redirectIfSignedOut }),
  }
}
