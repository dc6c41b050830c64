// Which part of a page is shown, as the address has it.

export interface TabSearch {
  readonly tab?: string
}

/** Reads what an address says of tabs. */
export function parseTabSearch({ tab }: Record<string, unknown>): TabSearch {
  return typeof tab === 'string' ? { tab } : {}
}
