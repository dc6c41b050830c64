// Rules about values that are used where a test has just shown that they are missing.
import type { Node } from 'web-tree-sitter'
import { absentValues } from '../../languages/rules/absent-values.ts'
import { onlyValueOf } from '../../languages/rules/bindings.ts'
import { callTypes, isCall, readCall } from '../../languages/rules/calls.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { pickByLanguage } from '../../languages/rules/language-rules.ts'
import { binaryTypes, operandsOf, unwrap } from '../../languages/rules/operations.ts'
import {
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { uncheckedFirst } from '../../languages/rules/unchecked-values.ts'
import { isCondition, isOperandOf } from './condition-nodes.ts'
import { byLanguage, type Hit, isScriptGrammar, type ParsedFile, type Rule } from './rule.ts'

/** A test for a missing value: `x == null`, `x is not None`, `!x`. */
interface NullTest {
  readonly name: string
  /** Whether the value is missing if the test holds. */
  readonly isMissing: boolean
}

const nullLiteral = /^(?:null|undefined|nil|None)$/

const simpleName = /^[\w$]+(?:\.[\w$]+){0,3}$/

function nullTestOf(node: Node, file: ParsedFile): NullTest | undefined {
  const inner = unwrap(node)
  if (inner.type === 'unary_expression' && isScriptGrammar(file.language)) {
    const operand = fieldText(inner, 'argument')
    const isNegation = field(inner, 'operator')?.type === '!' && simpleName.test(operand)
    return isNegation ? { name: operand, isMissing: true } : undefined
  }
  const { left, operator, right } = comparisonOf(inner)
  if (!left || !right || !nullLiteral.test(right.text) || !simpleName.test(left.text))
    return undefined
  if (/^(?:===?|is)$/.test(operator)) return { name: left.text, isMissing: true }
  if (/^(?:!==?|is not)$/.test(operator)) return { name: left.text, isMissing: false }
  return undefined
}

interface Comparison {
  readonly left: Node | undefined
  readonly operator: string
  readonly right: Node | undefined
}

/** The parts of a comparison of two values. Nodes of other types lack some of the parts. */
function comparisonOf(node: Node): Comparison {
  if (node.type !== 'comparison_operator') {
    const operator = field(node, 'operator')?.type ?? ''
    return { left: field(node, 'left'), operator, right: field(node, 'right') }
  }
  // Python's comparisons can be chained; such a chain is no test of one value.
  if (node.namedChildCount !== 2) return { left: undefined, operator: '', right: undefined }
  const [left, right] = node.namedChildren
  const operators = node.childrenForFieldName('operators').map((part) => part.text)
  return { left, operator: operators.join(' '), right }
}

const accessTypes = [
  'member_expression',
  'attribute',
  'selector_expression',
  'field_access',
  'method_invocation',
]

/** Nodes that may give a name a value, or leave the code before a later node is reached. */
const stateChanges = [
  ...callTypes,
  'assignment_expression',
  'assignment',
  'assignment_statement',
  'augmented_assignment',
  'short_var_declaration',
  'var_declaration',
  'new_expression',
  'await_expression',
  'if_statement',
]

/** The first access to a member of the name under the node that no earlier node may prevent. */
function findAccess(
  node: Node,
  name: string,
  accepts: (access: Node) => boolean = () => true,
  changes: readonly string[] = stateChanges,
): Node | undefined {
  const fn = functionAround(node)?.id
  const access = findNodes(node, ...accessTypes).find(
    (found) => isAccess(found, name) && accepts(found) && functionAround(found)?.id === fn,
  )
  if (!access) return undefined
  const isPrevented = findNodes(node, ...changes).some((change) => comesBefore(change, access))
  return isPrevented ? undefined : access
}

/** Whether a change takes effect before the access is evaluated, which it may also contain. */
function comesBefore(change: Node, access: Node): boolean {
  if (change.startIndex >= access.startIndex) return false
  if (change.endIndex < access.endIndex) return true
  const evaluatesFirst =
    /call|invocation|new_|await/.test(change.type) || isInRightSide(change, access)
  return !evaluatesFirst
}

function isInRightSide(statement: Node, access: Node): boolean {
  const right = field(statement, 'right') ?? field(statement, 'value')
  return (
    right !== undefined &&
    right.startIndex <= access.startIndex &&
    right.endIndex >= access.endIndex
  )
}

function nullAccessHit(access: Node, name: string, test: Node, file: ParsedFile): Hit {
  const missing = quoteCode(name)
  const outcome = pickByLanguage(accessOutcomes, file)
  const isOnTestLine = lineOf(test) === lineOf(access)
  return {
    at: firstLine(access),
    title: `Null dereference: ${quoteCode(access.text)} is used where ${missing} has no value`,
    body:
      `When the check ${quoteCode(test.text)} leads here, ${missing} has no value, and ` +
      `${outcome}.`,
    evidence: isOnTestLine ? [] : [{ line: lineOf(test), note: 'known from this check' }],
  }
}

/** What happens if a member of a missing value is read. */
const accessOutcomes: Readonly<Record<string, string>> = {
  javascript: 'this throws a `TypeError`',
  python: 'this raises `AttributeError`',
  go: 'this panics',
  java: 'this throws a `NullPointerException`',
}

/** `x == null && x.y`, `x != null || x.y`. */
function checkChain(node: Node, file: ParsedFile): Hit | undefined {
  const operator = field(node, 'operator')?.type ?? ''
  const isAnd = isAndOperator(operator)
  if (!isAnd && operator !== '||' && operator !== 'or') return undefined
  if (isOperandOf(node, operator)) return undefined
  const operands = operandsOf(node, operator)
  for (const [index, operand] of operands.slice(0, 20).entries()) {
    const test = nullTestOf(operand, file)
    if (!test || test.isMissing !== isAnd) continue
    const access = operands
      .slice(index + 1, index + 20)
      .map((later) => findAccess(later, test.name) ?? (isAccess(later, test.name) && later))
      .find((found) => found)
    if (access) return nullAccessHit(access, test.name, operand, file)
  }
  return undefined
}

function isAndOperator(operator: string): boolean {
  return operator === '&&' || operator === 'and'
}

/** Whether a node reads a member of the name, and fails if there is no value. */
function isAccess(node: Node, name: string): boolean {
  return (
    accessTypes.includes(node.type) &&
    (field(node, 'object') ?? field(node, 'operand'))?.text === name &&
    !field(node, 'optional_chain')
  )
}

/** `if (x == null) { use(x.y) }`. */
function checkBranch(statement: Node, file: ParsedFile): Hit | undefined {
  const condition = field(statement, 'condition')
  const branch = field(statement, 'consequence')
  if (!condition || !branch) return undefined
  const inner = unwrap(condition)
  const operator = field(inner, 'operator')?.type ?? ''
  const operands = isAndOperator(operator) ? operandsOf(inner, operator) : [inner]
  for (const operand of operands.slice(0, 20)) {
    const test = nullTestOf(operand, file)
    if (!test?.isMissing) continue
    const access = findAccess(branch, test.name, failsOnNil(test.name, file))
    if (!access || isLengthOfEmptyText(operand, access)) continue
    return nullAccessHit(access, test.name, operand, file)
  }
  return undefined
}

/**
 * Go can call methods on a nil receiver, and only reading a field of nil panics. Errors are
 * interfaces, so a call on a nil error panics too.
 */
function failsOnNil(name: string, file: ParsedFile): ((access: Node) => boolean) | undefined {
  if (file.language !== 'go' || /^err|Err$/.test(name)) return undefined
  return (access) => fieldText(access.parent ?? access, 'function') !== access.text
}

/** `!x` also holds for an empty text, which has a length. */
function isLengthOfEmptyText(test: Node, access: Node): boolean {
  return test.type === 'unary_expression' && /^(?:length|size)$/.test(fieldText(access, 'property'))
}

/** `if (!position)`, where the position is that of a search. */
function checkNamedIndex(name: Node, file: ParsedFile): Hit | undefined {
  const value = isCondition(name) ? onlyValueOf(name) : undefined
  if (!value || !isCall(value) || !isSearch(value, file)) return undefined
  return {
    at: firstLine(name),
    title: `The condition tests the index ${quoteCode(name.text)} as if it were a boolean`,
    body:
      'When nothing is found, the index is -1, which is truthy; when it is found at the start, ' +
      'the index is 0, which is falsy. Compare it with -1.',
  }
}

function isSearch(call: Node, { language, text }: ParsedFile): boolean {
  const { name, args } = readCall(call)
  if (language !== 'python')
    return /^(?:indexOf|lastIndexOf|findIndex|findLastIndex|search)$/.test(name)
  return /^r?find$/.test(name) && args[0]?.type === 'string' && !nonStringFind.test(text)
}

/** Libraries whose `find` returns an object, not an index. */
const nonStringFind = /bs4|BeautifulSoup|etree|lxml|selenium|pymongo|minidom|mongo/i

export const nullRules: readonly Rule[] = [
  {
    id: 'null-access',
    summary:
      'Null dereference: a member of a value is used where a check has just shown that the ' +
      'value is null, undefined, `None` or `nil`.',
    seeAlso: ['CWE-476'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.92,
    isHarmlessInTests: true,
    syntax: [
      { nodes: binaryTypes, check: checkChain },
      { nodes: ['if_statement'], check: checkBranch },
      ...absentValues,
      uncheckedFirst,
    ],
  },
  {
    id: 'index-as-truth',
    summary:
      'The index from a search such as `indexOf` is used as a condition, where -1 (not found) ' +
      'is truthy and 0 is falsy.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: 'The condition tests the index from `$TEXT.$METHOD` as if it were a boolean',
    body:
      'When nothing is found, the index is -1, which is truthy; when it is found at the ' +
      'start, the index is 0, which is falsy. Compare it with -1, or use a method that ' +
      'returns a boolean.',
    patterns: {
      javascript: ['$TEXT.$METHOD($$$)'],
      python: ["$TEXT.$METHOD('$_', $$$)"],
    },
    where: {
      METHOD: byLanguage({
        javascript: /^(?:indexOf|lastIndexOf|findIndex|findLastIndex)$/,
        python: /^r?find$/,
      }),
    },
    refine: ({ node }, { language, text }) =>
      isCondition(node) && !(language === 'python' && nonStringFind.test(text)),
    syntax: [
      { languages: ['javascript', 'python'], nodes: ['identifier'], check: checkNamedIndex },
    ],
  },
]
