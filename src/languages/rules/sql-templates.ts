// Finds values that templates such as `"… $name"` insert into SQL statements.
import type { Node } from 'web-tree-sitter'
import { expectsSqlValue, isSqlStatement } from './sql-text.ts'
import type { Hit } from './syntax-check.ts'
import { firstLine, quoteCode } from './syntax-nodes.ts'

/** A backslash or a second dollar sign escapes the sign. */
const insertion = /(?<![\\$])\$(?:([A-Za-z_]\w*)|\{([^{}]{1,300})\})/g

/** Types of values that can't contain SQL. */
const safeTypes = 'Int|Long|Short|Byte|Boolean|Double|Float|UUID|Instant|LocalDate'

/** Numbers, generated values, names of tables, and texts that stand for parameters. */
const safeValue = new RegExp(
  [
    String.raw`\.(?:size|length|count|id|ordinal|toInt|toLong|\w*[nN]ame)\b(?:\(\))?$`,
    String.raw`table|column|schema|placeholder|questionMarks|uuid|["']\?`,
    String.raw`\b(?:MIN|MAX)_VALUE\b`,
  ].join('|'),
  'i',
)

/** The end of a text after which the code quotes a value by hand. Other values are numbers. */
const openQuote = /'%?$/

/**
 * Finds the first value in a template that SQL reads as a text, and that may contain SQL.
 *
 * @param template the text of the literal with its quotation marks
 * @param code of the file; shows types and initial values of names
 */
function findInsertedValue(template: string, code: string): string | undefined {
  const statement = template.replace(/^\w*"+/, '')
  if (!isSqlStatement(statement)) return undefined
  for (const match of statement.matchAll(insertion)) {
    const value = match[1] ?? match[2]!.trim()
    const before = statement.slice(0, match.index)
    const isText = openQuote.test(before) && expectsSqlValue(statement, before)
    if (isText && !isSafe(value, code)) return value
  }
  return undefined
}

function isSafe(value: string, code: string): boolean {
  // By convention, constants are capitalized.
  const isConstant = /^(?:\w+\.)*\p{Lu}\w*$/u.test(value) || /^['"]/.test(value)
  if (isConstant || safeValue.test(value)) return true
  if (!/^[A-Za-z_]\w*$/.test(value)) return false
  if (new RegExp(`\\b${value}\\s*:\\s*(?:${safeTypes})\\b`).test(code)) return true
  const declaration = new RegExp(`\\bva[lr]\\s+${value}\\b[^=\\n]{0,100}=\\s*([^\\n]{0,200})`)
  const initial = declaration.exec(code)?.[1]
  return initial !== undefined && (/^(?:"[^"$]*"|\d+)\s*$/.test(initial) || safeValue.test(initial))
}

/** @param template a literal with insertions that is passed to a function that runs SQL */
export function checkSqlTemplate(call: Node, template: Node, code: string): Hit | undefined {
  const inserted = findInsertedValue(template.text.slice(0, 4_000), code)
  if (inserted === undefined) return undefined
  const value = quoteCode(inserted)
  return {
    at: firstLine(template),
    fallback: firstLine(call),
    title: `SQL injection: ${value} is concatenated into the query`,
    body:
      `When ${value} contains a quote or more SQL, that text is executed with the rights of this ` +
      'program. Pass it as a parameter of the query.',
  }
}
