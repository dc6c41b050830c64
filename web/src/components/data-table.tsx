// Accessible table that scrolls horizontally.
import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly name: string
  readonly isNumber?: boolean
  readonly render: (row: Row) => ReactNode
}

interface DataTableProps<Row> {
  /** Only for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

const headerClass = 'wrap-normal py-1 align-bottom pr-3 font-medium last:pr-0'
/** On a phone, columns keep room for a name or a few words, and the table scrolls. */
const cellClass = 'py-1 pr-3 align-top font-normal first:min-w-28 last:pr-0'

/** The first column is the header of its row. */
export function DataTable<Row>({ caption, columns, rows, rowKey }: DataTableProps<Row>) {
  const alignmentOf = ({ isNumber }: Column<Row>) =>
    isNumber ? 'text-right tabular-nums' : 'text-left'
  const wrapOf = ({ isNumber }: Column<Row>) => (isNumber ? 'whitespace-nowrap' : 'min-w-24')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need focus to scroll it
    <section aria-label={caption} tabIndex={0} className="scroll-edges contain-inline-size">
      <table className="w-full">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-muted">
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={`${headerClass} ${alignmentOf(column)}`}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column, index) => {
                const Cell = index === 0 ? 'th' : 'td'
                return (
                  <Cell
                    key={column.name}
                    scope={index === 0 ? 'row' : undefined}
                    className={`${cellClass} ${alignmentOf(column)} ${wrapOf(column)}`}
                  >
                    {column.render(row)}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
