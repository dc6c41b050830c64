// Checks Scala for the rules of the static reviewer.
import type { Node } from 'web-tree-sitter'
import type { LanguageRules } from '../rules/language-rules.ts'
import { repeatedOperand } from '../rules/repetitions.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import { field, fieldText, findNodes, firstLine, quoteCode } from '../rules/syntax-nodes.ts'

/** Methods without parameters whose result differs from call to call. */
const changingMembers = /\.(?:next|read|get|poll|pop|random|now|current|take|dequeue)\w*\b/i

/** Whether a node has a call, or may have another effect. */
function hasEffect(node: Node): boolean {
  return (
    findNodes(node, 'call_expression', 'instance_expression').length > 0 ||
    changingMembers.test(node.text)
  )
}

function isConstant(node: Node): boolean {
  return /literal$|^string$/.test(node.type)
}

const comparisons = new Set(['&&', '||', '==', '<', '>', '<=', '>='])

/** Operators that begin with these characters are sorted from the lowest precedence. */
const precedences = ['|', '^', '&', '=!', '<>', ':', '+-', '*/%']

function precedenceOf(operator: string): number {
  const level = precedences.findIndex((characters) => characters.includes(operator[0]!))
  if (level !== -1) return level + 1
  return /^\w/.test(operator) ? 0 : precedences.length + 1
}

interface Chain {
  readonly operands: readonly Node[]
  readonly operators: readonly string[]
}

/** Reads `a && b == c`: the grammar knows no precedence and nests all operators to the left. */
function readChain(node: Node): Chain {
  const operands: Node[] = []
  const operators: string[] = []
  let first = node
  for (; first.type === 'infix_expression'; first = field(first, 'left')!) {
    operands.unshift(field(first, 'right')!)
    operators.unshift(fieldText(first, 'operator'))
  }
  return { operands: [first, ...operands], operators }
}

function checkRepeatedOperand(node: Node, file: ParsedFile): Hit | undefined {
  // The outermost expression of a chain is checked with all of its operators.
  if (node.parent?.type === 'infix_expression' && field(node.parent, 'left')?.id === node.id)
    return undefined
  const { operands, operators } = readChain(node)
  for (const [index, operator] of operators.entries()) {
    if (!comparisons.has(operator)) continue
    const bindsTighter = (other: string) => precedenceOf(other) > precedenceOf(operator)
    const isBound = operators.map(bindsTighter)
    const before = isBound.lastIndexOf(false, index - 1)
    const start = index === 0 ? 0 : before + 1
    const after = isBound.indexOf(false, index + 1)
    const end = after === -1 ? operators.length : after
    const textOf = (from: number, to: number) =>
      file.text.slice(operands[from]!.startIndex, operands[to]!.endIndex)
    const isRepeated = textOf(start, index) === textOf(index + 1, end)
    const operand = operands[index]!
    if (isRepeated && start === index && !isMeaningful(operand, operator))
      return repeatedOperand(operand, operand, operator)
  }
  return undefined
}

function isMeaningful(operand: Node, operator: string): boolean {
  // `x == x` is an old test for a value other than NaN, and `_ < _` has two parameters.
  const isTest = operand.type === 'identifier' && operator === '=='
  const isFunction = operand.type === 'wildcard' || findNodes(operand, 'wildcard').length > 0
  return isTest || isFunction || isConstant(operand) || hasEffect(operand)
}

const notANumber = /^(?:(?:java\.lang\.)?(?:Double|Float)\.NaN)$/

function checkNaN(node: Node): Hit | undefined {
  const operator = fieldText(node, 'operator')
  const sides = [field(node, 'left'), field(node, 'right')]
  const nan = sides.findIndex((side) => side && notANumber.test(side.text))
  const value = lastOperand(sides[1 - nan])
  if (!/^(?:[=!]=|[<>]=?)$/.test(operator) || nan === -1 || !value) return undefined
  const name = quoteCode(value.text)
  return {
    at: firstLine(node),
    title: `The comparison of ${name} with NaN is always ${operator === '!=' ? 'true' : 'false'}`,
    body:
      `When ${name} is NaN, \`${operator}\` doesn't detect it: NaN is equal to nothing, not ` +
      'even to itself. Use `isNaN`.',
  }
}

/** Returns `b` of `a && b`, which is parsed as the left side of what follows. */
function lastOperand(node: Node | undefined): Node | undefined {
  return node?.type === 'infix_expression' ? field(node, 'right') : node
}

export const rules: LanguageRules = {
  checks: {
    'duplicate-operand': [{ nodes: ['infix_expression'], check: checkRepeatedOperand }],
    'nan-comparison': [{ nodes: ['infix_expression'], check: checkNaN }],
  },
}
