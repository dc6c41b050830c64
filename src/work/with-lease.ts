// Extends the lease of claimed work while it is in progress.
import { LeaseLostError } from '../domain/errors.ts'

/**
 * Runs `work` while extending its lease every third of its length.
 *
 * @param lease `extend` throws LeaseLostError when another worker holds the lease
 * @param work its signal is aborted when the lease is lost or couldn't be extended in time
 */
export async function withLease<Result>(
  lease: { readonly seconds: number; extend(): Promise<void> },
  work: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  let validUntil = performance.now() + lease.seconds * 1000
  const extend = async () => {
    const requestedAt = performance.now()
    try {
      await lease.extend()
      validUntil = requestedAt + lease.seconds * 1000
    } catch (error) {
      if (error instanceof LeaseLostError) lost.abort(error)
    }
  }
  const heartbeat = () => {
    // This also covers a database that doesn't answer at all.
    if (performance.now() > validUntil) lost.abort(new LeaseLostError())
    else void extend()
  }
  const timer = setInterval(heartbeat, (lease.seconds * 1000) / 3)
  try {
    return await work(lost.signal)
  } finally {
    clearInterval(timer)
  }
}
