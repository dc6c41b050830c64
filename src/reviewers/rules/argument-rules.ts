// The rule about arguments that are passed in each other's places.
import type { Node } from 'web-tree-sitter'
import {
  argumentsOf,
  calleeOf,
  callTypes,
  codeChildren,
  enclosingFunction,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  isExplained,
  lineOf,
  quoteCode,
  unwrap,
} from '../../languages/rules/syntax-nodes.ts'
import { parameterNamesOf } from './call-shapes.ts'
import { allRuleLanguages, type Hit, type ParsedFile, type Rule } from './rule.ts'
import { findOnlyFunction, parameterOf } from './value-origins.ts'

/** The words that the name of an argument or parameter consists of, in lower case. */
type Words = readonly string[]

/** `transfer(target, source)`, where the function is `transfer(source, target)`. */
function checkSwapped(call: Node, file: ParsedFile): Hit | undefined {
  const args = argumentsOf(call)
  const given = args.map(wordsOfArgument)
  if (given.filter((words) => words.length > 0).length < 2 || args.length > 8) return undefined
  const definition = findDefinition(call, file)
  const parameters = definition && parameterNamesOf(definition)
  const taken = parameters?.map(wordsOf)
  if (!taken || given.some((words, index) => words.length > 0 && !taken[index])) return undefined
  const swapped = findSwapped(given, taken)
  if (!swapped) return undefined
  const nodes = swapped.map((index) => args[index]!)
  if (isMeant(call, nodes, file)) return undefined
  const [one, other] = nodes.map(({ text }) => quoteCode(text))
  const { name } = calleeOf(call)
  return {
    at: firstLine(call),
    title: `Swapped arguments: ${one} and ${other} are passed in each other's places`,
    body:
      `When ${quoteCode(name)} runs, it takes ${one} for ` +
      `${quoteCode(parameters![swapped[0]!]!)}. Pass the arguments in the ` +
      'order of the parameters.',
    evidence: [{ line: lineOf(definition!), note: `the parameters of ${quoteCode(name)}` }],
  }
}

/** The words that a name, a member or a getter consists of; none for anything else. */
function wordsOfArgument(argument: Node): Words {
  const inner = unwrap(argument)
  if (/^(?:identifier|field_identifier)$/.test(inner.type)) return wordsOf(inner.text)
  const member = field(inner, 'property') ?? field(inner, 'attribute') ?? field(inner, 'field')
  if (member) return wordsOf(member.text)
  const isGetter = callTypes.includes(inner.type) && argumentsOf(inner).length === 0
  const getter = isGetter ? /^get_?([A-Za-z]\w*)$/.exec(calleeOf(inner).name)?.[1] : undefined
  return getter ? wordsOf(getter) : []
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
  for (let one = 0; one < given.length; one++)
    for (let other = one + 1; other < given.length; other++) {
      const isCrossed = fits(one, other) && fits(other, one)
      if (isCrossed && !fits(one, one) && !fits(other, other)) pairs.push([one, other])
    }
  // Who swaps `x` and `y` as well as the width and the height transposes on purpose.
  const [pair, ...others] = pairs
  const isLong = pair?.every((index) => taken[index]!.join('').length >= 3)
  return isLong && others.length === 0 ? pair : undefined
}

/** Whether an argument has the name of a parameter, or ends with it: `newWidth` for `width`. */
function isNamed(argument: Words, parameter: Words): boolean {
  if (parameter.length === 0) return false
  return argument.slice(-parameter.length).join(' ') === parameter.join(' ')
}

/** The only function of the file that a call without another receiver can run. */
function findDefinition(call: Node, file: ParsedFile): Node | undefined {
  const { receiver, name } = calleeOf(call)
  if (receiver && !/^(?:this|self|cls)$/.test(receiver.text)) return undefined
  for (let fn = enclosingFunction(call); fn; fn = enclosingFunction(fn))
    if (parameterOf(fn, name)) return undefined
  const definition = findOnlyFunction(name, file)
  return definition && canBeCalled(definition, receiver !== undefined) ? definition : undefined
}

/** Only Java can call a method without the object that has it. */
function canBeCalled(definition: Node, hasReceiver: boolean): boolean {
  const isJava = definition.type === 'method_declaration' && !field(definition, 'receiver')
  return isJava || isMethod(definition) === hasReceiver
}

function isMethod(definition: Node): boolean {
  if (/^method_/.test(definition.type)) return true
  const owner = enclosingNode(definition, new Set(['class_definition', 'function_definition']))
  return definition.type === 'function_definition' && owner?.type === 'class_definition'
}

const reversing =
  /swap|revers|invers|invert|flip|mirror|transpos|rotat|compar|desc|opposite|undo|back(?![a-z])|symmetr|repl(?:y|ies)|acknowl|respon|remov|restor|refund|rtl|portrait|landscape|decrypt|either|overlap/i

/** Whether a call passes the arguments in this order on purpose. */
function isMeant(call: Node, [one, other]: readonly Node[], file: ParsedFile): boolean {
  const fn = enclosingFunction(call)
  const { name } = calleeOf(call)
  if (!fn || !one || !other || nameOf(fn) === name) return true
  if (reversing.test(`${name} ${nameOf(fn)}`) || isExplained(call, file, reversing)) return true
  const isInOrder = (node: Node) => {
    const texts = argumentsOf(node).map(({ text }) => text)
    return calleeOf(node).name === name && texts.indexOf(other.text) < texts.indexOf(one.text)
  }
  const others = findNodes(fn, call.type).filter(({ id }) => id !== call.id)
  return others.some(isInOrder) || isComparedAround(call, one, other)
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

const branchTypes = new Set(['if_statement', 'ternary_expression', 'conditional_expression'])

export const argumentRules: readonly Rule[] = [
  {
    id: 'swapped-arguments',
    summary: 'Two arguments are passed in the order opposite to the parameters of their names.',
    seeAlso: ['CWE-683', 'SonarSource `S2234`', 'Error Prone `ArgumentSelectionDefectChecker`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: allRuleLanguages, nodes: callTypes, check: checkSwapped }],
  },
]
