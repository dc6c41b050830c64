// The limit of notes that an account may write in a minute, off unless tests set it.
import type { Token } from '../entities.ts'
import type { ForgeRequest } from '../http.ts'
import type { ForgeState } from '../state.ts'
import { refuse } from './calls.ts'

const minuteMs = 60_000
const notes = /\/(notes|discussions)$/

/** Counts a new note. Beyond the limit `message` is an object (lib/api/helpers/rate_limiter.rb). */
export function countWrite(state: ForgeState, request: ForgeRequest, token: Token): void {
  const { perMinute } = state.secondaryLimit
  if (perMinute === null || request.method !== 'POST' || !notes.test(request.path)) return
  const time = state.clock().getTime()
  const known = state.writeTimes.get(token.user.id) ?? []
  const recent = known.filter((one) => one.time > time - minuteMs)
  if (recent.length >= perMinute) {
    const error = 'This endpoint has been requested too many times. Try again later.'
    throw refuse(429, { error })
  }
  state.writeTimes.set(token.user.id, [...recent, { time, notifies: true }])
}
