// GitHub's webhook deliveries: who receives an event, the payload, and the signed request.
import { createHmac, randomUUID } from 'node:crypto'
import { seesEvent } from '../apps/app-permissions.ts'
import { type App, type Installation, installationFor } from '../apps/app-state.ts'
import { shapeInstallationLite, shapePayloadInstallation } from '../apps/shape-apps.ts'
import type { ForgeEvent, RefChange } from '../dialect.ts'
import type { Hook, Repository, User } from '../entities.ts'
import { startDelivery } from '../send-deliveries.ts'
import { shapeOrganization, shapeRepository, shapeUser } from '../shape-accounts.ts'
import { shapeHook } from '../shapes.ts'
import type { ForgeState } from '../state.ts'
import { describeEvent } from './describe-event.ts'
import { shapePush } from './shape-push.ts'

const zen = 'Say what you mean, once.'

type Payload = Readonly<Record<string, unknown>>

/** Who receives a delivery, and for which repository and installation it is. */
interface Target {
  readonly hook: Pick<Hook, 'id' | 'url' | 'secret' | 'contentType'>
  readonly type: 'repository' | 'integration'
  readonly id: number
  readonly repository: Repository | null
  readonly installation: Installation | null
}

/** Sends an event to all hooks and Apps that subscribed, without waiting for answers. */
export function deliverEvent(
  state: ForgeState,
  repository: Repository,
  event: ForgeEvent,
  sender: User,
): void {
  for (const [name, content] of describeEvent(state, event))
    deliverNamed(state, repository, name, sender, content)
}

/** Sends a push to those who subscribed. */
export async function deliverPush(
  state: ForgeState,
  repository: Repository,
  change: RefChange,
  sender: User,
): Promise<void> {
  if (!isHeard(state, repository, 'push')) return
  const content = await shapePush(state, repository, change, sender)
  deliverNamed(state, repository, 'push', sender, content)
}

/** Sends an event by its name. */
export function deliverNamed(
  state: ForgeState,
  repository: Repository,
  event: string,
  sender: User,
  content: Payload,
): void {
  if (!isHeard(state, repository, event)) return
  const payload = addContext(state, repository, sender, content)
  for (const hook of repository.hooks) {
    if (!listens(hook, event)) continue
    start(
      state,
      { hook, type: 'repository', id: repository.id, repository, installation: null },
      event,
      payload,
    )
  }
  for (const app of state.apps) deliverForApp(state, app, repository, event, payload)
}

const listens = (hook: Hook, event: string) =>
  hook.active && (hook.events.includes(event) || hook.events.includes('*'))

/** Returns whether anybody receives an event: most repositories of tests have no hook. */
function isHeard(state: ForgeState, repository: Repository, event: string): boolean {
  const hooked = repository.hooks.some((hook) => listens(hook, event))
  return hooked || state.apps.some((app) => installationFor(app, repository) !== undefined)
}

/** Sends an event only to the App that owns a check, where it may write checks and subscribed. */
export function deliverToOwner(
  state: ForgeState,
  app: App,
  repository: Repository,
  event: string,
  sender: User,
  content: Payload,
): void {
  const payload = addContext(state, repository, sender, content)
  const permissions = installationFor(app, repository)?.permissions
  if (permissions?.checks === 'write') deliverForApp(state, app, repository, event, payload)
}

function addContext(
  state: ForgeState,
  repository: Repository,
  sender: User,
  content: Payload,
): Payload {
  const { owner } = repository
  return {
    ...content,
    repository: shapeRepository(state, repository),
    ...(owner.type === 'Organization' ? { organization: shapeOrganization(state, owner) } : {}),
    sender: shapeUser(state, sender),
  }
}

function deliverForApp(
  state: ForgeState,
  app: App,
  repository: Repository,
  event: string,
  payload: Payload,
): void {
  const installation = installationFor(app, repository)
  if (installation === undefined || !installation.events.includes(event)) return
  if (!seesEvent(installation.permissions, event)) return
  startForApp(state, installation, repository, event, payload)
}

function startForApp(
  state: ForgeState,
  installation: Installation,
  repository: Repository | null,
  event: string,
  payload: Payload,
): void {
  const { app } = installation
  if (!app.hook.active) return
  const target = {
    hook: app.hook,
    type: 'integration',
    id: app.id,
    repository,
    installation,
  } as const
  start(state, target, event, { installation: shapeInstallationLite(installation), ...payload })
}

/** Sends an event about an installation itself: to its App, which needs no subscription. */
export function deliverToApp(
  state: ForgeState,
  installation: Installation,
  event: string,
  sender: User,
  content: Payload,
): void {
  startForApp(state, installation, null, event, {
    ...content,
    installation: shapePayloadInstallation(state, installation),
    sender: shapeUser(state, sender),
  })
}

/** Sends the `ping` of a new hook. */
export function ping(state: ForgeState, repository: Repository, hook: Hook, sender: User): void {
  const target = {
    hook,
    type: 'repository',
    id: repository.id,
    repository,
    installation: null,
  } as const
  start(state, target, 'ping', {
    zen,
    hook_id: hook.id,
    hook: shapeHook(state, repository, hook),
    repository: shapeRepository(state, repository),
    sender: shapeUser(state, sender),
  })
}

function start(state: ForgeState, target: Target, event: string, payload: Payload): void {
  const { hook, installation, repository } = target
  const text = JSON.stringify(payload)
  const body =
    hook.contentType === 'json' ? text : new URLSearchParams({ payload: text }).toString()
  const guid = randomUUID()
  startDelivery(state, {
    ...{ guid, hook, event, payload, repository, body },
    installationId: installation?.id ?? null,
    headers: headersFor(target, event, guid, body),
  })
}

function headersFor({ hook, id, type }: Target, event: string, guid: string, body: string) {
  const sign = (algorithm: string) =>
    `${algorithm}=${createHmac(algorithm, hook.secret).update(body).digest('hex')}`
  return {
    'User-Agent': 'GitHub-Hookshot/f0e4a7e',
    Accept: '*/*',
    'Content-Type':
      hook.contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    'X-GitHub-Event': event,
    'X-GitHub-Delivery': guid,
    'X-GitHub-Hook-ID': String(hook.id),
    'X-GitHub-Hook-Installation-Target-ID': String(id),
    'X-GitHub-Hook-Installation-Target-Type': type,
    ...(hook.secret === ''
      ? {}
      : { 'X-Hub-Signature': sign('sha1'), 'X-Hub-Signature-256': sign('sha256') }),
  }
}
