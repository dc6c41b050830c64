// Recognizes SQL statements in texts, and the places in them where a value stands.

const sqlStart =
  /^\s*(?:select\b[^;]{0,2000}?\bfrom\b|insert\s+(?:or\s+\w+\s+)?into\b|update\b[^;]{0,500}?\bset\b|delete\s+from\b|with\s+\w+\s+as\s*\(|create\s+(?:table|user|database)|drop\s+|alter\s+|call\s+\w+\()/i

/** The end of a text after which an `INSERT` names its columns. */
const columnListStart = /\binto\s+\S{1,200}\s*\($/i

/** Statements that change the schema hold no values. */
const schemaStatement = /^\s*(?:create|drop|alter)\b/i

/** The end of a text after which SQL expects a value, or the code quotes a value by hand. */
const valuePosition =
  /(?:=|<|>|\blike|\bilike|\bin\s*\(|\bvalues\s*\((?:[^()]{0,500},)?|\blimit|\boffset|\bbetween|\bthen|\breturning\s+'|\bin\s*\([^()]{0,500},|,\s*'|\()\s*['"%]{0,3}$/i

/** Statements that are no sentence. */
const certainStatement = new RegExp(
  [
    String.raw`^\s*(?:SELECT\b[^;]{1,2000}?\bFROM\b|INSERT\s+INTO\b|UPDATE\b[^;]{1,500}?\bSET\b`,
    String.raw`|DELETE\s+FROM\b|WITH\s+\w+\s+AS\s*\(`,
    String.raw`|select\s[\w\s,.*()"]{1,500}?\sfrom\s+\S+\s+(?:\w+\s+)?(?:where|join|order|limit)\b`,
    String.raw`|insert\s+into\s+\S+\s*\(|update\s+\S+\s+set\s+\S+\s*=|delete\s+from\s+\S+\s+where\b)`,
  ].join(''),
)

/** Whether a text begins with an SQL statement, also if nothing else shows that it is SQL. */
export function isCertainStatement(text: string): boolean {
  return certainStatement.test(text.slice(0, 4_000))
}

/** Whether a text begins with an SQL statement. */
export function isSqlStatement(text: string): boolean {
  return sqlStart.test(text.slice(0, 4_000))
}

/**
 * Whether SQL expects a value, not a name, at a place in a statement.
 *
 * @param before the part of the statement before the place
 */
export function expectsSqlValue(statement: string, before: string): boolean {
  if (schemaStatement.test(statement)) return false
  const start = before.slice(-800)
  return !columnListStart.test(start) && valuePosition.test(start)
}
