// Renders a Markdown table.

/** Each row has a cell for each heading. Vertical bars in cells are escaped. */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [
    `| ${headings.join(' | ')} |`,
    `|${'---|'.repeat(headings.length)}`,
    ...rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n')
}
