// Drops what a deleted person requested at pull requests, and replaces the name in requests.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { deletedLogin, type PersonName } from '../domain/deleted-person.ts'

/**
 * Drops the person's unanswered requests, and empties the answered ones: their rows stay until they
 * are pruned, so that a repeated delivery isn't answered again. Replaces the name in requests of
 * others, and in the answers to them. Runs in the caller's transaction.
 */
export async function deletePersonRequests(tx: Db, { login, suffix }: PersonName): Promise<void> {
  const isTheirs = sql<boolean>`
    host_of(p.repo) = ${suffix} and lower(p.request->'sender'->>'login') = ${login.toLowerCase()}`
  await sql`
    delete from work_items as w using platform_requests as p
    where w.kind in ('request', 'answer') and w.repo = p.repo and w.number = p.id
      and ${isTheirs}`.execute(tx)
  const nobody = { sender: { id: '', login: deletedLogin } }
  await sql`
    update platform_requests as p set request = p.request || ${JSON.stringify(nobody)}::jsonb
      || case when p.request ? 'body' then '{"body": ""}' else '{}' end::jsonb
      || case when p.request ? 'answer'
        then jsonb_build_object('answer', p.request->'answer' || '{"body": ""}') else '{}' end
    where ${isTheirs}`.execute(tx)
  const named = `\`${login}\``
  await sql`
    update platform_requests as p
    set request = replace(p.request::text, ${named}, ${`\`${deletedLogin}\``})::jsonb
    where host_of(p.repo) = ${suffix} and strpos(p.request::text, ${named}) > 0`.execute(tx)
  await sql`
    update platform_requests as p
    set request = p.request || jsonb_build_object('subject', ${deletedLogin}::text)
    where host_of(p.repo) = ${suffix} and p.request->>'kind' = 'reviewer_requested'
      and lower(p.request->>'subject') = ${login.toLowerCase()}`.execute(tx)
}
