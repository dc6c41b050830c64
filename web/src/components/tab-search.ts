// URL parameter of the selected tab.

export interface TabSearch {
  readonly tab?: string
}

export function parseTabSearch({ tab }: Record<string, unknown>): TabSearch {
  return typeof tab === 'string' ? { tab } : {}
}
