// Reads what deliveries to the App say about its installations.
import { z } from 'zod'
import type { Delivery } from '../platform.ts'
import type { AppInstallationChange } from '../platform-app.ts'
import { appRepositorySchema, installationSchema } from './app-schemas.ts'

const repositories = z.array(z.unknown()).catch([]).transform(readRepositories)

const installationId = z.object({ id: z.int() }).transform(({ id }) => String(id))

const installationDelivery = z.object({
  action: z.string(),
  installation: installationSchema,
  sender: installationId.nullable().catch(null),
  repositories,
  repositories_added: repositories,
  repositories_removed: repositories,
})

const repositoryDelivery = z.object({
  action: z.enum(['renamed', 'transferred']),
  installation: installationId,
  repository: appRepositorySchema,
})

/** Null for deliveries that say nothing about installations, or that can't be read. */
export function readInstallationChange({
  event,
  payload,
}: Pick<Delivery, 'event' | 'payload'>): AppInstallationChange | null {
  switch (event) {
    case 'installation':
    case 'installation_repositories':
      return readChange(JSON.parse(payload))
    case 'repository':
      return readRename(JSON.parse(payload))
    default:
      return null
  }
}

function readChange(payload: unknown): AppInstallationChange | null {
  const { data } = installationDelivery.safeParse(payload)
  if (data === undefined) return null
  const { action, installation, sender: senderId } = data
  switch (action) {
    case 'created':
      return { kind: 'changed', installation, senderId, added: data.repositories, removed: [] }
    case 'added':
    case 'removed': {
      const { repositories_added: added, repositories_removed: removed } = data
      return { kind: 'changed', installation, senderId, added, removed }
    }
    case 'suspend':
    case 'unsuspend': {
      const isSuspended = action === 'suspend'
      const changed = { ...installation, isSuspended }
      return { kind: 'changed', installation: changed, senderId, added: [], removed: [] }
    }
    case 'deleted':
      return { kind: 'deleted', installationId: installation.id }
    default:
      return null
  }
}

function readRename(payload: unknown): AppInstallationChange | null {
  const { data } = repositoryDelivery.safeParse(payload)
  if (data === undefined) return null
  return { kind: 'renamed', installationId: data.installation, repository: data.repository }
}

/** Leaves out repositories that can't be read, so that the others are connected nevertheless. */
function readRepositories(listed: readonly unknown[]) {
  return listed.flatMap((one) => appRepositorySchema.safeParse(one).data ?? [])
}
