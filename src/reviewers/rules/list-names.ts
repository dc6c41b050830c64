// Words that the texts of rules share.

/** Names, short enough for a title. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `\`${name.replaceAll('`', '').slice(0, 80)}\``)
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`
}
