// Finds arguments that are passed in each other's places, in all languages.
import type { Node } from 'web-tree-sitter'
import type { CodeSyntax } from './code-syntax.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  functionTypes,
  isExplained,
  lineOf,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'

/** How a language writes calls, and the functions that they run. */
export interface CallSyntax {
  readonly calls: readonly string[]
  readonly functions: ReadonlySet<string>
  readonly argumentsOf: (call: Node) => Node[]
  readonly nameOf: (call: Node) => string
  /** Returns the only function of the file that the call can run. */
  readonly definitionOf: (call: Node, file: ParsedFile) => Node | undefined
  readonly parametersOf: (definition: Node) => readonly string[] | undefined
}

/** The words that the name of an argument or parameter consists of, in lower case. */
type Words = readonly string[]

/** `transfer(target, source)`, where the function is `transfer(source, target)`. */
export function swappedArguments(syntax: CallSyntax): SyntaxCheck {
  return { nodes: syntax.calls, check: (call, file) => checkSwapped(call, file, syntax) }
}

function checkSwapped(call: Node, file: ParsedFile, syntax: CallSyntax): Hit | undefined {
  const args = syntax.argumentsOf(call)
  if (args.length > 8) return undefined
  const given = args.map((argument) => wordsOfArgument(argument, syntax))
  if (given.filter((words) => words.length > 0).length < 2) return undefined
  const definition = syntax.definitionOf(call, file)
  const parameters = definition && syntax.parametersOf(definition)
  const taken = parameters?.map(wordsOf)
  if (!taken || given.some((words, index) => words.length > 0 && !taken[index])) return undefined
  const swapped = findSwapped(given, taken)
  if (!swapped) return undefined
  const nodes = swapped.map((index) => args[index]!)
  if (isMeant(call, nodes, file, syntax)) return undefined
  const [one, other] = nodes.map(({ text }) => quoteCode(text))
  const name = quoteCode(syntax.nameOf(call))
  return {
    at: firstLine(call),
    title: `Swapped arguments: ${one} and ${other} are passed in each other's places`,
    body:
      `When ${name} runs, it takes ${one} for ${quoteCode(parameters![swapped[0]!]!)}. Pass the ` +
      'arguments in the order of the parameters.',
    evidence: [{ line: lineOf(definition!), note: `the parameters of ${name}` }],
  }
}

const nameTypes = /identifier$|^(?:variable_name|instance_variable)$/
const memberTypes =
  /^(?:member_expression|attribute|selector_expression|field_access|field_expression|(?:nullsafe_)?member_access_expression|navigation_expression)$/

/** The words that a name, a member or a getter consists of; none for anything else. */
function wordsOfArgument(argument: Node, syntax: CallSyntax): Words {
  const inner = unwrap(argument)
  const text = inner.text.slice(-200)
  if (nameTypes.test(inner.type) || memberTypes.test(inner.type))
    return wordsOf(/\w+$/.exec(text)?.[0] ?? '')
  if (!syntax.calls.includes(inner.type) || syntax.argumentsOf(inner).length > 0) return []
  const getter = /\bget_?([A-Za-z]\w*)(?:\(\))?$/.exec(text)?.[1]
  // In Ruby, a member is a call without parentheses.
  return wordsOf(getter ?? /^[\w.]+[.](\w+)$/.exec(text)?.[1] ?? '')
}

function wordsOf(name: string): Words {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z\d]+/g) ?? []
  return words.map((word) => word.toLowerCase())
}

/** Finds the only two arguments of which each fits only the parameter of the other. */
function findSwapped(
  given: readonly Words[],
  taken: readonly Words[],
): [number, number] | undefined {
  const fits = (argument: number, parameter: number) => isNamed(given[argument]!, taken[parameter]!)
  const pairs: [number, number][] = []
  const opposite: [number, number][] = []
  for (let one = 0; one < given.length; one++)
    for (let other = one + 1; other < given.length; other++) {
      const isCrossed = fits(one, other) && fits(other, one)
      if (isCrossed && !fits(one, one) && !fits(other, other)) pairs.push([one, other])
      else if (isCrossedPair([given[one]!, given[other]!], [taken[one]!, taken[other]!]))
        opposite.push([one, other])
    }
  // Who swaps `x` and `y` as well as the width and the height transposes on purpose.
  const [pair, ...others] = [...pairs, ...opposite]
  const isLong = opposite.length > 0 || pair?.every((index) => taken[index]!.join('').length >= 3)
  return isLong && others.length === 0 ? pair : undefined
}

/** Whether an argument has the name of a parameter, or ends with it: `newWidth` for `width`. */
function isNamed(argument: Words, parameter: Words): boolean {
  if (parameter === undefined || parameter.length === 0) return false
  return argument.slice(-parameter.length).join(' ') === parameter.join(' ')
}

/** What comes first and what comes last. Their order is never a matter of taste. */
const orderedPairs: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ['start', 'starts', 'from', 'since', 'begin', 'first', 'arrival', 'earliest'],
    ['end', 'ends', 'to', 'until', 'till', 'last', 'departure', 'latest'],
  ],
  [
    ['min', 'minimum', 'lower', 'low'],
    ['max', 'maximum', 'upper', 'high'],
  ],
]

