// Rules about values that are compared by identity.
import type { Node } from 'web-tree-sitter'
import { describeConstantResult, equalityOf } from './equality.ts'
import { isConstant } from './literals.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  field,
  fieldText,
  firstLine,
  lineOf,
  nextCodeSibling,
  outerParent,
  quoteCode,
  replaceInLine,
  unwrap,
} from './syntax-nodes.ts'
import { originOf, typeOf } from './value-origins.ts'

/** Where the code shows that an expression is a `Date`: the line that says so, or undefined. */
function dateLine(node: Node, file: ParsedFile): number | undefined {
  if (node.type === 'new_expression')
    return fieldText(node, 'constructor') === 'Date' ? lineOf(node) : undefined
  if (node.type === 'identifier') {
    if (typeOf(node.text, node, file) === 'Date') return lineOf(node)
    const origin = originOf(node.text, node, file)
    const value = origin && unwrap(origin.value)
    const isDate = value?.type === 'new_expression' && fieldText(value, 'constructor') === 'Date'
    return isDate && field(origin!.node, 'name')?.type === 'identifier'
      ? lineOf(origin!.node)
      : undefined
  }
  if (node.type !== 'member_expression') return undefined
  const name = fieldText(node, 'property')
  const declarations = file.declarations.properties(name)
  const areDates = declarations.every((declaration) =>
    /^:\s*(?:readonly )?Date$/.test(fieldText(declaration, 'type')),
  )
  return declarations.length > 0 && areDates ? lineOf(declarations[0]!) : undefined
}

function checkDateIdentity(node: Node, file: ParsedFile): Hit | undefined {
  const equality = equalityOf(node)
  if (!equality) return undefined
  const { left, right, operator } = equality
  if (isConstant(left) || isConstant(right)) return undefined
  const leftLine = dateLine(left, file)
  const rightLine = leftLine === undefined ? undefined : dateLine(right, file)
  if (leftLine === undefined || rightLine === undefined || left.text === right.text)
    return undefined
  const safe = (side: Node) => !side.text.includes('?.')
  const time = (side: Node) => `${side.text}.getTime()`
  const lines = new Set([leftLine, rightLine].filter((line) => line !== lineOf(node)))
  return {
    at: firstLine(node),
    title: `The dates ${quoteCode(left.text)} and ${quoteCode(right.text)} are compared by identity`,
    body:
      `When both are the same moment but two \`Date\` objects, \`${operator}\` still says they ` +
      'differ, because it compares the objects. Compare their `getTime()`.',
    suggestion:
      safe(left) && safe(right)
        ? replaceInLine(node, file, `${time(left)} ${operator} ${time(right)}`)
        : undefined,
    evidence: [...lines].map((line) => ({ line, note: 'a `Date` by this line' })),
  }
}

const freshObjects = new Set([
  'array',
  'object',
  'regex',
  'arrow_function',
  'function_expression',
  'class',
])

function checkLiteralIdentity(node: Node): Hit | undefined {
  const equality = equalityOf(node)
  if (!equality) return undefined
  const { left, right, operator } = equality
  const literal = [right, left].find((side) => freshObjects.has(side.type))
  if (!literal || (operator.length === 2 && literal.type === 'array')) return undefined
  return {
    at: firstLine(node),
    title:
      `The comparison with the literal ${quoteCode(literal.text)} is ` +
      `${describeConstantResult(operator)}`,
    body:
      `When the other side holds equal content, \`${operator}\` still compares object ` +
      'identities, and a literal is a new object each time. Compare the length, the keys or the ' +
      'elements.',
  }
}

const pythonLiterals = new Set([
  'string',
  'integer',
  'float',
  'tuple',
  'list',
  'dictionary',
  'set',
  'concatenated_string',
])

