// A table of figures.
import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly name: string
  readonly isNumber?: boolean
  readonly render: (row: Row) => ReactNode
}

interface DataTableProps<Row> {
  /** For those who hear the page. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

/** The first column names the row. Where the table is wider than its place, it scrolls in itself. */
export function DataTable<Row>({ caption, columns, rows, rowKey: keyOf }: DataTableProps<Row>) {
  const alignment = ({ isNumber }: Column<Row>) =>
    isNumber ? 'text-right tabular-nums' : 'text-left'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto contain-inline-size">
      <table className="w-full">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-muted">
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={`wrap-normal py-1 align-bottom pr-3 font-medium last:pr-0 ${alignment(column)}`}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => {
                const Cell = index === 0 ? 'th' : 'td'
                return (
                  <Cell
                    key={column.name}
                    scope={index === 0 ? 'row' : undefined}
                    className={`py-1 pr-3 align-top font-normal last:pr-0 ${alignment(column)} ${column.isNumber ? 'whitespace-nowrap' : ''}`}
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
