// The configuration of a review on the command line: from the environment, and only of what a review needs.

import { buildConfig } from './build-config.ts'
import type { Config } from './config.ts'
import { defaults } from './defaults.ts'
import { pickChildVariables, pickReviewVariables, readProcessEnvironment } from './environment.ts'

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
  const all = readProcessEnvironment(options.envFile ?? undefined)
  const environment = pickReviewVariables(all, options)
  const says = Object.keys(environment).length > 0
  // Who says nothing needs no parser.
  if (!says) return buildConfig(defaults, pickChildVariables(all), [])
  const { readConfig } = await import('./read-config.ts')
  return readConfig({ ...pickChildVariables(all), ...environment }, all)
}
