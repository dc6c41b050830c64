// REST routes of a project's webhooks and of what they were sent.
import type { Hook } from '../entities.ts'
import { type ForgeResponse, json, noContent } from '../http.ts'
import { redeliver } from '../send-deliveries.ts'
import { announceChange, type Delivery, nextId, now } from '../state.ts'
import {
  flag,
  list,
  notFound,
  type ProjectCall,
  type Route,
  refuse,
  refuseInput,
  requireLevel,
  requireText,
} from './calls.ts'
import { type HookSettings, memoryOf } from './memory.ts'
import { answerPage } from './pages.ts'
import { maintainer } from './roles.ts'
import { apiTime, type Shape } from './shape-projects.ts'

export const hookRoutes: readonly Route[] = [
  ['GET', '/hooks', listHooks],
  ['POST', '/hooks', createHook],
  ['GET', '/hooks/:hook', (call) => json(200, shapeHook(call, findHook(call)))],
  ['PUT', '/hooks/:hook', updateHook],
  ['DELETE', '/hooks/:hook', deleteHook],
  ['GET', '/hooks/:hook/events', listEvents],
  ['POST', '/hooks/:hook/events/:event/resend', resendEvent],
  ['POST', '/hooks/:hook/test/:trigger', testHook],
]

/** The limit of a project's hooks (`project_hooks` of the plan limits). */
const maximumHooks = 100

const flags = [
  ...['push_events', 'tag_push_events', 'merge_requests_events', 'repository_update_events'],
  ...['issues_events', 'confidential_issues_events', 'note_events', 'confidential_note_events'],
  ...['pipeline_events', 'wiki_page_events', 'deployment_events', 'feature_flag_events'],
  ...['job_events', 'releases_events', 'milestone_events', 'emoji_events'],
  ...['resource_access_token_events', 'resource_deploy_token_events', 'vulnerability_events'],
]

const defaults: HookSettings = {
  name: null,
  description: null,
  verifiesCertificate: true,
  signingToken: null,
  branchFilter: null,
}

const settingsOf = (call: ProjectCall, hook: Hook) =>
  memoryOf(call.state).hooks.get(hook.id) ?? defaults

/** Secrets are never shown: only that there are any. */
function shapeHook(call: ProjectCall, hook: Hook): Shape {
  const settings = settingsOf(call, hook)
  return {
    id: hook.id,
    url: hook.url,
    name: settings.name,
    description: settings.description,
    created_at: apiTime(hook.createdAt),
    ...Object.fromEntries(flags.map((name) => [name, hook.events.includes(name)])),
    enable_ssl_verification: settings.verifiesCertificate,
    ...{ alert_status: 'executable', disabled_until: null, url_variables: [] },
    push_events_branch_filter: settings.branchFilter,
    ...{ branch_filter_strategy: 'wildcard', custom_webhook_template: null, custom_headers: [] },
    token_present: hook.secret !== '',
    signing_token_present: settings.signingToken !== null,
    project_id: call.repository.id,
  }
}

function findHook(call: ProjectCall): Hook {
  requireLevel(call, maintainer)
  const wanted = Number(call.parameters.hook)
  const hook = call.repository.hooks.find(({ id }) => id === wanted)
  if (hook === undefined) throw notFound()
  return hook
}

async function listHooks(call: ProjectCall): Promise<ForgeResponse> {
  requireLevel(call, maintainer)
  return await answerPage(call, call.repository.hooks, (hook) => shapeHook(call, hook))
}

function createHook(call: ProjectCall): ForgeResponse {
  requireLevel(call, maintainer)
  const url = readUrl(requireText(call, 'url'))
  const settings = readSettings(call, defaults)
  if (call.repository.hooks.length >= maximumHooks) {
    const base = [`Maximum number of project hooks (${maximumHooks}) exceeded`]
    throw refuse(422, { base })
  }
  const hook: Hook = {
    id: nextId(call.state),
    url,
    secret: readToken(call, ''),
    contentType: 'json',
    // A hook without any flag is sent pushes.
    events: readFlags(call, ['push_events']),
    active: true,
    createdAt: now(call.state),
  }
  memoryOf(call.state).hooks.set(hook.id, settings)
  call.repository.hooks.push(hook)
  announceChange(call.state)
  return json(201, shapeHook(call, hook))
}

function updateHook(call: ProjectCall): ForgeResponse {
  const former = findHook(call)
  const names = Object.keys(call.input)
  if (names.length === 0) throw refuseInput('No parameters provided')
  const url = call.input.url === undefined ? former.url : readUrl(String(call.input.url))
  const events = readFlags(call, former.events)
  // Another address doesn't get the former one's token (doc/api/project_webhooks.md).
  const secret = readToken(call, url === former.url ? former.secret : '')
  const hook: Hook = { ...former, url, events, secret }
  memoryOf(call.state).hooks.set(hook.id, readSettings(call, settingsOf(call, former)))
  call.repository.hooks = call.repository.hooks.map((one) => (one === former ? hook : one))
  announceChange(call.state)
  return json(200, shapeHook(call, hook))
}

