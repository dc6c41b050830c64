// Finds SQL statements with values in them.
import type { Node } from 'web-tree-sitter'
import { appendOf, appendTypes } from './appended-texts.ts'
import { valuesOf } from './bindings.ts'
import {
  type BuiltText,
  builtTextOf,
  formatOf,
  type InsertedValue,
  joinTexts,
} from './built-text.ts'
import { callees } from './callee-words.ts'
import { callAndNewTypes, isCall, readCall, valuesPassedTo } from './calls.ts'
import { isDeveloperTool } from './developer-tools.ts'
import { scopeOf } from './functions.ts'
import { injectionHit, riskyValues, sqlInjection } from './injection-hit.ts'
import { textTypes } from './literals.ts'
import { hasNoHostCheck } from './sent-values.ts'
import { sinksOf } from './sinks.ts'
import { mayQuoteValue, quotedValues } from './sql-fragments.ts'
import { expectsSqlValue, isCertainStatement, isSqlStatement } from './sql-text.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { field } from './syntax-nodes.ts'
import { matchesFile } from './word-index.ts'

const builtTypes = [...textTypes, 'binary_expression', 'binary_operator', 'binary']

/** SQL statements with values in them. */
export const sqlChecks: readonly SyntaxCheck[] = [
  { nodes: callAndNewTypes, wholeFunction: true, check: checkCall },
  { nodes: ['assignment_expression'], wholeFunction: true, check: checkCommandText },
  { nodes: [...appendTypes, ...callAndNewTypes], wholeFunction: true, check: checkAppended },
  {
    nodes: [...builtTypes, 'macro_invocation', ...callAndNewTypes],
    check: (node, file) => checkFragment(node, file) ?? checkList(node, file),
  },
]

function checkCommandText(node: Node, file: ParsedFile): Hit | undefined {
  const isStatement = /(?:^|\.)CommandText$/.test(field(node, 'left')?.text ?? '')
  const value = isStatement && field(node, 'right')
  return value ? statementHit(value, node, '', file) : undefined
}

/** Functions that run the statement that they get. */
const runs = callees(
  'query text raw **.{query,execute,exec,fetch,select,prepare,find_by,read_sql,create,rawQuery}*',
  '**.{Query,Exec,Prepare,Select,Get,Raw,FromSql,Sql,Named,Must,Create}* **.*{Command,Adapter}.new',
  '**.{raw,run,all,get,each,one,many,any,none,unsafe,literal,update,sql,SQL,extra,statement}',
  '**.{mysql,pg_,sqlite,odbc_,sqlsrv_,oci_,PQ}* **.{queryRaw,executeRaw,count_by_sql,native}*',
  '**.{addBatch,compileStatement,unprepared,batch_execute,multi_query,get_results,get_var,get_row}',
)

/** Functions that take the condition of a statement alone. */
const takesCondition = callees(
  '**.{where,andWhere,orWhere,having,andHaving,orHaving,Where,Having,find_by,delete_all}',
  '**.{where,andWhere,orWhere,having,andHaving,orHaving}Raw **.{destroy_all,exists,rewhere}',
)

/** Functions that take the names of columns, which a client must not choose. */
const takesNames = callees(
  '**.{order,group,from,select,join}*{Raw,Sql} {sql,Prisma,knex,db,Sequelize,sequelize}.raw',
  '**.{orderBy,addOrderBy,order_by,Order,OrderBy,Group,literal} Arel.sql',
)

/** Functions that turn the values in a template into parameters. */
const bindsValues = callees('**.*Interpolated* **.{FromSql,ExecuteSql,ExecuteSqlAsync}')

/** Functions whose texts people read, or that compare them. */
const takesMessage = new RegExp(
  [
    String.raw`\b(?:console|log\w*|slog|fmt|std(?:out|err)|pytest|warnings|Assert|sys)\.|Log\.`,
    '(?:^|[._])(?:log|warn|error|debug|info|trace|fatal|print|puts|echo|write|panic|fail|assert',
    '|expect|equal|describe|it|test|message|msg|raise|throw|comment|notice|match|replace|t)',
    String.raw`\w{0,12}$|(?:Error|Exception)(?:\.new)?\b|[a-z](?:Log|Error|Message|Equal)\w*$`,
  ].join(''),
)

