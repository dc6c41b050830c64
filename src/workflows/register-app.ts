// Creates, describes and removes the App of this deployment, for administrators.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { listAppInstallations } from '../accounts/app-installations.ts'
import { recordAudit } from '../accounts/audit.ts'
import { deleteApp, findApp, insertApp } from '../accounts/platform-apps.ts'
import { openAttempt, sealAttempt } from '../accounts/sealed-attempts.ts'
import { redeemState } from '../accounts/sign-in-states.ts'
import type { Caller } from '../accounts/tokens.ts'
import type { AppContext, ServiceContext } from '../context.ts'
import { addresses, appDeliveryPath, callbackPath } from '../contract/addresses.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { PlatformError, RequestError } from '../domain/errors.ts'
import { startDeadline } from '../platforms/deadline.ts'
import type { AppRegistration, AppRegistrationForm } from '../platforms/platform-app.ts'
import { disconnectAppRepositories } from './connecting/apply-installation-change.ts'

type AppRegistrationContext = Pick<AppContext, 'config' | 'db' | 'keys' | 'platform'>

/** The maximum time that a person may take at the platform. */
const attemptMs = 600_000
const exchangeTimeoutMs = 20_000

const attemptSchema = z.object({
  id: z.string(),
  expiresAt: z.int(),
  /** The host that creates the App. */
  host: z.string(),
})

/**
 * Starts to create the App.
 *
 * @param organization the organization that will own it; null for the caller's own account
 * @throws RequestError `access_denied`, `not_found` where the platform has no Apps, and `conflict`
 *   if there is an App already
 */
export async function startAppRegistration(
  ctx: AppRegistrationContext,
  caller: Caller,
  organization: string | null,
): Promise<AppRegistrationForm> {
  const apps = requireApps(ctx, caller)
  await requireNoApp(ctx)
  const { http, serviceName } = ctx.config
  const attempt = {
    id: randomBytes(16).toString('hex'),
    expiresAt: Date.now() + attemptMs,
    host: ctx.platform.id,
  }
  return apps.describeRegistration({
    organization,
    name: `${serviceName}-${organization ?? caller.login}`,
    homepageUrl: http.publicUrl,
    webhookUrl: `${http.publicUrl}${appDeliveryPath(ctx.config.platform.name)}`,
    redirectUrl: `${http.publicUrl}${addresses.finishAppRegistration.path}`,
    callbackUrl: `${http.publicUrl}${callbackPath(ctx.config.platform.name)}`,
    setupUrl: `${http.publicUrl}/repositories`,
    state: sealAttempt(ctx.keys, attempt, stateOwnerOf(caller)),
  })
}

/**
 * Stores the App that the platform created.
 *
 * @param back the parameters that the browser brings back from the platform
 * @throws RequestError like `startAppRegistration`, `request_malformed` for a state that this
 *   session didn't start or that was used, and `platform_failed`
 */
export async function finishAppRegistration(
  { hosts }: Pick<ServiceContext, 'hosts'>,
  caller: Caller,
  back: { readonly code?: string | undefined; readonly state?: string | undefined },
): Promise<void> {
  requireAdministrator(caller)
  const { code, state } = back
  const { keys } = hosts.first
  const attempt = openAttempt(keys, attemptSchema, state, stateOwnerOf(caller))
  const ctx = hosts.find(attempt?.host ?? '')
  if (code === undefined || state === undefined || ctx === undefined) {
    throw refuse('This was not started in this session, or took longer than ten minutes')
  }
  requireApps(ctx, caller)
  if (!(await redeemState(ctx.db, state))) throw refuse('This has ended already')
  await requireNoApp(ctx)
  const app = await exchangeCode(ctx, code)
  await transactionWithRetry(ctx.db, async (tx) => {
    if (!(await insertApp(tx, ctx.keys, ctx.platform.id, app))) throw alreadyCreated()
    await recordAudit(tx, caller, 'app_created', app.name)
  })
}

/** The state is for the session, so it can't be used in another one. */
const stateOwnerOf = ({ tokenId }: Caller) => `app registration in session ${tokenId}`

async function exchangeCode(ctx: AppRegistrationContext, code: string): Promise<AppRegistration> {
  try {
    const apps = ctx.platform.apps!
    return await apps.exchangeManifestCode(code, startDeadline(exchangeTimeoutMs))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (!error.retryable) throw refuse('The platform did not accept the code')
    throw new RequestError('platform_failed', `The App could not be read: ${error.message}`, {
      cause: error,
    })
  }
}

/** Describes the App and its installations. */
export async function describeApp(ctx: AppRegistrationContext, caller: Caller) {
  requireAdministrator(caller)
  const { apps, id: source } = ctx.platform
  const app = apps === null ? undefined : await findApp(ctx.db, source)
  if (apps === null || app === undefined) return { supported: apps !== null, app: null }
  const installations = await listAppInstallations(ctx.db, source)
  const { htmlUrl: url, clientId: _, ...shown } = app
  return {
    supported: true,
    app: {
      ...shown,
      url,
      installUrl: apps.installUrl(app),
      installations: installations.map(({ suspendedAt, htmlUrl, accountLogin, ...one }) => ({
        ...one,
        account: accountLogin,
        url: htmlUrl,
        suspended: suspendedAt !== null,
      })),
    },
  }
}

/** Deletes the App here and disconnects what only it connected. The platform keeps it. */
export async function removeApp(ctx: AppRegistrationContext, caller: Caller): Promise<void> {
  requireAdministrator(caller)
  await transactionWithRetry(ctx.db, async (tx) => {
    for (const { id } of await listAppInstallations(tx, ctx.platform.id)) {
      await disconnectAppRepositories(tx, id, null)
    }
    const name = await deleteApp(tx, ctx.platform.id)
    if (name === undefined) throw new RequestError('not_found', 'There is no App')
    await recordAudit(tx, caller, 'app_removed', name)
  })
}

function requireApps({ platform }: AppRegistrationContext, caller: Caller) {
  requireAdministrator(caller)
  if (platform.apps !== null) return platform.apps
  throw new RequestError('not_found', 'The code host has no Apps')
}

function requireAdministrator({ isAdmin }: Caller): void {
  if (!isAdmin) throw new RequestError('access_denied', 'For administrators only')
}

async function requireNoApp({ db, platform }: AppRegistrationContext): Promise<void> {
  if ((await findApp(db, platform.id)) !== undefined) throw alreadyCreated()
}

function alreadyCreated(): RequestError {
  return new RequestError('conflict', 'There is an App already: remove it first')
}

function refuse(reason: string): RequestError {
  return new RequestError('request_malformed', `${reason}: start again in the settings`)
}
