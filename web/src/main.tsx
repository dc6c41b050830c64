// Entry point of the web page.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createApiClient } from './api/api-client.ts'
import { ApiError } from './api/api-error.ts'
import { ApiContext } from './api/use-api.ts'
import { createPageRouter } from './router.tsx'
import { createSignedOutRedirect } from './signed-out-redirect.ts'
import { initializeTheme } from './theme.ts'

initializeTheme()
const basePath = (
  document.querySelector<HTMLMetaElement>('meta[name=base-path]')?.content ?? '/'
).replace(/\/$/, '')
const api = createApiClient(basePath)
const client: QueryClient = new QueryClient({
  ...createSignedOutRedirect(() => router),
  defaultOptions: {
    queries: {
      // Live updates refresh most queries earlier; this covers the others.
      staleTime: 15_000,
      // Client errors would fail again, but network and server errors may be temporary.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
})
const router = createPageRouter({ api, client })

// Until then, the shell in index.html is shown.
await router.load()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <ApiContext value={api}>
        <RouterProvider router={router} />
      </ApiContext>
    </QueryClientProvider>
  </StrictMode>,
)
