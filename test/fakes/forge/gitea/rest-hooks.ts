// Routes of webhooks, for administrators of the repository.
import type { Hook } from '../entities.ts'
import type { ForgeResponse } from '../http.ts'
import { insertHook } from '../rest-repositories.ts'
import { announceChange } from '../state.ts'
import { expandEvents } from './hook-events.ts'
import {
  answer,
  answerPage,
  empty,
  notFound,
  type RepositoryCall,
  type Route,
  readBody,
  refuse,
  requirePermission,
} from './host.ts'
import { shapeHook } from './shape-pulls.ts'

export const hookRoutes: readonly Route<RepositoryCall>[] = [
  ['GET', '/hooks', listHooks],
  ['POST', '/hooks', createHook],
  ['GET', '/hooks/:id', (call) => answer(200, shapeHook(call, findHook(call)))],
  ['PATCH', '/hooks/:id', updateHook],
  ['DELETE', '/hooks/:id', deleteHook],
]

function findHook(call: RepositoryCall): Hook {
  requirePermission(call, 'admin')
  const hook = call.repository.hooks.find(({ id }) => String(id) === call.parameters.id)
  if (hook === undefined) throw notFound(call)
  return hook
}

function listHooks(call: RepositoryCall): Promise<ForgeResponse> {
  requirePermission(call, 'admin')
  return answerPage(call, call.repository.hooks, (hook) => shapeHook(call, hook))
}

const readConfig = (value: unknown) => (value ?? {}) as Record<string, unknown>
const readEvents = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])

function refuseAddress(call: RepositoryCall, url: string): void {
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  if (!isWeb && call.profile.checksHookUrl) throw refuse(call, 422, 'Invalid url')
}

/** Creates a webhook: inactive unless `active` is true, and also where the address has one. */
function createHook(call: RepositoryCall): ForgeResponse {
  requirePermission(call, 'admin')
  const body = readBody(call)
  const config = readConfig(body.config)
  const types = ['gitea', 'gogs', ...(call.profile.name === 'forgejo' ? ['forgejo'] : [])]
  if (!types.includes(String(body.type)))
    throw refuse(call, 422, `Invalid hook type: ${body.type ?? ''}`)
  for (const name of ['url', 'content_type'])
    if (config[name] === undefined) throw refuse(call, 422, `Missing config option: ${name}`)
  refuseAddress(call, String(config.url))
  const hook = insertHook(call.state, call.repository, {
    url: String(config.url),
    secret: typeof config.secret === 'string' ? config.secret : '',
    contentType: config.content_type === 'json' ? 'json' : 'form',
    events: expandEvents(call.profile, readEvents(body.events)),
    active: body.active === true,
  })
  return answer(201, shapeHook(call, hook))
}

/**
 * Changes a webhook. Its secret stays, whatever `config` says, although the documentation lets one
 * expect a new one; and its events become those of the request, `push` where it names none.
 */
function updateHook(call: RepositoryCall): ForgeResponse {
  const hook = findHook(call)
  const body = readBody(call)
  const { content_type: type, url } = readConfig(body.config)
  if (typeof url === 'string') refuseAddress(call, url)
  const changed: Hook = {
    ...hook,
    ...(typeof url === 'string' ? { url } : {}),
    ...(type === 'json' || type === 'form' ? { contentType: type } : {}),
    ...(typeof body.active === 'boolean' ? { active: body.active } : {}),
    events: expandEvents(call.profile, readEvents(body.events)),
  }
  call.repository.hooks = call.repository.hooks.map((one) => (one === hook ? changed : one))
  announceChange(call.state)
  return answer(200, shapeHook(call, changed))
}

function deleteHook(call: RepositoryCall): ForgeResponse {
  const hook = findHook(call)
  call.repository.hooks = call.repository.hooks.filter((one) => one !== hook)
  announceChange(call.state)
  return empty(204)
}
