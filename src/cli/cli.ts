#!/usr/bin/env node
// Parses the command line and dispatches.
import { parseArgs } from 'node:util'
import { exitCode, explainError, UsageError } from './exit-codes.ts'

const usage = `Usage: umpire <command>

  serve [--no-worker | --worker-only]   receive deliveries and review pull requests
  review [options]                      review local changes, or a pull request; see umpire review --help
  migrate                               bring the database schema up to date
  help                                  show this

Configuration comes from the environment and, but for review, a .env file: see docs/configuration.md.`

async function main(argv: string[]): Promise<number> {
  const [command, ...rest] = argv
  try {
    switch (command) {
      case 'serve': {
        const { serve } = await import('./serve.ts')
        await serve(parseServe(rest))
        return exitCode.ok
      }
      case 'review':
        return await runReview(rest)
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
    return explainError(error, usage)
  }
}

async function runReview(args: string[]): Promise<number> {
  const { reviewUsage } = await import('./review-options.ts')
  if (args.includes('--help') || args.includes('-h')) {
    console.log(reviewUsage)
    return exitCode.ok
  }
  try {
    const { review } = await import('./review.ts')
    return await review(args)
  } catch (error) {
    return explainError(error, reviewUsage)
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

// Last, so that all that it needs is there.
process.exitCode = await main(process.argv.slice(2))
