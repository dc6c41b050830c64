#!/usr/bin/env node
// Parses the command line and dispatches.
import { findClosestMatch } from '../lib/text.ts'
import { exitCode, reportError, UsageError } from './exit-codes.ts'
import { formatSuggestion, parseOptions } from './parse-options.ts'
import type { ServeOptions } from './serve-command.ts'

const usage = `Usage: umpire <command>

  serve [--no-worker | --worker-only]   receive deliveries and review pull requests; reads .env in its folder
  review [options]                      review local changes, or a pull request; see umpire review --help
  doctor [--format pretty|json]         check the set-up, and say what to do about what is wrong
  token [options]                       make a token for a program; see umpire token --help
  mcp                                   answer an MCP client on stdin and stdout; see umpire mcp --help
  sources [--trust <name>]              show the trackers and chats that reviews ask, and whether they answer
  migrate                               bring the database schema up to date
  version                               show which version this is
  help                                  show this

Configuration comes from the environment, and where that doesn't set a variable, from the file that any command is given as
--env-file <file>: see docs/configuration.md.`

const commands = [
  'serve',
  'review',
  'doctor',
  'token',
  'mcp',
  'sources',
  'migrate',
  'version',
  'help',
]

async function main(argv: string[]): Promise<number> {
  const [command, ...rest] = argv
  try {
    switch (command) {
      case 'serve': {
        if (hasHelpFlag(rest)) return showUsage(usage)
        const { serve } = await import('./serve-command.ts')
        await serve(parseServeOptions(rest))
        return exitCode.ok
      }
      case 'review':
        return await runReviewCommand(rest)
      case 'doctor':
        return await runDoctorCommand(rest)
      case 'token':
        return await runTokenCommand(rest)
      case 'sources':
        return await runSourcesCommand(rest)
      case 'mcp':
        return await runMcpCommand(rest)
      case 'migrate': {
        if (hasHelpFlag(rest)) return showUsage(usage)
        const { migrateDatabase } = await import('./migrate-command.ts')
        await migrateDatabase(rest)
        return exitCode.ok
      }
      case 'version':
      case '--version': {
        const { name, version } = await (await import('../lib/package-info.ts')).readPackageInfo()
        console.log(`${name} ${version}`)
        return exitCode.ok
      }
      case 'help':
      case '--help':
      case '-h':
        return showUsage(usage)
      case undefined:
        console.error(usage)
        return exitCode.usage
      default:
        throw new UsageError(
          `there is no command "${command}"${formatSuggestion(findClosestMatch(command, commands))}`,
        )
    }
  } catch (error) {
    return reportError(error, 'umpire help')
  }
}

async function runTokenCommand(args: string[]): Promise<number> {
  const { runToken, tokenUsage } = await import('./token-command.ts')
  return runWithUsage('token', args, tokenUsage, runToken)
}

async function runSourcesCommand(args: string[]): Promise<number> {
  const { runSources, sourcesUsage } = await import('./sources-command.ts')
  return runWithUsage('sources', args, sourcesUsage, runSources)
}

async function runMcpCommand(args: string[]): Promise<number> {
  const { runMcp, mcpUsage } = await import('./mcp-command.ts')
  return runWithUsage('mcp', args, mcpUsage, runMcp)
}

async function runDoctorCommand(args: string[]): Promise<number> {
  const { runDoctor, doctorUsage } = await import('./doctor-command.ts')
  return runWithUsage('doctor', args, doctorUsage, runDoctor)
}

async function runReviewCommand(args: string[]): Promise<number> {
  const { reviewUsage } = await import('./review-options.ts')
  return runWithUsage('review', args, reviewUsage, async () =>
    (await import('./review-command.ts')).review(args),
  )
}

/** A command that has a usage text of its own. */
async function runWithUsage(
  name: string,
  args: string[],
  usage: string,
  run: (args: string[]) => Promise<number>,
): Promise<number> {
  if (hasHelpFlag(args)) return showUsage(usage)
  try {
    return await run(args)
  } catch (error) {
    return reportError(error, `umpire ${name} --help`)
  }
}

function parseServeOptions(args: string[]): ServeOptions {
  const { values } = parseOptions(args, {
    'no-worker': { type: 'boolean' },
    'worker-only': { type: 'boolean' },
    'env-file': { type: 'string' },
  })
  if (values['no-worker'] && values['worker-only']) {
    throw new UsageError('--no-worker and --worker-only exclude each other')
  }
  return { web: !values['worker-only'], worker: !values['no-worker'], envFile: values['env-file'] }
}

function hasHelpFlag(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h')
}

function showUsage(text: string): number {
  console.log(text)
  return exitCode.ok
}

// Last, so that all that it needs is there.
process.exitCode = await main(process.argv.slice(2))
