// Implements the operations of the command line on the database of a service.
import { recordAudit } from '../accounts/audit.ts'
import {
  type Account,
  ensureOperator,
  findAccounts,
  findTokenOwner,
  listAllApiTokens,
  type OwnedToken,
  operatorLogin,
} from '../accounts/operator.ts'
import { type ListedPerson, listPeople } from '../accounts/people.ts'
import { deleteLostSecrets } from '../accounts/sealed-secrets.ts'
import { revokeToken, saveToken } from '../accounts/tokens.ts'
import { deleteToolPins } from '../accounts/tool-pins.ts'
import { maySignIn } from '../accounts/users.ts'
import type { ServiceContext } from '../context.ts'
import { hostSuffix } from '../contract/repository-name.ts'
import type { Db, OpenDatabase } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { RequestError } from '../domain/errors.ts'
import { type DatabaseFacts, readDatabaseFacts } from './diagnose/database-facts.ts'
import { changeAdministrator } from './people/change-people.ts'
import {
  type DeletedPerson,
  type Deletion,
  type DeletionContext,
  type DeletionPlan,
  deletePerson,
  planDeletion,
} from './people/delete-person.ts'

export interface TokenRequest {
  /** It is null for the operator. */
  readonly user: string | null
  /** Whether the token sees all repositories. */
  readonly admin: boolean
  readonly name: string
  readonly days: number
}

/** A new token; the JWT is shown only once. */
export interface IssuedToken {
  readonly jwt: string
  readonly id: string
  /** The user in whose name the token acts. */
  readonly login: string
  /** The public address of the service that accepts the token. */
  readonly issuer: string
  readonly expiresAt: Date
}

/** Implemented by the process that has the database open, and by a client of its socket. */
export interface Control {
  /**
   * @throws RequestError `not_found` if the user never signed in; `conflict` if two users had that
   *   name, or the user may not sign in any more
   */
  createToken(order: TokenRequest): Promise<IssuedToken>
  listTokens(): Promise<readonly OwnedToken[]>
  /** Returns the name of the revoked token. Throws RequestError `not_found`. */
  revokeToken(tokenId: string): Promise<string>
  /**
   * Deletes platform tokens that the secret key can't decrypt, so that their users have to sign in
   * again. Returns how many.
   */
  forgetLostTokens(): Promise<number>
  readDatabase(): Promise<DatabaseFacts>
  listPeople(): Promise<readonly ListedPerson[]>
  /**
   * Makes a person an administrator or takes that back.
   *
   * @throws RequestError `not_found`, `conflict`
   */
  changeAdministrator(user: string, isAdmin: boolean): Promise<void>
  /**
   * Counts what the deletion of a person would change, who may be an author who never signed in.
   *
   * @throws RequestError `not_found` if nothing is stored about the person, `conflict` if two
   *   accounts had that name
   */
  planDeletion(user: string): Promise<DeletionPlan>
  /** @throws RequestError like `planDeletion`, and `conflict` for the last administrator */
  deletePerson(user: string): Promise<Deletion>
  /**
   * Deletes the pinned tools of a context source, so that its current tools are trusted. Returns
   * how many.
   */
  trustSource(name: string): Promise<number>
}

