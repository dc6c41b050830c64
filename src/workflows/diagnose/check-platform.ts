// Checks the platform's API, our token there, and the OAuth application for sign-in.
import type { Config } from '../../context.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { Platform } from '../../platforms/platform.ts'
import { explainError, type Observation, ok, problem, skipped, warning } from './check.ts'
import { isReachableByOthers } from './check-public-address.ts'
import type { Evidence } from './setup.ts'

/** Checks that the platform's API answers. */
export async function checkPlatform(
  config: Config['platform'],
  evidence: Evidence,
): Promise<Observation> {
  try {
    await evidence.platform
    return ok(`The API at ${config.apiUrl} answers.`)
  } catch (error) {
    const remedy =
      'Check PLATFORM_URL and PLATFORM_API_URL, and that this machine can connect there.'
    return explainError(error, remedy)
  }
}

/** Checks that PLATFORM_TOKEN is accepted and has the scopes that reviews need. */
export async function checkPlatformToken(
  token: string | null,
  platform: Platform,
  signal: AbortSignal,
): Promise<Observation> {
  if (token === null)
    return skipped('PLATFORM_TOKEN is not set: unconnected repositories are not reviewed.')
  try {
    const { viewer, scopes, missingScopes } = await platform.inspect(token, signal)
    const owner = `PLATFORM_TOKEN belongs to ${viewer?.login}`
    if (missingScopes.length > 0) {
      const granted = scopes?.length ? scopes.join(', ') : 'nothing'
      return problem(
        `${owner} and lacks scopes: it has ${granted}.`,
        `Create a token with the scopes ${missingScopes.join(', ')}.`,
      )
    }
    if (scopes === null) {
      const permissions = 'read code, and write pull requests and commit statuses'
      return ok(`${owner}. The platform doesn't list its permissions: it must ${permissions}.`)
    }
    return ok(`${owner} and has the scopes ${scopes.join(', ')}.`)
  } catch (error) {
    const isRefused = error instanceof PlatformError && !error.retryable
    const observation = explainError(
      error,
      isRefused ? 'Create a new one on the platform and set it.' : undefined,
    )
    return {
      ...observation,
      message: `PLATFORM_TOKEN could not be checked: ${observation.message}`,
    }
  }
}

/** Checks that the platform accepts the OAuth application for sign-in. */
export async function checkApplication(
  { platform: { oauth }, http }: Pick<Config, 'platform' | 'http'>,
  platform: Platform,
  evidence: Evidence,
  signal: AbortSignal,
): Promise<Observation> {
  if (oauth === null) {
    const apps = (await evidence.database.catch(() => null))?.answer.facts?.apps ?? []
    const app = apps.find(({ source }) => source === platform.id)
    if (app !== undefined) return ok(`Users sign in with the App ${app.name}, or with a token.`)
    return skipped(
      'OAUTH_CLIENT_ID is not set: users sign in with a personal access token of the platform.',
    )
  }
  if (await platform.acceptsOAuthApp(oauth, signal)) {
    const callback = `${http.publicUrl}/auth/callback`
    return ok(`The application is accepted. Its callback URL there has to be ${callback}.`)
  }
  const remedy =
    "Compare OAUTH_CLIENT_ID with the application's page on the platform, and create a new secret."
  return problem('The platform does not accept OAUTH_CLIENT_ID with OAUTH_CLIENT_SECRET.', remedy)
}

/** Whether anyone who can connect may sign in, with an account that anyone can create. */
export function isSignInOpenToOthers({
  http,
  signInAllowed,
}: Pick<Config, 'http' | 'signInAllowed'>): boolean {
  return signInAllowed === null && isReachableByOthers(http)
}

/** Checks who may sign in and cause model costs. */
export function checkSignIn(
  config: Pick<Config, 'http' | 'signInAllowed' | 'models' | 'platform'>,
): Observation {
  const { signInAllowed, models, platform } = config
  if (signInAllowed !== null) {
    const count = signInAllowed.size
    return ok(`${count} ${count === 1 ? 'person' : 'people'} may sign in.`)
  }
  const anyone = `Anyone with an account on ${platform.url} may sign in`
  const hasModel = models.main !== null
  if (!hasModel && !isSignInOpenToOthers(config)) return ok(`${anyone}. No model costs anything.`)
  const atWhoseCost = hasModel ? ' at the cost of your model' : ''
  return warning(
    `${anyone}, connect repositories, and have them reviewed${atWhoseCost}. ` +
      'The first to sign in becomes the administrator.',
    'List the allowed users in SIGN_IN_ALLOWED, unless this is intended.',
  )
}
