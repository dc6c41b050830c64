// The dialects of Gitea and Forgejo: REST under /api/v1, OAuth, webhooks and web pages.
import { permits } from '../access.ts'
import type { Dialect } from '../dialect.ts'
import type { Permission, Repository, Token } from '../entities.ts'
import { servePage } from '../pages.ts'
import { deliverEvent, deliverPush } from './deliveries.ts'
import { expandEvents } from './hook-events.ts'
import { permissionOf } from './host.ts'
import { serveOAuth } from './oauth.ts'
import { forgejo, gitea, type Profile } from './profile.ts'
import { apiPath, serveRest } from './rest.ts'

/** The prefixes of titles that make a draft, in any case. `Draft:` isn't one by default. */
const draftPrefix = /^(?:WIP:|\[WIP\])\s*/i

/** A token's scopes leave a part of the access of its account; without any it has all. */
function gitPermission(token: Token | null, repository: Repository): Permission {
  const whole = permissionOf(token?.user ?? null, repository)
  const scopes = token?.scopes ?? []
  if (scopes.length === 0 || scopes.includes('all') || scopes.includes('write:repository'))
    return whole
  if (!permits(whole, 'read')) return 'none'
  return scopes.includes('read:repository') || !repository.private ? 'read' : 'none'
}

function createDialect(profile: Profile): Dialect {
  return {
    name: profile.name,
    apiPath,
    pullPath: 'pulls',
    pullRefs: 'refs/pull',
    defaultScopes: ['all'],
    draftTitles: {
      isDraft: (title) => draftPrefix.test(title),
      change: (title, draft) => (draft ? 'WIP: ' : '') + title.replace(draftPrefix, ''),
    },
    closesWithoutBranch: true,
    repliesJoinReview: true,
    gitPermission,
    expandEvents: (events) => expandEvents(profile, events),
    deliver: (state, ...rest) => deliverEvent({ state, profile }, ...rest),
    deliverPush: (state, ...rest) => deliverPush({ state, profile }, ...rest),
    async serve(state, request) {
      const host = { state, profile }
      if (`${request.path}/`.startsWith(`${apiPath}/`)) return await serveRest(host, request)
      return serveOAuth(host, request) ?? (await servePage(state, request))
    },
  }
}

export const giteaDialect = createDialect(gitea)
export const forgejoDialect = createDialect(forgejo)
