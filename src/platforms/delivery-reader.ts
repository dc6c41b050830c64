// Defines how an adapter reads what webhook requests of its host ask for.
import type { PlatformRequest } from '../domain/platform-request.ts'

interface ReadDelivery {
  readonly event: string
  /** It is JSON. */
  readonly payload: string
}

/** Reads what deliveries request beyond the reviews of new pull requests and of pushes. */
export interface DeliveryReader {
  /**
   * Whether a pull request changed in a way that may need a review: it was reopened, is ready for
   * review, or has another base branch or title.
   */
  startsReview(delivery: ReadDelivery & { readonly action: string | null }): boolean
  /**
   * Null for a delivery that isn't about checks or comments and requests nothing at a pull request.
   * `nothing` for one that is about those and requests nothing, such as the result of another
   * application's check or an edited comment, for requests by bots there, for malformed ones, and
   * for kinds that nothing uses.
   */
  readRequest(delivery: ReadDelivery): PlatformRequest | 'nothing' | null
}
