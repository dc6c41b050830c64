// Rules about branches and operands that are repeated, and assignments in place of comparisons.
import type { Node } from 'web-tree-sitter'
import { callTypes, hasCall, readCall } from '../../languages/rules/calls.ts'
import { isConstant, isLiteral } from '../../languages/rules/literals.ts'
import { binaryTypes, operandsOf, outerParent, unwrap } from '../../languages/rules/operations.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  repeatedCase,
  repeatedCondition,
  repeatedOperand,
} from '../../languages/rules/repetitions.ts'
import { field, findNodes, firstLine, quoteCode } from '../../languages/rules/syntax-nodes.ts'
import { readComparison } from './equality.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'

/** `if (user.role = Role.Admin)` is a mistake; `if (found = list.first)` is intended. */
function isMistake({ get }: Match): boolean {
  const [left, right] = [get('LEFT'), get('RIGHT')]
  if (isConstant(right) || right.type === 'identifier') return true
  return right.type === 'member_expression' && left.type === 'member_expression'
}

const assignmentTypes = ['assignment_expression', 'assignment']

const conditionOwners = new Set([
  ...['if_statement', 'while_statement', 'else_if_clause', 'elsif', 'if', 'unless', 'while'],
  ...['if_modifier', 'unless_modifier', 'conditional_expression', 'ternary_expression'],
])

/** `if ($status = 'open')`, also as an operand of `&&`. */
function checkAssigned(node: Node): Hit | undefined {
  const [left, right] = [field(node, 'left'), field(node, 'right')]
  const isPlain = (field(node, 'operator')?.text ?? '=') === '='
  if (!left || !right || !isPlain || !isFixed(right) || !isInCondition(node)) return undefined
  return {
    at: firstLine(node),
    title: `The condition assigns to ${quoteCode(left.text)} instead of comparing it`,
    body:
      `When this runs, ${quoteCode(left.text)} is overwritten with ${quoteCode(right.text)}, and ` +
      'the branch depends on that value alone. Use a comparison.',
  }
}

/** A literal or the member of an enumeration. */
function isFixed(value: Node): boolean {
  return isLiteral(value) || /^(?:[A-Z]\w*(?:\.|::))+[A-Z]\w*$/.test(value.text)
}

/** Whether a node is the condition of a branch, or an operand of it without own parentheses. */
function isInCondition(node: Node): boolean {
  if (isWrapped(node) && isLogical(node.parent?.parent)) return false
  let inner = node
  while (inner.parent && isPartOfCondition(inner.parent)) inner = inner.parent
  const owner = inner.parent
  return (
    owner !== null && conditionOwners.has(owner.type) && field(owner, 'condition')?.id === inner.id
  )
}

function isWrapped({ parent }: Node): boolean {
  return /^parenthesized/.test(parent?.type ?? '')
}

function isLogical(node: Node | null | undefined): boolean {
  return /^(?:binary|boolean)/.test(node?.type ?? '') || isWrapped(node!)
}

/** Parentheses around the whole condition, and logical operators. */
function isPartOfCondition({ type }: Node): boolean {
  return /^(?:parenthesized_\w+|binary_expression|binary|boolean_operator)$/.test(type)
}

const duplicableOperators = new Set([
  ...['&&', '||', 'and', 'or', '==', '===', '!=', '<', '>', '<=', '>=', '-'],
])

function checkDuplicateOperand(node: Node): Hit | undefined {
  const { left, right, operator } = readComparison(node) ?? {}
  if (!left || !operator || !duplicableOperators.has(operator) || left.text !== right?.text)
    return undefined
  if (isMeaningfulRepetition(node, unwrap(left), operator)) return undefined
  return repeatedOperand(node, left, operator)
}

/** Objects are compared with others by these methods. */
const comparingMethods =
  /^(?:equals|equalsIgnoreCase|compareTo|is(?:After|Before|Equal)|contentEquals)$/

/** `period.from.isAfter(period.from)`. */
function checkComparedWithItself(call: Node): Hit | undefined {
  const { receiver, name, args } = readCall(call)
  const [other, ...others] = args
  if (!receiver || !other || others.length > 0 || !comparingMethods.test(name)) return undefined
  if (receiver.text !== other.text || hasCall(receiver) || isConstant(receiver)) return undefined
  return repeatedOperand(call, receiver, name)
}

function isMeaningfulRepetition(node: Node, operand: Node, operator: string): boolean {
  if (hasCall(operand) || isConstant(operand)) return true
  // `{icon && icon}` is harmless in JSX, and so is `...(more && more)` in an object.
  const outer = outerParent(node)?.type
  if (outer === 'jsx_expression' || outer === 'spread_element') return true
  // `x == x` is an old test for a value other than NaN.
  return isName(operand) && /^[=!]=/.test(operator) && isAlone(node)
}

function isName({ type }: Node): boolean {
  return type === 'identifier' || type === 'variable_name'
}

/** Whether no other comparison is joined with this one by `&&`, as in `x == o.x && y == y`. */
function isAlone(comparison: Node): boolean {
  const outer = outerParent(comparison)
  if (!outer || !/^(?:&&|and)$/.test(field(outer, 'operator')?.type ?? '')) return true
  return !operandsOf(outer, field(outer, 'operator')!.type).some((each) => {
    const { left, right, operator } = readComparison(each) ?? {}
    const name = right && /\.(\w+)$/.exec(right.text)?.[1]
    return operator?.startsWith('=') === true && name !== undefined && left?.text === name
  })
}

