// The part of the composition root that reads the configuration: it lists the variables of all
// parts.
import type { Environment } from './config/environment.ts'
import { readServiceConfig } from './config/read-service-config.ts'
import { serviceGroups } from './config/service-variables.ts'
import type { Variable, VariableGroup } from './config/variable.ts'
import { VariableReader } from './config/variable-reader.ts'
import type { Config } from './context.ts'
import { modelGroup, readModelsConfig } from './models/models-config.ts'
import { platformGroup, readPlatformConfig } from './platforms/code-hosts.ts'
import { readSourceConfigs, sourceGroup } from './tools/sources/read-source-configs.ts'

/** All variables, by the names of their parts of `docs/configuration.md`. */
export const variableGroups: Readonly<Record<string, VariableGroup>> = {
  ...serviceGroups,
  platform: platformGroup,
  models: modelGroup,
  sources: sourceGroup,
}

/**
 * Reads the configuration.
 *
 * @param isRead whether a variable is read; others count as not set
 * @throws ConfigError with all problems, one per line, that names variables but never their values
 */
export async function readConfig(
  environment: Environment,
  isRead: (variable: Variable) => boolean = () => true,
): Promise<Config> {
  const reader = new VariableReader(environment, isRead)
  const config = {
    ...readServiceConfig(reader),
    ...readPlatformConfig(reader),
    models: readModelsConfig(reader),
    // These come last, because they may use the values of all other variables.
    contextSources: await readSourceConfigs(reader),
  }
  reportUnknownHosts(reader, config)
  reader.throwProblems()
  return config
}

/** A username of a host that isn't served would let nobody in, and looks as if it did. */
function reportUnknownHosts(reader: VariableReader, config: Config): void {
  const ids = [...(config.signInAllowed ?? [])].flatMap((name) => name.split('@')[1] ?? [])
  for (const id of new Set(ids)) {
    if (config.hosts.some(({ platform }) => platform.name === id)) continue
    const where = "which PLATFORMS doesn't list after the first one"
    reader.report(`SIGN_IN_ALLOWED names the code host ${id}, ${where}`)
  }
}

/**
 * All values of the configuration that must never be written to a log or a post. Those of the App
 * are added when they are read.
 */
export function listSecrets({
  secrets,
  hosts,
  models,
  database,
  mcp,
  contextSources,
  notifications,
}: Config): string[] {
  const password =
    database.engine === 'postgresql' ? decodeURIComponent(new URL(database.url).password) : null
  const { mail } = notifications
  const mailPassword = mail && (decodeURIComponent(new URL(mail.url).password) || null)
  const keys = [
    models.main?.apiKey ?? null,
    models.fast?.apiKey ?? null,
    models.embedder?.apiKey ?? null,
    password,
    mailPassword,
  ]
  return [
    secrets.current,
    ...secrets.old,
    mcp.token,
    ...contextSources.flatMap((source) => source.secrets),
    ...hosts.flatMap(({ platform, fallback }) => [
      platform.oauth?.clientSecret ?? null,
      fallback.token,
      fallback.webhookSecret,
      ...fallback.oldWebhookSecrets,
    ]),
    ...keys,
  ].filter((secret) => secret !== null)
}