/** Creates the operations for a database that this process has open. */
export function createControl(
  ctx: Pick<ServiceContext, 'credentials' | 'keys' | 'config'> & Pick<DeletionContext, 'hosts'>,
  database: Pick<OpenDatabase, 'db' | 'engine'>,
): Control {
  const { db } = database
  const { hosts, http } = ctx.config
  return {
    async createToken({ user, admin, name, days }) {
      const named = user === null ? null : splitUser(hosts, user)
      if (named !== null && !maySignIn(ctx.config, named)) {
        throw new RequestError(
          'conflict',
          `${user} may not sign in here: add the username to SIGN_IN_ALLOWED.`,
        )
      }
      const expiresAt = new Date(Date.now() + days * 24 * 3600 * 1000)
      const { account, id } = await transactionWithRetry(db, async (tx) => {
        const account = named === null ? await ensureOperator(tx) : await findAccount(tx, named)
        const token = {
          userId: account.id,
          kind: 'api',
          name,
          grantsAdmin: admin,
          expiresAt,
        } as const
        const id = await saveToken(tx, token)
        await recordAudit(tx, byOperator(account), 'token_created', name)
        return { account, id }
      })
      const jwt = await ctx.credentials.issue(
        'bearer',
        { userId: account.id, tokenId: id },
        expiresAt,
      )
      return { jwt, id, login: account.login, issuer: http.publicUrl, expiresAt }
    },
    listTokens: () => listAllApiTokens(db),
    revokeToken: (tokenId) =>
      transactionWithRetry(db, async (tx) => {
        const holder = await findTokenOwner(tx, tokenId)
        const revoked =
          holder && (await revokeToken(tx, { userId: holder.id, tokenId, kind: 'api' }))
        if (holder === undefined || revoked === undefined)
          throw new RequestError('not_found', `There is no active token ${tokenId}.`)
        await recordAudit(tx, byOperator(holder), 'token_revoked', revoked.name)
        return revoked.name
      }),
    forgetLostTokens: () => deleteLostSecrets(db, ctx.keys),
    readDatabase: () => readDatabaseFacts(database),
    listPeople: () => listPeople(db, { platforms: hosts.map(({ platform }) => platform.id) }),
    changeAdministrator: async (user, isAdmin) => {
      const account = await findAccount(db, splitUser(hosts, user))
      const caller = { ...operator, isAdmin: true }
      await changeAdministrator({ db, config: ctx.config }, caller, { id: account.id, isAdmin })
    },
    planDeletion: async (user) => planDeletion(db, await findNamed({ db, hosts }, user)),
    deletePerson: async (user) =>
      deletePerson(
        { db, config: ctx.config, hosts: ctx.hosts },
        await findNamed({ db, hosts }, user),
        operator,
      ),
    trustSource: (name) => deleteToolPins(db, name),
  }
}

/** The operator acts without an account. */
const operator = { userId: null, login: operatorLogin }

interface NamedUser {
  readonly platform: string
  readonly login: string
}

/** @throws RequestError like `planDeletion` of `Control` */
async function findNamed(
  { db, hosts }: { db: Db; hosts: ServiceContext['config']['hosts'] },
  user: string,
): Promise<DeletedPerson> {
  const { platform, login } = splitUser(hosts, user)
  const host = hosts.find((one) => one.platform.id === platform)
  const suffix = hostSuffix(host?.platform.name ?? null)
  const account = await findOnlyAccount(db, { platform, login })
  if (account !== undefined) return { login: account.login, suffix, userId: account.id }
  const person = { login, suffix, userId: null }
  const { repositories, login: _, ...counts } = await planDeletion(db, person)
  if (platform !== '' && Object.values(counts).some((count) => count > 0)) return person
  const message = `Nothing is stored about ${user}: check the case of the username.`
  throw new RequestError('not_found', message)
}

/** A username has `@` and the id of its host at the end, unless that is the first one. */
function splitUser(hosts: ServiceContext['config']['hosts'], user: string): NamedUser {
  const [login = '', host = null] = user.split('@', 2)
  const found = hosts.find(({ platform }) => platform.name === host?.toLowerCase())
  const platform = (host === null ? hosts[0] : found)?.platform.id ?? ''
  return { platform, login }
}

async function findAccount(tx: Db, named: NamedUser): Promise<Account> {
  const account = await findOnlyAccount(tx, named)
  if (account === undefined)
    throw new RequestError(
      'not_found',
      `No user called ${named.login} has signed in yet: let them sign in first.`,
    )
  return account
}

/** @throws RequestError `conflict` if two accounts had that name */
async function findOnlyAccount(
  tx: Db,
  { platform, login }: NamedUser,
): Promise<Account | undefined> {
  const [account, another] = await findAccounts(tx, platform, login)
  if (another !== undefined) {
    const message =
      `Two accounts were called ${login} when they last signed in: ` +
      'both have to sign in again first.'
    throw new RequestError('conflict', message)
  }
  return account
}

/** The audit log shows the action under the user's account, done by the operator. */
function byOperator(account: Account): { userId: number; login: string } {
  return { userId: account.id, login: operatorLogin }
}
