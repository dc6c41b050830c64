// Formats names so that they fit into the title of a finding.

/** Returns up to five names in backticks, cut to 80 characters, and the number of the others. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `\`${name.replaceAll('`', '').slice(0, 80)}\``)
  const hidden = names.length - shown.length
  return `${shown.join(', ')}${hidden > 0 ? ` and ${hidden} more` : ''}`
}
