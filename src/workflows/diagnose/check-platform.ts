// Checks the code-hosting platform, and what we show there: the token, and the application for sign-in.
import type { Config } from '../../config/config.ts'
import { PlatformError } from '../../domain/errors.ts'
import type { Platform } from '../../platforms/platform.ts'
import { explainError, type Observation, ok, problem, skipped, warning } from './check.ts'
import { isReachableByOthers } from './check-public-address.ts'
import type { Evidence } from './setup.ts'

/** Whether its API answers. */
export async function checkPlatform(
  config: Config['platform'],
  evidence: Evidence,
): Promise<Observation> {
  try {
    await evidence.platform
    return ok(`The API at ${config.apiUrl} answers.`)
  } catch (error) {
    const remedy =
      'Check PLATFORM_URL and PLATFORM_API_URL, and that this machine may connect there.'
    return explainError(error, remedy)
  }
}

/** Whether PLATFORM_TOKEN is accepted, whose it is, and what it may do. */
export async function checkPlatformToken(
  token: string | null,
  platform: Platform,
  signal: AbortSignal,
): Promise<Observation> {
  if (token === null)
    return skipped(
      'PLATFORM_TOKEN is not set: repositories that nobody connected are not reviewed.',
    )
  try {
    const { viewer, scopes, missingScopes } = await platform.inspect(token, signal)
    const whose = `PLATFORM_TOKEN is of ${viewer?.login}`
    if (missingScopes.length > 0) {
      const shown = scopes?.length ? scopes.join(', ') : 'nothing'
      return problem(
        `${whose} and may do too little: ${shown}.`,
        `Make one with the scope ${missingScopes.join(', ')}.`,
      )
    }
    if (scopes === null) {
      const sentence =
        "The platform doesn't show what it may do: it has to read code, and to write to pull requests"
      return ok(`${whose}. ${sentence} and commit statuses.`)
    }
    return ok(`${whose} and may do: ${scopes.join(', ')}.`)
  } catch (error) {
    const isRefused = error instanceof PlatformError && !error.retryable
    const observation = explainError(
      error,
      isRefused ? 'Make a new one at the platform and set it.' : undefined,
    )
    return {
      ...observation,
      message: `PLATFORM_TOKEN could not be checked: ${observation.message}`,
    }
  }
}

/** Whether the platform takes the application by which people sign in. */
export async function checkApplication(
  { platform: { oauth }, http }: Pick<Config, 'platform' | 'http'>,
  platform: Platform,
  signal: AbortSignal,
): Promise<Observation> {
  if (oauth === null) {
    return skipped(
      'OAUTH_CLIENT_ID is not set: people sign in with a personal access token of the platform.',
    )
  }
  if (await platform.acceptsOAuthApp(signal)) {
    return ok(
      `The application is accepted. Its callback address there has to be ${http.publicUrl}/auth/callback.`,
    )
  }
  const remedy =
    "Compare OAUTH_CLIENT_ID with the application's page at the platform, and make a new secret there."
  return problem('The platform does not accept OAUTH_CLIENT_ID with OAUTH_CLIENT_SECRET.', remedy)
}

/** Whether anybody who reaches the service may sign in, with an account that anybody can make. */
export function isSignInOpenToOthers({
  http,
  signInAllowed,
}: Pick<Config, 'http' | 'signInAllowed'>): boolean {
  return signInAllowed === null && isReachableByOthers(http)
}

/** Who may sign in, and spend what models cost. */
export function checkSignIn(
  config: Pick<Config, 'http' | 'signInAllowed' | 'models' | 'platform'>,
): Observation {
  const { signInAllowed, models, platform } = config
  if (signInAllowed !== null) {
    const count = signInAllowed.size
    return ok(`${count} ${count === 1 ? 'person' : 'people'} may sign in.`)
  }
  const everybody = `Everybody with an account at ${platform.url} may sign in`
  const costs = models.main !== null
  if (!costs && !isSignInOpenToOthers(config)) return ok(`${everybody}. No model costs anything.`)
  return warning(
    `${everybody}, connect repositories, and have them reviewed${costs ? ' at the cost of your model' : ''}. ` +
      'The first who signs in is the administrator.',
    'Name in SIGN_IN_ALLOWED who may, unless that is meant so.',
  )
}
