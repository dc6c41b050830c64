// Reads the configuration of a review on the command line from the variables that it needs.

import { buildConfig } from './build-config.ts'
import type { Config } from './config.ts'
import { defaults } from './defaults.ts'
import { pickChildVariables, pickReviewVariables, readProcessEnvironment } from './environment.ts'

/**
 * @param options `sources` is whether context sources are configured; `envFile` is a file of
 *   variables to which those of the process take precedence, null for none
 * @throws ConfigError with all problems
 */
export async function readReviewConfig(options: {
  sources: boolean
  envFile: string | null
}): Promise<Config> {
  const all = readProcessEnvironment(options.envFile ?? undefined)
  const environment = pickReviewVariables(all, options)
  // Without variables the parser isn't needed, which makes the command start faster.
  if (Object.keys(environment).length === 0)
    return buildConfig(defaults, pickChildVariables(all), [])
  const { readConfig } = await import('./read-config.ts')
  return readConfig({ ...pickChildVariables(all), ...environment }, all)
}
