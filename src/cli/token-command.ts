// `umpire token`: makes, lists and revokes tokens for programs.
import { createLogger } from '../lib/logger.ts'
import { listSecrets } from '../review-context.ts'
import type { Control, TokenOrder } from '../workflows/control.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { exitCode, UsageError } from './exit-codes.ts'
import { openControl } from './open-control.ts'
import { parseOptions } from './parse-options.ts'
import { toTerminalLine } from './terminal-text.ts'

export const tokenUsage = `Usage: umpire token (--user <login> | --admin | --user <login> --admin) [--name <name>] [--days <1-365>]
       umpire token --list
       umpire token --revoke <id>
       umpire token --forget-lost

  --user <login>     the token acts as this person, who must have signed in
  --admin            the token sees all; without --user it acts as the operator
  --name <name>      what lists call it; default: umpire token
  --days <number>    how long it counts; default: 90
  --list             show all tokens for programs that still count
  --revoke <id>      make one worthless
  --forget-lost      forget what the secret key doesn't open: tokens of the platform, whose people then sign in again
  --env-file <file>  read variables that the environment doesn't set from this file

The token is printed on stdout, what it is on stderr. A running service with the embedded database is asked through
DATA_DIR/control.sock; otherwise SECRET_KEY and PUBLIC_URL must be those of the service. See docs/operating.md.`

const options = {
  user: { type: 'string' },
  admin: { type: 'boolean', default: false },
  name: { type: 'string' },
  days: { type: 'string' },
  list: { type: 'boolean', default: false },
  revoke: { type: 'string' },
  'forget-lost': { type: 'boolean', default: false },
  ...envFileOption,
} as const

/** What is to be done. */
type TokenTask =
  | { readonly kind: 'create'; readonly order: TokenOrder }
  | { readonly kind: 'list' }
  | { readonly kind: 'revoke'; readonly id: string }
  | { readonly kind: 'forget' }

/** Returns the exit code. Throws what explains itself. */
export async function runToken(args: string[]): Promise<number> {
  const { values } = parseOptions(args, options)
  const task = chooseTask(values)
  const config = readCommandConfig(values['env-file'])
  const log = createLogger({ level: 'warn', secrets: listSecrets(config) })
  await using control = await openControl(config, log)
  switch (task.kind) {
    case 'create':
      await createToken(control, task.order)
      break
    case 'list':
      await listTokens(control)
      break
    case 'revoke':
      console.error(
        `The token "${toTerminalLine(await control.revokeToken(task.id))}" doesn't count any more.`,
      )
      break
    case 'forget':
      await forgetLost(control)
  }
  return exitCode.ok
}

type TokenValues = ReturnType<typeof parseOptions<typeof options>>['values']

function chooseTask(values: TokenValues): TokenTask {
  const { user, admin, name, days, list, revoke, 'forget-lost': forget } = values
  const makes = user !== undefined || admin || name !== undefined || days !== undefined
  if ([makes, list, forget, revoke !== undefined].filter(Boolean).length > 1) {
    throw new UsageError(
      'give either what a new token is to be, or --list, or --revoke, or --forget-lost',
    )
  }
  if (list) return { kind: 'list' }
  if (forget) return { kind: 'forget' }
  if (revoke !== undefined) return { kind: 'revoke', id: revoke }
  if (user === undefined && !admin)
    throw new UsageError('say whose token it is to be: --user <login>, --admin, or both')
  const order = { user: readUser(user), admin, name: readName(name), days: readDays(days) }
  return { kind: 'create', order }
}

function readUser(user: string | undefined): string | null {
  if (user === undefined) return null
  if (user === '' || user.length > 100)
    throw new UsageError('--user needs the username of a person at the platform')
  return user
}

function readName(name = 'umpire token'): string {
  if (/^[^\p{C}]{1,100}$/u.test(name) && name.trim() !== '') return name
  throw new UsageError('--name must have 1 to 100 characters on one line')
}

function readDays(days = '90'): number {
  const number = /^\d{1,3}$/.test(days) ? Number(days) : 0
  if (number >= 1 && number <= 365) return number
  throw new UsageError('--days must be a whole number from 1 to 365')
}

async function createToken(control: Control, order: TokenOrder): Promise<void> {
  const { jwt, id, login, issuer, expiresAt } = await control.createToken(order)
  console.log(jwt)
  const sight = order.admin ? ', which sees all' : ''
  console.error(
    `A token for ${issuer} that acts as ${toTerminalLine(login)}${sight}, until ${expiresAt.toISOString()}.`,
  )
  console.error(`It isn't shown again. To take it back: umpire token --revoke ${id}`)
}

async function forgetLost(control: Control): Promise<void> {
  const count = await control.forgetLostTokens()
  console.error(`${count} stored ${count === 1 ? 'token' : 'tokens'} of the platform forgotten.`)
}

async function listTokens(control: Control): Promise<void> {
  const tokens = await control.listTokens()
  if (tokens.length === 0) console.error('There are no tokens for programs.')
  for (const { id, login, grantsAdmin, expiresAt, lastUsedAt, name } of tokens) {
    const sight = grantsAdmin ? ' (sees all)' : ''
    const use = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt.toISOString()}`
    console.log(
      `${id}  ${toTerminalLine(login)}${sight}  until ${expiresAt.toISOString()}  ${use}  ${toTerminalLine(name)}`,
    )
  }
}
