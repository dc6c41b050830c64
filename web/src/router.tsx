// Routes of the page. The service has the same list in src/http/page-routes.ts.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { ApiClient } from './api/api-client.ts'
import { isUnauthorized } from './api/api-error.ts'
import { meQuery } from './api/shared-queries.ts'
import { NotFound, UnknownAddress } from './components/not-found.tsx'
import { PageError, Waiting } from './components/page-states.tsx'
import { Shell } from './components/shell.tsx'
import { parseTabSearch } from './components/tab-search.ts'
import { loadPart } from './load-part.ts'
import { parseDeliveriesSearch } from './pages/deliveries/deliveries-search.ts'
import { parseFindingsSearch } from './pages/insights/findings-search.ts'
import { parseInsightsSearch } from './pages/insights/insights-search.ts'
import { parseRepositorySearch } from './pages/repositories/repository-search.ts'
import { ReviewsPage } from './pages/reviews/reviews-page.tsx'
import { parseReviewsSearch } from './pages/reviews/reviews-search.ts'
import { parseSignInSearch } from './pages/sign-in/sign-in-search.ts'

interface RouterContext {
  readonly api: ApiClient
  readonly client: QueryClient
}

const root = createRootRouteWithContext<RouterContext>()({
  notFoundComponent: UnknownAddress,
  errorComponent: PageError,
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: parseSignInSearch,
  component: lazyRouteComponent(
    loadPart(() => import('./pages/sign-in/sign-in-page.tsx')),
    'SignInPage',
  ),
})

/** Parent of all pages that require sign-in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    try {
      await context.client.ensureQueryData(meQuery(context.api))
    } catch (error) {
      if (!isUnauthorized(error)) throw error
      throw redirect({ to: '/sign-in', search: { return_to: location.href }, replace: true })
    }
  },
  component: Shell,
})

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/reviews', replace: true })
  },
})

const reviews = createRoute({
  getParentRoute: () => shell,
  path: '/reviews',
  validateSearch: parseReviewsSearch,
  component: ReviewsPage,
})

const review = createRoute({
  getParentRoute: () => shell,
  path: '/reviews/$id',
  component: lazyRouteComponent(
    loadPart(() => import('./pages/review/review-page.tsx')),
    'ReviewPage',
  ),
})

const deliveries = createRoute({
  getParentRoute: () => shell,
  path: '/deliveries',
  validateSearch: parseDeliveriesSearch,
  component: lazyRouteComponent(
    loadPart(() => import('./pages/deliveries/deliveries-page.tsx')),
    'DeliveriesPage',
  ),
})

const repositories = createRoute({
  getParentRoute: () => shell,
  path: '/repositories',
  component: lazyRouteComponent(
    loadPart(() => import('./pages/repositories/repositories-page.tsx')),
    'RepositoriesPage',
  ),
})

const repository = createRoute({
  getParentRoute: () => shell,
  path: '/repositories/$owner/$repo',
  validateSearch: parseRepositorySearch,
  component: lazyRouteComponent(
    loadPart(() => import('./pages/repositories/repository-page.tsx')),
    'RepositoryPage',
  ),
})

const insights = createRoute({
  getParentRoute: () => shell,
  path: '/insights',
  validateSearch: parseInsightsSearch,
  component: lazyRouteComponent(
    loadPart(() => import('./pages/insights/insights-page.tsx')),
    'InsightsPage',
  ),
})

const findings = createRoute({
  getParentRoute: () => shell,
  path: '/insights/findings',
  validateSearch: parseFindingsSearch,
  component: lazyRouteComponent(
    loadPart(() => import('./pages/insights/findings-page.tsx')),
    'FindingsPage',
  ),
})

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  validateSearch: parseTabSearch,
  component: lazyRouteComponent(
    loadPart(() => import('./pages/settings/settings-page.tsx')),
    'SettingsPage',
  ),
})

const routeTree = root.addChildren([
  signIn,
  shell.addChildren([
    home,
    reviews,
    review,
    deliveries,
    repositories,
    repository,
    insights,
    findings,
    settings,
  ]),
])

export function createPageRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    context,
    basepath: context.api.basePath || '/',
    defaultPreload: 'intent',
    defaultPendingComponent: Waiting,
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPageRouter>
  }
}