/** Addresses in the local network are taken here, which GitLab forbids unless it is set up so. */
function readUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw refuseInput('Invalid url given', 422)
  return url
}

function readToken(call: ProjectCall, former: string): string {
  const { token } = call.input
  return token === undefined || token === null ? former : String(token)
}

function readFlags(call: ProjectCall, former: readonly string[]): string[] {
  return flags.filter((name) => flag(call, name) ?? former.includes(name))
}

/** A signing token is the prefix `whsec_` and 32 bytes in base64 (gitlab-org/gitlab!231325). */
function readSettings(call: ProjectCall, former: HookSettings): HookSettings {
  const { description, name, push_events_branch_filter: filter, signing_token: token } = call.input
  const text = (value: unknown, otherwise: string | null) =>
    value === undefined ? otherwise : value === null ? null : String(value)
  const signingToken = text(token, former.signingToken)
  if (signingToken !== null && signingToken !== '') {
    const key = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(signingToken)?.[1]
    if (key === undefined || Buffer.from(key, 'base64').length !== 32)
      throw refuse(422, { signing_token: ['must be in the format whsec_<base64>'] })
  }
  return {
    name: text(name, former.name),
    description: text(description, former.description),
    verifiesCertificate: flag(call, 'enable_ssl_verification') ?? former.verifiesCertificate,
    signingToken: signingToken === '' ? null : signingToken,
    branchFilter: text(filter, former.branchFilter),
  }
}

function deleteHook(call: ProjectCall): ForgeResponse {
  const hook = findHook(call)
  call.repository.hooks = call.repository.hooks.filter((one) => one !== hook)
  announceChange(call.state)
  return noContent()
}

const eventsOf = (call: ProjectCall, hook: Hook) =>
  call.state.deliveries
    .filter(({ hookId }) => hookId === hook.id)
    .flatMap((delivery) => delivery.attempts.map((attempt) => ({ delivery, attempt })))
    .sort((one, other) => other.attempt.id - one.attempt.id)

type HookEvent = ReturnType<typeof eventsOf>[number]

/** The attempts of seven days, newest first: at most 20 on a page. */
async function listEvents(call: ProjectCall): Promise<ForgeResponse> {
  const hook = findHook(call)
  const wanted = list(call, 'status')
  const events = eventsOf(call, hook).filter(
    ({ attempt }) => wanted === null || wanted.some((status) => hasStatus(attempt.status, status)),
  )
  const size = Number(call.input.per_page ?? 20)
  if (!(size >= 1 && size <= 20)) throw refuseInput('per_page does not have a valid value')
  return await answerPage(call, events, shapeEvent)
}

function hasStatus(status: number, wanted: string): boolean {
  const ranges: Readonly<Record<string, number>> = {
    successful: 2,
    client_failure: 4,
    server_failure: 5,
  }
  const range = ranges[wanted]
  return range === undefined ? String(status) === wanted : Math.floor(status / 100) === range
}

/** Where nothing was answered, the status is a text (app/services/web_hook_service.rb). */
function shapeEvent({ attempt, delivery }: HookEvent): Shape {
  const { headers, url } = delivery.request
  const redacted = 'X-Gitlab-Token' in headers ? { 'X-Gitlab-Token': '[REDACTED]' } : {}
  return {
    id: attempt.id,
    url,
    trigger: `${triggerOf(delivery)}_hooks`,
    request_headers: { ...headers, ...redacted },
    request_data: delivery.payload,
    response_headers: attempt.responseHeaders,
    response_body: attempt.responseBody.slice(0, 8192),
    execution_duration: 0.1,
    response_status: attempt.status === 0 ? 'internal error' : String(attempt.status),
  }
}

const triggerOf = ({ event }: Delivery) =>
  event
    .replace(/ Hook$/, '')
    .toLowerCase()
    .replaceAll(' ', '_')

/** Sends again at once and answers with what was answered, with the same `Idempotency-Key`. */
async function resendEvent(call: ProjectCall): Promise<ForgeResponse> {
  const hook = findHook(call)
  const wanted = Number(call.parameters.event)
  const found = eventsOf(call, hook).find(({ attempt }) => attempt.id === wanted)
  if (found === undefined) throw notFound()
  if (found.delivery.request.url !== hook.url)
    throw refuse(422, 'The hook URL has changed, and this log entry cannot be retried')
  const attempt = await redeliver(call.state, found.delivery.id)
  if (attempt.error !== null) throw refuse(422, attempt.error)
  return json(201, { response_status: attempt.status })
}

function testHook(call: ProjectCall): ForgeResponse {
  findHook(call)
  throw refuse(422, 'Ensure the project has data for this trigger.')
}
