// Acts as a GitHub App: creates it from a manifest, and its tokens for single repositories.
// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { ApiCall, Connection } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { findOr, send, sendForJson } from '../http/request.ts'
import type {
  AppCredentials,
  AppInspection,
  AppInstallation,
  AppRegistration,
  AppRepository,
  InstallationToken,
  PlatformApps,
} from '../platform-app.ts'
import { readInstallationChange, readRequest, startsReview } from './app-deliveries.ts'
import {
  addedPermissions,
  appEvents,
  appPermissions,
  describeRegistration,
} from './app-manifest.ts'
import { appRepositorySchema, installationSchema } from './app-schemas.ts'
import { listFailedDeliveries, redeliver } from './hook-deliveries.ts'

/** GitHub accepts ten minutes at most. */
const jwtSeconds = 9 * 60
/** The clocks of both sides may differ. */
const clockToleranceSeconds = 60

const registrationSchema = z
  .object({
    id: z.int(),
    slug: z.string().min(1),
    name: z.string(),
    owner: z.object({ login: z.string() }),
    html_url: z.string(),
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
    webhook_secret: z.string().min(1),
    pem: z.string().min(1),
  })
  .transform(
    (fields): AppRegistration => ({
      id: String(fields.id),
      slug: fields.slug,
      name: fields.name,
      owner: fields.owner.login,
      htmlUrl: fields.html_url,
      clientId: fields.client_id,
      clientSecret: fields.client_secret,
      webhookSecret: fields.webhook_secret,
      privateKey: fields.pem,
    }),
  )

const deliveriesCall = { path: '/app/hook/deliveries' }

export function createGithubApps(connection: Connection): PlatformApps {
  return {
    describeRegistration: (input) => describeRegistration(connection.webUrl, input),
    exchangeManifestCode: (code, signal) => exchangeManifestCode(connection, code, signal),
    installUrl: ({ htmlUrl }) => `${htmlUrl}/installations/new`,
    readInstallationChange,
    startsReview,
    readRequest,
    createInstallationToken: (app, input, signal) =>
      createInstallationToken(connection, app, input, signal),
    createReadToken: (app, { installationId, repositoryName }, signal) => {
      const scope = { repositories: [repositoryName], permissions: { contents: 'read' } }
      return requestToken(connection, app, { installationId, scope }, signal)
    },
    listInstallations: (app, signal) => listInstallations(connection, app, signal),
    findInstallation: (app, installationId, signal) =>
      findInstallation(connection, app, installationId, signal),
    listInstallationRepositories: (app, installationId, signal) =>
      listInstallationRepositories(connection, app, installationId, signal),
    setWebhookSecret: (app, secret, signal) => setWebhookSecret(connection, app, secret, signal),
    listFailedDeliveries: async (app, since, signal) =>
      listFailedDeliveries(connection, await signCall(app, deliveriesCall, signal), since),
    redeliver: async (app, attemptId, signal) =>
      redeliver(connection, await signCall(app, deliveriesCall, signal), attemptId),
    inspectApp: (app, signal) => inspectApp(connection, app, signal),
  }
}

/** POST /app-manifests/{code}/conversions, which needs no credential but the code. */
async function exchangeManifestCode(
  connection: Connection,
  code: string,
  signal: AbortSignal | undefined,
): Promise<AppRegistration> {
  const path = `/app-manifests/${encodeURIComponent(code)}/conversions`
  return sendForJson(connection, { method: 'POST', path, signal }, registrationSchema)
}

/**
 * POST /app/installations/{id}/access_tokens. Reads first what the installation grants, because
 * GitHub refuses a token for more: accounts accept new permissions of an App when they want.
 */
async function createInstallationToken(
  connection: Connection,
  app: AppCredentials,
  { installationId, repositoryId }: { installationId: string; repositoryId: string },
  signal: AbortSignal | undefined,
): Promise<InstallationToken> {
  const path = `/app/installations/${encodeURIComponent(installationId)}`
  const granted = await sendForJson(
    connection,
    await signCall(app, { path }, signal),
    z.object({ permissions: z.record(z.string(), z.string()) }),
  )
  const needed = Object.keys(appPermissions).filter((name) => name in granted.permissions)
  const added = addedPermissions.filter((name) => name in granted.permissions)
  const scope = {
    repository_ids: [Number(repositoryId)],
    permissions: Object.fromEntries([
      ...needed.map((name) => [name, granted.permissions[name]]),
      ...added.map((name) => [name, 'read']),
    ]),
  }
  return requestToken(connection, app, { installationId, scope }, signal)
}

