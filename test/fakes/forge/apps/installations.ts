// The life of installations: made, changed, suspended and removed, each with its delivery.

import type { Repository, User } from '../entities.ts'
import { deliverToApp } from '../github/deliveries.ts'
import { announceChange, type ForgeState, nextId, now } from '../state.ts'
import { type App, type Installation, type Permissions, repositoriesOf } from './app-state.ts'
import { shapeBriefRepository } from './shape-apps.ts'

/** What an installation is for: all repositories of the account, or some. */
export type Selection = 'all' | readonly Repository[]

/** Installs an App on an account, and delivers `installation.created`. */
export function install(
  state: ForgeState,
  app: App,
  account: User,
  selection: Selection,
  by: User,
): Installation {
  if (app.installations.some((one) => one.account === account))
    throw new Error(`${app.slug} is installed on ${account.login} already.`)
  if (!app.isPublic && account !== app.owner)
    throw new Error(`${app.slug} is private: it can be installed on ${app.owner.login} only.`)
  const installation: Installation = {
    id: nextId(state),
    app,
    account,
    permissions: app.permissions,
    events: app.events,
    selection: selection === 'all' ? 'all' : 'selected',
    selected: new Set(selection === 'all' ? [] : selection),
    suspendedBy: null,
    suspendedAt: null,
    createdAt: now(state),
    updatedAt: now(state),
  }
  app.installations.push(installation)
  deliverInstallation(state, installation, 'created', by)
  announceChange(state)
  return installation
}

/** Sends an `installation` event with the repositories that it covers. */
function deliverInstallation(
  state: ForgeState,
  installation: Installation,
  action: string,
  by: User,
): void {
  const repositories = repositoriesOf(state, installation).map(shapeBriefRepository)
  deliverToApp(state, installation, 'installation', by, { action, repositories })
}

/** Changes the repositories, and delivers those added and those removed. */
export function select(
  state: ForgeState,
  installation: Installation,
  selection: Selection,
  by: User,
): void {
  const before = repositoriesOf(state, installation)
  installation.selection = selection === 'all' ? 'all' : 'selected'
  installation.selected.clear()
  for (const repository of selection === 'all' ? [] : selection)
    installation.selected.add(repository)
  installation.updatedAt = now(state)
  const after = repositoriesOf(state, installation)
  const added = after.filter((repository) => !before.includes(repository))
  const removed = before.filter((repository) => !after.includes(repository))
  const send = (action: string, more: Repository[], fewer: Repository[]) =>
    deliverToApp(state, installation, 'installation_repositories', by, {
      action,
      repository_selection: installation.selection,
      repositories_added: more.map(shapeBriefRepository),
      repositories_removed: fewer.map(shapeBriefRepository),
      requester: null,
    })
  if (added.length > 0) send('added', added, [])
  if (removed.length > 0) send('removed', [], removed)
  announceChange(state)
}

/** Uninstalls an App: its tokens end, and `installation.deleted` is delivered. */
export function uninstall(state: ForgeState, installation: Installation, by: User): void {
  const { app } = installation
  deliverInstallation(state, installation, 'deleted', by)
  app.installations = app.installations.filter((candidate) => candidate !== installation)
  for (const [token, { grant }] of state.tokens)
    if (grant?.installation === installation) state.tokens.delete(token)
  announceChange(state)
}

/** Suspends an installation, or ends that with `by` as the one who did it. */
export function suspend(
  state: ForgeState,
  installation: Installation,
  suspended: boolean,
  by: User,
): void {
  installation.suspendedBy = suspended ? by : null
  installation.suspendedAt = suspended ? now(state) : null
  installation.updatedAt = now(state)
  deliverInstallation(state, installation, suspended ? 'suspend' : 'unsuspend', by)
  announceChange(state)
}

/** Accepts the permissions and events that the App asks for now. */
export function acceptPermissions(state: ForgeState, installation: Installation, by: User): void {
  const { events, permissions } = installation.app
  installation.permissions = permissions
  installation.events = events
  installation.updatedAt = now(state)
  deliverInstallation(state, installation, 'new_permissions_accepted', by)
  announceChange(state)
}

/** Changes what an App asks for. Installations keep what they have until somebody accepts. */
export function askFor(app: App, permissions: Permissions, events?: readonly string[]): void {
  app.permissions = { ...permissions, metadata: 'read' }
  app.events = events ?? app.events
}
