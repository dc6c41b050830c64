// Finds arguments that are passed in each other's places, in all languages.
import type { Node } from 'web-tree-sitter'
import { knownSignatureOf, type Signature, signatureOf } from './call-parameters.ts'
import { type Call, callAndNewTypes, readCall } from './calls.ts'
import { functionTypes, readParameters } from './functions.ts'
import { functionTextOf, textBefore } from './local-values.ts'
import {
  areOpposite,
  filePair,
  type RolePair,
  rolePairs,
  sideOf,
  type Words,
  wordsOf,
} from './name-words.ts'
import { unwrap } from './operations.ts'
import { statementsOf } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  isExplained,
  lineOf,
  quoteCode,
} from './syntax-nodes.ts'

/** `transfer(target, source)`, where the function is `transfer(source, target)`. */
export const swappedArguments: SyntaxCheck = { nodes: callAndNewTypes, check: checkSwapped }

function checkSwapped(node: Node, file: ParsedFile): Hit | undefined {
  const call = readCall(node)
  const given = call.args.map(wordsOfArgument)
  if (given.filter((words) => words.length > 0).length < 2) return undefined
  const signature = signatureOf(call, file) ?? knownSignatureOf(call)
  if (!signature) return undefined
  const taken = signature.parameters.map(wordsOf)
  const swapped =
    findSwapped(given, taken, signature) ??
    findMoved(given, taken, call) ??
    findSearched(call, signature)
  if (!swapped || isMeant(call, swapped, taken, file)) return undefined
  return swappedHit(call, swapped, signature)
}

function swappedHit(call: Call, swapped: readonly [number, number], signature: Signature): Hit {
  const [one, other] = swapped.map((index) => quoteCode(call.args[index]!.text))
  const name = quoteCode(call.name)
  const { definition, parameters } = signature
  return {
    at: firstLine(call.node),
    title: `Swapped arguments: ${one} and ${other} are passed in each other's places`,
    body:
      `When ${name} runs, it takes ${one} for ${quoteCode(parameters[swapped[0]]!)}. Pass the ` +
      'arguments in the order of the parameters.',
    ...(definition && {
      evidence: [{ line: lineOf(definition), note: `the parameters of ${name}` }],
    }),
  }
}

const nameTypes = /identifier$|^(?:variable_name|instance_variable|constant)$/
const memberTypes =
  /^(?:member_expression|attribute|selector_expression|field_access|field_expression|(?:nullsafe_)?member_access_expression|navigation_expression|scoped_identifier|subscript\w*|element_reference)$/

/** The words that a name, a member or a getter consists of; none for anything else. */
function wordsOfArgument(argument: Node): Words {
  const inner = withoutReference(unwrap(argument))
  const text = inner.text.slice(-200)
  const owner = idOf.exec(text)?.[1]
  if (owner !== undefined) return [...wordsOf(owner).slice(-1), 'id']
  return wordsOfName(inner, text)
}

