// Reads the inbox of a caller, with the current states of its pull requests.
import { findScope } from '../../accounts/scope.ts'
import type { Caller } from '../../accounts/tokens.ts'
import type { ServiceContext } from '../../context.ts'
import { type InboxEntry, type InboxFilter, listInbox } from '../../events/list-inbox.ts'
import { pullRequestKey, refreshStates } from './refresh-states.ts'

const refOf = ({ repoName, prNumber }: InboxEntry) => ({ repo: repoName, number: prNumber })

/**
 * Lists what the caller may see, newest first. The states of the newest pull requests are refreshed
 * before, because they decide about the tab.
 *
 * @param signal ends the requests to the platform; the states are the stored ones then
 */
export async function showInbox(
  ctx: Pick<ServiceContext, 'db' | 'hosts'>,
  caller: Caller,
  filter: InboxFilter,
  page: { readonly limit: number; readonly before?: number | undefined },
  signal: AbortSignal,
): Promise<InboxEntry[]> {
  const scope = await findScope(ctx.db, caller)
  const entries = await listInbox(ctx.db, scope, filter, page)
  const others =
    filter.tab === 'all' ? [] : await listInbox(ctx.db, scope, { ...filter, tab: 'all' }, page)
  const candidates = new Map(
    [...entries, ...others]
      .filter(({ prStatus }) => prStatus !== 'merged')
      .map((entry) => [pullRequestKey(refOf(entry)), entry]),
  )
  const pullRequests = [...candidates.values()].map(refOf)
  const states = await refreshStates(ctx, { userId: caller.userId, pullRequests }, signal)
  const isChanged = [...candidates].some(
    ([key, { prStatus }]) => (states.get(key) ?? prStatus) !== prStatus,
  )
  return isChanged ? listInbox(ctx.db, scope, filter, page) : entries
}
