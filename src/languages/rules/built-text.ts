// Splits the texts that code builds: literals, joined and formatted texts, and builders.
import type { Node } from 'web-tree-sitter'
import { appendsTo } from './appended-texts.ts'
import { valuesOf } from './bindings.ts'
import { isCall, readCall, valuesPassedTo } from './calls.ts'
import { isText } from './literals.ts'
import { readOperation, unwrap } from './operations.ts'
import type { ParsedFile } from './syntax-check.ts'
import { codeChildren, field, fieldText } from './syntax-nodes.ts'

/** A value in a text. A NUL takes the place of other values in the text around it. */
export interface InsertedValue {
  readonly code: string
  readonly before: string
  readonly after: string
  /** The value, or the literal that has its name. */
  readonly node: Node
}

export interface BuiltText {
  readonly text: string
  readonly values: readonly InsertedValue[]
}

type Part = string | Pick<InsertedValue, 'code' | 'node'>

/** How many variables are followed to the code that builds their text. */
const maxSteps = 3
const maxLength = 4_000

/** Splits a text into what is fixed and what is inserted; undefined if it has no fixed part. */
export function builtTextOf(node: Node, file: ParsedFile): BuiltText | undefined {
  const parts = partsOf(node, file, maxSteps)
  return parts.some(isFixed) ? joinParts(parts) : undefined
}

/** The text of several expressions, one after the other. */
export function joinTexts(nodes: readonly Node[], file: ParsedFile): BuiltText {
  return joinParts(nodes.flatMap((node) => partsOf(node, file, maxSteps)))
}

function isFixed(part: Part): part is string {
  return typeof part === 'string'
}

function joinParts(parts: readonly Part[]): BuiltText {
  const text = parts.map((part) => (isFixed(part) ? part : '\0')).join('')
  const values: InsertedValue[] = []
  let end = 0
  for (const part of parts) {
    end += isFixed(part) ? part.length : 1
    if (!isFixed(part))
      values.push({ ...part, before: text.slice(0, end - 1), after: text.slice(end) })
  }
  return { text, values }
}

function valuePart(node: Node): Part {
  return { code: node.text.slice(0, 200), node }
}

/** Nodes that hold the parts of one text. */
const joinedLiterals = /^(?:concatenated_string|chained_string)$/

function partsOf(node: Node, file: ParsedFile, steps: number): Part[] {
  if (joinedLiterals.test(node.type))
    return node.namedChildren.flatMap((each) => partsOf(each, file, steps))
  if (isLiteral(node)) return literalParts(node, file)
  const inner = innerOf(node)
  if (inner) return partsOf(inner, file, steps)
  const sum = readOperation(node)
  if (sum && /^[+.]$/.test(sum.operator))
    return [...partsOf(sum.left, file, steps), ...partsOf(sum.right, file, steps)]
  return (
    formattedParts(node, file, steps) ??
    joinedParts(node, file, steps) ??
    chosenParts(node, file, steps) ??
    boundParts(node, file, steps) ?? [valuePart(node)]
  )
}

/** Whether a node is a text. A tagged one, such as Scala's `sql"…"`, has parameters. */
function isLiteral(node: Node): boolean {
  if (!isText(node)) return false
  return /^(?:s|f|raw)?$/.test(fieldText(node, 'interpolator'))
}

/** Methods whose result has the same text. */
const keepsText =
  /^(?:trim(?:Indent|Margin|End|Start)?|l?r?strip|stripMargin|squish|freeze|to_s|[tT]oString|dedent|String|build|as_str|to_string|to_owned|as_ref|clone|into|c_str|data|str|getvalue|intern|stripIndent)$/

/** Functions and types that take a text. */
const holdsText =
  /(?:^|\.)(?:String\.(?:from|new)|(?:std\.)?string|StringBu(?:ilder|ffer)(?:\.new)?|String|AssertSqlSafe|dedent|StringIO)$/