/** What stands before the text that a function takes, in its statement. */
function startOf(name: string, file: ParsedFile): string | undefined {
  if (bindsValues(name)) return undefined
  if (takesCondition(name)) return 'select x from y where '
  if (takesNames(name) || sinksOf(file)?.columns(name)) return 'select x from y order by '
  return runs(name) || !takesMessage.test(name) ? '' : undefined
}

const sqlWords = /\b(?:select|insert\s+into|update|delete\s+from|where|order\s+by|having)\b/i

function checkCall(call: Node, file: ParsedFile): Hit | undefined {
  const name = readCall(call).plain
  const start = startOf(name, file)
  if (start === undefined || (start === '' && !matchesFile(file, sqlWords))) return undefined
  const isKnown = start !== '' || runs(name)
  for (const argument of valuesPassedTo(call).slice(0, 3).flatMap(statementsIn)) {
    const hit = statementHit(argument, call, start, file, isKnown)
    // What follows the statement is passed as its parameters.
    if (hit || holdsStatement(argument, start, file)) return hit
  }
  return undefined
}

/** Whether an argument has the text of the statement or condition that a function takes. */
function holdsStatement(argument: Node, start: string, file: ParsedFile): boolean {
  const text = builtTextOf(argument, file)?.text ?? ''
  return start === '' ? isSqlStatement(text) : /\w/.test(text)
}

/** The statement of `query({ text: statement })`, or the argument itself. */
function statementsIn(argument: Node): Node[] {
  if (argument.type !== 'object') return [argument]
  return argument.namedChildren.flatMap((pair) =>
    /^(?:text|sql|query|statement)$/.test(field(pair, 'key')?.text ?? '')
      ? (field(pair, 'value') ?? [])
      : [],
  )
}

/** Reports a value in the SQL statement that an expression builds. */
function statementHit(
  expression: Node,
  use: Node,
  start: string,
  file: ParsedFile,
  isKnown = true,
): Hit | undefined {
  const built = builtTextOf(expression, file)
  if (!built || built.values.length === 0) return undefined
  const isStatement = isKnown ? isSqlStatement : isCertainStatement
  return isStatement(start + built.text) ? partsHit(built, use, start, file) : undefined
}

/** Whether a statement asks the catalog, usually about names that the program gave itself. */
function isOfCatalog(statement: string): boolean {
  return /\bfrom\s+(?:sqlite_master|information_schema\.|pg_(?!temp)\w)/i.test(statement)
}

/** Reports the values of a text that continues a statement. */
function partsHit(
  { text, values }: BuiltText,
  use: Node,
  start: string,
  file: ParsedFile,
): Hit | undefined {
  const statement = start + text
  const isUnchecked = ({ node }: InsertedValue) => hasNoHostCheck(use, node, file)
  const risky = riskyValues(values, file).filter((value) =>
    expectsSqlValue(statement, start + value.before) && !isOfCatalog(statement)
      ? !isFieldInCast(value) && (value.isSent || isComparedText(value))
      : value.isSent && isUnchecked(value),
  )
  const sorted = values
    .filter((value) => isChosenOrder(value, start + value.before) && isUnchecked(value))
    .map((value) => ({ ...value, isSent: false }))
  const isTool = isDeveloperTool(file.path)
  return injectionHit(risky.length > 0 || isTool ? risky : sorted, use, sqlInjection)
}

/** Whether a value is compared or stored. What stands elsewhere is mostly a part of the program. */
function isComparedText({ before, code }: InsertedValue): boolean {
  return comparison.test(before.slice(-60)) && !ownPart.test(code)
}

