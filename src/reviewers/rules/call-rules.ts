// Rules about well-known functions that do something else than their call expects.
import type { Node } from 'web-tree-sitter'
import { originOf, typeOf } from './origins.ts'
import { type Hit, javascriptFamily, type Rule, type SourceFile } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  code,
  field,
  fieldText,
  findHere,
  firstLine,
  isFunction,
  replaceInLine,
  unwrap,
} from './syntax.ts'

/** Whether an array certainly holds numbers, as far as the file shows. */
function holdsNumbers(node: Node, file: SourceFile): boolean {
  const inner = unwrap(node)
  if (inner.type === 'array') {
    const spread = inner.namedChildren.find((child) => child.type === 'spread_element')?.namedChild(0)
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
    return /^(?:slice|filter|concat)$/.test(name) && receiver !== undefined && holdsNumbers(receiver, file)
  }
  if (inner.type !== 'identifier') return false
  if (/^(?:readonly )?number\[\]$|^(?:Readonly)?Array<number>$|^Set<number>$/.test(typeOf(inner.text, inner, file)))
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

function checkNumericSort(call: Node, file: SourceFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (!receiver || !/^(?:sort|toSorted)$/.test(name) || argumentsOf(call).length > 0 || !holdsNumbers(receiver, file))
    return undefined
  return {
    at: firstLine(call),
    title: `${code(`${receiver.text}.${name}`)} sorts the numbers as texts`,
    body: 'When the numbers have different lengths, 10 comes before 9, because without a function `sort` compares texts.',
    suggestion: call.text.endsWith(`${name}()`)
      ? replaceInLine(call, file, `${call.text.slice(0, -1)}(a, b) => a - b)`)
      : undefined,
  }
}

/** `list.sort((a, b) => a > b)`: a boolean is 1 or 0, never -1. */
function checkComparator(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [compare] = argumentsOf(call)
  if (!receiver || !/^(?:sort|toSorted)$/.test(name) || !compare || !isFunction(compare)) return undefined
  const body = field(compare, 'body')
  const returned =
    body?.type === 'statement_block' ? findHere(compare, 'return_statement').map((node) => node.namedChild(0)) : [body]
  const isBoolean = (node: Node | null | undefined) =>
    node && /^(?:[<>]=?|===?|!==?)$/.test(field(unwrap(node), 'operator')?.type ?? '')
  if (returned.length !== 1 || !isBoolean(returned[0])) return undefined
  return {
    at: firstLine(compare),
    title: `This comparison gives a boolean, where \`${name}\` needs a negative number, zero or a positive one`,
    body: 'When the first element belongs before the second, the function says `false`, which counts as "equal", so the order comes out wrong. Subtract, or use `localeCompare`.',
  }
}

/** `texts.map(parseInt)`: the index becomes the base. */
function checkMappedFunction(call: Node, file: SourceFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  const mapped = args[0]
  if (!receiver || !mapped || args.length > 1) return undefined
  if (/^(?:map|flatMap)$/.test(name) && /^(?:Number\.)?parseInt$/.test(mapped.text)) {
    return {
      at: firstLine(call),
      title: `${code(mapped.text)} gets the index of each element as its base`,
      body: 'When the second element is read, the base is 1, which gives `NaN`, and so on. Give the base yourself.',
      suggestion: replaceInLine(mapped, file, '(text) => Number.parseInt(text, 10)'),
    }
  }
  const isHoles = /^new Array\(\w[^()]*\)$|^Array\(\w[^()]*\)$/.test(receiver.text) && /^(?:map|forEach)$/.test(name)
  return isHoles
    ? {
        at: firstLine(call),
        title: `${code(`${receiver.text}.${name}`)} calls nothing, because the array only has holes`,
        body: `When this runs, \`${name}\` skips all of them. Use \`Array.from({ length: … }, …)\`, or \`fill\` first.`,
      }
    : undefined
}

const inPlace = /^(?:append|extend|insert|sort|reverse|clear|remove)$/

/** Python: `items = items.sort()`. */
function checkNothing(call: Node, file: SourceFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const owner = call.parent
  const isUsed =
    (owner?.type === 'assignment' && field(owner, 'right')?.id === call.id) ||
    owner?.type === 'return_statement' ||
    owner?.type === 'for_statement'
  if (receiver?.type !== 'identifier' || !inPlace.test(name) || !owner || !isUsed) return undefined
  const origin = originOf(receiver.text, owner, file)
  const isList =
    origin !== undefined &&
    (/^(?:list|list_comprehension)$/.test(origin.value.type) || /^(?:list|sorted)\(/.test(origin.value.text))
  if (!isList && !/^(?:list|List)\b/.test(typeOf(receiver.text, call, file))) return undefined
  return {
    at: firstLine(call),
    title: `${code(`${receiver.text}.${name}`)} changes the list and gives back \`None\``,
    body: `When this runs, the result is \`None\`, not the list. ${name === 'sort' ? 'Use `sorted(…)`, or' : 'Call it in a statement of its own and'} use ${code(receiver.text)} afterwards.`,
  }
}

/** `new BigDecimal(0.1)`, `Decimal(0.1)`. */
function checkDecimal(node: Node, file: SourceFile): Hit | undefined {
  const isJava = file.language === 'java'
  const callee = isJava ? fieldText(node, 'type') : fieldText(node, 'function')
  const args = argumentsOf(node)
  const [value] = args
  if (
    !/^(?:BigDecimal|(?:decimal\.)?Decimal)$/.test(callee) ||
    args.length !== 1 ||
    !/^(?:float|decimal_floating_point_literal)$/.test(value?.type ?? '')
  )
    return undefined
  return {
    at: firstLine(node),
    title: `${code(node.text)} is not exactly ${value!.text}`,
    body: `When the number is read as a binary fraction first, the decimal gets its error with all its digits. Give it as a text.`,
    suggestion: replaceInLine(value!, file, `"${value!.text}"`),
  }
}

const environment = /^(?:os\.environ\.get|os\.getenv|os\.environ\[|process\.env[.[])/

/** A variable of the environment is a text: never `true`, never a number, and `"false"` counts as true. */
function checkEnvironment(node: Node, file: SourceFile): Hit | undefined {
  const isPython = file.language === 'python'
  if (node.type === 'call' || node.type === 'call_expression') {
    const [value] = argumentsOf(node)
    const isBool = /^(?:bool|Boolean)$/.test(fieldText(node, 'function')) && value && environment.test(value.text)
    const fallback = isBool && /(?:,|\|\||\?\?)\s*["'](\w+)["']\)?$/.exec(value.text)?.[1]
    return fallback ? textHit(node, `even ${code(`"${fallback}"`)} counts as true`) : undefined
  }
  const sides = isPython ? node.namedChildren : [field(node, 'left'), field(node, 'right')]
  const operator = isPython ? node.childrenForFieldName('operators')[0]?.text : field(node, 'operator')?.type
  const [left, right] = sides
  if (sides.length !== 2 || !left || !right || !environment.test(left.text)) return undefined
  // A default of another type may be what the comparison is about; loose equality turns texts into numbers.
  if (!/^(?:[!=]==|==|!=|is|is not)$/.test(operator ?? '') || (!isPython && operator!.length === 2)) return undefined
  if (!/^(?:true|false|True|False|\d+)$/.test(right.text) || (isPython && /,/.test(left.text))) return undefined
  return textHit(node, `it is never equal to ${code(right.text)}`)
}

function textHit(node: Node, outcome: string): Hit {
  return {
    at: firstLine(node),
    title: `A variable of the environment is always a text: ${outcome}`,
    body: `When the variable is set, this is decided the same way whatever it says. Compare it with a text.`,
  }
}

/** Java: `list.stream().findFirst().get()`. */
function checkOptional(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (name !== 'get' || argumentsOf(call).length > 0 || receiver?.type !== 'method_invocation') return undefined
  const maker = fieldText(receiver, 'name')
  if (!/^(?:findFirst|findAny|findById|ofNullable)$/.test(maker)) return undefined
  return {
    at: firstLine(call),
    title: `\`get\` is called on what ${code(maker)} gives, without asking whether there is anything`,
    body: 'When there is nothing, it throws a `NoSuchElementException` that says neither what was missing nor why. Use `orElseThrow` with a reason, or `orElse`.',
  }
}

export const callRules: readonly Rule[] = [
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
    syntax: [{ languages: javascriptFamily, nodes: ['call_expression'], check: checkMappedFunction }],
  },
  {
    id: 'none-result',
    summary: 'Python: the result of a list method that changes the list in place is used; it is `None`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['python'], nodes: ['call'], check: checkNothing }],
  },
  {
    id: 'inexact-decimal',
    summary: 'A decimal is made from a binary fraction such as `0.1`.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['python', 'java'], nodes: ['call', 'object_creation_expression'], check: checkDecimal }],
  },
  {
    id: 'environment-is-text',
    summary: 'A variable of the environment, always a text, is taken for a boolean or number.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: [...javascriptFamily, 'python'],
        nodes: ['call', 'call_expression', 'binary_expression', 'comparison_operator'],
        check: checkEnvironment,
      },
    ],
  },
  {
    id: 'unchecked-optional',
    summary: 'Java: `get` is called on an `Optional` right where it is made.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.8,
    syntax: [{ languages: ['java'], nodes: ['method_invocation'], check: checkOptional }],
  },
]
