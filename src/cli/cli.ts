#!/usr/bin/env node
// Parses the command line and dispatches.
import { parseArgs } from 'node:util'
import { UmpireError } from '../domain/errors.ts'

const usage = `Usage: umpire <command>

  serve [--no-worker | --worker-only]   receive deliveries and review pull requests
  migrate                               bring the database schema up to date
  help                                  show this

Configuration comes from the environment and a .env file: see docs/configuration.md.`

/** Exit codes. */
const exitCode = { ok: 0, usage: 2, configuration: 3, unreachable: 5 } as const

/** The command line makes no sense. */
class UsageError extends Error {}

async function main(argv: string[]): Promise<number> {
  const [command, ...rest] = argv
  try {
    switch (command) {
      case 'serve': {
        const { serve } = await import('./serve.ts')
        await serve(parseServe(rest))
        return exitCode.ok
      }
      case 'migrate': {
        parseArgs({ args: rest, options: {} })
        const { migrateDatabase } = await import('./migrate.ts')
        await migrateDatabase()
        return exitCode.ok
      }
      case 'help':
      case '--help':
      case '-h':
        console.log(usage)
        return exitCode.ok
      default:
        console.error(command === undefined ? usage : `umpire: unknown command "${command}"\n\n${usage}`)
        return exitCode.usage
    }
  } catch (error) {
    return explain(error)
  }
}

function parseServe(args: string[]): { web: boolean; worker: boolean } {
  const { values } = parseArgs({
    args,
    options: { 'no-worker': { type: 'boolean' }, 'worker-only': { type: 'boolean' } },
  })
  if (values['no-worker'] && values['worker-only']) {
    throw new UsageError('--no-worker and --worker-only exclude each other')
  }
  return { web: !values['worker-only'], worker: !values['no-worker'] }
}

function explain(error: unknown): number {
  const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException)?.code?.startsWith('ERR_PARSE_ARGS')
  if (isUsage) {
    console.error(`umpire: ${(error as Error).message}\n\n${usage}`)
    return exitCode.usage
  }
  if (error instanceof UmpireError) {
    console.error(`umpire: ${error.message}`)
    const isDown = error.retryable || error.code === 'database_stopped'
    return isDown ? exitCode.unreachable : exitCode.configuration
  }
  console.error('umpire: an unexpected error; please report it with what follows')
  console.error(error)
  return 1
}

// Last, so that all that it needs is there.
process.exitCode = await main(process.argv.slice(2))