/** `if (a) … else if (a)`: the second branch is never taken. */
function checkDuplicateBranch(node: Node, file: ParsedFile): Hit | undefined {
  const condition = field(node, 'condition')
  if (!condition || field(node, 'initializer') || hasEffect(condition, file)) return undefined
  const tested = unwrap(condition).text
  for (const earlier of listEarlierBranches(node)) {
    const other = field(earlier, 'condition')
    // In Go, `if x := f(); x > 0` tests another `x` than the condition before it.
    if (!other || field(earlier, 'initializer') || unwrap(other).text !== tested) continue
    return repeatedCondition(condition, other)
  }
  return undefined
}

/** Whether an expression may have another value when it is tested again. */
function hasEffect(condition: Node, { language }: ParsedFile): boolean {
  const calls = findNodes(condition, ...callTypes)
  if (calls.some((call) => !pureFunctions.test(readCall(call).name))) return true
  if (language === 'scala' && changingMembers.test(condition.text)) return true
  if (/\+\+|--/.test(condition.text) || findNodes(condition, ...otherCalls).length > 0) return true
  return calls.length === 0 && hasCall(condition)
}

/** Functions that compare a value or test its content, and change nothing. */
const pureFunctions =
  /^(?:equals|equalsIgnoreCase|startsWith|endsWith|startswith|endswith|isinstance|HasPrefix|HasSuffix|EqualFold|isEmpty|isBlank)$/

/** Scala's methods without parentheses whose result differs from call to call. */
const changingMembers = /\.(?:next|read|get|poll|pop|random|now|current|take|dequeue)\w*\b/i

const otherCalls = ['macro_invocation', 'instance_expression']

const branchTypes = [
  ...['if_statement', 'elif_clause', 'else_if_clause'],
  ...['if_expression', 'if', 'elsif'],
]

/** The `if` and `else if` statements that are tested before this one, in the same chain. */
function listEarlierBranches(node: Node): Node[] {
  return /_clause$/.test(node.type) ? listEarlierClauses(node) : listOuterBranches(node)
}

/** Python and PHP: all clauses of a chain are children of its `if`. */
function listEarlierClauses(clause: Node): Node[] {
  const owner = clause.parent
  if (!owner) return []
  const earlier = owner.namedChildren.filter(
    ({ type, startIndex }) => type === clause.type && startIndex < clause.startIndex,
  )
  return [owner, ...earlier]
}

/** Other languages: each `else if` is nested in the statement before it. */
function listOuterBranches(node: Node): Node[] {
  const branches: Node[] = []
  for (let inner = node; ; ) {
    const parent = inner.parent?.type === 'else_clause' ? inner.parent.parent : inner.parent
    if (!parent || !branchTypes.includes(parent.type) || !isAlternative(parent, inner))
      return branches
    branches.push(parent)
    inner = parent
  }
}

function isAlternative(owner: Node, branch: Node): boolean {
  const alternative = field(owner, 'alternative')
  // Kotlin's grammar has no field.
  if (!alternative) return branch.previousSibling?.type === 'else'
  return alternative.startIndex <= branch.startIndex && alternative.endIndex >= branch.endIndex
}

/** The keyword of the statement that has cases, by their type of node. */
const caseKeywords: Readonly<Record<string, string>> = {
  switch_case: 'switch',
  case_statement: 'switch',
  expression_case: 'switch',
  case_clause: 'match',
  when_entry: 'when',
  when: 'case',
}

function checkDuplicateCase(node: Node, file: ParsedFile): Hit | undefined {
  const values = valuesOf(node)
  const earlier = (node.parent?.namedChildren ?? [])
    .filter(({ type, startIndex }) => type === node.type && startIndex < node.startIndex)
    .filter(({ namedChildren }) => namedChildren.every(({ type }) => type !== 'guard'))
    .flatMap(valuesOf)
  for (const value of values) {
    const twin = earlier.find(({ text }) => text === value.text)
    if (twin && !hasEffect(value, file)) return repeatedCase(value, twin, caseKeywords[node.type]!)
  }
  return undefined
}

/** The values or patterns that a case compares with. */
function valuesOf(node: Node): Node[] {
  return ['value', 'condition', 'pattern'].flatMap((name) =>
    node.childrenForFieldName(name).filter((each) => each !== null),
  )
}

export const branchRules: readonly Rule[] = [
  {
    id: 'assignment-in-condition',
    summary: 'The condition of an `if` assigns instead of comparing.',
    seeAlso: ['CWE-481', 'ESLint `no-cond-assign`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    title: 'The condition assigns to $LEFT instead of comparing it',
    body:
      'When this runs, $LEFT is overwritten with $RIGHT, and the branch depends on that value ' +
      'alone. Use `===`, or a second pair of parentheses if the assignment is intended.',
    patterns: { javascript: ['if ($LEFT = $RIGHT) $$$'] },
    not: ['if (($LEFT = $RIGHT)) $$$'],
    refine: isMistake,
    at: 'LEFT',
    syntax: [{ nodes: assignmentTypes, check: checkAssigned }],
  },
  {
    id: 'duplicate-operand',
    summary: 'Both sides of a comparison or logical operator are identical.',
    seeAlso: ['ESLint `no-self-compare`', 'Ruff `PLR0124`', 'Staticcheck `SA4000`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      {
        nodes: [...binaryTypes, 'binary_operator', 'comparison_operator'],
        check: checkDuplicateOperand,
      },
      { languages: ['java'], nodes: ['method_invocation'], check: checkComparedWithItself },
    ],
  },
  {
    id: 'duplicate-branch',
    summary: 'A branch or case repeats an earlier condition, so it is never taken.',
    seeAlso: ['ESLint `no-dupe-else-if`', 'ESLint `no-duplicate-case`', 'Staticcheck `SA4014`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { nodes: branchTypes, check: checkDuplicateBranch },
      { nodes: Object.keys(caseKeywords), check: checkDuplicateCase },
    ],
  },
]
