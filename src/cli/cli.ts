#!/usr/bin/env node
// Parses the command line and runs the command.
import { findClosestMatch } from '../lib/text.ts'
import { exitCode, reportError, UsageError } from './exit-codes.ts'
import { formatSuggestion, parseOptions } from './parse-options.ts'
import type { ServeOptions } from './serve-command.ts'

const usage = `Usage: umpire <command>

  serve [--no-worker | --worker-only]   receive deliveries and review pull requests;
        [--env-file <file>]             reads .env in the working directory by default
  review [options]                      review local changes or a pull request;
                                        see umpire review --help
  eval <corpus> [options]               measure reviews of known changes; see umpire eval --help
  doctor [--format pretty|json]         check the setup and explain how to fix problems
  token [options]                       create a token for a program; see umpire token --help
  people [options]                      list, and delete, the people who signed in;
                                        see umpire people --help
  settings [<path>] [options]           show the settings of the repository in this folder,
                                        and where they come from
  mcp                                   serve MCP on stdin and stdout; see umpire mcp --help
  sources [--trust <name>]              show the context sources, such as issue trackers,
                                        and whether they answer
  migrate                               bring the database schema up to date
  version                               show the version
  help [<command>]                      show this help, or that of a command

Variables are read from the environment. With --env-file <file>, variables that the environment
does not set are read from the file. See docs/configuration.md.`

type Command = (args: string[]) => Promise<number>

/** Each command imports its module when it runs, so that other commands start fast. */
const commands: Readonly<Record<string, Command>> = {
  serve: async (args) => {
    if (hasHelpFlag(args)) return showUsage(usage)
    const { serve } = await import('./serve-command.ts')
    await serve(parseServeOptions(args))
    return exitCode.ok
  },
  review: withUsage('review', async () => ({
    usage: (await import('./review-options.ts')).reviewUsage,
    run: async (args) => (await import('./review-command.ts')).review(args),
  })),
  eval: withUsage('eval', () => import('./eval-command.ts')),
  doctor: withUsage('doctor', () => import('./doctor-command.ts')),
  token: withUsage('token', () => import('./token-command.ts')),
  people: withUsage('people', () => import('./people-command.ts')),
  settings: withUsage('settings', () => import('./settings-command.ts')),
  mcp: withUsage('mcp', () => import('./mcp-command.ts')),
  sources: withUsage('sources', () => import('./sources-command.ts')),
  migrate: withUsage('migrate', () => import('./migrate-command.ts')),
  version: showVersion,
  help: showHelp,
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

/** The commands `version` and `help` have no usage text of their own. */
async function showHelp([about = 'help']: string[]): Promise<number> {
  const command = findCommand(about)
  return command === showHelp || command === showVersion ? showUsage(usage) : command(['--help'])
}

async function showVersion(): Promise<number> {
  const { readPackageInfo } = await import('../lib/package-info.ts')
  const { name, version } = await readPackageInfo()
  console.log(`${name} ${version}`)
  return exitCode.ok
}

/** Makes a command that has its own usage text. */
function withUsage(
  name: string,
  load: () => Promise<{ readonly usage: string; readonly run: Command }>,
): Command {
  return async (args) => {
    const { usage, run } = await load()
    if (hasHelpFlag(args)) return showUsage(usage)
    try {
      return await run(args)
    } catch (error) {
      return reportError(error, `umpire ${name} --help`)
    }
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
