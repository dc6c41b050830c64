// What happens when a session ends while its page is open: one signs in again, and comes back to where one was.
import { MutationCache, QueryCache, type QueryClientConfig } from '@tanstack/react-query'
import { isUnauthorized } from './api/api-error.ts'
import type { createPageRouter } from './router.tsx'

/** The parts of a query client that notice it. `findRouter` is called when it happens. */
export function createSignedOutRedirect(
  findRouter: () => ReturnType<typeof createPageRouter>,
): Pick<QueryClientConfig, 'queryCache' | 'mutationCache'> {
  const leave = (error: unknown) => {
    const router = findRouter()
    const { pathname, href } = router.state.location
    if (!isUnauthorized(error) || pathname === '/sign-in') return
    void router.navigate({ to: '/sign-in', search: { return_to: href }, replace: true })
  }
  return {
    queryCache: new QueryCache({
      onError: (error, { queryKey, state }) => {
        // Who wasn't signed in before is led there by the router.
        if (queryKey[0] !== 'me' || state.data !== undefined) leave(error)
      },
    }),
    mutationCache: new MutationCache({ onError: leave }),
  }
}
