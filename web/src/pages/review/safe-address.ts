// Addresses that others gave.

/** The address where it leads to a page; undefined for `javascript:` and whatever else it may be. */
export function safeAddress(address: string | null): string | undefined {
  return address !== null && /^https?:\/\//i.test(address) ? address : undefined
}
