// The configuration of a review on the command line: from the environment, and only of what a review needs.
import type { Config } from './config.ts'
import { defaults } from './defaults.ts'
import { chooseChildVariables, processEnvironment, reviewEnvironment } from './environment.ts'
import { groupVariables } from './group-variables.ts'

/**
 * Throws ConfigError that lists everything that is wrong.
 *
 * @param options.sources whether trackers and chats count, too
 * @param options.envFile a file of variables under those of the process; null for none
 */
export async function readReviewConfig(options: {
  sources: boolean
  envFile: string | null
}): Promise<Config> {
  const all = processEnvironment(options.envFile ?? undefined)
  const environment = reviewEnvironment(all, options)
  const says = Object.keys(environment).length > 0
  // Who says nothing needs no parser.
  if (!says) return groupVariables(defaults, chooseChildVariables(all), [])
  const { readConfig } = await import('./env.ts')
  return readConfig({ ...chooseChildVariables(all), ...environment }, all)
}
