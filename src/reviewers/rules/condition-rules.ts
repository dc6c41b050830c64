// Rules about conditions that are always true or always false.
import type { Node } from 'web-tree-sitter'
import { callTypes, hasCall, readCall } from '../../languages/rules/calls.ts'
import {
  checkEmptyRange,
  checkLetterCase,
  checkLetterCaseOfCall,
  checkNegativeSize,
  checkTextComparison,
} from '../../languages/rules/fixed-comparisons.ts'
import { isFunction } from '../../languages/rules/functions.ts'
import { isConstant, isPlainString, stringText } from '../../languages/rules/literals.ts'
import {
  binaryTypes,
  negatedOperand,
  operandsOf,
  outerParent,
  unwrap,
} from '../../languages/rules/operations.ts'
import {
  codeChildren,
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  nextCodeSibling,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { checkEnumText, checkFlagEquality } from '../../languages/rules/typed-comparisons.ts'
import { isOperandOf } from './condition-nodes.ts'
import { readComparison } from './equality.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'

/** Names in conditions that likely decide what a user may do. */
const accessNames = /role|admin|permission|scope|owner|auth|privilege|access|allowed/i

/** One equality with a constant: `x !== 'a'`, `!x.equals("a")`. */
interface Comparison {
  readonly subject: string
  readonly constant: string
  readonly negated: boolean
}

function comparisonOf(node: Node): Comparison | undefined {
  const inner = unwrap(node)
  const negated = negatedOperand(inner)
  if (negated) {
    const comparison = comparisonOf(negated)
    return comparison && { ...comparison, negated: !comparison.negated }
  }
  if (callTypes.includes(inner.type)) return readEqualsCall(inner)
  const comparison = readComparison(inner)
  if (!comparison || !/^[=!]==?$/.test(comparison.operator)) return undefined
  return compareWithConstant(comparison.left, comparison.right, comparison.operator)
}

/** Java: `role.equals("admin")`. */
function readEqualsCall(call: Node): Comparison | undefined {
  if (call.type !== 'method_invocation') return undefined
  const { receiver, name, args } = readCall(call)
  const [argument] = args
  if (!receiver || !argument || !/^(?:equals|equalsIgnoreCase)$/.test(name)) return undefined
  return compareWithConstant(receiver, argument, '===')
}

/** Reads only comparisons where it is certain which side varies: the other one is a constant. */
function compareWithConstant(left: Node, right: Node, operator: string): Comparison | undefined {
  const [subject, constant] = isComparand(right) ? [left, right] : [right, left]
  if (!isComparand(constant) || isComparand(subject)) return undefined
  if (!isStable(subject)) return undefined
  return {
    subject: subject.text,
    constant: normalizeConstant(constant, operator),
    negated: operator.startsWith('!'),
  }
}

function normalizeConstant(constant: Node, operator: string): string {
  const isNullish = constant.text === 'null' || constant.text === 'undefined'
  // Loose equality treats null and undefined alike.
  if (isNullish && operator.length === 2) return 'null'
  return isPlainString(constant) ? `'${stringText(constant)}'` : constant.text
}

/** Whether a node is a constant, or looks like the member of an enumeration: `Role.Admin`. */
function isComparand(node: Node): boolean {
  return isConstant(node) || enumerationMember.test(unwrap(node).text.slice(0, 200))
}

const enumerationMember =
  /^(?:(?:[A-Z]\w*|self|static)(?:\.|::|\\))+[A-Z]\w*$|^(?:http\.)?(?:Status|State|Type|Kind|Mode|Method|Role)[A-Z]\w+$/

/** Whether an expression is a variable, or reads one each time in the same way. */
function isStable(subject: Node): boolean {
  if (!hasVariable(subject)) return false
  const path = unwrap(subject).text.slice(0, 200)
  return !hasCall(subject) || (getterPath.test(path) && !readsOn.test(path))
}

const getterPath = /^[\w$@]+\??(?:(?:[!?]{0,2}\.|\??->|::)[\w$]+(?:\(\))?)+$/

/** Calls that may give another value each time. */
const readsOn =
  /[.>:](?:next|read|poll|pop|shift|take|recv|receive|scan|rand|now|consume|advance)[A-Z_]?\w*\(\)|[.>:]get\(\)/

/** Whether a name in an expression is a variable's; `-OFFSET` and `2 * SIZE` are constants. */
function hasVariable(node: Node): boolean {
  const names = findNodes(
    unwrap(node),
    'identifier',
    'property_identifier',
    'field_identifier',
    'variable_name',
    'instance_variable',
    'this',
    'self',
  )
  return names.some((name) => /[^A-Z\d_$@]/.test(name.text) || name.text.length === 1)
}

function checkTautology(node: Node, file: ParsedFile): Hit | undefined {
  const operator = field(node, 'operator')?.type ?? ''
  if (!/^(?:\|\||or|&&|and)$/.test(operator) || isOperandOf(node, operator)) return undefined
  const isOr = operator === '||' || operator === 'or'
  const comparisons = new Map<string, Comparison>()
  for (const operand of operandsOf(node, operator)) {
    const comparison = comparisonOf(operand)
    // Only `a !== 1 || a !== 2` and `a === 1 && a === 2` have a fixed result.
    if (!comparison || comparison.negated !== isOr) continue
    const earlier = comparisons.get(comparison.subject)
    if (earlier && areDifferent(earlier.constant, comparison.constant)) {
      return reportTautology(node, file, earlier, comparison)
    }
    comparisons.set(comparison.subject, comparison)
  }
  return undefined
}

/** Whether two constants certainly differ: a name may stand for a literal, and 1 equals '1'. */
function areDifferent(one: string, other: string): boolean {
  const kind = kindOf(one)
  if (one === other || kind !== kindOf(other)) return false
  if (kind !== 'number') return true
  // One number can be written in several ways, some of which JavaScript can't read.
  const [first, second] = [one, other].map((text) => Number(text.replaceAll(/[_()\s]/g, '')))
  return Math.abs(first! - second!) > 0
}

function kindOf(constant: string): string {
  if (constant.startsWith("'")) return 'text'
  if (/^[-+.\d]/.test(constant)) return 'number'
  return /^(?:true|false|null|undefined|nil|None|True|False)$/.test(constant) ? 'word' : 'name'
}

function reportTautology(node: Node, file: ParsedFile, one: Comparison, other: Comparison): Hit {
  const isWord = /^\w/.test(fieldText(node, 'operator'))
  const [and, or] = isWord ? ['and', 'or'] : ['&&', '||']
  const [wrong, right] = one.negated ? [or, and] : [and, or]
  const subject = quoteCode(one.subject)
  const outcome = one.negated ? 'always true' : 'never true'
  return {
    at: firstLine(node),
    title:
      `This condition is ${outcome}: ${subject} can't be both ${quoteCode(one.constant)} and ` +
      `${quoteCode(other.constant)}`,
    body:
      `When ${subject} has any value, the result is the same, so the condition checks ` +
      `nothing. \`${right}\` was probably intended instead of \`${wrong}\`.`,
    severity:
      accessNames.test(one.subject) || accessNames.test(one.constant) ? 'critical' : 'moderate',
    suggestion: replaceOnlyOperator(node, file, right!),
  }
}

/** The node's line with its logical operator replaced; undefined where it holds several. */
function replaceOnlyOperator(node: Node, file: ParsedFile, operator: string): string | undefined {
  if (node.startPosition.row !== node.endPosition.row) return undefined
  const line = file.lines[lineOf(node) - 1] ?? ''
  const operators = file.language === 'python' ? /\b(?:and|or)\b/g : /&&|\|\|/g
  return line.match(operators)?.length === 1 ? line.replace(operators, operator) : undefined
}

const conditionOwners = new Set([
  ...['if_statement', 'while_statement', 'do_statement', 'elif_clause', 'else_if_clause'],
  ...['if', 'unless', 'if_modifier', 'unless_modifier', 'elsif', 'while'],
])

/** `if (x === 'a' || 'b')`: the second operand is a text, which is always true. */
function checkConstantOperand(node: Node): Hit | undefined {
  const operator = field(node, 'operator')?.type ?? ''
  if ((operator !== '||' && operator !== 'or') || !isDecision(node)) return undefined
  const operands = operandsOf(node, operator)
  const constant = operands
    .slice(1)
    .find((operand) => isPlainString(operand) && operand.text.length > 2)
  const comparison = operands.map(comparisonOf).find((found) => found && !found.negated)
  if (!constant || !comparison) return undefined
  const subject = quoteCode(comparison.subject)
  return {
    at: firstLine(node),
    title:
      `This condition is always true: ${quoteCode(constant.text)} isn't compared with ` +
      `${subject}`,
    body:
      `When ${subject} has any value, the string ${quoteCode(constant.text)} alone is ` +
      'truthy. Repeat the comparison for it.',
    severity: accessNames.test(comparison.subject) ? 'critical' : 'moderate',
  }
}

/** Whether an expression decides a branch, or is the result of a function. */
function isDecision(node: Node): boolean {
  const owner = outerParent(node)
  if (!owner) return false
  if (/^(?:return_statement|return_expression|expression_list|return)$/.test(owner.type))
    return true
  // The last expression of a method is its result.
  if (owner.type === 'body_statement') return nextCodeSibling(node) === undefined
  if (!conditionOwners.has(owner.type)) return false
  const condition = field(owner, 'condition')
  return condition !== undefined && unwrap(condition).id === node.id
}

/** A comparison that holds where other code runs, as long as its subject isn't changed. */
interface Fact extends Comparison {
  readonly condition: Node
  /** Where the code begins that runs only if the comparison holds, and the last part of it. */
  readonly from: number
  readonly scope: Node
}

/** `if (state === 'sent') { … if (state === 'draft') … }`: the inner branch is never taken. */
function checkDecided(branch: Node, file: ParsedFile): Hit | undefined {
  const condition = field(branch, 'condition')
  if (!condition) return undefined
  for (const comparison of listComparisons(condition)) {
    const fact = listFacts(branch).find((known) => contradicts(known, comparison))
    if (!fact || mayChange(fact, branch, file)) continue
    const subject = quoteCode(fact.subject)
    const value = `${fact.negated ? 'not ' : ''}${quoteCode(fact.constant)}`
    const line = lineOf(fact.condition)
    return {
      at: firstLine(branch),
      title: `This condition is never true: line ${line} has decided what ${subject} is`,
      body:
        `When this runs, ${subject} is ${value}, so this branch is dead. Correct one of the ` +
        'conditions.',
      evidence: [{ line, note: quoteCode(fact.condition.text) }],
    }
  }
  return undefined
}

/** The comparisons that all hold if a condition does. */
function listComparisons(condition: Node): Comparison[] {
  const inner = unwrap(condition)
  const operator = field(inner, 'operator')?.type ?? ''
  const isAnd = operator === '&&' || operator === 'and'
  return (isAnd ? operandsOf(inner, operator) : [inner]).flatMap((part) => comparisonOf(part) ?? [])
}

/** What the branches around a statement, and those that left before it, say about values. */
function listFacts(statement: Node): Fact[] {
  const facts: Fact[] = []
  let scope = statement
  for (let depth = 0; depth < maxDepth; depth++) {
    const outer = scope.parent
    if (!outer || isFunction(scope)) break
    const condition = field(outer, 'condition')
    const isInside = field(outer, 'consequence')?.id === scope.id
    if (condition && isInside) facts.push(...listBranchFacts(condition, scope))
    facts.push(...listExits(scope))
    scope = outer
  }
  return facts
}

/** How many nodes around a condition are looked at. */
const maxDepth = 30

function listBranchFacts(condition: Node, scope: Node): Fact[] {
  const from = condition.endIndex
  return listComparisons(condition).map((known) => ({ ...known, condition, from, scope }))
}

/** `if (state !== 'sent') return`, before a statement. */
function listExits(scope: Node): Fact[] {
  const facts: Fact[] = []
  let before = scope.previousNamedSibling
  for (let count = 0; before && count < maxExits; count++) {
    const condition = leaves(before) ? field(before, 'condition') : undefined
    const known = condition && comparisonOf(condition)
    if (known) {
      const from = before.endIndex
      facts.push({ ...known, negated: !known.negated, condition: condition!, from, scope })
    }
    before = before.previousNamedSibling
  }
  return facts
}

/** Statements before a condition that are looked at. */
const maxExits = 10

function leaves(branch: Node): boolean {
  let last = field(branch, 'consequence')
  while (last && /^(?:statement_)?(?:block|list)$/.test(last.type)) last = codeChildren(last).at(-1)
  const isExit = /^(?:return|throw|raise|continue|break)_statement$/.test(last?.type ?? '')
  // A variable of the branch itself can have the name of another one.
  return isExit && !field(branch, 'alternative') && !field(branch, 'initializer')
}

function contradicts(fact: Fact, { subject, constant, negated }: Comparison): boolean {
  if (fact.subject !== subject) return false
  if (fact.negated !== negated) return fact.constant === constant
  return !negated && areDifferent(fact.constant, constant)
}

/** The pattern of code that sets a variable, whose name is escaped. */
function assignmentTo(name: string): string {
  return `(?<![\\w$.])${name}\\b(?:[^=\\n;{}()!<>]*=(?!=)|\\+\\+|--)`
}

/** Whether the subject may have another value when it is compared again. */
function mayChange({ subject, from, scope }: Fact, branch: Node, file: ParsedFile): boolean {
  const root = /^[\w$]+/.exec(subject)?.[0]
  if (!root) return true
  const code = file.text.slice(from, scope.endIndex)
  const name = RegExp.escape(root)
  const assignment = assignmentTo(name)
  const isSet = new RegExp(`${assignment}|(?:\\+\\+|--|&)${name}\\b`)
  if (isSet.test(code)) return true
  // Any call may change a member, or a variable that functions assign to.
  const isConstant = subject === root && !file.text.match(new RegExp(assignment, 'g'))?.[1]
  return !isConstant && /\)|await/.test(file.text.slice(from, branch.startIndex))
}

