// Stores connected repositories, their webhook secrets, and the people who connected them.
import { randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { toStorableText } from '../contract/storable-text.ts'
import type { Db } from '../db/database.ts'
import type { Row } from '../db/schema.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import type { TokenHolder } from './users.ts'

/** The webhook secrets of a repository, by whether their installation is active. */
export interface WebhookSecrets {
  readonly active: readonly string[]
  readonly inactive: readonly string[]
}

const noSecrets: WebhookSecrets = { active: [], inactive: [] }

/**
 * Reads the secrets of several repositories, in the order of `repos`; none for null. Ignores case,
 * as platforms do: otherwise another spelling would bypass the secret.
 */
export async function findWebhookSecrets(
  db: Db,
  repos: readonly (string | null)[],
): Promise<WebhookSecrets[]> {
  const named = [...new Set(repos.flatMap((repo) => (repo === null ? [] : [repo.toLowerCase()])))]
  if (named.length === 0) return repos.map(() => noSecrets)
  const { rows } = await sql<{ repo: string; webhookSecret: string; isActive: boolean }>`
    select lower(repo_full_name) as repo, webhook_secret, is_active from installations
    where lower(repo_full_name) = any(${named}::text[])
    union all
    -- Repositories that are being connected have no installation yet.
    select repo, webhook_secret, true from repository_reservations
    where repo = any(${named}::text[]) and webhook_secret is not null
      and expires_at > now()
    union all
    select lower(i.repo_full_name), s.secret, i.is_active
    from installations i join spare_webhook_secrets s
      on s.webhook_id = i.webhook_id and s.host = host_of(i.repo_full_name)
    where lower(i.repo_full_name) = any(${named}::text[])
      and (s.accepted_until is null or s.accepted_until > now())`.execute(db)
  const byRepo = Map.groupBy(rows, (row) => row.repo)
  return repos.map((repo) => {
    const own = (repo !== null && byRepo.get(repo.toLowerCase())) || []
    return {
      active: own.filter((row) => row.isActive).map((row) => row.webhookSecret),
      inactive: own.filter((row) => !row.isActive).map((row) => row.webhookSecret),
    }
  })
}

/** A webhook as the platform stores it. */
export interface Webhook {
  readonly id: number
  readonly secret: string
}

/** A repository that is connected to a person's account. */
export interface Installation
  extends Pick<
    Row<'installations'>,
    'id' | 'userId' | 'platformRepoId' | 'webhookId' | 'webhookSecret' | 'appInstallationId'
  > {
  readonly repo: RepositoryName
  /** Whether the platform no longer shows the repository to the person. */
  readonly isHidden: boolean
}

/** Compares the name of an installation's repository, ignoring case, as platforms do. */
export function isRepository(repo: RepositoryName): RawBuilder<boolean> {
  return sql<boolean>`lower(repo_full_name) = ${repo.toLowerCase()}`
}

/** Returns the active installations of a repository by all people, newest first. */
export async function listActiveInstallations(
  db: Db,
  repo: RepositoryName,
): Promise<Installation[]> {
  return db
    .selectFrom('installations')
    .select(['id', 'userId', 'repoFullName as repo'])
    .select(['platformRepoId', 'webhookId', 'webhookSecret', 'appInstallationId'])
    .select(sql<boolean>`access_lost_at is not null`.as('isHidden'))
    .where(isRepository(repo))
    .where('isActive', '=', true)
    .orderBy('id', 'desc')
    .execute()
}

/**
 * Inserts an installation and stores its webhook for all active installations of the repository,
 * which share one webhook. Without a webhook, only the App receives deliveries. Returns the new id.
 */
export async function insertInstallation(
  tx: Db,
  input: {
    userId: number
    repo: RepositoryName
    platformRepoId: string
    webhook: Webhook | null
    appInstallationId: number | null
    /** How long to wait until the first access check. */
    minutes: number
  },
): Promise<number> {
  const { id: webhookId, secret: webhookSecret } = input.webhook ?? makeAppWebhook()
  const webhook = { webhookId, webhookSecret }
  if (input.webhook !== null) {
    await tx
      .updateTable('installations')
      .set(webhook)
      .where(isRepository(input.repo))
      .where('isActive', '=', true)
      .execute()
  }
  const { id } = await tx
    .insertInto('installations')
    .values({
      userId: input.userId,
      repoFullName: input.repo,
      platformRepoId: input.platformRepoId,
      appInstallationId: input.appInstallationId,
      isActive: true,
      accessCheckDue: sql`now() + make_interval(mins => ${input.minutes})`,
      accessConfirmedAt: sql`now()`,
      ...webhook,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The id of no webhook, and a secret that nobody knows, so that no delivery is signed with it. */
function makeAppWebhook(): Webhook {
  return { id: 0, secret: randomBytes(32).toString('hex') }
}

/** Adds connections to an installation of the App, which then receives deliveries for them too. */
export async function joinAppInstallation(
  tx: Db,
  ids: readonly number[],
  { appInstallationId, platformRepoId }: { appInstallationId: number; platformRepoId: string },
): Promise<void> {
  await tx
    .updateTable('installations')
    .set({ appInstallationId, platformRepoId })
    .where('id', 'in', ids)
    .execute()
}

const endedFields = { isActive: false, deactivatedAt: sql<Date>`now()` }

/** Ends an installation but keeps its record. */
export async function deactivateInstallation(tx: Db, id: number): Promise<void> {
  await tx.updateTable('installations').set(endedFields).where('id', '=', id).execute()
}

/**
 * Ends the installations of all people that a newly connected repository makes obsolete: those of
 * another repository that had the same name, and its own under a former name.
 *
 * @returns the owners and names of the ended installations
 */
export async function endOutdatedInstallations(
  tx: Db,
  { repo, platformRepoId }: { repo: RepositoryName; platformRepoId: string },
): Promise<{ userId: number; repo: RepositoryName }[]> {
  return (
    tx
      .updateTable('installations')
      .set(endedFields)
      .where('isActive', '=', true)
      // Exactly one of both must match. A record without an id is left unchanged.
      .where(sql<boolean>`(platform_repo_id = ${platformRepoId}) <> (${isRepository(repo)})`)
      .returning(['userId', 'repoFullName as repo'])
      .execute()
  )
}

/** The platform's id of the repository last connected under a name; null if it wasn't stored. */
export async function findLastConnectedRepositoryId(
  tx: Db,
  repo: RepositoryName,
): Promise<string | null> {
  const newest = await tx
    .selectFrom('installations')
    .select('platformRepoId')
    .where(isRepository(repo))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.platformRepoId ?? null
}

/** Whether an active installation uses the webhook. */
export async function isWebhookStored(
  db: Db,
  repo: RepositoryName,
  webhookId: number,
): Promise<boolean> {
  const installations = await listActiveInstallations(db, repo)
  return installations.some((installation) => installation.webhookId === webhookId)
}

/** A person who connected a repository. */
export interface RepositoryTokenHolder extends TokenHolder {
  readonly installationId: number
  readonly userId: number
  readonly login: string
  readonly isActive: boolean
}

/** Lists the people whose token can read a repository, newest installation first. */
export async function listTokenHolders(
  db: Db,
  repo: RepositoryName,
): Promise<RepositoryTokenHolder[]> {
  return db
    .selectFrom('installations')
    .innerJoin('users', 'users.id', 'installations.userId')
    .select(['installations.id as installationId', 'isActive'])
    .select(['users.id as userId', 'login', 'platform', 'platformUserId', 'encryptedToken'])
    .where(isRepository(repo))
    .orderBy('installations.id', 'desc')
    .execute()
}

/**
 * Lists a page of the repositories that are connected to an account and visible to it, by name.
 *
 * @param input `search` matches a part of the name, ignoring case
 */
export async function listConnectedInstallations(
  db: Db,
  userId: number,
  input: { search: string; page: number; perPage: number },
): Promise<{
  installations: { id: number; repo: RepositoryName; hasWebhook: boolean }[]
  hasMore: boolean
}> {
  // People write groups like their host does.
  const needle = toStorableText(input.search.toLowerCase()).replaceAll('/', ':')
  const rows = await db
    .selectFrom('installations')
    .select(['id', 'repoFullName as repo'])
    .select(sql<boolean>`coalesce(webhook_id, 0) <> 0`.as('hasWebhook'))
    .where('userId', '=', userId)
    .where('isActive', '=', true)
    .where('accessLostAt', 'is', null)
    .where(sql<boolean>`strpos(replace(lower(repo_full_name), '/', ':'), ${needle}) > 0`)
    .orderBy(sql`lower(repo_full_name) collate "C"`)
    .limit(input.perPage + 1)
    .offset((input.page - 1) * input.perPage)
    .execute()
  return { installations: rows.slice(0, input.perPage), hasMore: rows.length > input.perPage }
}

/**
 * Selects the repositories that are connected to an account and visible to it.
 *
 * @returns installation ids by lower-case repository name
 */
export async function findInstallationIds(
  db: Db,
  userId: number,
  repos: readonly RepositoryName[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('installations')
    .select('id')
    .select(sql<string>`lower(repo_full_name)`.as('repo'))
    .where('userId', '=', userId)
    .where('isActive', '=', true)
    .where('accessLostAt', 'is', null)
    .where(
      sql<string>`lower(repo_full_name)`,
      '=',
      sql<string>`any(${repos.map((repo) => repo.toLowerCase())}::text[])`,
    )
    .execute()
  return new Map(rows.map((row) => [row.repo, row.id]))
}
