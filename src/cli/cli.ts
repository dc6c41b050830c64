#!/usr/bin/env node
// Parses the command line and runs the command.
import { findClosestMatch } from '../lib/text.ts'
import { exitCode, reportError, UsageError } from './exit-codes.ts'
import { formatSuggestion, parseOptions } from './parse-options.ts'
import type { ServeOptions } from './serve-command.ts'

const usage = `Usage: umpire <command>

  serve [--no-worker | --worker-only]   receive deliveries and review pull requests;
                                        reads .env in the working directory
  review [options]                      review local changes or a pull request;
                                        see umpire review --help
  doctor [--format pretty|json]         check the setup and explain how to fix problems
  token [options]                       create a token for a program; see umpire token --help
  mcp                                   serve MCP on stdin and stdout; see umpire mcp --help
  sources [--trust <name>]              show the context sources, such as issue trackers,
                                        and whether they answer
  migrate                               bring the database schema up to date
  version                               show the version
  help                                  show this help

Variables are read from the environment. With --env-file <file>, variables that the environment
does not set are read from the file. See docs/configuration.md.`

type Command = (args: string[]) => Promise<number>

const commands: Readonly<Record<string, Command>> = {
  serve: runServeCommand,
  review: runReviewCommand,
  doctor: runDoctorCommand,
  token: runTokenCommand,
  mcp: runMcpCommand,
  sources: runSourcesCommand,
  migrate: runMigrateCommand,
  version: showVersion,
  help: async () => showUsage(usage),
}

const commandByFlag: Readonly<Record<string, string>> = {
  '--version': 'version',
  '--help': 'help',
  '-h': 'help',
}

async function main([given, ...args]: string[]): Promise<number> {
  if (given === undefined) {
    console.error(usage)
    return exitCode.usage
  }
  try {
    return await findCommand(given)(args)
  } catch (error) {
    return reportError(error, 'umpire help')
  }
}

function findCommand(given: string): Command {
  const name = Object.hasOwn(commandByFlag, given) ? commandByFlag[given] : given
  const command = Object.entries(commands).find(([known]) => known === name)?.[1]
  if (command !== undefined) return command
  const suggestion = formatSuggestion(findClosestMatch(given, Object.keys(commands)))
  throw new UsageError(`there is no command "${given}"${suggestion}`)
}

// Each command imports its module when it runs, so that other commands start fast.

async function runServeCommand(args: string[]): Promise<number> {
  if (hasHelpFlag(args)) return showUsage(usage)
  const { serve } = await import('./serve-command.ts')
  await serve(parseServeOptions(args))
  return exitCode.ok
}

async function runMigrateCommand(args: string[]): Promise<number> {
  if (hasHelpFlag(args)) return showUsage(usage)
  const { migrateDatabase } = await import('./migrate-command.ts')
  await migrateDatabase(args)
  return exitCode.ok
}

async function showVersion(): Promise<number> {
  const { readPackageInfo } = await import('../lib/package-info.ts')
  const { name, version } = await readPackageInfo()
  console.log(`${name} ${version}`)
  return exitCode.ok
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
  return runWithUsage('review', args, reviewUsage, async () => {
    const { review } = await import('./review-command.ts')
    return review(args)
  })
}

/** Runs a command that has its own usage text. */
async function runWithUsage(
  name: string,
  args: string[],
  commandUsage: string,
  run: Command,
): Promise<number> {
  if (hasHelpFlag(args)) return showUsage(commandUsage)
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

// This must be the last statement, because it uses all constants of the module.
process.exitCode = await main(process.argv.slice(2))
