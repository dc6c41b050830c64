// GitHub Apps and their installations.
import type { KeyObject } from 'node:crypto'
import type { InstallationGrant, Repository, User } from '../entities.ts'
import type { ForgeState } from '../state.ts'

export type Permissions = Readonly<Record<string, string>>

export interface App {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly owner: User
  readonly description: string | null
  readonly externalUrl: string
  readonly createdAt: string
  readonly clientId: string
  readonly clientSecret: string
  readonly publicKey: KeyObject
  /** Only users of the owner's account can install a private App, and only there. */
  readonly isPublic: boolean
  readonly callbackUrls: readonly string[]
  readonly setupUrl: string | null
  /** Whether the setup address is opened after a change of the repositories too. */
  readonly setupOnUpdate: boolean
  /** Whether people sign in to the App while they install it. */
  readonly signInOnInstall: boolean
  /** Whether tokens of people end after eight hours. */
  readonly expiresUserTokens: boolean
  permissions: Permissions
  events: readonly string[]
  hook: AppHook
  /** The account that the App acts as. */
  readonly bot: User
  installations: Installation[]
}

/** The one address that receives the events of all installations of an App. */
export interface AppHook {
  readonly id: number
  readonly active: boolean
  readonly url: string
  readonly secret: string
  readonly contentType: 'json' | 'form'
  readonly insecureSsl: '0' | '1'
}

export interface Installation {
  readonly id: number
  readonly app: App
  readonly account: User
  permissions: Permissions
  events: readonly string[]
  selection: 'all' | 'selected'
  /** What was selected; not used where all repositories of the account are. */
  readonly selected: Set<Repository>
  suspendedBy: User | null
  suspendedAt: string | null
  readonly createdAt: string
  updatedAt: string
}

/** Redeems the code of the manifest flow, once. */
export interface AppConversion {
  readonly app: App
  readonly pem: string
  /** By the forge's clock, in milliseconds. */
  readonly expiresAt: number
}

/** Returns whether an installation covers a repository. */
export function covers(installation: Installation, repository: Repository): boolean {
  return installation.selection === 'all'
    ? repository.owner.id === installation.account.id
    : installation.selected.has(repository)
}

/** Returns the installation by which an App can act in a repository. */
export function installationFor(app: App, repository: Repository): Installation | undefined {
  return app.installations.find((one) => one.suspendedAt === null && covers(one, repository))
}

/** Returns whether the token of an installation is for a repository. */
export function reachesRepository(grant: InstallationGrant, repository: Repository): boolean {
  return grant.repositories === null
    ? covers(grant.installation, repository)
    : grant.repositories.has(repository) && covers(grant.installation, repository)
}

/** Returns the repositories of an installation, oldest first. */
export function repositoriesOf(state: ForgeState, installation: Installation): Repository[] {
  return [...state.repositories.values()].filter((repository) => covers(installation, repository))
}

const levels = ['read', 'write', 'admin']

/** Returns whether permissions include one of a resource at a level or above. */
export function includesPermission(has: Permissions, name: string, level: string): boolean {
  return levels.indexOf(has[name] ?? '') >= levels.indexOf(level)
}

/** Throws an Error for an unknown slug: for the forge's own callers, not for its clients. */
export function appNamed(state: ForgeState, slug: string): App {
  const app = state.apps.find((candidate) => candidate.slug === slug)
  if (app === undefined) throw new Error(`The forge has no App ${slug}.`)
  return app
}

/** Throws an Error for an unknown id: for the forge's own callers, not for its clients. */
export function installationNumbered(state: ForgeState, id: number): Installation {
  const all = state.apps.flatMap((app) => app.installations)
  const installation = all.find((candidate) => candidate.id === id)
  if (installation === undefined) throw new Error(`The forge has no installation ${id}.`)
  return installation
}
