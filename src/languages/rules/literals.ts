// Recognizes literals and constants in syntax trees.
import type { Node } from 'web-tree-sitter'
import { unwrap } from './operations.ts'
import { field, fieldText, findNodes } from './syntax-nodes.ts'

const stringTypes = new Set([
  'string',
  'string_literal',
  'interpreted_string_literal',
  'raw_string_literal',
  'verbatim_string_literal',
  'encapsed_string',
])

/** The types of nodes that are texts, with and without inserted values. */
export const textTypes: readonly string[] = [
  ...stringTypes,
  ...['template_string', 'concatenated_string', 'interpolated_string_expression', 'subshell'],
  ...['multiline_string_literal', 'heredoc', 'heredoc_body', 'nowdoc', 'shell_command_expression'],
]

const allTexts: ReadonlySet<string> = new Set(textTypes)

export function isText({ type }: Node): boolean {
  return allTexts.has(type)
}

/** Whether a node is a string without interpolated values. */
export function isPlainString(node: Node): boolean {
  if (node.type === 'template_string') return findNodes(node, 'template_substitution').length === 0
  return stringTypes.has(node.type) && node.namedChildren.every(isFixedPart)
}

/** Kotlin's `$name` has a node for the sign alone. */
function isFixedPart({ type, text }: Node): boolean {
  return /content|fragment|start|end|escape|character/.test(type) && text !== '$'
}

/** Returns the characters of a plain string without its quotes; escapes stay as written. */
export function stringText(node: Node): string {
  return node.text
    .replace(/^[$@a-zA-Z]{0,3}#*(?:"""|'''|["'`])/, '')
    .replace(/(?:"""|'''|["'`])#*$/, '')
}

/** Returns a test for plain strings with such a content. */
export function stringLike(content: RegExp): (node: Node) => boolean {
  return (node) => isPlainString(node) && content.test(stringText(node))
}

const literalTypes = new Set([
  'number',
  'integer',
  'float',
  'int_literal',
  'float_literal',
  'decimal_integer_literal',
  'decimal_floating_point_literal',
  'hex_integer_literal',
  'octal_integer_literal',
  'binary_integer_literal',
  'hex_floating_point_literal',
  'character_literal',
  'rune_literal',
  'true',
  'false',
  'null',
  'null_literal',
  'none',
  'undefined',
  'nil',
  'integer_literal',
  'real_literal',
  'number_literal',
  'boolean_literal',
  'char_literal',
  'simple_symbol',
  'boolean',
])

/** Whether a node is a literal with one fixed value. A number may have a sign. */
export function isLiteral(node: Node): boolean {
  const inner = unwrap(node)
  if (literalTypes.has(inner.type) || isPlainString(inner)) return true
  const isSigned =
    /^unary_(?:expression|operator)$/.test(inner.type) &&
    /^[-+]$/.test(fieldText(inner, 'operator'))
  const operand = isSigned ? inner.namedChildren.at(-1) : undefined
  return operand !== undefined && literalTypes.has(unwrap(operand).type)
}

/** Whether a node is a constant: a literal, or a name in capitals. */
export function isConstant(node: Node): boolean {
  const inner = unwrap(node)
  if (isLiteral(inner)) return true
  const name =
    inner.type === 'identifier'
      ? inner.text
      : (field(inner, 'property') ?? field(inner, 'attribute'))?.text
  return name !== undefined && /^[A-Z][A-Z0-9_]+$/.test(name)
}
