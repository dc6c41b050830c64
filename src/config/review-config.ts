// The configuration of a review on the command line: from the environment alone. A `.env` file may belong to the repository
// under review, and could send our keys anywhere.
import type { Config } from './config.ts'
import { defaults } from './defaults.ts'
import { chooseChildVariables, ownEnvironment, reviewEnvironment } from './environment.ts'
import { groupVariables } from './group-variables.ts'

/**
 * Throws ConfigError that lists everything that is wrong.
 *
 * @param options.sources whether trackers and chats count, too
 */
export async function readReviewConfig({ sources }: { sources: boolean }): Promise<Config> {
  const environment = reviewEnvironment({ sources })
  const says = Object.keys(environment).length > 0
  // Who says nothing needs no parser.
  if (!says) return groupVariables(defaults, chooseChildVariables(), [])
  const { readConfig } = await import('./env.ts')
  return readConfig({ ...chooseChildVariables(), ...environment }, ownEnvironment())
}
