// Checks that each context source answers, accepts the token and offers a usable tool.
import type { Config } from '../../context.ts'
import type { Log } from '../../lib/logger.ts'
import { createContextSources } from '../../tools/sources/context-sources.ts'
import { createMemoryPinStore } from '../../tools/sources/pin-store.ts'
import { type Observation, ok, warning } from './check.ts'

/**
 * Only lists the tools of each source. Whether a tool changed since it was pinned is checked by
 * reviews only.
 */
export async function checkSources(
  { contextSources, childEnvironment }: Pick<Config, 'contextSources' | 'childEnvironment'>,
  signal: AbortSignal,
): Promise<readonly Observation[]> {
  if (contextSources.length === 0)
    return [ok('None is configured: reviews use no tracker, error tracker or chat.')]
  const options = {
    log: silent,
    pins: createMemoryPinStore(),
    environment: childEnvironment,
    secrets: [],
  }
  await using sources = createContextSources(contextSources, options)
  return Promise.all(
    sources.names.map(async (name) => {
      const failure = await sources.check(name, signal)
      if (failure === null) return ok(`${name} answers, and offers the tools that reviews use.`)
      // Reviews go on without the source, and report that.
      return warning(
        `${name}: ${failure}.`,
        'Check its address and its token; see docs/context-sources.md.',
      )
    }),
  )
}

const silent: Pick<Log, 'warn'> = { warn: () => undefined }
