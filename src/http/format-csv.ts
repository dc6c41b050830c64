// Writes CSV as in RFC 4180, for spreadsheets.

/** Spreadsheets execute a cell that begins like this, also after spaces and in full width. */
const formulaStart = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

/** Returns one line with its end. Null becomes an empty cell. */
export function formatCsvLine(cells: readonly (string | number | Date | null)[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`
}

function formatCell(value: string | number | Date | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (value instanceof Date) return value.toISOString()
  const text = formulaStart.test(value) ? `'${value}` : value
  return `"${text.replaceAll('"', '""')}"`
}
