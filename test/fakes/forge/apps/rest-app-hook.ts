// REST routes of an App's hook: its address, and its deliveries.
import { type ForgeResponse, json, jsonBody } from '../http.ts'
import { answerDeliveries, answerDelivery, answerRedelivery } from '../rest-deliveries.ts'
import type { GlobalCall, GlobalRoute } from '../routes.ts'
import { announceChange } from '../state.ts'
import { requireApp } from './app-jwt.ts'
import type { App, AppHook } from './app-state.ts'

export const appHookRoutes: readonly GlobalRoute[] = [
  ['GET', '/app/hook/config', withApp((_, app) => json(200, shapeConfig(app.hook)))],
  ['PATCH', '/app/hook/config', withApp(changeConfig)],
  [
    'GET',
    '/app/hook/deliveries',
    withApp((call, { hook }) => answerDeliveries(call.state, call.request, call.address, hook.id)),
  ],
  [
    'GET',
    '/app/hook/deliveries/:id',
    withApp(({ parameters, state }, { hook }) => answerDelivery(state, hook.id, parameters.id)),
  ],
  [
    'POST',
    '/app/hook/deliveries/:id/attempts',
    withApp(({ parameters, state }, { hook }) => answerRedelivery(state, hook.id, parameters.id)),
  ],
]

function withApp(handle: (call: GlobalCall, app: App) => ForgeResponse): GlobalRoute[2] {
  return async (call) => handle(call, await requireApp(call.state, call.request))
}

function shapeConfig(hook: AppHook): Record<string, unknown> {
  return {
    content_type: hook.contentType,
    insecure_ssl: hook.insecureSsl,
    secret: hook.secret === '' ? undefined : '********',
    url: hook.url,
  }
}

/** A new secret signs from now on; deliveries that are sent again keep their signature. */
function changeConfig(call: GlobalCall, app: App): ForgeResponse {
  const { content_type: contentType, insecure_ssl: insecure, secret, url } = jsonBody(call.request)
  app.hook = {
    ...app.hook,
    ...(typeof url === 'string' ? { url, active: true } : {}),
    ...(typeof secret === 'string' ? { secret } : {}),
    ...(contentType === 'json' || contentType === 'form' ? { contentType } : {}),
    ...(insecure === undefined ? {} : { insecureSsl: String(insecure) === '1' ? '1' : '0' }),
  }
  announceChange(call.state)
  return json(200, shapeConfig(app.hook))
}