const truthyStrings: ReadonlySet<string> = new Set([
  ...['javascript', 'typescript', 'tsx'],
  ...['python', 'php', 'ruby'],
])

const comparisonTypes = [...binaryTypes, 'comparison_operator']

export const conditionRules: readonly Rule[] = [
  {
    id: 'constant-condition',
    summary:
      "A condition is always true or always false, such as `role !== 'admin' || role !== " +
      "'owner'`.",
    seeAlso: ['CWE-570', 'CWE-571', 'go vet `bools`', 'Ruff `F631`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { nodes: binaryTypes, check: checkTautology },
      // In other languages, a string is no condition.
      {
        nodes: binaryTypes,
        check: (node, file) =>
          truthyStrings.has(file.language) ? checkConstantOperand(node) : undefined,
      },
      { nodes: binaryTypes, check: checkEmptyRange },
      { nodes: comparisonTypes, check: checkNegativeSize },
      { nodes: comparisonTypes, check: checkLetterCase },
      { nodes: callTypes, check: checkLetterCaseOfCall },
      { nodes: comparisonTypes, check: checkTextComparison },
      { nodes: comparisonTypes, check: checkFlagEquality },
      { nodes: [...comparisonTypes, 'method_invocation'], check: checkEnumText },
      {
        nodes: ['if_statement', 'elif_clause'],
        check: checkDecided,
      },
      {
        patterns: { python: ['assert ($_, $_, $$$)'] },
        title: 'This assertion is always true, because it tests a tuple',
        body:
          'When the condition fails, the assertion still passes, because a non-empty tuple is ' +
          'truthy. Remove the parentheses.',
      },
    ],
  },
]
