// The connection to the database. Values always go as parameters.
export interface Row {
  readonly [column: string]: unknown
}

export interface Database {
  query(sql: string, values?: readonly unknown[]): Promise<Row[]>
}
