// GitHub's dialect: REST under /api/v3, GraphQL, OAuth, Apps and web pages.
import { gitPermission } from '../access.ts'
import { serveAppPage } from '../apps/app-pages.ts'
import type { Dialect } from '../dialect.ts'
import { serveGraphql } from '../graphql.ts'
import { serveOAuth } from '../oauth.ts'
import { servePage } from '../pages.ts'
import { serveRest } from '../rest.ts'
import { deliverEvent, deliverPush } from './deliveries.ts'

const apiPath = '/api/v3'

export const githubDialect: Dialect = {
  name: 'github',
  apiPath,
  pullPath: 'pull',
  pullRefs: 'refs/pull',
  defaultScopes: ['repo', 'admin:repo_hook', 'user'],
  draftTitles: null,
  closesWithoutBranch: true,
  repliesJoinReview: false,
  gitPermission,
  expandEvents: (events) => events,
  deliver: deliverEvent,
  deliverPush,
  async serve(state, request) {
    if (request.path === '/api/graphql') return await serveGraphql(state, request)
    if (`${request.path}/`.startsWith(`${apiPath}/`)) return await serveRest(state, request)
    if (request.path.startsWith('/login/oauth/')) return serveOAuth(state, request)
    return (await serveAppPage(state, request)) ?? (await servePage(state, request))
  },
}
