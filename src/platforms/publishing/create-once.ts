// Creates an item once, although the response of the write may be lost.
import { PlatformError } from '../../domain/errors.ts'
import { delay } from '../../lib/abortable.ts'

/** Pauses before each lookup of a write with a lost response, because lists may show it late. */
export const lookupDelaysMs = [500, 1000, 2000, 4000]

/**
 * Sends a write that creates an item. When its response is lost, looks for the item after each of
 * `lookupDelaysMs` instead of writing it again.
 *
 * @throws the error of the write when the item isn't found
 */
export async function createOnce<Created>(
  write: () => Promise<Created>,
  find: () => Promise<Created | undefined>,
  { signal, onLostResponse }: { signal: AbortSignal | undefined; onLostResponse?: () => void },
): Promise<Created> {
  try {
    return await write()
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error
    onLostResponse?.()
    for (const milliseconds of lookupDelaysMs) {
      await delay(milliseconds, signal)
      const created = await find().catch((lookupError) => {
        if (!isOutcomeUnknown(lookupError)) throw lookupError
      })
      if (created !== undefined) return created
    }
    throw error
  }
}

/** Whether a failure leaves open if the write was applied. */
export function isOutcomeUnknown(error: unknown): boolean {
  return (
    error instanceof PlatformError &&
    (error.code === 'platform_unavailable' || error.code === 'platform_invalid_response')
  )
}
