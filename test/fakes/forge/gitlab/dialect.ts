// GitLab's dialect: REST under /api/v4, OAuth, web pages, and deliveries. No GitLab ran beside it:
// it is written from the published OpenAPI, the documentation and the server's public code, whose
// files are named where a behavior is unusual.
import type { Dialect } from '../dialect.ts'
import { json } from '../http.ts'
import { servePage } from '../pages.ts'
import { deliverEvent, deliverPush, expandEvents } from './deliver-events.ts'
import { graphqlPath, serveGraphql } from './graphql.ts'
import { serveOAuth } from './oauth.ts'
import { apiPath, serveRest, TextRefusal } from './rest.ts'
import { gitPermission } from './roles.ts'

/** The beginnings of a title that make a merge request a draft (app/models/concerns). */
const draftMark = /^\s*(?:draft:|\[draft\]|\(draft\)|draft\s-\s)\s*/i

export const gitlabDialect: Dialect = {
  name: 'gitlab',
  apiPath,
  pullPath: '-/merge_requests',
  pullRefs: 'refs/merge-requests',
  defaultScopes: ['api'],
  draftTitles: {
    isDraft: (title) => draftMark.test(title),
    change: (title, draft) => {
      const bare = title.replace(draftMark, '')
      return draft ? `Draft: ${bare}` : bare
    },
  },
  closesWithoutBranch: false,
  repliesJoinReview: true,
  gitPermission,
  expandEvents,
  deliver: deliverEvent,
  deliverPush,
  async serve(state, request) {
    if (`${request.path}/`.startsWith(`${apiPath}/`)) {
      try {
        return await serveRest(state, request)
      } catch (error) {
        if (error instanceof TextRefusal) return error.response
        throw error
      }
    }
    if (request.path === graphqlPath) return serveGraphql(state, request)
    if (request.path.startsWith('/oauth/'))
      return serveOAuth(state, request) ?? json(404, { error: '404 Not Found' })
    return await servePage(state, request)
  },
}
