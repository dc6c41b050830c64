// Runs `umpire token`, which creates, lists and revokes tokens for programs.

import { toTerminalLine } from '../lib/terminal-text.ts'
import { formatCount } from '../lib/text.ts'
import type { Control, TokenRequest } from '../workflows/control.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { exitCode, UsageError } from './exit-codes.ts'
import { openControl } from './open-control.ts'
import { parseOptions } from './parse-options.ts'

export const usage = `\
Usage: umpire token [--user <login>] [--admin] [--name <name>] [--days <1-365>]
       umpire token --list
       umpire token --revoke <id>
       umpire token --forget-lost

  --user <login>     create a token that acts as this person, who must have signed in
  --admin            create a token that sees all; without --user it acts as the operator
  --name <name>      name of the token in lists; default: umpire token
  --days <number>    number of days until the token expires; default: 90
  --list             show all active tokens for programs
  --revoke <id>      revoke a token
  --forget-lost      delete stored platform tokens that the secret key cannot decrypt;
                     their owners must sign in again
  --env-file <file>  read variables that the environment does not set from this file

To create a token, give --user, --admin or both. The token is printed on stdout, its description on
stderr. A running service with the embedded database is reached through DATA_DIR/control.sock.
Otherwise SECRET_KEY and PUBLIC_URL must be those of the service. See docs/operating.md.`

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

type TokenTask =
  | { readonly kind: 'create'; readonly order: TokenRequest }
  | { readonly kind: 'list' }
  | { readonly kind: 'revoke'; readonly id: string }
  | { readonly kind: 'forget' }

export async function run(args: string[]): Promise<number> {
  const { values } = parseOptions(args, options)
  const task = chooseTask(values)
  const { config, log } = await readCommandConfig(values['env-file'], 'warn')
  await using control = await openControl(config, log)
  switch (task.kind) {
    case 'create':
      await createToken(control, task.order)
      break
    case 'list':
      await listTokens(control)
      break
    case 'revoke':
      await revokeToken(control, task.id)
      break
    case 'forget':
      await deleteLostTokens(control)
  }
  return exitCode.ok
}

type TokenValues = ReturnType<typeof parseOptions<typeof options>>['values']

function chooseTask(values: TokenValues): TokenTask {
  const { user, admin, name, days, list, revoke, 'forget-lost': forget } = values
  const isCreating = user !== undefined || admin || name !== undefined || days !== undefined
  const tasks = [isCreating, list, forget, revoke !== undefined].filter(Boolean)
  if (tasks.length > 1) {
    throw new UsageError(
      'give either options of a new token, or --list, or --revoke, or --forget-lost',
    )
  }
  if (list) return { kind: 'list' }
  if (forget) return { kind: 'forget' }
  if (revoke !== undefined) return { kind: 'revoke', id: revoke }
  if (user === undefined && !admin) {
    throw new UsageError('choose who the token acts as: --user <login>, --admin, or both')
  }
  const order = { user: readUser(user), admin, name: readName(name), days: readDays(days) }
  return { kind: 'create', order }
}

function readUser(user: string | undefined): string | null {
  if (user === undefined) return null
  if (user === '' || user.length > 100) {
    throw new UsageError('--user needs a username of the code-hosting platform')
  }
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

async function createToken(control: Control, order: TokenRequest): Promise<void> {
  const { jwt, id, login, issuer, expiresAt } = await control.createToken(order)
  console.log(jwt)
  const scope = order.admin ? ', which sees all' : ''
  const actor = `${toTerminalLine(login)}${scope}`
  console.error(`A token for ${issuer} that acts as ${actor}, until ${expiresAt.toISOString()}.`)
  console.error(`It isn't shown again. To revoke it: umpire token --revoke ${id}`)
}

async function revokeToken(control: Control, id: string): Promise<void> {
  const name = await control.revokeToken(id)
  console.error(`The token "${toTerminalLine(name)}" is revoked.`)
}

async function deleteLostTokens(control: Control): Promise<void> {
  const count = await control.forgetLostTokens()
  console.error(`${formatCount(count, 'stored platform token')} deleted.`)
}

async function listTokens(control: Control): Promise<void> {
  const tokens = await control.listTokens()
  if (tokens.length === 0) console.error('There are no tokens for programs.')
  for (const { id, login, grantsAdmin, expiresAt, lastUsedAt, name } of tokens) {
    const columns = [
      id,
      `${toTerminalLine(login)}${grantsAdmin ? ' (sees all)' : ''}`,
      `until ${expiresAt.toISOString()}`,
      lastUsedAt === null ? 'never used' : `last used ${lastUsedAt.toISOString()}`,
      toTerminalLine(name),
    ]
    console.log(columns.join('  '))
  }
}
