// Finds out which accounts are bots, by asking GitLab: everybody may have a name like that of one.
// https://docs.gitlab.com/api/users/#retrieve-a-user
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Connection } from '../http/connection.ts'
import { sendForJson } from '../http/request.ts'
import type { Access } from '../platform.ts'
import type { Note } from './notes.ts'
import { isFinal } from './request-rules.ts'
import { isBotLogin } from './sign-in.ts'

type Account = NonNullable<Note['author']>

/** Whether an account is a bot: of an access token, a service account, or one of GitLab's own. */
export type IsBot = (access: Access, account: Account, signal?: AbortSignal) => Promise<boolean>

const user = z.object({ bot: z.boolean() })

const maxAccounts = 10_000

/** Remembers the answers, because an account stays what it is. */
export function createIsBot(connection: Connection): IsBot {
  const known = new LRUCache<number, boolean>({ max: maxAccounts })
  return async function isBot({ token }, { id, username }, signal) {
    const former = known.get(id)
    if (former !== undefined) return former
    try {
      const { bot } = await sendForJson(connection, { path: `/users/${id}`, token, signal }, user)
      known.set(id, bot)
      return bot
    } catch (error) {
      if (!isFinal(error)) throw error
      // The account was deleted, or the server hides it or its kind.
      return isBotLogin(username)
    }
  }
}

/** The ids of the accounts among the authors of notes that are bots. */
export async function findBots(
  isBot: IsBot,
  access: Access,
  notes: readonly Note[],
  signal?: AbortSignal,
): Promise<ReadonlySet<number>> {
  const authors = new Map(notes.flatMap(({ author }) => (author ? [[author.id, author]] : [])))
  const bots = new Set<number>()
  for (const author of authors.values()) {
    if (await isBot(access, author, signal)) bots.add(author.id)
  }
  return bots
}
