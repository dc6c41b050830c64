// Defines the error of a notification that could not be delivered.
import { UmpireError } from '../domain/errors.ts'

/** The message is shown to the person who set up the channel. It never contains the address. */
export class NotificationError extends UmpireError {
  constructor(message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super('notification_failed', message, options)
  }
}
