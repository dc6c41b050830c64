// Splits expressions that build a text: templates, concatenations and format functions.
import type { Node } from 'web-tree-sitter'
import { callTypes } from '../../languages/rules/calls.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { isConstant, isPlainString, stringText } from '../../languages/rules/literals.ts'
import { operandsOf, unwrap } from '../../languages/rules/operations.ts'
import {
  argumentsOf,
  calleeOf,
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
} from '../../languages/rules/syntax-nodes.ts'
import type { ParsedFile } from './rule.ts'
import { originOf, typeOf } from './value-origins.ts'

/** A value that is inserted into a text, with the text before and after it. */
export interface Insertion {
  readonly value: Node
  readonly before: string
  readonly after: string
}

export interface BuiltText {
  /** The fixed characters, where a NUL replaces each value. */
  readonly text: string
  readonly insertions: readonly Insertion[]
}

const insertionMark = '\0'

/**
 * Splits an expression, or the value of a local variable, into fixed text and inserted values;
 * undefined if the code doesn't show them. Constants, numbers and escaped values are left out.
 */
export function builtTextOf(node: Node, file: ParsedFile): BuiltText | undefined {
  const inner = unwrap(node)
  if (inner.type === 'identifier') {
    const origin = originOf(inner.text, inner, file)
    return origin && origin.value.type !== 'identifier'
      ? builtTextOf(origin.value, file)
      : undefined
  }
  const pieces = piecesOf(inner, file)
  if (!pieces) return undefined
  const text = pieces.map((piece) => (typeof piece === 'string' ? piece : insertionMark)).join('')
  const insertions: Insertion[] = []
  let offset = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      offset += piece.length
      continue
    }
    const before = text.slice(0, offset)
    const after = text.slice(offset + insertionMark.length)
    if (!isSafeInsertion(piece, file)) insertions.push({ value: piece, before, after })
    offset += insertionMark.length
  }
  return { text, insertions }
}

type Piece = string | Node

/** The parts of a text: fixed characters, and nodes for inserted values. */
function piecesOf(node: Node, file: ParsedFile): Piece[] | undefined {
  if (node.type === 'template_string' || node.type === 'string') return templatePieces(node)
  if (node.type === 'concatenated_string') return node.namedChildren.flatMap(templatePieces)
  if (isPlainString(node)) return [stringText(node)]
  const operator = field(node, 'operator')?.type
  if (operator === '+') return concatenationPieces(node, file)
  if (operator === '%') {
    const values = tupleElements(field(node, 'right'))
    return formattedPieces(fixedTextOf(field(node, 'left'), file), values, pythonVerb)
  }
  return isCall(node) ? formatCallPieces(node, file) : undefined
}

