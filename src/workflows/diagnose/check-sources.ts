// Checks the sources of context: whether each is there, takes the token, and offers a tool that may be called.
import type { Config } from '../../config/config.ts'
import type { Log } from '../../lib/logger.ts'
import { createContextSources } from '../../tools/sources/context-sources.ts'
import { createMemoryPinStore } from '../../tools/sources/pin-store.ts'
import { type Observation, ok, warning } from './check.ts'

/** None of them is asked anything but what it offers. Whether a tool changed since it was first met only a review tells. */
export async function checkSources(
  { contextSources, childEnvironment }: Pick<Config, 'contextSources' | 'childEnvironment'>,
  signal: AbortSignal,
): Promise<readonly Observation[]> {
  if (contextSources.length === 0)
    return [ok('None is set up: reviews know the repository, and no tracker or chat.')]
  const options = {
    log: silent,
    pins: createMemoryPinStore(),
    environment: childEnvironment,
    secrets: [],
  }
  await using sources = createContextSources(contextSources, options)
  return Promise.all(
    sources.names.map(async (name) => {
      const fault = await sources.check(name, signal)
      if (fault === null) return ok(`${name} answers, and offers what it is to be asked with.`)
      // Reviews go on without it, and say so.
      return warning(
        `${name}: ${fault}.`,
        'Check its address and its token; see docs/context-sources.md.',
      )
    }),
  )
}

const silent: Pick<Log, 'warn'> = { warn: () => undefined }
