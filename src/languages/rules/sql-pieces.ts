// Makes checks for SQL statements that code puts together piece by piece.
import type { Node } from 'web-tree-sitter'
import { boundValueOf, builtTextOf, type CodeSyntax, type InsertedValue } from './code-syntax.ts'
import { isDeveloperTool } from './developer-tools.ts'
import { hasNoHostCheck, isSentInsertion, scopeOf, valuesOf } from './sent-values.ts'
import { sqlInjectionOf } from './sql-fragments.ts'
import { expectsSqlValue, isSqlStatement } from './sql-text.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { field, firstLine } from './syntax-nodes.ts'

type IsHarmless = (value: InsertedValue, file: ParsedFile) => boolean

export function checkSqlPieces(syntax: CodeSyntax, isHarmless: IsHarmless): SyntaxCheck[] {
  return [
    {
      nodes: [...appendTypes, ...syntax.calls],
      wholeFunction: true,
      check: (node, file) => checkAppended(node, syntax, file, isHarmless),
    },
    {
      nodes: [...syntax.literals, 'binary_expression', 'binary_operator', ...syntax.calls],
      check: (node, file) => checkQuotedList(node, syntax, file, isHarmless),
    },
  ]
}

/** The types of nodes such as `query += text`. */
const appendTypes = [
  ...['augmented_assignment_expression', 'augmented_assignment', 'assignment_statement'],
  ...['assignment_expression', 'assignment', 'operator_assignment', 'compound_assignment_expr'],
  ...['binary'],
]

const appendCall =
  /^([$@]?\w+)(?:\.|->)(?:append|Append|AppendLine|push_str|concat|WriteString|appendln)$/

/** Returns the variable that a node adds a text to, and the text. */
function appendOf(node: Node, syntax: CodeSyntax): [name: Node, text: Node] | undefined {
  if (syntax.calls.includes(node.type)) {
    const name = appendCall.exec(syntax.calleeOf(node).slice(-60))?.[1]
    const [text] = syntax.argumentsOf(node)
    const target = name && node.tree.rootNode.descendantForIndex(node.startIndex)
    return target && text ? [target, text] : undefined
  }
  const [left, right] = [field(node, 'left'), field(node, 'right')]
  if (!left || !right) return undefined
  return /^(?:\+=|\.=|<<)$/.test(left.nextSibling?.type ?? '') ? [left, right] : undefined
}

/** Reports `query += " ORDER BY " + sort`, where the query began in an earlier statement. */
function checkAppended(
  node: Node,
  syntax: CodeSyntax,
  file: ParsedFile,
  isHarmless: IsHarmless,
): Hit | undefined {
  const [target, text] = appendOf(node, syntax) ?? []
  if (!target || !text || isDeveloperTool(file.path)) return undefined
  const built = builtTextOf(text, syntax)
  const start = built && startOf(target, node, syntax)
  if (!built || !start || !isSqlStatement(start)) return undefined
  const risky = built.values.filter((value) => {
    const before = start + value.before
    if (isChosenOrder(value, before, node, syntax)) return true
    return expectsSqlValue(start + built.text, before) && !isHarmless(value, file)
  })
  return risky[0] && { at: firstLine(text), ...sqlInjectionOf(risky.map(({ code }) => code)) }
}

/** The text that a variable is set to first, and all that is added to it without a condition. */
function startOf(target: Node, use: Node, syntax: CodeSyntax): string | undefined {
  const scope = scopeOf(use)
  const name = target.text
  if (!scope || !/^[$@]?\w+$/.test(name)) return undefined
  const [initial] = valuesOf(target, syntax)
  const first = initial && builtTextOf(unwrapBuilder(initial, syntax), syntax)?.text
  if (!first) return undefined
  const added = scope
    .descendantsOfType(appendTypes)
    .filter(({ endIndex }) => endIndex <= use.startIndex)
    .flatMap((each) => {
      const [left, right] = appendOf(each, syntax) ?? []
      return left?.text === name && right ? [builtTextOf(right, syntax)?.text ?? '\0'] : []
    })
  return [first, ...added].join('')
}

/** A builder starts with the text that it is made from. */
function unwrapBuilder(node: Node, syntax: CodeSyntax): Node {
  const isBuilder =
    syntax.calls.includes(node.type) &&
    /(?:^|\b)(?:StringBuilder|StringBuffer|String::from|String\.new|\+?String)$/.test(
      syntax.calleeOf(node),
    )
  return (isBuilder && syntax.argumentsOf(node)[0]) || node
}

/** A member that holds how a client wants a list to be sorted. */
const sortMember =
  /^[\w$@.>?!-]*(?:\.|->|\[:?['"]?)(?:get)?_?(?:sort|order)_?(?:by|column|field|dir|direction|key)?(?:\(\)|['"]?\])?$/i

/** Whether a value is how a client wants a list to be sorted, and nothing looks at it. */
function isChosenOrder(value: InsertedValue, before: string, use: Node, syntax: CodeSyntax) {
  if (!/\border by [^()]*$/i.test(before.slice(-200))) return false
  const source = boundValueOf(value.node, syntax, value.code)?.text ?? value.code
  const isChosen = sortMember.test(source.slice(0, 100)) || isSentInsertion(value, syntax)
  return isChosen && hasNoHostCheck(use, value.node, syntax)
}

const separator = /^[@$]?["'`]'\s?,\s?'["'`]$/

/** A list in a statement, such as `IN (` before a value. */
const listStart = /\bin\s?\(\s?'?(?:\$?\{|%[sv]|#\{|["'`]\s?[+.&]|\\?"\s?\+)/i

/** Reports `'${name}'` and `join("', '")` in code that puts the list into a statement. */
function checkQuotedList(
  node: Node,
  syntax: CodeSyntax,
  file: ParsedFile,
  isHarmless: IsHarmless,
): Hit | undefined {
  const isShort = node.endIndex - node.startIndex <= 300
  if (!isShort || !node.text.includes("'") || isDeveloperTool(file.path)) return undefined
  const isCall = syntax.calls.includes(node.type) && !syntax.formatOf?.(node)
  const values = isCall ? joinedOf(node, syntax) : quotedOf(node, syntax)
  const risky = values.filter((value) => !isHarmless(value, file))
  if (!risky[0] || !listStart.test(scopeOf(node)?.text.slice(0, 6_000) ?? '')) return undefined
  return { at: firstLine(node), ...sqlInjectionOf(risky.map(({ code }) => code)) }
}

function joinedOf(call: Node, syntax: CodeSyntax): InsertedValue[] {
  const callee = syntax.calleeOf(call).slice(-200)
  if (!/(?:[jJ]oin|implode|joinToString)$/.test(callee)) return []
  const args = syntax.argumentsOf(call)
  const receiver = callee.replace(/\.\w+$/, '')
  const isSeparated = separator.test(receiver) || args.some(({ text }) => separator.test(text))
  const list = args.find(({ text }) => !separator.test(text))
  return isSeparated ? [{ code: list?.text ?? receiver, before: '', node: list ?? call }] : []
}

/** The value of a text that only puts it between quotation marks. */
function quotedOf(node: Node, syntax: CodeSyntax): readonly InsertedValue[] {
  const built = builtTextOf(node, syntax)
  return built && built.text === "'\0'" ? built.values : []
}