/** What Python's operator `%` replaces, such as `%s` or `%(name)s`. */
const pythonVerb = /%(?:\(\w+\))?[-+ #0-9.]*[a-zA-Z]/g

/** What the format functions of Go and Java replace, such as `%s`. */
const percentVerb = /%[-+ #0-9.]*[a-zA-Z]/g

/** What Python's `format` replaces, such as `{}` or `{name}`. */
const bracePlaceholder = /\{[^{}]*\}/g

function isCall(node: Node): boolean {
  return callTypes.includes(node.type)
}

function concatenationPieces(node: Node, file: ParsedFile): Piece[] | undefined {
  const operands = operandsOf(node, '+').map((operand) => piecesOf(operand, file) ?? [operand])
  const hasText = operands.some((pieces) => pieces.some((piece) => typeof piece === 'string'))
  return hasText ? operands.flat() : undefined
}

function templatePieces(node: Node): Piece[] {
  const holes = node.namedChildren.filter(
    (child) => child.type === 'template_substitution' || child.type === 'interpolation',
  )
  if (holes.length === 0) return [stringText(node)]
  const pieces: Piece[] = []
  let from = node.startIndex
  for (const child of holes) {
    pieces.push(node.text.slice(from - node.startIndex, child.startIndex - node.startIndex))
    const value = field(child, 'expression') ?? child.namedChild(0)
    if (value) pieces.push(value)
    from = child.endIndex
  }
  pieces.push(node.text.slice(from - node.startIndex))
  // The first and the last piece hold the quotation marks.
  const first = pieces[0]
  const last = pieces.at(-1)
  if (typeof first === 'string') pieces[0] = first.replace(/^[a-zA-Z]{0,2}(?:"""|'''|["'`])/, '')
  if (typeof last === 'string') pieces[pieces.length - 1] = last.replace(/(?:"""|'''|["'`])$/, '')
  return pieces
}

function tupleElements(node: Node | undefined): Node[] {
  if (!node) return []
  return node.type === 'tuple' ? node.namedChildren : [node]
}

/** The parts of `[a, b].join(' ')`, `' '.join([a, b])` and their like. */
function joinedPieces(call: Node): Piece[] | undefined {
  const { receiver, name } = calleeOf(call)
  if (!/^[jJ]oin$/.test(name)) return undefined
  const parts = [receiver, ...argumentsOf(call)].flatMap((part) => (part ? [unwrap(part)] : []))
  const list = parts.find(({ type }) => /^(?:array|list|tuple|composite_literal)$/.test(type))
  const separator = parts.find(isPlainString)
  if (!list || !separator) return undefined
  const items = codeChildren(field(list, 'body') ?? list)
  return items.flatMap((item) => {
    const value = item.type === 'literal_element' ? (item.namedChild(0) ?? item) : item
    return [isPlainString(value) ? stringText(value) : value, stringText(separator)]
  })
}

function formatCallPieces(call: Node, file: ParsedFile): Piece[] | undefined {
  const { receiver, name } = calleeOf(call)
  const joined = joinedPieces(call)
  if (joined) return joined
  const format = receiver && fixedTextOf(unwrap(receiver), file)
  if (!receiver || !format) return undefined
  const args = argumentsOf(call)
  if (name === 'format' && isPlainString(format))
    return formattedPieces(format, args, bracePlaceholder)
  const isFormatFunction =
    (name === 'Sprintf' && receiver.text === 'fmt') ||
    (name === 'format' && receiver.text === 'String')
  if (isFormatFunction) return formattedPieces(args[0], args.slice(1), percentVerb)
  return name === 'formatted' ? formattedPieces(format, args, percentVerb) : undefined
}

/** Follows a variable to the text that it was set to; other nodes stay as they are. */
function fixedTextOf(node: Node | undefined, file: ParsedFile): Node | undefined {
  if (node?.type !== 'identifier') return node
  const value = originOf(node.text, node, file)?.value
  return value && isPlainString(value) ? value : node
}

/** Puts the values in place of the verbs of a format. Numeric verbs become a fixed `0`. */
function formattedPieces(
  format: Node | undefined,
  values: readonly Node[],
  verb: RegExp,
): Piece[] | undefined {
  if (!format || !isPlainString(format)) return undefined
  const text = stringText(format)
  const pieces: Piece[] = []
  let from = 0
  for (const [index, match] of [...text.matchAll(verb)].entries()) {
    pieces.push(text.slice(from, match.index))
    const value = values[index]
    const isNumber = match[0].startsWith('%') && /[dfeExXob]$/.test(match[0])
    pieces.push(value && !isNumber ? argumentValue(value) : '0')
    from = match.index + match[0].length
  }
  pieces.push(text.slice(from))
  return pieces
}

/** In Python, an argument may have a name. */
function argumentValue(argument: Node): Node {
  if (argument.type !== 'keyword_argument') return argument
  return field(argument, 'value') ?? argument
}

/** Functions that escape a value, or turn it into a number or a fixed alphabet. */
const escapingFunctions =
  /escape|quote|sanitiz|ident|placeholder|encodeURI|purify|^(?:Number|parseInt|parseFloat|int|float|len|BigInt|bool)$|^(?:Itoa|FormatInt|valueOf|parseLong|hash|digest|hexdigest|toFixed|isoformat|toISOString|getTime|now|size|length)$/i

/** Types whose values can't hold the syntax of another language. */
const harmlessTypes =
  /^(?:number|bigint|int|int32|int64|uint|uint32|uint64|long|Integer|Long|float|float64|double|boolean|bool|UUID|uuid\.UUID)$/

/** Names of values without syntax of their own, and of parts of queries that others build. */
const safeNames =
  /placeholder|escaped|quoted|safe|sanitized|qmarks|(?:^|_)(?:sql|clause)$|[a-z](?:Sql|SQL|Clause)$/i

/** Whether a value is certain not to add syntax to the text that it is inserted into. */
export function isSafeInsertion(value: Node, file: ParsedFile): boolean {
  const inner = unwrap(value)
  if (isConstant(inner) || isArithmetic(inner)) return true
  if (isCall(inner)) return isEscaped(inner) || isFixedText(inner) || joinsSafe(inner)
  if (isChoice(inner)) return choosesFixedText(inner)
  if (/\.(?:length|size)$/.test(inner.text) || safeNames.test(inner.text)) return true
  return inner.type === 'identifier' && isSafeVariable(inner, file)
}

/** Whether a call joins a list of placeholders: `strings.Join(placeholders, ", ")`. */
function joinsSafe(call: Node): boolean {
  const { receiver, name } = calleeOf(call)
  const list = receiver?.text === 'strings' ? argumentsOf(call)[0] : receiver
  return /^[jJ]oin$/.test(name) && (safeNames.test(list?.text ?? '') || holdsMarks(list))
}

/** Whether only placeholders such as `?` and `$1` are added to a list: `append(marks, "?")`. */
function holdsMarks(list: Node | undefined): boolean {
  if (list?.type !== 'identifier') return false
  const added = new RegExp(
    String.raw`\b${list.text}(?:\.(?:append|push|add)\(|\s*=\s*append\(${list.text},|\[\w+\]\s*=)\s*(.*)`,
    'g',
  )
  const texts = [...(functionAround(list)?.text ?? '').matchAll(added)].map(([, text]) => text!)
  return texts.length > 0 && texts.every((text) => placeholderText.test(text))
}

const placeholderText =
  /^(?:fmt\.Sprintf\(|String\.format\(|f)?["'`](?:\?|\$%d|[$:]\w*\{\w+\}|%s|:\w+|\$)["'`]/

function isSafeVariable(variable: Node, file: ParsedFile): boolean {
  const name = variable.text
  if (harmlessTypes.test(typeOf(name, variable, file))) return true
  if (isFromConstants(name, variable)) return true
  const origin = originOf(name, variable, file)
  if (!origin) return false
  const source = unwrap(origin.value)
  if (isFixedText(source)) return true
  if (isChoice(source)) return choosesFixedText(source)
  return isCall(source) && isEscaped(source)
}

function isChoice(node: Node): boolean {
  return node.type === 'ternary_expression' || node.type === 'conditional_expression'
}

/** Whether a conditional expression seems to choose between literals. */
function choosesFixedText(choice: Node): boolean {
  return findNodes(choice, 'identifier').length <= 1 || findNodes(choice, 'string').length >= 2
}

/** Whether a loop such as `for (const name of NAMES)` takes the name from a constant. */
function isFromConstants(name: string, use: Node): boolean {
  let loop = enclosingNode(use, loopTypes)
  while (loop) {
    const list = field(loop, 'right')
    if (fieldText(loop, 'left').endsWith(name) && list) return isConstant(list)
    loop = enclosingNode(loop, loopTypes)
  }
  return false
}

const loopTypes = new Set(['for_in_statement', 'for_statement'])

function isArithmetic(node: Node): boolean {
  return /^[-*/]$/.test(fieldText(node, 'operator'))
}

/** Whether a text is made of constants alone, also repeated or cut: `'?,'.repeat(n).slice(1)`. */
function isFixedText(node: Node): boolean {
  let inner = unwrap(node)
  while (!isConstant(inner)) {
    const source = reshapedSource(inner)
    if (!source) return false
    inner = unwrap(source)
  }
  return true
}

/** Returns `a` for code that repeats or cuts it: `a.repeat(n)`, `strings.Trim(a, c)`, `a[1:]`. */
function reshapedSource(node: Node): Node | undefined {
  const { receiver, name } = calleeOf(node)
  if (/^(?:Repeat|repeat|Trim\w*|trim|strip|rstrip|slice|substring)$/.test(name))
    return receiver?.text === 'strings' ? argumentsOf(node)[0] : receiver
  return node.type === 'slice_expression' ? field(node, 'operand') : undefined
}

function isEscaped(call: Node): boolean {
  const { receiver, name } = calleeOf(call)
  if (escapingFunctions.test(name)) return true
  return (
    name === 'join' && placeholderList.test((receiver?.text ?? '') + fieldText(call, 'arguments'))
  )
}

/** The parts of a list of placeholders: `ids.map(() => '?').join(', ')`. */
const placeholderList = /["'`]\s*\?|["']%s|\$\$\{|placeholder|escape|quote/i
