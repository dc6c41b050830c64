// `umpire sources`: shows the trackers and chats that reviews ask, and trusts one whose tools changed.
import { createLogger } from '../lib/logger.ts'
import { findClosestMatch } from '../lib/text.ts'
import { listSecrets } from '../review-context.ts'
import { createContextSources } from '../tools/sources/context-sources.ts'
import { createMemoryPinStore } from '../tools/sources/pin-store.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { exitCode, UsageError } from './exit-codes.ts'
import { openControl } from './open-control.ts'
import { formatSuggestion, parseOptions } from './parse-options.ts'
import { toTerminalLine } from './terminal-text.ts'

export const sourcesUsage = `Usage: umpire sources [--env-file <file>]
       umpire sources --trust <name> [--env-file <file>]

Shows which trackers and chats reviews ask, and whether each answers.

  --trust <name>     forget what the source's tools were like: they are trusted as they are now, after you looked at them
  --env-file <file>  read variables that the environment doesn't set from this file

Exit codes: 0 all answer; 5 one doesn't. See docs/context-sources.md.`

/** Returns the exit code. Throws what explains itself. */
export async function runSources(args: string[]): Promise<number> {
  const { values } = parseOptions(args, { trust: { type: 'string' }, ...envFileOption })
  const config = readCommandConfig(values['env-file'])
  const log = createLogger({ level: 'error', secrets: listSecrets(config) })
  const options = {
    log,
    pins: createMemoryPinStore(),
    environment: config.childEnvironment,
    secrets: [],
  }
  await using sources = createContextSources(config.contextSources, options)
  if (values.trust !== undefined) {
    const name = values.trust
    if (!sources.names.includes(name)) {
      throw new UsageError(
        `there is no source "${name}"${formatSuggestion(findClosestMatch(name, sources.names))}`,
      )
    }
    await using control = await openControl(config, log)
    const count = await control.trustSource(name)
    console.error(
      `${count} remembered ${count === 1 ? 'tool' : 'tools'} of ${name} forgotten: trusted as they are from now on.`,
    )
    return exitCode.ok
  }
  if (sources.names.length === 0) console.error('No source is set up: see docs/context-sources.md.')
  const signal = new AbortController().signal
  const faults = await Promise.all(sources.names.map((name) => sources.check(name, signal)))
  for (const [index, name] of sources.names.entries())
    console.log(`${name}  ${toTerminalLine(faults[index] ?? 'answers')}`)
  return faults.every((fault) => fault === null) ? exitCode.ok : exitCode.unreachable
}
