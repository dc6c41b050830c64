// Addresses that others gave.

/** The address where it leads to a page; undefined for `javascript:` and whatever else it may be. */
export function sanitizeUrl(address: string | null): string | undefined {
  return address !== null && /^https?:\/\//i.test(address) ? address : undefined
}
