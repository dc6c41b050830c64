// Checks the platform's API, our token there, and the OAuth application for sign-in.
import type { Config } from '../../context.ts'
import { callbackPath } from '../../contract/addresses.ts'
import { PlatformError } from '../../domain/errors.ts'
import { type HostSettings, hostVariable } from '../../platforms/code-hosts.ts'
import type { Platform } from '../../platforms/platform.ts'
import { explainError, type Observation, ok, problem, skipped, warning } from './check.ts'
import { isReachableByOthers } from './check-public-address.ts'
import type { Evidence } from './setup.ts'

/** Checks that the platform's API answers. */
export async function checkPlatform(
  config: Config['platform'],
  inspection: Evidence['platforms'][number],
): Promise<Observation> {
  try {
    await inspection
    return ok(`The API at ${config.apiUrl} answers.`)
  } catch (error) {
    const [url, apiUrl] = [
      hostVariable('PLATFORM_URL', config),
      hostVariable('PLATFORM_API_URL', config),
    ]
    const remedy = `Check ${url} and ${apiUrl}, and that this machine can connect there.`
    const observation = explainError(error, remedy)
    const message = `The API at ${config.apiUrl} does not answer: ${observation.message}`
    return { ...observation, message }
  }
}

/** Checks that the token of a host is accepted and has the scopes that reviews need. */
export async function checkPlatformToken(
  { platform: host, fallback: { token } }: HostSettings,
  platform: Platform,
  signal: AbortSignal,
): Promise<Observation> {
  const name = platform.terms.platform
  const variable = hostVariable('PLATFORM_TOKEN', host)
  if (token === null)
    return skipped(`${variable} is not set: unconnected repositories are not reviewed.`)
  try {
    const { viewer, scopes, missingScopes } = await platform.inspect(token, signal)
    const owner = `${variable} belongs to ${viewer?.login}`
    if (missingScopes.length > 0) {
      const granted = scopes?.length ? scopes.join(', ') : 'nothing'
      return problem(
        `${owner} and lacks scopes: it has ${granted}.`,
        `Create a token with the scopes ${missingScopes.join(', ')}.`,
      )
    }
    if (scopes === null) {
      const permissions = 'read code, and write pull requests and commit statuses'
      const { codeScanning, artifacts } = platform.limits
      const ofTools = [
        ...(codeScanning === true ? ['to read code scanning alerts'] : []),
        ...(artifacts === true ? ['to read the artifacts of CI'] : []),
      ]
      const message = `${owner}. ${name} doesn't list its permissions: it must ${permissions}.`
      return ok(message + describeToolPermissions(ofTools))
    }
    return ok(`${owner} and has the scopes ${scopes.join(', ')}.`)
  } catch (error) {
    const isRefused = error instanceof PlatformError && !error.retryable
    const observation = explainError(
      error,
      isRefused ? `Create a new one on ${name} and set it.` : undefined,
    )
    return {
      ...observation,
      message: `${variable} could not be checked at ${host.apiUrl}: ${observation.message}`,
    }
  }
}

/** What only some reviews need, so that lacking it is no warning; empty if nothing is missing. */
export function describeToolPermissions(missing: readonly string[]): string {
  if (missing.length === 0) return ''
  const settings = '`tools` in .umpire.yml, see docs/other-tools.md'
  return ` To include what other tools found (${settings}), it also needs ${missing.join(' and ')}.`
}

/** Checks that the platform accepts the OAuth application for sign-in. */
export async function checkApplication(
  { platform: host, http }: Pick<Config, 'platform' | 'http'>,
  platform: Platform,
  evidence: Evidence,
  signal: AbortSignal,
): Promise<Observation> {
  const { oauth } = host
  const name = platform.terms.platform
  const id = hostVariable('OAUTH_CLIENT_ID', host)
  if (oauth === null) {
    const apps = (await evidence.database.catch(() => null))?.answer.facts?.apps ?? []
    const app = apps.find(({ source }) => source === platform.id)
    if (app !== undefined) return ok(`Users sign in with the App ${app.name}, or with a token.`)
    return skipped(`${id} is not set: users sign in with a personal access token of ${name}.`)
  }
  const isAccepted = await platform.acceptsOAuthApp(oauth, signal).catch((error) => error as Error)
  if (isAccepted instanceof Error) {
    signal.throwIfAborted()
    const observation = explainError(isAccepted)
    const message = `${id} could not be checked at ${host.url}: ${observation.message}`
    return { ...observation, message }
  }
  if (isAccepted) {
    const callback = `${http.publicUrl}${callbackPath(host.name)}`
    return ok(`The application is accepted. Its callback URL there has to be ${callback}.`)
  }
  const page = `the application's page on ${name}`
  const remedy = `Compare ${id} with ${page}, and create a new secret.`
  const secret = hostVariable('OAUTH_CLIENT_SECRET', host)
  return problem(`${name} does not accept ${id} with ${secret}.`, remedy)
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
  config: Pick<Config, 'http' | 'signInAllowed' | 'models' | 'hosts'>,
): Observation {
  const { signInAllowed, models, hosts } = config
  if (signInAllowed !== null) {
    const count = signInAllowed.size
    return ok(`${count} ${count === 1 ? 'person' : 'people'} may sign in.`)
  }
  const urls = hosts.map(({ platform }) => platform.url).join(' or ')
  const anyone = `Anyone with an account on ${urls} may sign in`
  const hasModel = models.main !== null
  if (!hasModel && !isSignInOpenToOthers(config))
    return ok(`${anyone}. Without a model, their reviews cost nothing.`)
  const atWhoseCost = hasModel ? ' at the cost of your model' : ''
  return warning(
    `${anyone}, connect repositories, and have them reviewed${atWhoseCost}. ` +
      'The first to sign in becomes the administrator.',
    'List the allowed users in SIGN_IN_ALLOWED, unless this is intended.',
  )
}
