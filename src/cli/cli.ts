#!/usr/bin/env node
// Parses the command line and dispatches.
import { findNearestWord } from '../lib/text.ts'
import { exitCode, explainError, UsageError } from './exit-codes.ts'
import { parseOptions, suggest } from './parse-options.ts'

const usage = `Usage: umpire <command>

  serve [--no-worker | --worker-only]   receive deliveries and review pull requests
  review [options]                      review local changes, or a pull request; see umpire review --help
  migrate                               bring the database schema up to date
  version                               show which version this is
  help                                  show this

Configuration comes from the environment and, but for review, a .env file: see docs/configuration.md.`

const commands = ['serve', 'review', 'migrate', 'version', 'help']

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
        parseOptions(rest, {})
        const { migrateDatabase } = await import('./migrate.ts')
        await migrateDatabase()
        return exitCode.ok
      }
      case 'version':
      case '--version': {
        const { name, version } = await (await import('./program.ts')).readProgram()
        console.log(`${name} ${version}`)
        return exitCode.ok
      }
      case 'help':
      case '--help':
      case '-h':
        console.log(usage)
        return exitCode.ok
      case undefined:
        console.error(usage)
        return exitCode.usage
      default:
        throw new UsageError(`there is no command "${command}"${suggest(findNearestWord(command, commands))}`)
    }
  } catch (error) {
    return explainError(error, 'umpire help')
  }
}

async function runReview(args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    const { reviewUsage } = await import('./review-options.ts')
    console.log(reviewUsage)
    return exitCode.ok
  }
  try {
    const { review } = await import('./review.ts')
    return await review(args)
  } catch (error) {
    return explainError(error, 'umpire review --help')
  }
}

function parseServe(args: string[]): { web: boolean; worker: boolean } {
  const { values } = parseOptions(args, { 'no-worker': { type: 'boolean' }, 'worker-only': { type: 'boolean' } })
  if (values['no-worker'] && values['worker-only']) {
    throw new UsageError('--no-worker and --worker-only exclude each other')
  }
  return { web: !values['worker-only'], worker: !values['no-worker'] }
}

// Last, so that all that it needs is there.
process.exitCode = await main(process.argv.slice(2))
