// REST routes of an App that proves who it is: itself, its installations, and their tokens.
import { type ForgeResponse, json, jsonBody, noContent, notFound, paginate } from '../http.ts'
import type { GlobalCall, GlobalRoute } from '../routes.ts'
import { requireApp } from './app-jwt.ts'
import type { App, Installation } from './app-state.ts'
import { covers } from './app-state.ts'
import { createInstallationToken } from './installation-tokens.ts'
import { suspend, uninstall } from './installations.ts'
import { redeemConversion } from './register-app.ts'
import { shapeApp, shapeInstallation } from './shape-apps.ts'

export const appRoutes: readonly GlobalRoute[] = [
  ['POST', '/app-manifests/:code/conversions', convert],
  ['GET', '/app', async (call) => json(200, await shapeOwn(call))],
  ['GET', '/apps/:slug', showApp],
  ['GET', '/app/installations', listInstallations],
  ['GET', '/app/installations/:id', withInstallation(show)],
  ['DELETE', '/app/installations/:id', withInstallation(remove)],
  ['POST', '/app/installations/:id/access_tokens', withInstallation(createToken)],
  ['PUT', '/app/installations/:id/suspended', withInstallation(setSuspended(true))],
  ['DELETE', '/app/installations/:id/suspended', withInstallation(setSuspended(false))],
  ['GET', '/repos/:owner/:repo/installation', findByRepository],
  ['GET', '/orgs/:account/installation', findByAccount],
  ['GET', '/users/:account/installation', findByAccount],
]

function convert({ parameters, state }: GlobalCall): ForgeResponse {
  const { app, pem } = redeemConversion(state, parameters.code!)
  return json(201, {
    ...shapeApp(state, app),
    client_secret: app.clientSecret,
    webhook_secret: app.hook.url === '' ? null : app.hook.secret,
    pem,
  })
}

async function shapeOwn(call: GlobalCall): Promise<unknown> {
  const app = await requireApp(call.state, call.request)
  return { ...shapeApp(call.state, app), installations_count: app.installations.length }
}

function showApp({ parameters, state }: GlobalCall): ForgeResponse {
  const app = state.apps.find((candidate) => candidate.slug === parameters.slug)
  if (app === undefined) throw notFound()
  return json(200, shapeApp(state, app))
}

async function listInstallations(call: GlobalCall): Promise<ForgeResponse> {
  const app = await requireApp(call.state, call.request)
  const [page, headers] = paginate(call.request, call.address, app.installations)
  const shapes = page.map((one) => shapeInstallation(call.state, one))
  return json(200, shapes, headers)
}

type Handler = (call: GlobalCall, installation: Installation) => ForgeResponse

function withInstallation(handle: Handler): GlobalRoute[2] {
  return async (call) => {
    const app = await requireApp(call.state, call.request)
    const found = app.installations.find((one) => String(one.id) === call.parameters.id)
    if (found === undefined) throw notFound()
    return handle(call, found)
  }
}

function show({ state }: GlobalCall, installation: Installation): ForgeResponse {
  return json(200, shapeInstallation(state, installation))
}

function remove({ state }: GlobalCall, installation: Installation): ForgeResponse {
  uninstall(state, installation, installation.app.bot)
  return noContent()
}

function createToken(call: GlobalCall, installation: Installation): ForgeResponse {
  return json(201, createInstallationToken(call.state, installation, jsonBody(call.request)))
}

function setSuspended(suspended: boolean): Handler {
  return ({ state }, installation) => {
    suspend(state, installation, suspended, installation.app.bot)
    return noContent()
  }
}

async function findByRepository(call: GlobalCall): Promise<ForgeResponse> {
  const { parameters, state } = call
  const app = await requireApp(state, call.request)
  const repository = state.repositories.get(`${parameters.owner}/${parameters.repo}`.toLowerCase())
  return answer(call, app, (one) => repository !== undefined && covers(one, repository))
}

async function findByAccount(call: GlobalCall): Promise<ForgeResponse> {
  const app = await requireApp(call.state, call.request)
  const login = call.parameters.account!.toLowerCase()
  return answer(call, app, ({ account }) => account.login.toLowerCase() === login)
}

function answer(
  { state }: GlobalCall,
  app: App,
  matches: (installation: Installation) => boolean,
): ForgeResponse {
  const found = app.installations.find(matches)
  if (found === undefined) throw notFound()
  return json(200, shapeInstallation(state, found))
}
