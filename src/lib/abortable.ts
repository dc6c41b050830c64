// Waits for work no longer than a signal allows, whether or not the work heeds it.

/** What the work comes to. @throws the signal's reason when it fires first; the work may go on, and how it ends is lost */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {})
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  aborted.catch(() => {})
  const leave = () => reject(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
