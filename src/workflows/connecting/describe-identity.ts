// Finds out as whom a repository is reviewed, and whether that works now.
import { listTokenHolders } from '../../accounts/installations.ts'
import type { AppContext } from '../../context.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import type { Access } from '../../platforms/platform.ts'

/** Who reviews a repository. */
export interface ReviewIdentity {
  readonly kind: 'app' | 'person' | 'deployment'
  /** It is the name of the App or the username; null for the token of the deployment. */
  readonly login: string | null
  /** Whether reviews can be posted. */
  readonly canWrite: boolean
}

/** @throws PlatformError if the code host refuses the token or doesn't answer */
export async function describeIdentity(
  { db, platform }: Pick<AppContext, 'db' | 'platform'>,
  access: Access & { readonly installationId: number | null },
  signal: AbortSignal,
): Promise<ReviewIdentity> {
  const { appSlug, installationId, repo } = access
  if (appSlug !== undefined) return { kind: 'app', login: appSlug, canWrite: true }
  const [holder, { push: canWrite }] = await Promise.all([
    findHolder(db, repo, installationId),
    platform.getRepository(access, signal),
  ])
  if (holder === undefined) return { kind: 'deployment', login: null, canWrite }
  return { kind: 'person', login: holder.login, canWrite }
}

async function findHolder(
  db: AppContext['db'],
  repo: RepositoryName,
  installationId: number | null,
) {
  if (installationId === null) return undefined
  const holders = await listTokenHolders(db, repo)
  return holders.find((holder) => holder.installationId === installationId)
}