function wordsOfName(inner: Node, text: string): Words {
  if (nameTypes.test(inner.type) || memberTypes.test(inner.type))
    return wordsOf(/(\w+)["']?\]?$/.exec(text)?.[1] ?? '')
  // A text that has nothing but one name besides signs: `#${oldTag}`.
  const inserted = /^["'`][^\w]*(?:#|\$)?\{\$?(\w+)\}[^\w]*["'`]$/.exec(text)?.[1]
  if (inserted !== undefined) return wordsOf(inserted)
  // In Ruby, a member is a call without parentheses.
  const getter = /^[\w.$>@:-]*?(?:\.|->)(?:get_?)?(\w+)(?:\(\))?$/.exec(text)?.[1]
  return callAndNewTypes.includes(inner.type) || inner.type === 'call' ? wordsOf(getter ?? '') : []
}

/** `order.id` is what others call `orderId`. */
const idOf = /(?:^|[.$>@])(\w+)(?:\.|->)(?:id|Id|ID|getId\(\))$/

/** `&source` in Go and Rust. */
function withoutReference(node: Node): Node {
  const isReference = /^(?:reference_expression|unary_expression)$/.test(node.type)
  return isReference && node.text.startsWith('&') ? (codeChildren(node).at(-1) ?? node) : node
}

/** Finds the only two arguments of which each fits only the parameter of the other. */
function findSwapped(
  given: readonly Words[],
  taken: readonly Words[],
  { definition }: Signature,
): [number, number] | undefined {
  const roles = definition ? rolePairs : knownPairs
  const pairs: [number, number][] = []
  for (let one = 0; one < given.length; one++)
    for (let other = one + 1; other < given.length; other++) {
      const names = [given[one]!, given[other]!] as const
      const wanted = [taken[one], taken[other]] as const
      const isOpposite = isCrossedPair(names, wanted, roles)
      if (isOpposite || isCrossed(names, wanted)) pairs.push([one, other])
    }
  // Who swaps `x` and `y` as well as the width and the height transposes on purpose.
  const [pair, ...others] = pairs
  return others.length === 0 || definition === undefined ? pair : undefined
}

/** Whether each of two arguments has only the name of the parameter of the other. */
function isCrossed(
  [one, other]: readonly [Words, Words],
  [first, second]: readonly [Words | undefined, Words | undefined],
): boolean {
  const isShort = [first, second].some((words) => (words?.join('').length ?? 0) < 3)
  return (
    !isShort &&
    isNamed(one, second) &&
    isNamed(other, first) &&
    !isNamed(one, first) &&
    !isNamed(other, second)
  )
}

/** Whether one of two names ends with the other one: `newWidth` for `width`. */
function isNamed(argument: Words, parameter: Words | undefined): boolean {
  if (parameter === undefined || parameter.length === 0) return false
  if (argument.slice(-parameter.length).join(' ') === parameter.join(' ')) return true
  const [word = ''] = argument
  return argument.length === 1 && word.length > 4 && parameter.at(-1) === word
}

/** In slices of a text, the end of one part is the start of what lies between it and the next. */
const vague: ReadonlySet<string> = new Set([
  ...['from', 'to', 'since', 'until', 'old', 'new', 'next', 'current', 'previous', 'prev', 'left'],
  // A stay begins with the arrival, and a trip with the departure.
  ...['arrival', 'departure'],
])

const knownPairs: readonly RolePair[] = [
  filePair,
  ...rolePairs.map((pair) =>
    pair.kind === 'order'
      ? {
          ...pair,
          first: pair.first.filter((word) => !vague.has(word)),
          second: pair.second.filter((word) => !vague.has(word)),
        }
      : pair,
  ),
  { kind: 'order', first: ['old'], second: ['new'] },
]

/** `(period.end, period.start)` for `(from, to)`: both have the same order the other way round. */
function isCrossedPair(
  given: readonly [Words, Words],
  taken: readonly [Words | undefined, Words | undefined],
  rolesOf: readonly RolePair[],
): boolean {
  const [one, other] = taken
  if (!one || !other || given.some((words) => words.length === 0)) return false
  return rolesOf.some((pair) => {
    const sides = [given[0], given[1], one, other].map((words) => sideOf(words, pair))
    return (
      sides[0] !== undefined &&
      sides[0] === sides[3] &&
      sides[1] !== undefined &&
      sides[1] === sides[2] &&
      sides[0] !== sides[1]
    )
  })
}

/** `days(periodEnd, canceledOn)`, where another call of the function ends with `periodEnd`. */
function findMoved(
  given: readonly Words[],
  taken: readonly Words[],
  call: Call,
): [number, number] | undefined {
  const orders = rolePairs.filter(({ kind }) => kind === 'order')
  for (const pair of orders) {
    const sides = taken.map((words) => sideOf(words, pair))
    const [one, other] = [sides.indexOf(1), sides.indexOf(-1)]
    if (one < 0 || other < 0 || other >= given.length || one >= given.length) continue
    const own = [one, other].map((index) => sideOf(given[index]!, pair))
    if (own[0] === -1 && own[1] === undefined && isPassedTo(call, one, other)) return [one, other]
    if (own[1] === 1 && own[0] === undefined && isPassedTo(call, other, one)) return [one, other]
  }
  return undefined
}

/** `in_array($roles, $role)`, `explode($line, ',')`, and `$text = str_replace($text, …)`. */
function findSearched(
  { args, node }: Call,
  { parameters, definition }: Signature,
): [number, number] | undefined {
  if (definition) return undefined
  const [first = '', second = ''] = args.map(({ text }) => text.replace(/^\$/, ''))
  const subject = parameters.indexOf('subject')
  const target = subject > 0 && node.parent ? fieldText(node.parent, 'left') : ''
  if (target !== '' && target === args[0]?.text)
    return args[subject]?.text === target ? undefined : [0, subject]
  return isSearchedFirst(parameters[0]!, first, second) ? [0, 1] : undefined
}

function isSearchedFirst(parameter: string, first: string, second: string): boolean {
  if (parameter === 'needle') return first === `${second}s`
  return parameter === 'separator' && /^(['"])[^\w]{1,3}\1$/.test(second) && /^\w+$/.test(first)
}

/** Whether another call of the function takes the argument in the other place. */
function isPassedTo(call: Call, from: number, to: number): boolean {
  const scope = enclosingNode(call.node, functionTypes) ?? call.node.tree.rootNode
  return findNodes(scope, call.node.type).some((node) => {
    const other = node.id === call.node.id ? undefined : readCall(node)
    return other?.name === call.name && other.args[to]?.text === call.args[from]!.text
  })
}

const reversing =
  /swap|revers|invers|invert|flip|mirror|transpos|rotat|compar|desc|opposite|undo|back(?![a-z])|symmetr|repl(?:y|ies)|acknowl|respon|remov|restor|refund|rtl|portrait|landscape|decrypt|either|overlap/i

/** Whether a function only calls another one with its two parameters in the other order. */
function isInverse({ node, args, receiver }: Call, fn: Node): boolean {
  if (receiver || args.length !== 2) return false
  const [only, ...others] = statementsOf(field(fn, 'body') ?? fn)
  const isWhole = /^(?:return )?(.*?);?$/s.exec(only?.text ?? '')?.[1] === node.text
  const own = (readParameters(fn) ?? []).toSorted().join()
  return (
    isWhole &&
    others.length === 0 &&
    own ===
      args
        .map(({ text }) => text)
        .toSorted()
        .join()
  )
}

/** `end = search(start, limit)`, and then `search(end, start)` for the way back. */
function isWayBack({ node, name }: Call, one: Node): boolean {
  return new RegExp(
    `\\b${RegExp.escape(one.text)}\\s*:?=(?!=)[^;]{0,80}?\\b${RegExp.escape(name)}\\(`,
  ).test(textBefore(node))
}

/** Whether a call passes the arguments in this order on purpose. */
function isMeant(
  call: Call,
  swapped: readonly [number, number],
  taken: readonly Words[],
  file: ParsedFile,
): boolean {
  const fn = enclosingNode(call.node, functionTypes)
  if (!fn || nameOf(fn) === call.name || isInverse(call, fn)) return true
  const [one, other] = swapped.map((index) => call.args[index]!)
  if (isWayBack(call, one!)) return true
  const isDirected = taken[swapped[0]]!.some((word) =>
    taken[swapped[1]]!.some((opposite) => areOpposite(word, opposite)),
  )
  const isReversing = reversing.test(`${call.name} ${nameOf(fn)}`)
  if (
    (isDirected && isReversing && !areNamedHere(call.node, one!, other!)) ||
    isExplained(call.node, file, reversing)
  )
    return true
  // `nights(departure, arrival)` is wrong wherever it stands, unlike `link(target, source)`.
  const isOrdered = rolePairs.some(
    (pair) => pair.kind === 'order' && sideOf(wordsOfArgument(one!), pair) !== undefined,
  )
  if (isOrdered && isCompared(functionTextOf(call.node), one!.text, other!.text)) return true
  const others = findNodes(fn, call.node.type).filter((node) => {
    if (node.id === call.node.id || (isOrdered && isApart(node, call.node))) return false
    const each = readCall(node)
    const texts = each?.args.map(({ text }) => text) ?? []
    return each?.name === call.name && texts.indexOf(other!.text) < texts.indexOf(one!.text)
  })
  return others.length > 0 || isComparedAround(call.node, one!, other!)
}

/** Whether the function names both values itself, so that their names fit what it does. */
function areNamedHere(call: Node, one: Node, other: Node): boolean {
  const before = textBefore(call)
  return [one, other].every(
    ({ text }) =>
      /^\$?\w+$/.test(text) &&
      new RegExp(`(?<![\\w.])${RegExp.escape(text)}\\b[^\\n;=()]*=(?!=)`).test(before),
  )
}

/** Whether a text compares two expressions, other than to leave if they are in the wrong order. */
function isCompared(text: string, one: string, other: string): boolean {
  const [first, second] = [RegExp.escape(one), RegExp.escape(other)]
  return new RegExp(
    `(?:${first} [<>]=? ${second}|${second} [<>]=? ${first})(?!\\)?:?\\s*\\{?\\s*(?:throw|return|raise)\\b)`,
  ).test(text)
}

/** Whether two nodes are in different statements of a block. */
function isApart(one: Node, other: Node): boolean {
  let ancestor = one.parent
  while (ancestor && (ancestor.startIndex > other.startIndex || ancestor.endIndex < other.endIndex))
    ancestor = ancestor.parent
  return /block|body|statement_list|statements|suite$/.test(ancestor?.type ?? '')
}

function nameOf(fn: Node): string {
  return fieldText(fn, 'name') || (fn.parent ? fieldText(fn.parent, 'name') : '')
}

/** `if (start > end) return range(end, start)`. */
function isComparedAround(call: Node, one: Node, other: Node): boolean {
  let branch = enclosingNode(call, branchTypes)
  for (; branch; branch = enclosingNode(branch, branchTypes)) {
    const condition = field(branch, 'condition') ?? codeChildren(branch)[1]
    if (condition?.text.includes(one.text) && condition.text.includes(other.text)) return true
  }
  return false
}

const branchTypes = new Set([
  ...['if_statement', 'ternary_expression', 'conditional_expression', 'if_expression'],
  ...['if', 'unless', 'if_modifier', 'unless_modifier', 'conditional', 'when_expression'],
])