/** Words for opposite parts. */
const oppositePairs: typeof orderedPairs = [
  ...orderedPairs,
  [
    ['source', 'src', 'from', 'origin'],
    ['target', 'dest', 'destination', 'dst', 'to'],
  ],
]

/** The order of two names that differ only in a word for what comes first or last. */
function orderOf(one: Words, other: Words, pairs: typeof orderedPairs): number | undefined {
  const differing = one.flatMap((word, index) => (word === other[index] ? [] : [index]))
  const [index] = differing
  if (one.length !== other.length || index === undefined || differing.length > 1) return undefined
  const sides = [one[index]!, other[index]!].map((word) =>
    pairs.map(([first, last]) => (first.includes(word) ? 1 : last.includes(word) ? -1 : 0)),
  )
  const kind = pairs.findIndex((_, at) => sides[0]![at]! * sides[1]![at]! === -1)
  return kind === -1 ? undefined : sides[0]![kind]
}

/** `(period.end, period.start)` for `(from, to)`: both have the same order the other way round. */
function isCrossedPair(given: readonly [Words, Words], taken: readonly [Words, Words]): boolean {
  if (!taken[0] || !taken[1]) return false
  return oppositePairs.some((pair) => {
    const order = orderOf(...given, [pair])
    return order !== undefined && order === -(orderOf(...taken, [pair]) ?? 0)
  })
}

const reversing =
  /swap|revers|invers|invert|flip|mirror|transpos|rotat|compar|desc|opposite|undo|back(?![a-z])|symmetr|repl(?:y|ies)|acknowl|respon|remov|restor|refund|rtl|portrait|landscape|decrypt|either|overlap/i

/** Whether a call passes the arguments in this order on purpose. */
function isMeant(
  call: Node,
  [one, other]: readonly Node[],
  file: ParsedFile,
  syntax: CallSyntax,
): boolean {
  const fn = enclosingNode(call, syntax.functions)
  const name = syntax.nameOf(call)
  if (!fn || !one || !other || nameOf(fn) === name) return true
  if (reversing.test(`${name} ${nameOf(fn)}`) || isExplained(call, file, reversing)) return true
  const isInOrder = (node: Node) => {
    const texts = syntax.argumentsOf(node).map(({ text }) => text)
    return syntax.nameOf(node) === name && texts.indexOf(other.text) < texts.indexOf(one.text)
  }
  const isOrdered =
    orderOf(wordsOfArgument(one, syntax), wordsOfArgument(other, syntax), orderedPairs) !==
    undefined
  // `nights(departure, arrival)` is wrong wherever it stands, unlike `link(target, source)`.
  if (isOrdered && isCompared(fn.text, one.text, other.text)) return true
  const others = findNodes(fn, call.type).filter(
    (each) => each.id !== call.id && isInOrder(each) && !(isOrdered && isApart(each, call)),
  )
  return others.length > 0 || isComparedAround(call, one, other)
}

/** Whether a text compares two expressions. */
function isCompared(text: string, one: string, other: string): boolean {
  return ['<', '>', '<=', '>='].some(
    (sign) => text.includes(`${one} ${sign} ${other}`) || text.includes(`${other} ${sign} ${one}`),
  )
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

/** Reads calls of the own object's functions by the syntax of a language. */
export function callSyntaxOf(syntax: CodeSyntax): CallSyntax {
  const nameOfCall = (call: Node) => ownCallee.exec(syntax.calleeOf(call).slice(-200))?.[1] ?? ''
  return {
    calls: syntax.calls,
    functions: new Set([...functionTypes, ...syntax.functions]),
    argumentsOf(call) {
      const args = syntax.argumentsOf(call)
      return args.some(isPassedByName) ? [] : args
    },
    nameOf: nameOfCall,
    definitionOf(call, { declarations }) {
      const name = nameOfCall(call)
      if (name === '') return undefined
      const all = [...declarations.functions(name), ...declarations.methods(name)]
      return all.length === 1 ? all[0] : undefined
    },
    parametersOf: readParameters,
  }
}

/** A function without another receiver than the own object or class. */
const ownCallee = /^(?:(?:\$?this|self|Self|static)(?:\.|->|::))?(\w+)$/

/** `f(width: w)`, and Kotlin's `f(width = w)`. */
function isPassedByName({ type, parent }: Node): boolean {
  if (type === 'pair') return true
  const isArgument = parent && /^(?:value_)?argument$/.test(parent.type)
  return isArgument ? /^\w+\s*(?::(?!:)|=(?!=))/.test(parent.text.slice(0, 80)) : false
}

/** Returns the names of parameters; undefined if one of them has none. */
function readParameters(definition: Node): readonly string[] | undefined {
  const list =
    field(definition, 'parameters') ??
    definition.namedChildren.find(({ type }) => /parameters$/.test(type))
  const parameters = list && codeChildren(list).filter(({ type }) => type !== 'self_parameter')
  const names = parameters?.map((parameter) => {
    const named =
      field(parameter, 'name') ??
      field(parameter, 'pattern') ??
      parameter.namedChildren.find(({ type }) => type === 'identifier')
    return /^\$?(\w+)$/.exec((named ?? parameter).text)?.[1]
  })
  return names?.every((name) => name !== undefined) ? names : undefined
}
