// The tokens of installations: for an hour, narrowed to repositories and permissions.
import { randomBytes } from 'node:crypto'
import type { Repository } from '../entities.ts'
import { invalid, refuse } from '../http.ts'
import { shapeRepository } from '../shape-accounts.ts'
import { announceChange, type ForgeState } from '../state.ts'
import {
  type Installation,
  includesPermission,
  type Permissions,
  repositoriesOf,
} from './app-state.ts'

const lifetimeMs = 60 * 60 * 1000

/** Creates a token. Throws GitHub's 403 for a suspended installation, 422 for too wide a wish. */
export function createInstallationToken(
  state: ForgeState,
  installation: Installation,
  wish: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (installation.suspendedAt !== null) throw refuse(403, 'This installation has been suspended')
  const repositories = chosenRepositories(state, installation, wish)
  const permissions = chosenPermissions(installation, wish)
  const token = `ghs_${randomBytes(18).toString('hex')}`
  const expiresAt = state.clock().getTime() + lifetimeMs
  state.tokens.set(token, {
    user: installation.app.bot,
    scopes: [],
    clientId: null,
    expiresAt,
    grant: {
      installation,
      repositories: repositories === null ? null : new Set(repositories),
      permissions,
    },
  })
  announceChange(state)
  return {
    token,
    expires_at: new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    permissions,
    repository_selection: repositories === null ? installation.selection : 'selected',
    ...(repositories === null
      ? {}
      : { repositories: repositories.map((one) => shapeRepository(state, one, 'admin')) }),
  }
}

/** Null where the token is for all repositories of the installation. */
function chosenRepositories(
  state: ForgeState,
  installation: Installation,
  { repositories: names, repository_ids: ids }: Readonly<Record<string, unknown>>,
): Repository[] | null {
  if (names === undefined && ids === undefined) return null
  const all = repositoriesOf(state, installation)
  const wanted = [...list(names), ...list(ids)]
  if (wanted.length > 500) throw refuse(422, 'The number of repositories is limited to 500.')
  return wanted.map((wish) => {
    const found = all.find((one) => one.id === wish || sameName(one.name, wish))
    if (found !== undefined) return found
    throw refuse(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    )
  })
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const sameName = (name: string, wish: unknown) => name.toLowerCase() === String(wish).toLowerCase()

function chosenPermissions(
  installation: Installation,
  { permissions }: Readonly<Record<string, unknown>>,
): Permissions {
  if (permissions === undefined) return installation.permissions
  if (typeof permissions !== 'object' || permissions === null)
    throw invalid('Integration', 'permissions', 'invalid')
  const wanted = permissions as Record<string, string>
  for (const [name, level] of Object.entries(wanted)) {
    if (includesPermission(installation.permissions, name, level)) continue
    throw refuse(422, 'The permissions requested are not granted to this installation.')
  }
  return { ...wanted, metadata: 'read' }
}
