// Parses a text of the URL's parameters.

/** Accepts numbers too: the router parses `search=12` as a number. */
export function parseText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