const tokenSchema = z
  .object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) })
  .transform(({ token, expires_at: time }) => ({ token, expiresAt: new Date(time) }))

async function requestToken(
  connection: Connection,
  app: AppCredentials,
  { installationId, scope }: { installationId: string; scope: object },
  signal: AbortSignal | undefined,
): Promise<InstallationToken> {
  const path = `/app/installations/${encodeURIComponent(installationId)}/access_tokens`
  const call = { method: 'POST', path, body: scope } as const
  return sendForJson(connection, await signCall(app, call, signal), tokenSchema)
}

/** GET /app/installations. */
async function listInstallations(
  connection: Connection,
  app: AppCredentials,
  signal: AbortSignal | undefined,
): Promise<readonly AppInstallation[]> {
  const call = await signCall(app, { path: '/app/installations' }, signal)
  return Array.fromAsync(readPages(connection, call, installationSchema))
}

/** GET /app/installations/{installation_id}. */
async function findInstallation(
  connection: Connection,
  app: AppCredentials,
  installationId: string,
  signal: AbortSignal | undefined,
): Promise<AppInstallation | undefined> {
  const path = `/app/installations/${encodeURIComponent(installationId)}`
  return findOr(undefined, async () =>
    sendForJson(connection, await signCall(app, { path }, signal), installationSchema),
  )
}

const maxRepositories = 10_000
const pageSize = 100

/** GET /installation/repositories, whose pages are objects. */
async function listInstallationRepositories(
  connection: Connection,
  app: AppCredentials,
  installationId: string,
  signal: AbortSignal | undefined,
): Promise<readonly AppRepository[]> {
  const scope = { permissions: { metadata: 'read' } }
  const { token } = await requestToken(connection, app, { installationId, scope }, signal)
  const page = z.object({ repositories: z.array(appRepositorySchema) })
  const all: AppRepository[] = []
  for (let number = 1; all.length < maxRepositories; number++) {
    const path = `/installation/repositories?per_page=${pageSize}&page=${number}`
    const { repositories } = await sendForJson(connection, { path, token, signal }, page)
    all.push(...repositories)
    if (repositories.length < pageSize) break
  }
  return all
}

const appSchema = z.object({
  name: z.string(),
  permissions: z.record(z.string(), z.string()),
  events: z.array(z.string()),
})
const hookSchema = z.object({ url: z.string().catch('') })

/** GET /app and GET /app/hook/config. */
async function inspectApp(
  connection: Connection,
  app: AppCredentials,
  signal: AbortSignal | undefined,
): Promise<AppInspection> {
  const call = (path: string) => signCall(app, { path }, signal)
  const { name, permissions, events } = await sendForJson(connection, await call('/app'), appSchema)
  const { url } = await sendForJson(connection, await call('/app/hook/config'), hookSchema)
  const isGranted = (permission: string, level: string) =>
    permissions[permission] === level || ['write', 'admin'].includes(permissions[permission] ?? '')
  const listMissing = (needed: readonly (readonly [string, string])[]) =>
    needed
      .filter(([permission, level]) => !isGranted(permission, level))
      .map(([permission, level]) => `${permission}: ${level}`)
  return {
    name,
    missingPermissions: listMissing(Object.entries(appPermissions)),
    missingToolPermissions: listMissing(addedPermissions.map((each) => [each, 'read'] as const)),
    missingEvents: appEvents.filter((event) => !events.includes(event)),
    webhookUrl: url,
  }
}

/** PATCH /app/hook/config, which keeps what it isn't given. */
async function setWebhookSecret(
  connection: Connection,
  app: AppCredentials,
  secret: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const call = { method: 'PATCH', path: '/app/hook/config', body: { secret } } as const
  await send(connection, await signCall(app, call, signal))
}

/** Adds a JWT that proves that the call comes from the App. */
async function signCall(
  { clientId, privateKey }: AppCredentials,
  call: ApiCall,
  signal: AbortSignal | undefined,
): Promise<ApiCall> {
  const now = Math.floor(Date.now() / 1000)
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(clientId)
    .setIssuedAt(now - clockToleranceSeconds)
    .setExpirationTime(now + jwtSeconds)
    .sign(readPrivateKey(privateKey))
  return { ...call, token, signal }
}

/** The message of the error would quote the key. */
function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new PlatformError('platform_unauthorized', "The App's private key can't be read.")
  }
}
