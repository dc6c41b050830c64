// Rules about sorting and mapping arrays.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { findOwnNodes, isFunction } from '../../languages/rules/functions.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import { field, replaceInLine } from '../../languages/rules/syntax-nodes.ts'
import type { ParsedFile, Rule } from './rule.ts'
import { originOf, typeOf } from './value-origins.ts'

/** Whether an array certainly holds numbers, as far as the file shows. */
function holdsNumbers(node: Node, file: ParsedFile): boolean {
  const inner = unwrap(node)
  switch (inner.type) {
    case 'array':
      return isNumberArray(inner, file)
    case 'call_expression':
      return returnsNumbers(inner, file)
    case 'identifier':
      return isNumberList(inner, file)
    default:
      return false
  }
}

function isNumberArray(array: Node, file: ParsedFile): boolean {
  const elements = array.namedChildren
  const spread = elements.find(({ type }) => type === 'spread_element')?.namedChild(0)
  if (spread) return holdsNumbers(spread, file)
  return elements.length > 0 && elements.every(({ type }) => type === 'number')
}

/** A callback of `map` that converts to numbers, such as `Number` or `(text) => parseInt(text)`. */
const numberMapper = /^(?:Number|parseFloat|(?:\(\w+\)|\w+) => (?:Number|parseInt|parseFloat)\()/

function returnsNumbers(call: Node, file: ParsedFile): boolean {
  const { receiver, name } = readCall(call)
  if (name === 'map') return numberMapper.test(readCall(call).args[0]?.text ?? '')
  const keepsElements = /^(?:slice|filter|concat)$/.test(name)
  return keepsElements && receiver !== undefined && holdsNumbers(receiver, file)
}

const numberListType = /^(?:readonly )?number\[\]$|^(?:Readonly)?Array<number>$|^Set<number>$/

function isNumberList(identifier: Node, file: ParsedFile): boolean {
  if (numberListType.test(typeOf(identifier.text, identifier, file))) return true
  const origin = originOf(identifier.text, identifier, file)
  if (!origin || origin.value.id === identifier.id) return false
  const isPlainDeclaration = field(origin.node, 'name')?.type === 'identifier'
  const isOtherVariable = origin.value.type === 'identifier'
  return isPlainDeclaration && !isOtherVariable && holdsNumbers(origin.value, file)
}

const sortMethods = /^(?:sort|toSorted)$/

/** Whether a compare function only returns a boolean, which is converted to 1 or 0, never to -1. */
function returnsBoolean(compare: Node): boolean {
  if (!isFunction(compare)) return false
  const returned = listReturnedValues(compare)
  return returned.length === 1 && isComparison(returned[0])
}

function listReturnedValues(fn: Node): (Node | null | undefined)[] {
  const body = field(fn, 'body')
  if (body?.type !== 'statement_block') return [body]
  return findOwnNodes(fn, 'return_statement').map((statement) => statement.namedChild(0))
}

function isComparison(node: Node | null | undefined): boolean {
  const operator = node ? field(unwrap(node), 'operator')?.type : undefined
  return /^(?:[<>]=?|===?|!==?)$/.test(operator ?? '')
}

const emptyArray = /^new Array\(\w[^()]*\)$|^Array\(\w[^()]*\)$/

export const arrayRules: readonly Rule[] = [
  {
    id: 'numeric-sort',
    summary: 'An array of numbers is sorted without a compare function, so as strings.',
    seeAlso: ['typescript-eslint `require-array-sort-compare`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: '`$NUMBERS.$METHOD` sorts the numbers as strings',
    body:
      'When the numbers have different lengths, 10 comes before 9, because `sort` without a ' +
      'compare function compares strings.',
    patterns: { javascript: ['$NUMBERS.$METHOD()'] },
    where: { METHOD: sortMethods, NUMBERS: holdsNumbers },
    refine: ({ node, text }, file) => ({
      suggestion: text('MATCH').endsWith(`${text('METHOD')}()`)
        ? replaceInLine(node, file, `${text('MATCH').slice(0, -1)}(a, b) => a - b)`)
        : undefined,
    }),
  },
  {
    id: 'boolean-comparator',
    summary: 'The compare function of `sort` returns a boolean instead of a number.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: 'The compare function of $METHOD returns a boolean instead of a number',
    body:
      'When the first element should come before the second, the function returns `false`, ' +
      'which counts as "equal", so the order is wrong. Subtract, or use `localeCompare`.',
    patterns: { javascript: ['$_.$METHOD($COMPARE, $$$)'] },
    where: { METHOD: sortMethods, COMPARE: returnsBoolean },
    at: 'COMPARE',
  },
  {
    id: 'mapped-function',
    summary:
      '`map(parseInt)` passes the index as the radix, or `new Array(n).map(…)` calls nothing.',
    seeAlso: ['unicorn `no-array-callback-reference`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    syntax: [
      {
        patterns: { javascript: ['$_.$METHOD($PARSE)'] },
        where: { METHOD: /^(?:map|flatMap)$/, PARSE: /^(?:Number\.)?parseInt$/ },
        title: '$PARSE gets the index of each element as its radix',
        body:
          'When the second element is parsed, the radix is 1, which gives `NaN`, and so on. Pass ' +
          'the radix explicitly.',
        at: 'PARSE',
        replacement: '(text) => Number.parseInt(text, 10)',
      },
      {
        patterns: { javascript: ['$ARRAY.$METHOD($_)'] },
        where: { ARRAY: emptyArray, METHOD: /^(?:map|forEach)$/ },
        title: '`$ARRAY.$METHOD` never calls its callback, because the array has only empty slots',
        body:
          'When this runs, $METHOD skips empty slots. Use `Array.from({ length: … }, …)`, or ' +
          '`fill` first.',
      },
    ],
  },
]
