// URL parameters of the selected tab, and of what the browser comes back from.

export interface TabSearch {
  readonly tab?: string
  /** How the creation of the App ended: `created`, or the code of an error. */
  readonly app?: string
}

export function parseTabSearch({ tab, app }: Record<string, unknown>): TabSearch {
  return {
    ...(typeof tab === 'string' && { tab }),
    ...(typeof app === 'string' && { app }),
  }
}
