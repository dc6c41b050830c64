// Takes apart expressions that build a text: templates, concatenations, and the formatting of each language.
import type { Node } from 'web-tree-sitter'
import { isConstant, isPlainString, stringText } from './literals.ts'
import type { ParsedFile } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  operandsOf,
  unwrap,
} from './syntax-nodes.ts'
import { originOf, typeOf } from './value-origins.ts'

/** A value that is put into a text, with the text before and after it. */
export interface Insertion {
  readonly value: Node
  readonly before: string
  readonly after: string
}

/** A text with values in it. */
export interface BuiltText {
  /** The fixed characters, each value as a NUL. */
  readonly text: string
  readonly insertions: readonly Insertion[]
}

const insertionMark = '\0'

/**
 * How an expression builds a text, looking through one local variable; undefined when it isn't visible. Values that
 * can't be harmful in any language are left out: constants, numbers by their declared type, what was escaped.
 */
export function builtTextOf(node: Node, file: ParsedFile): BuiltText | undefined {
  const inner = unwrap(node)
  if (inner.type === 'identifier') {
    const origin = originOf(inner.text, inner, file)
    return origin && origin.value.type !== 'identifier'
      ? builtTextOf(origin.value, file)
      : undefined
  }
  const pieces = piecesOf(inner)
  if (!pieces) return undefined
  const text = pieces.map((piece) => (typeof piece === 'string' ? piece : insertionMark)).join('')
  const insertions: Insertion[] = []
  let offset = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      offset += piece.length
      continue
    }
    if (!isSafeInsertion(piece, file))
      insertions.push({
        value: piece,
        before: text.slice(0, offset),
        after: text.slice(offset + 1),
      })
    offset += 1
  }
  return { text, insertions }
}

type Piece = string | Node

