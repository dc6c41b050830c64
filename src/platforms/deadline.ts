// Deadlines for operations that take several calls to the platform.
import { PlatformError } from '../domain/errors.ts'

/** A signal that aborts after the given time, with the error of a platform that doesn't answer. */
export function startDeadline(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const error = new PlatformError('platform_unavailable', 'The platform did not answer in time.')
  setTimeout(() => controller.abort(error), milliseconds).unref()
  return controller.signal
}
