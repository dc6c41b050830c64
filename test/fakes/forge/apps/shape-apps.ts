// GitHub's formats of Apps and installations.

import type { Repository, User } from '../entities.ts'
import { apiUrl, nodeId, shapeUser } from '../shape-accounts.ts'
import { type ForgeState, fullName } from '../state.ts'
import type { App, Installation } from './app-state.ts'

type Shape = Record<string, unknown>

export function shapeApp(state: ForgeState, app: App): Shape {
  return {
    id: app.id,
    slug: app.slug,
    client_id: app.clientId,
    node_id: nodeId('A', app.id),
    owner: shapeUser(state, app.owner),
    name: app.name,
    description: app.description,
    external_url: app.externalUrl,
    html_url: `${state.url}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: app.events,
  }
}

/** The whole installation, as the API and its own events show it. */
export function shapeInstallation(state: ForgeState, installation: Installation): Shape {
  const { account, app, id } = installation
  const api = `${apiUrl(state)}/app/installations/${id}`
  return {
    id,
    client_id: app.clientId,
    account: shapeUser(state, account),
    repository_selection: installation.selection,
    access_tokens_url: `${api}/access_tokens`,
    repositories_url: `${apiUrl(state)}/installation/repositories`,
    html_url: installationWebUrl(state, installation),
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type === 'Organization' ? 'Organization' : 'User',
    permissions: installation.permissions,
    events: installation.events,
    created_at: installation.createdAt,
    updated_at: installation.updatedAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: installation.suspendedBy && shapeUser(state, installation.suspendedBy),
    suspended_at: installation.suspendedAt,
  }
}

function installationWebUrl(state: ForgeState, { account, id }: Installation): string {
  const settings = isOrganization(account) ? `/organizations/${account.login}` : ''
  return `${state.url}${settings}/settings/installations/${id}`
}

const isOrganization = (account: User) => account.type === 'Organization'

/** The whole installation in its own events, which have no client id. */
export function shapePayloadInstallation(state: ForgeState, installation: Installation): Shape {
  const { client_id: _, ...rest } = shapeInstallation(state, installation)
  return rest
}

/** An App in payloads, which have no client id. */
export function shapePayloadApp(state: ForgeState, app: App): Shape {
  const { client_id: _, ...rest } = shapeApp(state, app)
  return rest
}

/** A repository in the lists of an installation's events. */
export function shapeBriefRepository(repository: Repository): Shape {
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.private,
  }
}

/** The installation at the end of a payload. */
export const shapeInstallationLite = ({ id }: Installation): Shape => ({
  id,
  node_id: nodeId('MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u', id),
})
