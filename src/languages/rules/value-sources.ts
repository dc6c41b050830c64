// Decides where a value in a text comes from, and whether it can hold syntax of its own.
import type { Node } from 'web-tree-sitter'
import { declares, valuesOf } from './bindings.ts'
import { builtTextOf, type InsertedValue } from './built-text.ts'
import { isCall, readCall, valuesPassedTo } from './calls.ts'
import { functionAround, listParameters, namedFunctionAround } from './functions.ts'
import { readOperation } from './operations.ts'
import { ownFunctionOf, passedArguments } from './own-functions.ts'
import { isSentInsertion } from './sent-values.ts'
import type { ParsedFile } from './syntax-check.ts'
import { field, findNodes } from './syntax-nodes.ts'

type Source = 'request' | 'harmless' | 'unknown'

type Value = Pick<InsertedValue, 'code' | 'node'>

/** How many variables are followed to a fixed value. */
const maxSteps = 4

/** Returns where a value comes from, as far as the file shows. */
export function sourceOf(value: InsertedValue, file: ParsedFile): Source {
  if (isConverted(value, file)) return 'harmless'
  if (isSentInsertion(value, file)) return 'request'
  return isHarmless(value, file, maxSteps) || !isPassed(value, file, maxSteps)
    ? 'harmless'
    : 'unknown'
}

/**
 * Whether a caller may pass a value in, also by some variables. What the program has in its own
 * fields and reads by its own functions is nearly always its own.
 */
function isPassed({ code, node }: Value, file: ParsedFile, steps: number): boolean {
  const names = code.slice(0, 300).match(plainName) ?? []
  return names.some((name) => {
    if (declarationOf(name, node) !== undefined) return true
    const values = steps > 0 ? valuesOf(node, name) : []
    if (values.length === 0) return !hasImplicitFields.test(file.language)
    return values.some((each) =>
      isPassed({ code: each.text.slice(0, 300), node: each }, file, steps - 1),
    )
  })
}

