// Runs `umpire people`, which lists the people who signed in, and deletes them.

import type { ListedPerson } from '../accounts/people.ts'
import { toTerminalLine } from '../lib/terminal-text.ts'
import { formatCount } from '../lib/text.ts'
import type { Control } from '../workflows/control.ts'
import { envFileOption, readCommandConfig } from './command-config.ts'
import { exitCode, UsageError } from './exit-codes.ts'
import { openControl } from './open-control.ts'
import { parseOptions } from './parse-options.ts'

export const usage = `\
Usage: umpire people
       umpire people --admin <login>
       umpire people --no-admin <login>
       umpire people --delete <login> [--yes]

Lists everyone who signed in, with what they have here.

  --admin <login>     make a person an administrator
  --no-admin <login>  take that back; one administrator always remains
  --delete <login>    show what the deletion of a person would do; also for authors of pull
                      requests who never signed in
  --yes               delete the person
  --env-file <file>   read variables that the environment does not set from this file

The username of a further code host ends with its id: alice@work. A running service with the
embedded database is reached through DATA_DIR/control.sock. See docs/operating.md.`

const options = {
  admin: { type: 'string' },
  'no-admin': { type: 'string' },
  delete: { type: 'string' },
  yes: { type: 'boolean', default: false },
  ...envFileOption,
} as const

export async function run(args: string[]): Promise<number> {
  const { values } = parseOptions(args, options)
  const { admin, 'no-admin': noAdmin, delete: deleted, yes } = values
  const users = [admin, noAdmin, deleted].filter((user) => user !== undefined)
  if (users.length > 1) throw new UsageError('give only one of --admin, --no-admin and --delete')
  if (users.some((user) => user === '' || user.length > 300)) {
    throw new UsageError('give a username of the code-hosting platform')
  }
  if (yes && deleted === undefined) throw new UsageError('--yes needs --delete <login>')
  const { config, log } = await readCommandConfig(values['env-file'], 'warn')
  await using control = await openControl(config, log)
  if (deleted !== undefined) await deletePerson(control, deleted, yes)
  else if (users[0] === undefined) await listPeople(control)
  else await changeAdministrator(control, users[0], admin !== undefined)
  return exitCode.ok
}

async function listPeople(control: Control): Promise<void> {
  const people = await control.listPeople()
  if (people.length === 0) console.error('Nobody has signed in yet.')
  for (const person of people) console.log(describePerson(person))
}

function describePerson(person: ListedPerson): string {
  const { platform, login, isAdmin, isFirst, grantedBy, lastSeenAt } = person
  const reason = grantedBy === null && isFirst ? 'first account' : `by ${grantedBy ?? 'unknown'}`
  return [
    `${toTerminalLine(login)} (${platform})`,
    isAdmin ? `administrator (${toTerminalLine(reason)})` : 'no administrator',
    lastSeenAt === null ? 'never seen' : `last seen ${lastSeenAt.toISOString()}`,
    formatCount(person.sessions, 'session'),
    formatCount(person.apiTokens, 'API token'),
    formatCount(person.repositories, 'connected repository', 'connected repositories'),
  ].join('  ')
}

async function changeAdministrator(
  control: Control,
  user: string,
  isAdmin: boolean,
): Promise<void> {
  await control.changeAdministrator(user, isAdmin)
  const state = isAdmin ? 'an administrator' : 'no administrator'
  console.error(`${toTerminalLine(user)} is ${state} now.`)
}

const outcomes = {
  ends: 'is disconnected, because nobody else connected it',
  continues: 'stays connected by others',
  handed_over: "moves to the operator's account, because the App reviews it",
}

async function deletePerson(control: Control, user: string, isConfirmed: boolean): Promise<void> {
  const deletion = isConfirmed ? await control.deletePerson(user) : null
  const plan = deletion ?? (await control.planDeletion(user))
  const name = toTerminalLine(user)
  for (const { repo, outcome } of plan.repositories) {
    console.log(`${toTerminalLine(repo)}  ${outcomes[outcome]}`)
  }
  console.log(
    `deleted  account, sessions, tokens, ${formatCount(plan.memories, 'memory', 'memories')} ` +
      `about the person, author of ${formatCount(plan.files, 'changed file')}`,
  )
  console.log(
    `stays without the name  ${formatCount(plan.pullRequests, 'pull request')}, ` +
      `${formatCount(plan.dismissals, 'dismissal')}, ${formatCount(plan.questions, 'question')}, ` +
      `${formatCount(plan.written, 'written memory', 'written memories')}, the audit log`,
  )
  console.log(
    'stays  what the code host has: commits, also in mirrors, pull requests and our comments there',
  )
  if (deletion === null) {
    console.error(`Nothing is deleted yet. To delete ${name}: umpire people --delete ${name} --yes`)
    return
  }
  console.log(`emptied  ${formatCount(deletion.payloads, 'stored delivery', 'stored deliveries')}`)
  for (const repo of deletion.leftWebhooks) {
    console.error(`The webhook of ${toTerminalLine(repo)} is left: remove it at the code host.`)
  }
  console.error(`${name} is deleted.`)
}
