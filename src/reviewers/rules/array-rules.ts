// Rules about sorting and mapping arrays.
import type { Node } from 'web-tree-sitter'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  field,
  findOwnNodes,
  firstLine,
  isFunction,
  quoteCode,
  replaceInLine,
  unwrap,
} from './syntax-nodes.ts'
import { originOf, typeOf } from './value-origins.ts'

/** Whether an array certainly holds numbers, as far as the file shows. */
function holdsNumbers(node: Node, file: ParsedFile): boolean {
  const inner = unwrap(node)
  if (inner.type === 'array') {
    const spread = inner.namedChildren
      .find((child) => child.type === 'spread_element')
      ?.namedChild(0)
    return spread
      ? holdsNumbers(spread, file)
      : inner.namedChildCount > 0 && inner.namedChildren.every((child) => child.type === 'number')
  }
  if (inner.type === 'call_expression') {
    const { receiver, name } = calleeOf(inner)
    if (name === 'map')
      return /^(?:Number|parseFloat|(?:\(\w+\)|\w+) => (?:Number|parseInt|parseFloat)\()/.test(
        argumentsOf(inner)[0]?.text ?? '',
      )
    return (
      /^(?:slice|filter|concat)$/.test(name) &&
      receiver !== undefined &&
      holdsNumbers(receiver, file)
    )
  }
  if (inner.type !== 'identifier') return false
  if (
    /^(?:readonly )?number\[\]$|^(?:Readonly)?Array<number>$|^Set<number>$/.test(
      typeOf(inner.text, inner, file),
    )
  )
    return true
  const origin = originOf(inner.text, inner, file)
  return (
    origin !== undefined &&
    origin.value.id !== inner.id &&
    origin.value.type !== 'identifier' &&
    field(origin.node, 'name')?.type === 'identifier' &&
    holdsNumbers(origin.value, file)
  )
}

function checkNumericSort(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (
    !receiver ||
    !/^(?:sort|toSorted)$/.test(name) ||
    argumentsOf(call).length > 0 ||
    !holdsNumbers(receiver, file)
  )
    return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(`${receiver.text}.${name}`)} sorts the numbers as texts`,
    body:
      'When the numbers have different lengths, 10 comes before 9, because without a function ' +
      '`sort` compares texts.',
    suggestion: call.text.endsWith(`${name}()`)
      ? replaceInLine(call, file, `${call.text.slice(0, -1)}(a, b) => a - b)`)
      : undefined,
  }
}

/** `list.sort((a, b) => a > b)`: a boolean is 1 or 0, never -1. */
function checkComparator(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [compare] = argumentsOf(call)
  if (!receiver || !/^(?:sort|toSorted)$/.test(name) || !compare || !isFunction(compare))
    return undefined
  const body = field(compare, 'body')
  const returned =
    body?.type === 'statement_block'
      ? findOwnNodes(compare, 'return_statement').map((node) => node.namedChild(0))
      : [body]
  const isBoolean = (node: Node | null | undefined) =>
    node && /^(?:[<>]=?|===?|!==?)$/.test(field(unwrap(node), 'operator')?.type ?? '')
  if (returned.length !== 1 || !isBoolean(returned[0])) return undefined
  return {
    at: firstLine(compare),
    title:
      `This comparison gives a boolean, where \`${name}\` needs a negative number, zero or a ` +
      'positive one',
    body:
      'When the first element belongs before the second, the function says `false`, which counts ' +
      'as "equal", so the order comes out wrong. Subtract, or use `localeCompare`.',
  }
}

/** `texts.map(parseInt)`: the index becomes the base. */
function checkMappedFunction(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  const mapped = args[0]
  if (!receiver || !mapped || args.length > 1) return undefined
  if (/^(?:map|flatMap)$/.test(name) && /^(?:Number\.)?parseInt$/.test(mapped.text)) {
    return {
      at: firstLine(call),
      title: `${quoteCode(mapped.text)} gets the index of each element as its base`,
      body:
        'When the second element is read, the base is 1, which gives `NaN`, and so on. Give the ' +
        'base yourself.',
      suggestion: replaceInLine(mapped, file, '(text) => Number.parseInt(text, 10)'),
    }
  }
  const isHoles =
    /^new Array\(\w[^()]*\)$|^Array\(\w[^()]*\)$/.test(receiver.text) &&
    /^(?:map|forEach)$/.test(name)
  return isHoles
    ? {
        at: firstLine(call),
        title:
          `${quoteCode(`${receiver.text}.${name}`)} calls nothing, because the array only has ` +
          'holes',
        body:
          `When this runs, \`${name}\` skips all of them. Use \`Array.from({ length: … }, …)\`, ` +
          'or `fill` first.',
      }
    : undefined
}

export const arrayRules: readonly Rule[] = [
  {
    id: 'numeric-sort',
    summary: 'An array of numbers is sorted without a function, so as texts.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: javascriptFamily, nodes: ['call_expression'], check: checkNumericSort }],
  },
  {
    id: 'boolean-comparator',
    summary: 'The function for `sort` gives a boolean.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: javascriptFamily, nodes: ['call_expression'], check: checkComparator }],
  },
  {
    id: 'mapped-function',
    summary: '`map(parseInt)` takes the index for the base; `new Array(n).map(…)` calls nothing.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    syntax: [
      { languages: javascriptFamily, nodes: ['call_expression'], check: checkMappedFunction },
    ],
  },
]
