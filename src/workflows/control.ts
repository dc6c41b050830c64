// What the operator can do from the command line to the database that a service works on.
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
import { revokeToken, saveToken } from '../accounts/tokens.ts'
import { deleteToolPins } from '../accounts/tool-pins.ts'
import { deleteLostTokens, maySignIn } from '../accounts/users.ts'
import type { Config } from '../config/config.ts'
import type { AppContext } from '../context.ts'
import type { Db, OpenDatabase } from '../db/database.ts'
import { transactionWithRetry } from '../db/transaction.ts'
import { RequestError } from '../domain/errors.ts'
import { type DatabaseFacts, readDatabaseFacts } from './diagnose/database-facts.ts'

/** A token that the operator wants. */
export interface TokenRequest {
  /** The platform's username of the person as whom it acts; null for the operator. */
  readonly user: string | null
  /** Whether it sees all. */
  readonly admin: boolean
  readonly name: string
  /** How long it counts. */
  readonly days: number
}

/** A token that was made. The JWT is shown this once. */
export interface IssuedToken {
  readonly jwt: string
  readonly id: string
  /** As whom it acts. */
  readonly login: string
  /** The public address of the service that takes it. */
  readonly issuer: string
  readonly expiresAt: Date
}

/** The same whether the caller has the database open or asks the process that has. */
export interface Control {
  /**
   * @throws RequestError `not_found` where the person never signed in, `conflict` where two had that name, or the one who has
   *   may not sign in any more
   */
  createToken(order: TokenRequest): Promise<IssuedToken>
  listTokens(): Promise<readonly OwnedToken[]>
  /** Returns the token's name. @throws RequestError `not_found` */
  revokeToken(tokenId: string): Promise<string>
  /** Forgets the platform's tokens that the secret key doesn't open: their people sign in again. Returns how many. */
  forgetLostTokens(): Promise<number>
  readDatabase(): Promise<DatabaseFacts>
  /** Forgets what the tools of a context source were like: they are trusted as they are met next. Returns how many. */
  trustSource(name: string): Promise<number>
}

/** Control over a database that this process has open. */
export function createControl(
  ctx: Pick<AppContext, 'credentials' | 'keys'> & { readonly config: Config },
  database: Pick<OpenDatabase, 'db' | 'engine'>,
): Control {
  const { db } = database
  const { platform, http, signInAllowed } = ctx.config
  return {
    async createToken({ user, admin, name, days }) {
      if (user !== null && !maySignIn(signInAllowed, user)) {
        throw new RequestError(
          'conflict',
          `${user} may not sign in here: SIGN_IN_ALLOWED names who may.`,
        )
      }
      const expiresAt = new Date(Date.now() + days * 24 * 3600 * 1000)
      const { account, id } = await transactionWithRetry(db, async (tx) => {
        const account =
          user === null ? await ensureOperator(tx) : await findAccount(tx, platform.id, user)
        const token = {
          userId: account.id,
          kind: 'api',
          name,
          grantsAdmin: admin,
          expiresAt,
        } as const
        const id = await saveToken(tx, token)
        await recordAudit(tx, doneTo(account), 'token_created', name)
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
          throw new RequestError('not_found', `There is no token ${tokenId} that still counts.`)
        await recordAudit(tx, doneTo(holder), 'token_revoked', revoked.name)
        return revoked.name
      }),
    forgetLostTokens: () => deleteLostTokens(db, ctx.keys),
    readDatabase: () => readDatabaseFacts(database),
    trustSource: (name) => deleteToolPins(db, name),
  }
}

async function findAccount(tx: Db, platform: string, login: string): Promise<Account> {
  const [account, another] = await findAccounts(tx, platform, login)
  if (account === undefined)
    throw new RequestError(
      'not_found',
      `Nobody called ${login} has signed in yet: that comes first.`,
    )
  if (another !== undefined) {
    const message = `Two accounts were called ${login} when they last signed in: both have to sign in again first.`
    throw new RequestError('conflict', message)
  }
  return account
}

/** Stands in the log of the person whose account it is, as done by the operator. */
function doneTo(account: Account): { userId: number; login: string } {
  return { userId: account.id, login: operatorLogin }
}
