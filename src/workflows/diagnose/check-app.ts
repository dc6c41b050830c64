// Checks the App of the deployment: its key, permissions, events, webhook address, installations.
import { openApp } from '../../accounts/platform-apps.ts'
import type { Config } from '../../context.ts'
import { appDeliveryPath } from '../../contract/addresses.ts'
import { PlatformError } from '../../domain/errors.ts'
import { createKeyRing } from '../../lib/key-ring.ts'
import type { Platform } from '../../platforms/platform.ts'
import type { AppInspection, PlatformApps } from '../../platforms/platform-app.ts'
import { explainError, type Observation, ok, problem, skipped, warning } from './check.ts'
import { describeToolPermissions } from './check-platform.ts'
import { readCurrentKey } from './check-secret-key.ts'
import type { AppFacts } from './database-facts.ts'
import type { Evidence } from './setup.ts'

type AppConfig = Pick<Config, 'secrets' | 'dataDir' | 'http' | 'platform'>

export async function checkApp(
  config: AppConfig,
  { apps, id, terms }: Pick<Platform, 'apps' | 'id' | 'terms'>,
  evidence: Evidence,
  signal: AbortSignal,
): Promise<readonly Observation[]> {
  const facts = (await evidence.database.catch(() => null))?.answer.facts?.apps ?? []
  const app = facts.find(({ source }) => source === id)
  if (apps === null) return [skipped(`${terms.platform} has no Apps: reviews use people's tokens.`)]
  if (app === undefined) {
    return [ok("There is no App: reviews use people's tokens. The settings can create one.")]
  }
  return [
    await checkAtPlatform(config, { apps, app }, signal),
    ...app.installations.flatMap(listObstacles),
  ]
}

async function checkAtPlatform(
  config: AppConfig,
  { apps, app }: { apps: PlatformApps; app: AppFacts },
  signal: AbortSignal,
): Promise<Observation> {
  const keys = createKeyRing(await readCurrentKey(config), config.secrets.old)
  const secrets = openApp(keys, app.source, Buffer.from(app.encryptedSecrets, 'base64'))
  if (secrets === undefined) {
    return problem(
      `The secrets of the App ${app.name} were encrypted with another key.`,
      'Restore the key, or remove the App in the settings and create it again.',
    )
  }
  try {
    const { clientId } = app
    const inspection = await apps.inspectApp({ clientId, ...secrets }, signal)
    const webhookUrl = `${config.http.publicUrl}${appDeliveryPath(config.platform.name)}`
    return judge(inspection, webhookUrl, app)
  } catch (error) {
    const isRefused = error instanceof PlatformError && !error.retryable
    const remedy = isRefused
      ? 'The App or its key was deleted there: remove the App in the settings and create it again.'
      : undefined
    const observation = explainError(error, remedy)
    const message = `The App ${app.name} could not be checked: ${observation.message}`
    return { ...observation, message }
  }
}

function judge(inspection: AppInspection, webhookUrl: string, app: AppFacts): Observation {
  const { missingPermissions, missingEvents } = inspection
  if (inspection.webhookUrl !== webhookUrl) {
    return problem(
      `The App ${app.name} sends its deliveries to another address.`,
      `Set the webhook URL on the page of the App to ${webhookUrl}.`,
    )
  }
  const missing = [...missingPermissions, ...missingEvents]
  if (missing.length > 0) {
    return warning(
      `The App ${app.name} lacks permissions or events: ${missing.join(', ')}.`,
      'Add them on the page of the App. Those who installed it then accept the permissions.',
    )
  }
  const { length } = app.installations
  if (length === 0) {
    const remedy = 'Click Install in the settings of Umpire, and choose repositories.'
    return warning(`The App ${app.name} is not installed anywhere.`, remedy)
  }
  const installations = length === 1 ? '1 account' : `${length} accounts`
  const message = `The App ${app.name} is installed in ${installations}.`
  return ok(message + describeToolPermissions(inspection.missingToolPermissions))
}

/** What keeps the App from reviewing in an account. */
function listObstacles({
  account,
  isSuspended,
  repositories,
}: AppFacts['installations'][number]): Observation[] {
  if (isSuspended) {
    const message = `${account} suspended the App: reviews there use people's tokens.`
    return [warning(message, 'Its owner can resume it on the page of the installation.')]
  }
  if (repositories > 0) return []
  const message = `No repository of ${account} is connected through the App.`
  return [warning(message, 'Click Configure next to it in the settings, and choose repositories.')]
}
