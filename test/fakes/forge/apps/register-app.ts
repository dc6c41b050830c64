// Registration of Apps: by the manifest flow, and directly by tests.
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { refuse } from '../http.ts'
import { createUser } from '../repositories.ts'
import { announceChange, type ForgeState, nextId, now, type User } from '../state.ts'
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
  const { name, url, hook_attributes: hook } = manifest
  const problems: string[] = []
  if (typeof name !== 'string' || name.trim() === '') problems.push("Name can't be blank")
  else if (name.length > maxNameLength)
    problems.push(`Name is too long (maximum is ${maxNameLength} characters)`)
  else if (state.apps.some((app) => app.slug === slugOf(name)))
    problems.push('Name is already taken')
  if (typeof url !== 'string' || !URL.canParse(url)) problems.push('Url must be a valid URL')
  if (hook !== undefined && !URL.canParse(hook.url ?? ''))
    problems.push('Hook url must be a valid URL')
  if ((manifest.callback_urls?.length ?? 0) > 10) problems.push('Callback URLs: at most 10')
  const unseen = (manifest.default_events ?? []).filter((event) => !knownEvents.includes(event))
  if (unseen.length > 0) problems.push(`Default events unsupported: ${unseen.join(', ')}`)
  return problems
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

/** Registers an App. Returns it with its private key, which isn't stored. */
export function registerApp(
  state: ForgeState,
  owner: User,
  manifest: AppManifest,
  options: { expiresUserTokens?: boolean; webhookSecret?: string } = {},
): { app: App; pem: string } {
  const name = manifest.name!
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const slug = slugOf(name)
  const hook = manifest.hook_attributes
  const app: App = {
    id: nextId(state),
    slug,
    name,
    owner,
    description: manifest.description ?? null,
    externalUrl: manifest.url ?? state.url,
    createdAt: now(state),
    clientId: `Iv23li${randomBytes(7).toString('hex')}`,
    clientSecret: randomBytes(20).toString('hex'),
    publicKey: createPublicKey(keys.privateKey),
    isPublic: manifest.public ?? false,
    callbackUrls: manifest.callback_urls ?? [],
    setupUrl: manifest.setup_url ?? null,
    setupOnUpdate: manifest.setup_on_update ?? false,
    signInOnInstall: manifest.request_oauth_on_install ?? false,
    expiresUserTokens: options.expiresUserTokens ?? true,
    permissions: { ...manifest.default_permissions, metadata: 'read' },
    events: manifest.default_events ?? [],
    hook: {
      id: nextId(state),
      active: hook !== undefined && hook.active !== false,
      url: hook?.url ?? '',
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
