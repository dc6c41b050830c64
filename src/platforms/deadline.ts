// Deadlines for what takes several calls to the platform.
import { PlatformError } from '../domain/errors.ts'

/** A signal that fires after so many milliseconds; what it breaks off fails as if the platform didn't answer. */
export function startDeadline(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const error = new PlatformError('platform_unavailable', 'The platform did not answer in time.')
  setTimeout(() => controller.abort(error), milliseconds).unref()
  return controller.signal
}
