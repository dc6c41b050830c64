// Runs `umpire sources`, which checks the context sources and trusts changed tools of one.

import { toTerminalLine } from '../lib/terminal-text.ts'
import { findClosestMatch, formatCount } from '../lib/text.ts'
import { createContextSources } from '../tools/sources/context-sources.ts'
import { createMemoryPinStore } from '../tools/sources/pin-store.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { exitCode, UsageError } from './exit-codes.ts'
import { openControl } from './open-control.ts'
import { formatSuggestion, parseOptions } from './parse-options.ts'

export const usage = `Usage: umpire sources [--env-file <file>]
       umpire sources --trust <name> [--env-file <file>]

Shows the context sources, such as issue trackers and chats, and whether each answers.

  --trust <name>     trust the tools of a source in their current version, after you checked them
  --env-file <file>  read variables that the environment does not set from this file

Exit codes: 0 all sources answer; 5 a source does not answer. See docs/context-sources.md.`

export async function run(args: string[]): Promise<number> {
  const { values } = parseOptions(args, { trust: { type: 'string' }, ...envFileOption })
  const { config, log } = await readCommandConfig(values['env-file'], 'error')
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
      const suggestion = formatSuggestion(findClosestMatch(name, sources.names))
      throw new UsageError(`there is no source "${name}"${suggestion}`)
    }
    await using control = await openControl(config, log)
    const count = await control.trustSource(name)
    const tools = formatCount(count, 'stored tool')
    console.error(`${tools} of ${name} removed: the current version is trusted.`)
    return exitCode.ok
  }
  if (sources.names.length === 0) {
    console.error('No context source is configured: see docs/context-sources.md.')
  }
  const { signal } = new AbortController()
  const failures = await Promise.all(sources.names.map((name) => sources.check(name, signal)))
  for (const [index, name] of sources.names.entries()) {
    console.log(`${name}  ${toTerminalLine(failures[index] ?? 'answers')}`)
  }
  return failures.every((failure) => failure === null) ? exitCode.ok : exitCode.unreachable
}
