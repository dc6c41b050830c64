// GitHub's secondary limit: how many requests that create content an account may send.
import { type ForgeRequest, Refusal } from './http.ts'
import type { ForgeState } from './state.ts'

/** Settable by tests. Null for no limit, which is the default. */
export interface SecondaryLimit {
  perMinute: number | null
  perHour: number | null
  /** GitHub answers with either. */
  status: 403 | 429
}

/** The endpoints that GitHub's documentation says trigger notifications. */
const notifying = /\/(issues|pulls|comments|replies|reviews|requested_reviewers)$/

/**
 * Counts a request that changes something; in an hour, one that notifies people. Throws GitHub's
 * refusal beyond the limit.
 */
export function countWrite(state: ForgeState, request: ForgeRequest): void {
  const { perHour, perMinute, status } = state.secondaryLimit
  if (perMinute === null && perHour === null) return
  const account = request.token?.user.id ?? 0
  const time = state.clock().getTime()
  const notifies = request.method === 'POST' && notifying.test(request.path)
  const writes = (state.writeTimes.get(account) ?? []).filter((one) => one.time > time - 3_600_000)
  state.writeTimes.set(account, writes)
  const windows = [
    { limit: perMinute, windowMs: 60_000, counted: writes },
    { limit: notifies ? perHour : null, windowMs: 3_600_000, counted: writes.filter(isNotice) },
  ]
  for (const { limit, windowMs, counted } of windows) {
    const recent = counted.filter((one) => one.time > time - windowMs)
    if (limit === null || recent.length < limit) continue
    const seconds = Math.max(1, Math.ceil((recent[0]!.time + windowMs - time) / 1000))
    const body = {
      message:
        'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      documentation_url:
        'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits',
    }
    throw new Refusal(status, body, { 'retry-after': String(seconds) })
  }
  writes.push({ time, notifies })
}

const isNotice = ({ notifies }: { notifies: boolean }) => notifies
