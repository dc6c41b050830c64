// Runs `umpire settings`, which shows the settings of the repository in the working directory.
import { realpath } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { pickChildVariables } from '../config/environment.ts'
import type { Config } from '../context.ts'
import { UmpireError } from '../domain/errors.ts'
import { type LocalRepository, openLocalRepository } from '../git/local-repository.ts'
import { gitRuntimeFrom } from '../git/run-git.ts'
import { createScratchRepository } from '../git/scratch-repository.ts'
import { hostVariable } from '../platforms/code-hosts.ts'
import { createCodeHost } from '../platforms/create-code-host.ts'
import { parseRemoteUrl } from '../platforms/parse-remote-url.ts'
import { createOrganizationSettings } from '../workflows/gathering/organization-settings.ts'
import { listSettingsFiles, type SettingsFile } from '../workflows/gathering/read-settings.ts'
import { describeFiles } from '../workflows/showing/show-settings.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { exitCode, UsageError } from './exit-codes.ts'
import { parseChoice, parseOptions } from './parse-options.ts'
import { renderSettingsReport } from './reports/settings-report.ts'

export const usage = `Usage: umpire settings [<path>] [--format pretty|json] [--env-file <file>]

Shows the settings of the repository in this folder, as committed at HEAD, and the file that each
value comes from. With a path, shows those that apply to this file or directory. The settings of
the organization are read from the code host, with PLATFORM_TOKEN.

  --format <name>    pretty, json; default: pretty
  --env-file <file>  read variables that the environment does not set from this file

Exit codes: 0 no problems, 1 problems in settings files, 2 usage, 3 configuration, 5 the code
host can not be reached. See docs/repository-settings.md.`

export async function run(args: string[]): Promise<number> {
  const options = { format: { type: 'string', default: 'pretty' }, ...envFileOption } as const
  const { values, positionals } = parseOptions(args, options, true)
  if (positionals.length > 1) throw new UsageError(`unexpected argument "${positionals[1]}"`)
  const format = parseChoice('--format', values.format, ['pretty', 'json'])
  const { config } = await readCommandConfig(values['env-file'], 'error')
  const runtime = gitRuntimeFrom(pickChildVariables())
  await using repository = await openLocalRepository(runtime, process.cwd())
  const path = await findPath(repository, positionals[0])
  const commit = await repository.findCommit('HEAD')
  if (commit === undefined) {
    throw new UmpireError('no_repository', 'This repository has no commits, so no settings.')
  }
  const organization = await readOrganization(config, repository)
  await using scratch = await createScratchRepository(runtime, {
    objects: repository.objectsDirectory,
    oidLength: commit.length,
  })
  const { files, notes } = await listSettingsFiles(scratch.snapshot(commit), organization.file)
  // The person who runs the command reads all files with access of their own.
  const visible = files.map((file) => ({ ...file, isVisible: true }))
  const shown = describeFiles(visible, [...organization.notes, ...notes])
  // A reader such as `head` may close the pipe early.
  process.stdout.on('error', () => undefined)
  process.stdout.write(renderSettingsReport({ ...shown, commit, path }, format))
  return files.some(({ problems }) => problems.length > 0) ? exitCode.findings : exitCode.ok
}

/** Returns a path in the repository; null for none. */
async function findPath(
  { workTree }: LocalRepository,
  given: string | undefined,
): Promise<string | null> {
  if (given === undefined) return null
  const path = relative(workTree, resolve(await realpath(process.cwd()), given))
  if (path === '..' || path.startsWith(`..${sep}`)) {
    throw new UsageError(`${given} is not in the repository`)
  }
  return path.split(sep).join('/')
}

interface Organization {
  readonly file: SettingsFile | null
  readonly notes: readonly string[]
}

async function readOrganization(
  config: Config,
  repository: LocalRepository,
): Promise<Organization> {
  const unread = (reason: string) => {
    return { file: null, notes: [`The settings of the organization were not read: ${reason}.`] }
  }
  if (config.hosts.every(({ fallback }) => fallback.token === null))
    return unread('set PLATFORM_TOKEN')
  const url = (await repository.findOriginUrl()) ?? ''
  const host = config.hosts.find(({ platform }) => parseRemoteUrl(url, platform.url) !== undefined)
  const repo = host && parseRemoteUrl(url, host.platform.url)
  if (host === undefined || repo === undefined) {
    const urls = config.hosts.map(({ platform }) => platform.url).join(' or ')
    return unread(`the remote \`origin\` is not a repository at ${urls}`)
  }
  const { token } = host.fallback
  if (token === null) return unread(`set ${hostVariable('PLATFORM_TOKEN', host.platform)}`)
  const settings = createOrganizationSettings({
    // One host is all that this command knows, so names don't need it.
    platform: createCodeHost({ ...host.platform, name: null }),
    openSibling: async (access, sibling) => ({ ...access, repo: sibling }),
  })
  return { file: await settings.read({ repo, token }), notes: [] }
}
