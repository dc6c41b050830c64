// Starts the page.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createApiClient } from './api/api-client.ts'
import { ApiError } from './api/api-error.ts'
import { ApiContext } from './api/use-api.ts'
import { createPageRouter } from './router.tsx'
import { createSignedOutRedirect } from './signed-out-redirect.ts'
import './styles.css'
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
      // The live stream says when something is another; this is for what it doesn't tell of.
      staleTime: 15_000,
      // What was refused is refused again; what didn't arrive may arrive.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
})
const router = createPageRouter({ api, client })

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <ApiContext value={api}>
        <RouterProvider router={router} />
      </ApiContext>
    </QueryClientProvider>
  </StrictMode>,
)
