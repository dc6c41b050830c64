// Allows only web addresses in links.

/** The address if it is HTTP or HTTPS; undefined for `javascript:` and other schemes. */
export function sanitizeUrl(address: string | null): string | undefined {
  return address !== null && /^https?:\/\//i.test(address) ? address : undefined
}