/** What a node only wraps, as far as its text is concerned. */
function innerOf(node: Node): Node | undefined {
  if (/^(?:parenthesized|await|reference)/.test(node.type)) return node.namedChildren.at(-1)
  if (node.type === 'heredoc_beginning') return heredocOf(node)
  if (node.type === 'field_expression' && fieldText(node, 'field') === 'stripMargin')
    return field(node, 'value')
  if (node.type === 'expression_list' && node.namedChildCount === 1) return codeChildren(node)[0]
  const inner = unwrap(node)
  if (inner.id !== node.id) return inner
  return isCall(node) ? textOfCall(node) : undefined
}

/** The text that a call returns as it is, such as `x` of `String::from(x)` and `x.trim()`. */
function textOfCall(call: Node): Node | undefined {
  const args = valuesPassedTo(call)
  if (args.length === 1 && holdsText.test(readCall(call).plain)) return args[0]
  return args.length === 0 && keepsText.test(readCall(call).name)
    ? readCall(call).receiver
    : undefined
}

/** Ruby has the text of `<<~SQL` after the line. */
function heredocOf(beginning: Node): Node | undefined {
  const bodies = beginning.tree.rootNode.descendantsOfType('heredoc_body')
  return bodies.find(({ startIndex }) => startIndex >= beginning.endIndex) ?? undefined
}

const insertionTypes = [
  ...['template_substitution', 'interpolation', 'string_interpolation', 'variable_name'],
  ...['member_access_expression', 'nullsafe_member_access_expression', 'subscript_expression'],
  ...['member_call_expression', 'dynamic_variable_name', 'scoped_property_access_expression'],
]

/** Nodes inside a literal that hold its parts. */
const bodyTypes = /^(?:heredoc_body|interpolated_string)$/

function insertionsOf(literal: Node): Node[] {
  const children = literal.namedChildren
  const body = children.find(({ type }) => bodyTypes.test(type))
  return (body?.namedChildren ?? children).filter(({ type }) => insertionTypes.includes(type))
}

/** Whether a literal has values in it. */
export function hasInsertions(literal: Node, file: ParsedFile): boolean {
  return (
    insertionsOf(literal).length > 0 ||
    (file.language === 'kotlin' && bareInsertion.test(literal.text))
  )
}