const comparison =
  /(?:['"]%{0,2}|[=<>]\s*|\b(?:in|values)\s*\(\s*|,\s*|\b(?:like|limit|offset)\s+)$/i

/** Names of parts of a statement, and of values that have few forms. */
const ownPart =
  /date|time|zone|unit|interval|(?:query|filter|clause|sql|fragment|predicate|placeholder)s?$/i

/** Whether a value is the name of a column that is converted: `CAST(%s AS %s)`. */
function isFieldInCast({ code, before }: InsertedValue): boolean {
  return (
    /\b(?:cast|convert|coalesce|lower|upper|sum|max|min)\($/i.test(before) && /field$/i.test(code)
  )
}

/** A member that holds how a client wants a list to be sorted. */
const sortMember = new RegExp(
  String.raw`^[\w$@.>?!-]*(?:\.|->|\[:?['"]?)(?:get)?_?(?:sort|order)_?` +
    String.raw`(?:by|column|field|dir|direction|key)?(?:\(\)|['"]?\])?$`,
  'i',
)

/** Whether a value is how a client wants a list to be sorted. */
function isChosenOrder({ code, node }: InsertedValue, before: string): boolean {
  if (!/\border by [^()]*$/i.test(before.slice(-200))) return false
  const [source] = valuesOf(node, code).slice(-1)
  return sortMember.test((source?.text ?? code).slice(0, 100))
}

/** Reports `query += " AND name = '" + name`, where the query began in an earlier statement. */
function checkAppended(node: Node, file: ParsedFile): Hit | undefined {
  if (!matchesFile(file, sqlWords) && !mayQuoteValue(node.text)) return undefined
  const append = appendOf(node)
  const built = append && joinTexts(append.texts, file)
  if (!built || built.values.length === 0) return undefined
  const start = builtTextOf(append.target, file)?.text ?? ''
  if (isSqlStatement(start)) return partsHit(built, node, start, file)
  // The end of the text is in the next statement.
  const values = built.values.map((value) => ({
    ...value,
    before: start + value.before,
    after: value.after || "'",
  }))
  return fragmentHit(values, append.texts[0]!, file)
}

/** Reports values that a part of a statement quotes by hand, also where another file runs it. */
function checkFragment(node: Node, file: ParsedFile): Hit | undefined {
  const { parent } = node
  if (/^binary/.test(node.type) ? parent?.type === node.type : isTagged(node)) return undefined
  const isFormat = isCall(node) || node.type === 'macro_invocation'
  if (!mayQuoteValue(node.text) || (isFormat && !formatOf(node))) return undefined
  return fragmentHit(builtTextOf(node, file)?.values ?? [], node, file)
}

/** In a tagged template, the values are parameters. */
function isTagged({ type, parent }: Node): boolean {
  return type === 'template_string' && /call/.test(parent?.type ?? '')
}

function fragmentHit(
  values: readonly InsertedValue[],
  node: Node,
  file: ParsedFile,
): Hit | undefined {
  const risky = riskyValues(quotedValues(values, node, file), file)
  const certain = risky.filter(
    (value) => value.isSent || (!isOfCatalog(node.text) && isComparedText(value)),
  )
  return injectionHit(certain, node, sqlInjection)
}

const separator = /^[@$]?["'`]'\s?,\s?'["'`]$/

/** A list in a statement, such as `IN (` before a value. */
const listStart = /\bin\s?\(\s?'?(?:\$?\{|%[sv]|#\{|["'`]\s?[+.&]|\\?"\s?\+)/i

/** Reports `'${name}'` and `join("', '")` in code that puts the list into a statement. */
function checkList(node: Node, file: ParsedFile): Hit | undefined {
  const isShort = node.endIndex - node.startIndex <= 300
  if (!isShort || !node.text.includes("'")) return undefined
  const values = isCall(node) ? joinedOf(node) : quotedOf(node, file)
  if (values.length === 0 || !listStart.test(scopeOf(node)?.text.slice(0, 6_000) ?? ''))
    return undefined
  return injectionHit(riskyValues(values, file), node, sqlInjection)
}

function joinedOf(call: Node): InsertedValue[] {
  if (!/^(?:[jJ]oin|implode|joinToString)$/.test(readCall(call).name)) return []
  const parts = [readCall(call).receiver, ...valuesPassedTo(call)]
  const isSeparated = parts.some((part) => part && separator.test(part.text))
  const list = parts.findLast((part) => part && !separator.test(part.text))
  return isSeparated && list ? [{ code: list.text, before: '', after: '', node: list }] : []
}

/** The value of a text that only puts it between quotation marks. */
function quotedOf(node: Node, file: ParsedFile): readonly InsertedValue[] {
  const built = builtTextOf(node, file)
  return built && built.text === "'\0'" ? built.values : []
}
