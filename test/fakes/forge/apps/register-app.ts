// Registration of Apps: by the manifest flow, and directly by tests.
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { User } from '../entities.ts'
import { refuse } from '../http.ts'
import { createUser } from '../repositories.ts'
import { announceChange, type ForgeState, nextId, now } from '../state.ts'
import type { App, AppConversion, Permissions } from './app-state.ts'

const codeLifetimeMs = 60 * 60 * 1000

/** GitHub's limit for names of Apps. */
const maxNameLength = 34

/** The manifest of an App, as GitHub documents its parameters. */
export interface AppManifest {
  readonly name?: string
  readonly url?: string
  readonly hook_attributes?: { readonly url?: string; readonly active?: boolean }
  readonly redirect_url?: string
  readonly callback_urls?: readonly string[]
  readonly setup_url?: string
  readonly description?: string
  readonly public?: boolean
  readonly default_events?: readonly string[]
  readonly default_permissions?: Permissions
  readonly request_oauth_on_install?: boolean
  readonly setup_on_update?: boolean
}

/** Returns what is wrong with a manifest, in GitHub's words; an empty list for a good one. */
export function manifestProblems(state: ForgeState, manifest: AppManifest): string[] {
  const { callback_urls: callbacks = [], default_events: events = [], hook_attributes } = manifest
  const problems = nameProblems(state, manifest.name)
  if (!URL.canParse(String(manifest.url))) problems.push('Url must be a valid URL')
  if (hook_attributes !== undefined && !URL.canParse(String(hook_attributes.url)))
    problems.push('Hook url must be a valid URL')
  if (callbacks.length > 10) problems.push('Callback URLs: at most 10')
  const unknown = events.filter((event) => !knownEvents.includes(event))
  if (unknown.length > 0) problems.push(`Default events unsupported: ${unknown.join(', ')}`)
  return problems
}

function nameProblems(state: ForgeState, name: unknown): string[] {
  if (typeof name !== 'string' || name.trim() === '') return ["Name can't be blank"]
  if (name.length > maxNameLength)
    return [`Name is too long (maximum is ${maxNameLength} characters)`]
  return state.apps.some((app) => app.slug === slugOf(name)) ? ['Name is already taken'] : []
}

/** Events to which an App can subscribe; those about its installations always come. */
const knownEvents = [
  ...['check_run', 'check_suite', 'issue_comment', 'issues', 'merge_group', 'pull_request'],
  ...['pull_request_review', 'pull_request_review_comment', 'pull_request_review_thread'],
  ...['push', 'repository', 'status'],
]

const slugOf = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** What a manifest that leaves it out gets. */
const defaults = {
  name: '',
  description: null,
  public: false,
  callback_urls: [],
  setup_url: null,
  setup_on_update: false,
  request_oauth_on_install: false,
  default_permissions: {},
  default_events: [],
}

/** Registers an App. Returns it with its private key, which isn't stored. */
export function registerApp(
  state: ForgeState,
  owner: User,
  manifest: AppManifest,
  options: { expiresUserTokens?: boolean; webhookSecret?: string } = {},
): { app: App; pem: string } {
  const given = { ...defaults, url: state.url, ...manifest }
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const slug = slugOf(given.name)
  const hook = { active: true, url: '', ...given.hook_attributes }
  const app: App = {
    id: nextId(state),
    slug,
    name: given.name,
    owner,
    description: given.description,
    externalUrl: given.url,
    createdAt: now(state),
    clientId: `Iv23li${randomBytes(7).toString('hex')}`,
    clientSecret: randomBytes(20).toString('hex'),
    publicKey: createPublicKey(keys.privateKey),
    isPublic: given.public,
    callbackUrls: given.callback_urls,
    setupUrl: given.setup_url,
    setupOnUpdate: given.setup_on_update,
    signInOnInstall: given.request_oauth_on_install,
    expiresUserTokens: options.expiresUserTokens ?? true,
    permissions: { ...given.default_permissions, metadata: 'read' },
    events: given.default_events,
    hook: {
      id: nextId(state),
      active: hook.active && hook.url !== '',
      url: hook.url,
      secret: options.webhookSecret ?? randomBytes(20).toString('hex'),
      contentType: 'json',
      insecureSsl: '0',
    },
    bot: createUser(state, `${slug}[bot]`, { type: 'Bot' }),
    installations: [],
  }
  state.apps.push(app)
  const { clientId, clientSecret } = app
  state.oauth.apps.set(clientId, { clientId, clientSecret, callbackUrl: null, app })
  announceChange(state)
  return { app, pem: keys.privateKey.export({ type: 'pkcs1', format: 'pem' }) as string }
}

/** Issues the code that the manifest flow hands to the redirect address. */
export function issueConversion(state: ForgeState, made: { app: App; pem: string }): string {
  const code = randomBytes(20).toString('hex')
  state.conversions.set(code, { ...made, expiresAt: state.clock().getTime() + codeLifetimeMs })
  return code
}

/** Redeems a code. Throws GitHub's 404 for one that is unknown, used or older than an hour. */
export function redeemConversion(state: ForgeState, code: string): AppConversion {
  const conversion = state.conversions.get(code)
  state.conversions.delete(code)
  if (conversion === undefined || conversion.expiresAt <= state.clock().getTime()) {
    throw refuse(404, 'Not Found')
  }
  return conversion
}