/** Names that aren't those of members, functions, types or the own object. */
const plainName = /(?<![\w.>$@:'"])(?!(?:this|self|await|new)\b)[$@]?[a-z_]\w*\b(?!\s*[('":])/g

/** Languages in which a name that the function doesn't declare is that of a field. */
const hasImplicitFields = /^(?:java|c-sharp|kotlin|scala|cpp)$/

/** Functions that escape a value, or turn it into a number or a fixed alphabet. */
const converts = new RegExp(
  [
    '(?:escape|sanitiz)(?!\\w{0,6}like)|quote|esc_|placeholder|encodeURI|purify|nameof',
    '^(?:ident\\w*|Number|parse(?:Int|Float|Long)|(?:big)?int(?:eger)?|float|bool|len|count|strlen)$',
    '^(?:(?:int|float)val|Itoa|FormatInt|valueOf|(?:hex)?digest|hash|toFixed|isoformat|to_[if])$',
    '^(?:toISOString|getTime|(?:mk|micro|strto)?time|now|size|length|to(?:Int|Long|Double)(?:OrNull)?|to_string|ordinal)$',
  ].join('|'),
  'i',
)

/** Code that only has a number, or an escaped text. */
const converted = new RegExp(
  [
    String.raw`^\(?\(?(?:int|integer|float|bool|long)\)`,
    String.raw`(?:\.|->)(?:size|length|len|count|pid|ordinal)(?:\(\))?$|^["'\d]`,
    String.raw`\b(?:intval|floatval|strlen|nameof|count|len)\(`,
    // Such a getter of an object gives the number that the database gave it.
    String.raw`\.getId\(\)$`,
    String.raw`(?:escape|sanitiz)(?!\w{0,6}like)|quote|esc_`,
  ].join('|'),
  'i',
)

/** Whether an expression is a number or an escaped text, wherever its value comes from. */
function isConverted({ code, node }: Value, { language }: ParsedFile): boolean {
  if (code === '' || converted.test(code)) return true
  const isWhole = node.text.slice(0, 200) === code
  if (isWhole && isCall(node)) return converts.test(readCall(node).name)
  const operator = readOperation(node)?.operator ?? ''
  return isWhole && (/^[-*/]$/.test(operator) || (operator === '+' && language === 'php'))
}

/** By convention, constants are capitalized. */
const constantName = /^[A-Z][A-Z0-9_]+$|::[A-Z][A-Z0-9_]+$|^[A-Z]\w*\.[A-Z]\w*$/

/** Names of values without syntax of their own, of things, and of parts of queries. */
const harmlessName = new RegExp(
  [
    'placeholder|quoted|safe|toSql|qmarks|prefix|alias|table|column|schema|database|\\.id$',
    '^(?:self|\\$?this)$|(?:^|[_$])(?:sql|clause)$|[a-z](?:Sql|SQL|Clause)$',
  ].join('|'),
  'i',
)

/** These paths belong to the program. */
const ownPath = /^__(?:DIR|FILE|dir)__$|Rails\.root|\b(?:dirname|tmpdir|[tT]empfile)\b/

/** Types whose values can't hold the syntax of another language. */
const harmlessTypes = [
  ...['(?:u?int|[iuf])(?:8|16|32|64|ptr)?(?:_t)?', 'u?long', 'short', 'byte', 'bool(?:ean)?'],
  ...['float(?:32|64)?', 'double', 'decimal', '[iu]?size(?:_t)?', 'number', 'bigint'],
  ...['Int(?:eger)?', 'Long', 'Short', 'Boolean', 'Float', 'Double', '(?:uuid\\.)?U(?:uid|UID)'],
  ...['Guid', 'DateTime', 'LocalDate', 'Instant', 'time\\.Time'],
].join('|')

function isHarmless(value: Value, file: ParsedFile, steps: number): boolean {
  const { code, node } = value
  if (isNamedHarmless(code) || isConverted(value, file)) return true
  const branches = branchesOf(node)
  if (branches.length > 0) return branches.every(isFixed)
  if (isCall(node)) return isReshaped(node) || isOwn(node)
  if (!/^[$@]?\w+$/.test(code)) return false
  const name = code.replace(/^[$@]/, '')
  if (!isVariable(code, node, file) || isTyped(name, node, file)) return true
  const values = steps > 0 ? knownValuesOf(value) : []
  return values.length > 0 && values.every(isFixed)

  function isFixed(each: Node): boolean {
    const built = builtTextOf(each, file)
    const parts = built?.values ?? [{ code: each.text.slice(0, 500), node: each }]
    return parts.every((part) => isHarmless(part, file, steps - 1))
  }

  /** Whether a function of the file only gets fixed values. */
  function isOwn(call: Node): boolean {
    const args = ownFunctionOf(call) ? valuesPassedTo(call) : []
    return args.length > 0 && args.every(isFixed)
  }

  /** Whether code repeats or cuts a fixed text: `'?,'.repeat(n)`, `strings.Trim(a, c)`. */
  function isReshaped(call: Node): boolean {
    const source = reshapes.test(readCall(call).name) ? readCall(call).receiver : undefined
    const text = source?.text === 'strings' ? valuesPassedTo(call)[0] : source
    return text !== undefined && isFixed(text)
  }
}

/** The values that a variable gets in its function, or as a parameter from the rest of the file. */
function knownValuesOf({ code, node }: Value): readonly Node[] {
  const values = valuesOf(node, code)
  return values.length > 0 ? values : passedArguments(node)
}

/** Whether a bare name is a variable: in Ruby, it can also be a call. */
function isVariable(code: string, use: Node, { language }: ParsedFile): boolean {
  if (language !== 'ruby' || code.startsWith('@')) return true
  const scope = namedFunctionAround(use) ?? use.tree.rootNode
  const parameters = findNodes(scope, 'method_parameters', 'block_parameters', 'lambda_parameters')
  return parameters.some((each) => declares(each, code)) || valuesOf(use, code).length > 0
}

function isNamedHarmless(code: string): boolean {
  return [constantName, harmlessName, ownPath, joinsParts].some((words) => words.test(code))
}

const reshapes = /^(?:repeat|Repeat|trim\w*|Trim\w*|r?strip|slice|substring|chop|drop_?[lL]ast)$/

const joins = '(?:implode|[jJ]oin(?:ToString)?|mkString)\\b'
const partNames = [
  ...['["\'`]\\s*\\?', '%s', '\\$\\$', 'placeholder', 'escape', 'quote', 'marks', 'params', 'keys'],
  ...['columns', 'fields', 'conditions', 'clauses', 'where', 'parts', 'predicates', 'filters'],
  ...['sets', 'updates', 'assignments', 'binds', '\\.id\\b'],
].join('|')

/** Code that joins placeholders, names of columns, or conditions. */
const joinsParts = new RegExp(`${joins}.*(?:${partNames})|(?:${partNames}).*${joins}`, 'is')

/** The values that a condition chooses from. */
function branchesOf(node: Node): Node[] {
  if (!/^(?:ternary|conditional|if_expression)/.test(node.type)) return []
  const fields = ['consequence', 'body', 'alternative'].flatMap((name) => field(node, name) ?? [])
  if (fields.length > 1) return fields
  const [first, , last] = node.namedChildren
  return first && last ? [first, last] : []
}

/** Whether a variable is declared with a type whose values hold no syntax. */
function isTyped(name: string, use: Node, file: ParsedFile): boolean {
  const before = String.raw`\b(?:${harmlessTypes})\??\s+\$?${name}\b`
  const after = String.raw`\b${name}\??(?:\s*:\s*&?|(?:, \w+)*\s+\*?)(?:${harmlessTypes})\b`
  return new RegExp(`${before}|${after}`).test(declarationOf(name, use) ?? file.text)
}

/** The parameter with a name, as it is written. */
function declarationOf(name: string, use: Node): string | undefined {
  for (let scope = functionAround(use); scope; scope = functionAround(scope)) {
    const parameter = listParameters(scope).find((each) => declares(each, name))
    // Go's parameters share a type: `tenant, name string`.
    const isShared = parameter?.parent?.type === 'parameter_declaration'
    if (parameter) return isShared ? parameter.parent!.text : parameter.text
  }
  return undefined
}