const literalStart = /^(?:[$@a-zA-Z]{0,3}#*(?:"{3}|'{3}|["'`])|<<<\s*["']?\w+["']?\r?\n)/
const literalEnd = /(?:(?:"{3,}|["'`])#*|\n\s*[A-Z_]+)$/

function literalParts(literal: Node, file: ParsedFile): Part[] {
  const source = literal.text.slice(0, maxLength)
  const parts: Part[] = []
  let from = literalStart.exec(source)?.[0].length ?? 0
  for (const insertion of insertionsOf(literal)) {
    let [start, end] = [insertion.startIndex, insertion.endIndex].map(
      (at) => at - literal.startIndex,
    )
    // PHP's `{$name}` has its braces outside of the node.
    if (source[start! - 1] === '{' && source[end!] === '}') [start, end] = [start! - 1, end! + 1]
    parts.push(source.slice(from, start), valuePart(valueIn(insertion)))
    from = end!
  }
  parts.push(source.slice(from).replace(literalEnd, ''))
  return file.language === 'kotlin' ? parts.flatMap((part) => splitBare(part, literal)) : parts
}

/** The expression that is inserted. */
function valueIn(insertion: Node): Node {
  if (!/substitution|interpolation/.test(insertion.type)) return insertion
  const values = insertion.namedChildren.filter(({ type }) => type !== 'interpolation_brace')
  const value = field(insertion, 'expression') ?? values[0] ?? insertion
  return value.type === 'block' ? (value.namedChild(0) ?? value) : value
}

/** A value that Kotlin's grammar takes for fixed text. */
const bareInsertion = /\$([A-Za-z_]\w*)/

function splitBare(part: Part, literal: Node): Part[] {
  if (!isFixed(part)) return [part]
  const pieces = part.split(bareInsertion)
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : { code: piece, node: literal }))
}

/** `%s`, `%1$s`, `%[1]s`, `{}`, `{0}` and `{name}`. */
const placeholder = /%(?:\[?(\d+)[\]$]|[(<](\w+)[)>])?[-+ #0-9.]*[a-zA-Z]|[%#$]?\{([^{}]{0,60})\}/g

/** Digits, and what PostgreSQL's formats quote, hold no syntax. */
const harmlessVerb = /^%.*[diufeEgxXLI]$/

const formatMethod =
  /^(?:format|formatted|v?sprintf|Sprintf|Format|StrFormat|AppendFormat|asprintf|snprintf|Fprintf)$/

interface Format {
  readonly template: Node
  readonly values: readonly Node[]
}

/** Reads `format(template, values…)`, `template.format(values…)` and `template % values`. */
export function formatOf(node: Node): Format | undefined {
  if (node.type === 'macro_invocation') return macroFormat(node)
  const { left: template, right, operator } = readOperation(node) ?? {}
  if (template && right && operator === '%')
    return {
      template,
      values: /^(?:tuple|array)$/.test(right.type) ? right.namedChildren : [right],
    }
  const isFormat = isCall(node) && formatMethod.test(readCall(node).name)
  return isFormat ? callFormat(node) : undefined
}

function callFormat(call: Node): Format | undefined {
  const args = valuesPassedTo(call)
  const receiver = readCall(call).receiver
  if (receiver && isLiteral(receiver)) return { template: receiver, values: args }
  const literal = args.slice(0, 3).findIndex((each) => isLiteral(each))
  // Types and packages have other names than variables.
  if (literal < 0 && receiver && /^(?!fmt$)[a-z_]+$/.test(receiver.text))
    return { template: receiver, values: args }
  const template = args[Math.max(0, literal)]
  return template && { template, values: args.slice(Math.max(0, literal) + 1) }
}

/** Returns the first token of each argument of a macro; longer ones stand for themselves. */
function macroFormat(node: Node): Format | undefined {
  if (!/^(?:format|write(?:ln)?)$/.test(fieldText(node, 'macro'))) return undefined
  const tokens = node.namedChildren.find(({ type }) => type === 'token_tree')?.children ?? []
  const values = tokens.slice(1, -1).filter((token, index, all) => {
    return token.type !== ',' && (index === 0 || all[index - 1]!.type === ',')
  })
  const at = values.findIndex((each) => isLiteral(each))
  return at < 0 ? undefined : { template: values[at]!, values: values.slice(at + 1) }
}

function formattedParts(node: Node, file: ParsedFile, steps: number): Part[] | undefined {
  const format = formatOf(node)
  if (!format) return undefined
  const template = partsOf(format.template, file, steps)
  if (!template.some(isFixed)) return undefined
  let next = 0
  return template.flatMap((part) => (isFixed(part) ? placedParts(part) : [part]))

  function placedParts(text: string): Part[] {
    const parts: Part[] = []
    let from = 0
    for (const match of text.matchAll(placeholder)) {
      const key = match[1] ? String(Number(match[1]) - 1) : (match[2] ?? match[3] ?? '')
      const name = key.replace(/[:,].*$/, '').trim()
      const index = name ? 0 : next++
      const isHarmless = harmlessVerb.test(match[0])
      parts.push(text.slice(from, match.index))
      parts.push(isHarmless ? '0' : placedValue(name, format!, index, node))
      from = match.index + match[0].length
    }
    return [...parts, text.slice(from)]
  }
}

/** The value that takes the place of a placeholder: by position, by name, or the next one. */
function placedValue(name: string, { template, values }: Format, next: number, node: Node): Part {
  const at = /^\d+$/.test(name) ? Number(name) : next
  const value = name && !/^\d+$/.test(name) ? namedValue(name, node) : values[at]
  return value ? valuePart(value) : { code: name, node: template }
}

function namedValue(name: string, call: Node): Node | undefined {
  const pairs = call.descendantsOfType(['keyword_argument', 'pair', 'named_argument'])
  const pair = pairs.find((each) => each.namedChild(0)?.text.replace(/^['":]|['":]$/g, '') === name)
  return pair?.namedChildren.at(-1)
}

const listTypes = [
  ...['array', 'list', 'tuple', 'composite_literal', 'array_creation_expression'],
  ...['array_initializer', 'initializer_expression', 'collection_expression', 'literal_value'],
]

/** Makes a list of its arguments. */
const listMethod = /^(?:of|listOf|asList|mutableListOf|arrayOf|arrayListOf)$/

/** The parts of a list, with what is added to it. */
function listParts(list: Node, file: ParsedFile, steps: number): Part[][] | undefined {
  if (/^composite_literal$|^array_creation/.test(list.type)) {
    const body = list.namedChildren.at(-1)
    if (body && listTypes.includes(body.type)) return listParts(body, file, steps)
  }
  const items = isCall(list)
    ? listMethod.test(readCall(list).name) && valuesPassedTo(list)
    : listTypes.includes(list.type) && list.namedChildren
  if (items)
    return items.map((item) =>
      partsOf(/element/.test(item.type) ? (item.namedChildren.at(-1) ?? item) : item, file, steps),
    )
  const [value] = steps > 0 ? valuesOf(list).slice(-1) : []
  const start = value && listParts(value, file, steps - 1)
  if (!start) return undefined
  const added = appendsTo(list, value.endIndex).flatMap(({ texts }) => texts)
  return [...start, ...added.map((text) => partsOf(text, file, steps - 1))]
}

/** The parts of `[a, b].join(' ')`, `' '.join([a, b])`, `a.concat(b)` and their like. */
function joinedParts(node: Node, file: ParsedFile, steps: number): Part[] | undefined {
  const method = isCall(node) ? readCall(node).name : ''
  if (!/^(?:[jJ]oin|joinToString|implode|concat|mkString)$/.test(method)) return undefined
  const receiver = readCall(node).receiver
  const all = [...(receiver ? [receiver] : []), ...valuesPassedTo(node)]
  if (method === 'concat') {
    const parts = all.flatMap((each) => partsOf(each, file, steps))
    return parts.some(isFixed) ? parts : undefined
  }
  const separator = all.find((each) => isLiteral(each))
  const others = all.filter(
    (each) => each !== separator && !/^(?:strings|[sS]tring)$/.test(each.text),
  )
  const lists = others.flatMap((each) => listParts(each, file, steps) ?? [])
  const items =
    lists.length > 0 || others.length < 2 ? lists : others.map((each) => partsOf(each, file, steps))
  if (!items.some((item) => item.some(isFixed))) return undefined
  const between = separator ? literalParts(separator, file) : []
  return items.flatMap((item, index) => (index === 0 ? item : [...between, ...item]))
}

const choiceTypes = /^(?:ternary_expression|conditional_expression|conditional|if_expression)$/

/** Of the two texts of a condition, the one with a value in it. */
function chosenParts(node: Node, file: ParsedFile, steps: number): Part[] | undefined {
  if (steps <= 0 || !choiceTypes.test(node.type)) return undefined
  const named = ['consequence', 'body', 'alternative'].flatMap((name) => field(node, name) ?? [])
  const branches = named.length > 0 ? named : [node.namedChild(0), node.namedChild(2)]
  const texts = branches
    .flatMap((branch) => (branch ? [partsOf(branch, file, steps - 1)] : []))
    .filter((parts) => parts.some((part) => isFixed(part) && part.trim() !== ''))
  return texts.find((parts) => parts.some((part) => !isFixed(part)))
}

/** Returns the parts of the text that a variable was set to, with what is added to it. */
function boundParts(variable: Node, file: ParsedFile, steps: number): Part[] | undefined {
  const value = steps > 0 ? valuesOf(variable).at(-1) : undefined
  const start = value ? partsOf(value, file, steps - 1) : []
  const isBuilder = !value || /[sS]tringBu|StringIO|strings\.Builder|String::new/.test(value.text)
  const from = value?.endIndex ?? 0
  const appends = steps > 0 ? appendsTo(variable, from) : []
  const parts = [
    ...(start.some(isFixed) || !isBuilder ? start : []),
    ...appends.flatMap(({ texts }) => texts.flatMap((text) => partsOf(text, file, steps - 1))),
  ]
  return parts.some(isFixed) && (value || appends.length > 0) ? parts : undefined
}
