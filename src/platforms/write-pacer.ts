// Defines what paces the writes of an account, so that its host doesn't refuse them.

interface Write {
  /** Whose limits apply: it identifies a token, or the App at the owner of a repository. */
  readonly account: string
  /** The writes of an account take turns by their repository. */
  readonly repository: string
  /** Whether it notifies people. Hosts accept fewer of these. */
  readonly notifies: boolean
}

export interface WritePacer {
  /**
   * Resolves when the write may be sent.
   *
   * @throws PlatformError `platform_rate_limited` when that is long from now
   * @throws the reason of the signal when it aborts the wait
   */
  waitForTurn(write: Write, signal: AbortSignal | undefined): Promise<void>
  /** Stops all writes of an account for a time, because the host has refused a request. */
  recordRefusal(account: string, milliseconds: number): Promise<void>
}

/** For programs that don't write. */
export const noPacing: WritePacer = {
  waitForTurn: async () => {},
  recordRefusal: async () => {},
}