function piecesOf(node: Node): Piece[] | undefined {
  if (node.type === 'template_string' || node.type === 'string') return templatePieces(node)
  if (node.type === 'concatenated_string') return node.namedChildren.flatMap(templatePieces)
  if (isPlainString(node)) return [stringText(node)]
  const operator = field(node, 'operator')?.type
  if (operator === '+') {
    const operands = operandsOf(node, '+').map((operand) => piecesOf(operand) ?? [operand])
    const hasText = operands.some((pieces) => pieces.some((piece) => typeof piece === 'string'))
    return hasText ? operands.flat() : undefined
  }
  if (operator === '%')
    return formatted(
      field(node, 'left'),
      tupleOf(field(node, 'right')),
      /%(?:\(\w+\))?[-+ #0-9.]*[a-zA-Z]/g,
    )
  if (/^(?:call|call_expression|method_invocation)$/.test(node.type)) return formatCall(node)
  return undefined
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
  const first = pieces[0]
  const last = pieces.at(-1)
  if (typeof first === 'string') pieces[0] = first.replace(/^[a-zA-Z]{0,2}(?:"""|'''|["'`])/, '')
  if (typeof last === 'string') pieces[pieces.length - 1] = last.replace(/(?:"""|'''|["'`])$/, '')
  return pieces
}

function tupleOf(node: Node | undefined): Node[] {
  return node?.type === 'tuple' ? node.namedChildren : node ? [node] : []
}

function formatCall(call: Node): Piece[] | undefined {
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  if (name === 'format' && receiver && isPlainString(unwrap(receiver)))
    return formatted(unwrap(receiver), args, /\{[^{}]*\}/g)
  const isFormat =
    (name === 'Sprintf' && receiver?.text === 'fmt') ||
    (name === 'format' && receiver?.text === 'String')
  if (isFormat) return formatted(args[0], args.slice(1), /%[-+ #0-9.]*[a-zA-Z]/g)
  return name === 'formatted' && receiver
    ? formatted(unwrap(receiver), args, /%[-+ #0-9.]*[a-zA-Z]/g)
    : undefined
}

/** Puts the values in place of the format's verbs; a numeric verb takes no text and counts as fixed. */
function formatted(
  format: Node | undefined,
  values: readonly Node[],
  verb: RegExp,
): Piece[] | undefined {
  if (!format || !isPlainString(format)) return undefined
  const text = stringText(format)
  const pieces: Piece[] = []
  let from = 0
  let index = 0
  for (const match of text.matchAll(verb)) {
    pieces.push(text.slice(from, match.index))
    const value = values[index++]
    const isNumber = match[0].startsWith('%') && /[dfeExXob]$/.test(match[0])
    if (value && !isNumber)
      pieces.push(value.type === 'keyword_argument' ? (field(value, 'value') ?? value) : value)
    else pieces.push('0')
    from = match.index + match[0].length
  }
  pieces.push(text.slice(from))
  return pieces
}

const escaping =
  /escape|quote|sanitiz|ident|placeholder|encodeURI|purify|^(?:Number|parseInt|parseFloat|int|float|len|BigInt|bool)$|^(?:Itoa|FormatInt|valueOf|parseLong|hash|digest|hexdigest|toFixed|isoformat|toISOString|getTime|now|size|length)$/i

const numeric =
  /^(?:number|bigint|int|int32|int64|uint|uint32|uint64|long|Integer|Long|float|float64|double|boolean|bool|UUID|uuid\.UUID)$/

/** Whether a value can't carry someone else's syntax. */
export function isSafeInsertion(value: Node, file: ParsedFile): boolean {
  const inner = unwrap(value)
  if (isConstant(inner) || isArithmetic(inner)) return true
  if (/^(?:call|call_expression|method_invocation)$/.test(inner.type))
    return isEscaped(inner) || isFixedText(inner)
  if (inner.type === 'ternary_expression' || inner.type === 'conditional_expression') {
    return findNodes(inner, 'identifier').length <= 1 || findNodes(inner, 'string').length >= 2
  }
  const name = inner.type === 'identifier' ? inner.text : ''
  if (
    /\.(?:length|size)$/.test(inner.text) ||
    /placeholder|escaped|quoted|safe|sanitized|qmarks/i.test(inner.text)
  )
    return true
  if (!name) return false
  if (numeric.test(typeOf(name, inner, file)) || isFromConstants(name, inner)) return true
  const origin = originOf(name, inner, file)
  if (!origin) return false
  const source = unwrap(origin.value)
  const isChoice =
    /^(?:ternary|conditional)_expression$/.test(source.type) && isSafeInsertion(source, file)
  return (
    isFixedText(source) ||
    isChoice ||
    (/^(?:call|call_expression|method_invocation)$/.test(source.type) && isEscaped(source))
  )
}

/** `for (const name of NAMES)`: one of a fixed list. */
function isFromConstants(name: string, use: Node): boolean {
  for (let loop = enclosingNode(use, loopTypes); loop; loop = enclosingNode(loop, loopTypes)) {
    const list = field(loop, 'right')
    if (fieldText(loop, 'left').endsWith(name) && list) return isConstant(list)
  }
  return false
}

const loopTypes = new Set(['for_in_statement', 'for_statement'])

function isArithmetic(node: Node): boolean {
  return /^[-*/]$/.test(fieldText(node, 'operator'))
}

/** Whether a text is made of literals alone: a constant, repeated or cut any number of times, `?,?,?` for example. */
function isFixedText(node: Node): boolean {
  let inner = unwrap(node)
  while (!isConstant(inner)) {
    const { receiver, name } = calleeOf(inner)
    const isShaped = /^(?:Repeat|repeat|Trim\w*|trim|strip|rstrip|slice|substring)$/.test(name)
    const shaped = receiver?.text === 'strings' ? argumentsOf(inner)[0] : receiver
    const source = isShaped
      ? shaped
      : inner.type === 'slice_expression'
        ? field(inner, 'operand')
        : undefined
    if (!source) return false
    inner = unwrap(source)
  }
  return true
}

function isEscaped(call: Node): boolean {
  const { receiver, name } = calleeOf(call)
  if (escaping.test(name)) return true
  // `ids.map(() => '?').join(', ')`
  return (
    name === 'join' &&
    /["'`]\s*\?|["']%s|\$\$\{|placeholder|escape|quote/i.test(
      (receiver?.text ?? '') + fieldText(call, 'arguments'),
    )
  )
}
