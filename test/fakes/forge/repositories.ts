// Users and bare git repositories: creation, renames, removal, and commits without a checkout.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository, User } from './entities.ts'
import { git } from './git.ts'
import { readBranches } from './objects.ts'
import {
  announceChange,
  type ForgeState,
  nextId,
  now,
  repositoryNamed,
  userNamed,
} from './state.ts'

/** Creates a user, or adds a token to an existing one. */
export function createUser(
  state: ForgeState,
  login: string,
  options: { token?: string; scopes?: readonly string[]; name?: string; type?: User['type'] } = {},
): User {
  // An address has no brackets, as in the logins of Apps.
  const email = `${login.toLowerCase().replace(/[[\]]/g, '')}@users.forge.example`
  const user = state.users.get(login.toLowerCase()) ?? {
    id: nextId(state),
    login,
    name: options.name ?? login,
    email,
    type: options.type ?? 'User',
  }
  state.users.set(login.toLowerCase(), user)
  if (options.token !== undefined) {
    state.tokens.set(options.token, {
      user,
      scopes: options.scopes ?? state.dialect.defaultScopes,
      clientId: null,
    })
  }
  return user
}

export interface RepositoryOptions {
  readonly private?: boolean
  readonly description?: string
  readonly defaultBranch?: string
  /** Logins other than the owner. */
  readonly admins?: readonly string[]
  readonly writers?: readonly string[]
  readonly readers?: readonly string[]
  /** `owner/repo` that this is a fork of; its branches are copied. */
  readonly forkOf?: string
}

/** Splits a name at its last slash: groups have several parts. */
function splitName(name: string): [owner: string, repo: string] {
  const at = name.lastIndexOf('/')
  if (at < 1 || at === name.length - 1) throw new Error(`${name} isn't owner/repo.`)
  return [name.slice(0, at), name.slice(at + 1)]
}

/** Creates an empty repository (or a fork). An owner that isn't a user becomes an organization. */
// oxlint-disable-next-line complexity -- one default for each option
export async function createRepository(
  state: ForgeState,
  name: string,
  options: RepositoryOptions = {},
): Promise<Repository> {
  const [owner, repo] = splitName(name)
  if (state.repositories.has(name.toLowerCase())) throw new Error(`${name} exists already.`)
  const parent = options.forkOf === undefined ? null : repositoryNamed(state, options.forkOf)
  const id = nextId(state)
  const repository: Repository = {
    id,
    owner:
      state.users.get(owner.toLowerCase()) ?? createUser(state, owner, { type: 'Organization' }),
    name: repo,
    private: options.private ?? parent?.private ?? false,
    description: options.description ?? null,
    defaultBranch: options.defaultBranch ?? parent?.defaultBranch ?? 'main',
    parent,
    directory: join(state.dataDir, `${id}.git`),
    collaborators: new Map([
      ...(options.readers ?? []).map(
        (login) => [userNamed(state, login).login.toLowerCase(), 'read'] as const,
      ),
      ...(options.writers ?? []).map(
        (login) => [userNamed(state, login).login.toLowerCase(), 'write'] as const,
      ),
      ...(options.admins ?? []).map(
        (login) => [userNamed(state, login).login.toLowerCase(), 'admin'] as const,
      ),
    ]),
    heads: new Map(),
    hooks: [],
    labels: [],
    issues: new Map(),
    pulls: new Map(),
    statuses: [],
    checkSuites: [],
    checkRuns: [],
    requiredChecks: new Map(),
    mergeGroups: [],
    tools: { analyses: null, workflowRuns: [] },
    restrictsDismissals: false,
    createdAt: now(state),
    pushedAt: now(state),
    statisticsRequested: new Set(),
    comparisons: new Map(),
    writes: Promise.resolve(),
  }
  await initialize(state, repository)
  repository.heads = await readBranches(repository)
  state.repositories.set(name.toLowerCase(), repository)
  state.formerNames.delete(name.toLowerCase())
  announceChange(state)
  return repository
}

async function initialize(state: ForgeState, repository: Repository): Promise<void> {
  await git(state.dataDir, [
    'init',
    ...['--quiet', '--bare', '--template='],
    `--initial-branch=${repository.defaultBranch}`,
    repository.directory,
  ])
  // As at GitHub, any commit can be fetched, blobs can be left out, and the refs of pull requests are read-only.
  const settings = [
    ...[
      '[uploadpack]',
      'allowFilter = true',
      'allowAnySHA1InWant = true',
      'allowReachableSHA1InWant = true',
    ],
    ...['[receive]', `hideRefs = ${state.dialect.pullRefs}`, 'autoGC = false'],
    ...['[gc]', 'auto = 0'],
    ...['[core]', 'bare = true', 'repositoryformatversion = 0', 'logAllRefUpdates = false'],
  ]
  await writeFile(join(repository.directory, 'config'), `${settings.join('\n')}\n`)
  if (repository.parent !== null) {
    await git(repository.directory, [
      'fetch',
      '--quiet',
      repository.parent.directory,
      '+refs/heads/*:refs/heads/*',
    ])
  }
}

/** Renames a repository; the old name redirects. */
export function renameRepository(state: ForgeState, name: string, newName: string): void {
  const repository = repositoryNamed(state, name)
  const [owner, repo] = splitName(newName)
  state.repositories.delete(name.toLowerCase())
  state.formerNames.set(name.toLowerCase(), repository)
  repository.owner =
    state.users.get(owner.toLowerCase()) ?? createUser(state, owner, { type: 'Organization' })
  repository.name = repo
  state.repositories.set(newName.toLowerCase(), repository)
  announceChange(state)
}

/**
 * Removes a repository with all its content. Its pull requests elsewhere lose their head
 * repository.
 */
export async function removeRepository(state: ForgeState, name: string): Promise<void> {
  const repository = repositoryNamed(state, name)
  state.repositories.delete(name.toLowerCase())
  for (const [former, target] of state.formerNames)
    if (target === repository) state.formerNames.delete(former)
  for (const other of state.repositories.values()) {
    if (other.parent === repository) other.parent = null
    for (const pull of other.pulls.values())
      if (pull.headRepository === repository) pull.headRepository = null
  }
  await repository.writes
  await rm(repository.directory, { recursive: true, force: true })
  announceChange(state)
}