function checkPythonIdentity(node: Node, file: ParsedFile): Hit | undefined {
  const operators = node.childrenForFieldName('operators')
  if (node.namedChildCount !== 2 || operators.length !== 1) return undefined
  const operator = operators[0]!.text.replace(/\s+/g, ' ')
  const [left, right] = [node.namedChild(0)!, node.namedChild(1)!]
  const literal = [right, left].find((side) => pythonLiterals.has(side.type))
  if (!literal || (operator !== 'is' && operator !== 'is not')) return undefined
  const equality = operator === 'is' ? '==' : '!='
  return {
    at: firstLine(node),
    title: `${quoteCode(node.text)} compares identities, not values`,
    body:
      `When both sides are equal but not the same object, \`${operator}\` gives the wrong ` +
      `answer; whether literals are shared is up to the interpreter. Use \`${equality}\`.`,
    suggestion: replaceInLine(node, file, `${left.text} ${equality} ${right.text}`),
  }
}

const comparedByValue = new Set([
  'String',
  'Integer',
  'Long',
  'Double',
  'Short',
  'BigDecimal',
  'BigInteger',
])

function checkJavaIdentity(node: Node, file: ParsedFile): Hit | undefined {
  const equality = equalityOf(node)
  if (!equality) return undefined
  const { left, right, operator } = equality
  if (left.type === 'null_literal' || right.type === 'null_literal') return undefined
  const type = javaTypeOf(left, file)
  if (
    !type ||
    (type !== javaTypeOf(right, file) &&
      left.type !== 'string_literal' &&
      right.type !== 'string_literal')
  ) {
    if (right.type !== 'string_literal') return undefined
  }
  const areLiterals = left.type === 'string_literal' && right.type === 'string_literal'
  if (areLiterals || left.text === right.text || isShortcut(node, operator)) return undefined
  const [first, second] = right.type === 'string_literal' ? [right, left] : [left, right]
  const call = `${operator === '!=' ? '!' : ''}${first.text}.equals(${second.text})`
  return {
    at: firstLine(node),
    title:
      `${quoteCode(left.text)} and ${quoteCode(right.text)} are compared by identity, not by ` +
      'value',
    body:
      `When both hold the same ${type || 'String'} but are two objects, \`${operator}\` says ` +
      'that they differ. Use `equals`.',
    suggestion: first.type === 'string_literal' ? replaceInLine(node, file, call) : undefined,
  }
}

/** Java: `if (s == t) return true;` or `s == t ||` before the comparison of the values: the same object needs none. */
function isShortcut(equality: Node, operator: string): boolean {
  const outer = outerParent(equality)
  const logical = outer && field(outer, 'operator')?.type
  if (logical === (operator === '==' ? '||' : '&&'))
    return /\b(?:equals|compare)\w*\(/.test(outer!.text.slice(0, 1_000))
  const branch = outer?.type === 'if_statement' ? field(outer, 'consequence') : undefined
  if (!branch || operator !== '==' || field(outer!, 'alternative')) return false
  const next = nextCodeSibling(outer!)
  const isAnswer = /^\{?\s*return (?:true|0);\s*\}?$/.test(branch.text.slice(0, 200))
  return (
    isAnswer &&
    next !== undefined &&
    !/^return (?:true|false|-?\d+);$/.test(next.text.slice(0, 200))
  )
}

function javaTypeOf(node: Node, file: ParsedFile): string | undefined {
  if (node.type === 'string_literal') return 'String'
  if (node.type !== 'identifier') return undefined
  const type = typeOf(node.text, node, file)
  return comparedByValue.has(type) ? type : undefined
}

export const identityRules: readonly Rule[] = [
  {
    id: 'date-identity',
    summary:
      'Two `Date` objects are compared with an equality operator, which compares identities.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: javascriptFamily, nodes: ['binary_expression'], check: checkDateIdentity },
    ],
  },
  {
    id: 'literal-identity',
    summary: 'A value is compared by identity with an array, object, function or other literal.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: javascriptFamily, nodes: ['binary_expression'], check: checkLiteralIdentity },
      { languages: ['python'], nodes: ['comparison_operator'], check: checkPythonIdentity },
    ],
  },
  {
    id: 'boxed-identity',
    summary: 'Strings or boxed numbers of Java are compared with `==` or `!=`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: ['java'], nodes: ['binary_expression'], check: checkJavaIdentity }],
  },
]
