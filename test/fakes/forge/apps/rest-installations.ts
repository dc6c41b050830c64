// REST routes for tokens of installations, and for people who signed in to an App.
import { accountPermission, permits } from '../access.ts'
import type { InstallationGrant, Repository } from '../entities.ts'
import { type ForgeResponse, json, noContent, notFound, paginate, refuse } from '../http.ts'
import { type GlobalCall, type GlobalRoute, requireUser } from '../routes.ts'
import { shapeRepository } from '../shape-accounts.ts'
import { announceChange } from '../state.ts'
import { notAccessible } from './app-permissions.ts'
import { type App, type Installation, reachesRepository, repositoriesOf } from './app-state.ts'
import { shapeInstallation } from './shape-apps.ts'

export const installationRoutes: readonly GlobalRoute[] = [
  ['GET', '/installation/repositories', listOwnRepositories],
  ['DELETE', '/installation/token', revokeToken],
  ['GET', '/user/installations', listUserInstallations],
  ['GET', '/user/installations/:id/repositories', listUserRepositories],
]

function requireGrant({ request }: GlobalCall): InstallationGrant {
  if (request.token === null) throw refuse(401, 'Requires authentication')
  if (request.token.grant === undefined)
    throw refuse(403, 'You must authenticate with an installation access token')
  return request.token.grant
}

function listOwnRepositories(call: GlobalCall): ForgeResponse {
  const grant = requireGrant(call)
  const reached = repositoriesOf(call.state, grant.installation).filter((repository) =>
    reachesRepository(grant, repository),
  )
  return answerRepositories(
    call,
    reached,
    grant.repositories ? 'selected' : grant.installation.selection,
  )
}

function answerRepositories(
  call: GlobalCall,
  repositories: readonly Repository[],
  selection: string,
): ForgeResponse {
  const [page, headers] = paginate(call.request, call.address, repositories)
  const body = {
    total_count: repositories.length,
    repository_selection: selection,
    repositories: page.map((one) => shapeRepository(call.state, one, 'admin')),
  }
  return json(200, body, headers)
}

function revokeToken(call: GlobalCall): ForgeResponse {
  requireGrant(call)
  for (const [text, token] of call.state.tokens)
    if (token === call.request.token) call.state.tokens.delete(text)
  announceChange(call.state)
  return noContent()
}

/** Returns the App that a person signed in to. Other tokens can't list installations. */
function requireSignIn(call: GlobalCall): App {
  requireUser(call.request)
  const { app, grant } = call.request.token!
  if (grant !== undefined) throw notAccessible()
  if (app === undefined)
    throw refuse(
      403,
      'You must authenticate with an access token authorized to a GitHub App in order to list installations',
    )
  return app
}

/** As at GitHub, only installations with a repository that the person can see. */
function visible(call: GlobalCall, installation: Installation): Repository[] {
  const user = requireUser(call.request)
  return repositoriesOf(call.state, installation).filter((repository) =>
    permits(accountPermission(user, repository), 'read'),
  )
}

function listUserInstallations(call: GlobalCall): ForgeResponse {
  const user = requireUser(call.request)
  const all = requireSignIn(call).installations.filter(
    (one) => one.account === user || visible(call, one).length > 0,
  )
  const [page, headers] = paginate(call.request, call.address, all)
  const installations = page.map((one) => shapeInstallation(call.state, one))
  return json(200, { total_count: all.length, installations }, headers)
}

function listUserRepositories(call: GlobalCall): ForgeResponse {
  const app = requireSignIn(call)
  const found = app.installations.find((one) => String(one.id) === call.parameters.id)
  if (found === undefined) throw notFound()
  return answerRepositories(call, visible(call, found), found.selection)
}
