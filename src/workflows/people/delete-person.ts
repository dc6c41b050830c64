// Deletes a person: connections, account, credentials and what was learned; replaces the name in
// what stays.
import { type Actor, recordAudit } from '../../accounts/audit.ts'
import { deleteAccount, renameInAuditLog } from '../../accounts/delete-account.ts'
import {
  type ConnectionPlan,
  handOverConnection,
  planConnections,
} from '../../accounts/hand-over.ts'
import { ensureOperator } from '../../accounts/operator.ts'
import {
  describeAccount,
  findPerson,
  type Person,
  requireOtherAdministrator,
  revokeAllTokens,
} from '../../accounts/people.ts'
import type { Hosts, ServiceContext } from '../../context.ts'
import { hostSuffix } from '../../contract/repository-name.ts'
import type { Db } from '../../db/database.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { deletedLogin, type PersonName } from '../../domain/deleted-person.ts'
import { RequestError } from '../../domain/errors.ts'
import type { RepositoryName } from '../../domain/pull-request.ts'
import {
  countPersonRecords,
  emptyPayloads,
  type PersonRecords,
  renameInRecords,
  renameInRuns,
} from '../../events/delete-person-records.ts'
import {
  countPersonKnowledge,
  deletePersonKnowledge,
  type PersonKnowledge,
} from '../../knowledge/delete-person-knowledge.ts'
import { deletePersonRequests } from '../../work/delete-person-requests.ts'
import { disconnectPerson } from '../connecting/disconnect-repository.ts'
import { type DecisionContext, withdrawAllDecisions } from '../follow-decisions.ts'
import { requirePerson } from './change-people.ts'

export interface DeletionContext extends Pick<ServiceContext, 'db' | 'config'> {
  readonly hosts: Hosts<DecisionContext>
}

/** A person at a code host; `userId` is null for an author who never signed in. */
export interface DeletedPerson extends PersonName {
  readonly userId: number | null
}

/** Describes what a deletion would do. */
export interface DeletionPlan extends PersonRecords, PersonKnowledge {
  readonly login: string
  readonly repositories: readonly ConnectionPlan[]
}

/** Describes what a deletion did. */
export interface Deletion extends DeletionPlan {
  /** Repositories whose webhook could not be removed at the code host. */
  readonly leftWebhooks: readonly RepositoryName[]
  /** The number of stored payloads that were emptied. */
  readonly payloads: number
}

/**
 * Names the person of an account.
 *
 * @throws RequestError `not_found`, also if the code host is not served any more: names of another
 *   host would be taken for theirs
 */
export function nameAccount(
  { hosts }: Pick<DeletionContext, 'hosts'>,
  { id, platform, login }: Pick<Person, 'id' | 'platform' | 'login'>,
): DeletedPerson {
  const host = hosts.find(platform)
  if (host === undefined) {
    throw new RequestError('not_found', `The code host of ${login} is not served any more`)
  }
  const { name } = host.config.platform
  return { login, suffix: hostSuffix(name), userId: id }
}

/** Counts what the deletion of a person would change. */
export async function planDeletion(db: Db, person: DeletedPerson): Promise<DeletionPlan> {
  return {
    login: person.login,
    repositories: person.userId === null ? [] : await planConnections(db, person.userId),
    ...(await countPersonRecords(db, person)),
    ...(await countPersonKnowledge(db, person)),
  }
}

/**
 * Deletes a person. If it fails half-way, repeating it continues, because the account and what
 * `planDeletion` counts go last, in one transaction.
 *
 * @param actor who deletes the person
 * @throws RequestError `conflict` for the last administrator, and while connections are changing
 */
export async function deletePerson(
  ctx: DeletionContext,
  person: DeletedPerson,
  actor: Actor,
): Promise<Deletion> {
  const plan = await planDeletion(ctx.db, person)
  const { userId } = person
  const leftWebhooks = userId === null ? [] : await endConnections(ctx, { userId, plan }, actor)
  const payloads = await emptyPayloads(ctx.db, person)
  await renameInRuns(ctx.db, person)
  await transactionWithRetry(ctx.db, async (tx) => {
    await renameInRecords(tx, person)
    await deletePersonRequests(tx, person)
    await deletePersonKnowledge(tx, person)
    await renameInAuditLog(tx, person, userId)
    if (userId !== null) await deleteEndedAccount(tx, ctx, userId)
    const by = actor.userId === userId ? { userId: null, login: deletedLogin } : actor
    const subject =
      userId === null ? deletedLogin : describeAccount({ id: userId, login: deletedLogin })
    await recordAudit(tx, by, 'person_deleted', subject)
  })
  return { ...plan, leftWebhooks, payloads }
}

/** Signs the person out first, so that no connections are added meanwhile. */
async function endConnections(
  ctx: DeletionContext,
  { userId, plan }: { userId: number; plan: DeletionPlan },
  actor: Actor,
): Promise<RepositoryName[]> {
  await transactionWithRetry(ctx.db, async (tx) => {
    await requireOtherAdministrator(tx, ctx.config, await requirePerson(tx, userId))
    await revokeAllTokens(tx, userId)
  })
  const left: RepositoryName[] = []
  for (const { repo, outcome } of plan.repositories) {
    if (outcome === 'handed_over') continue
    const host = ctx.hosts.of(repo)
    const token = (await host.userTokens.read(userId)) ?? null
    const disconnection = { actor, userId, token }
    const beforeLast = (last: RepositoryName) => withdrawAllDecisions(host, last)
    if (await disconnectPerson({ ...host, beforeLast }, disconnection, repo)) left.push(repo)
  }
  return left
}

async function deleteEndedAccount(
  tx: Db,
  { config }: DeletionContext,
  userId: number,
): Promise<void> {
  const account = await findPerson(tx, userId)
  if (account === undefined) return
  await requireOtherAdministrator(tx, config, account)
  const connections = await planConnections(tx, userId)
  if (connections.some(({ outcome }) => outcome !== 'handed_over')) {
    throw new RequestError(
      'conflict',
      `${account.login} has just connected a repository. Try again`,
    )
  }
  if (connections.length > 0) {
    const { id: operatorId } = await ensureOperator(tx)
    for (const { repo } of connections) {
      await handOverConnection(tx, { repo, userId, operatorId })
    }
  }
  await deleteAccount(tx, userId)
}
