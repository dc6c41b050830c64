// Rules about conditions that can't fail or can't hold.
import type { Node } from 'web-tree-sitter'
import { isOperandOf } from './condition-nodes.ts'
import { isConstant, isPlainString, stringText } from './literals.ts'
import { allRuleLanguages, type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  binaryTypes,
  calleeOf,
  field,
  findNodes,
  firstLine,
  hasCall,
  lineOf,
  operandsOf,
  outerParent,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'

const access = /role|admin|permission|scope|owner|auth|privilege|access|allowed/i

/** One equality with a constant: `x !== 'a'`, `!x.equals("a")`. */
interface Comparison {
  readonly subject: string
  readonly constant: string
  readonly negated: boolean
}

function comparisonOf(node: Node): Comparison | undefined {
  const inner = unwrap(node)
  if (inner.type === 'unary_expression' && field(inner, 'operator')?.type === '!') {
    const operand = comparisonOf(
      field(inner, 'operand') ?? field(inner, 'argument') ?? inner.namedChild(0)!,
    )
    return operand && { ...operand, negated: !operand.negated }
  }
  if (inner.type === 'method_invocation') return equalsCall(inner)
  const isPython = inner.type === 'comparison_operator'
  if (isPython && inner.namedChildCount !== 2) return undefined
  const left = isPython ? inner.namedChild(0) : field(inner, 'left')
  const right = isPython ? inner.namedChild(1) : field(inner, 'right')
  const operator =
    (isPython ? inner.childrenForFieldName('operators')[0] : field(inner, 'operator'))?.type ?? ''
  return left && right && /^[=!]==?$/.test(operator) ? compare(left, right, operator) : undefined
}

function equalsCall(call: Node): Comparison | undefined {
  const { receiver, name } = calleeOf(call)
  const argument = argumentsOf(call)[0]
  return receiver && argument && name === 'equals' ? compare(receiver, argument, '===') : undefined
}

/** Only where it is certain which side varies: a constant against something made of a variable. */
function compare(left: Node, right: Node, operator: string): Comparison | undefined {
  const [subject, constant] = isComparand(right) ? [left, right] : [right, left]
  if (!isComparand(constant) || isComparand(subject) || !hasVariable(subject) || hasCall(subject))
    return undefined
  const isNothing = constant.text === 'null' || constant.text === 'undefined'
  const text = isPlainString(constant) ? `'${stringText(constant)}'` : constant.text
  return {
    subject: subject.text,
    // Loosely, null and undefined are the same.
    constant: isNothing && operator.length === 2 ? 'null' : text,
    negated: operator.startsWith('!'),
  }
}

/** A constant, or the member of something that is written like an enumeration: `Role.Admin`. */
function isComparand(node: Node): boolean {
  return isConstant(node) || /^[A-Z]\w*\.[A-Z]\w*$/.test(unwrap(node).text.slice(0, 200))
}

/** Whether anything in an expression is named as variables are; `-OFFSET` and `2 * SIZE` are as fixed as their parts. */
function hasVariable(node: Node): boolean {
  const names = findNodes(
    unwrap(node),
    'identifier',
    'property_identifier',
    'field_identifier',
    'this',
    'self',
  )
  return names.some((name) => /[^A-Z\d_]/.test(name.text) || name.text.length === 1)
}

function checkTautology(node: Node, file: ParsedFile): Hit | undefined {
  const operator = field(node, 'operator')?.type ?? ''
  const isOr = operator === '||' || operator === 'or'
  if ((!isOr && operator !== '&&' && operator !== 'and') || isOperandOf(node, operator))
    return undefined
  const seen = new Map<string, Comparison>()
  for (const operand of operandsOf(node, operator)) {
    const comparison = comparisonOf(operand)
    if (!comparison || comparison.negated !== isOr) continue
    const earlier = seen.get(comparison.subject)
    if (earlier && conflict(earlier.constant, comparison.constant))
      return tautology(node, file, earlier, comparison)
    seen.set(comparison.subject, comparison)
  }
  return undefined
}

/** Whether two constants certainly differ. A name and a literal may be the same, so may a number and its text. */
function conflict(one: string, other: string): boolean {
  const kind = kindOf(one)
  if (one === other || kind !== kindOf(other)) return false
  // The same number can be written in several ways, some of them only one language's.
  const [first, second] = [one, other].map((text) => Number(text.replaceAll(/[_()\s]/g, '')))
  return kind !== 'number' || Math.abs(first! - second!) > 0
}

function kindOf(constant: string): string {
  if (constant.startsWith("'")) return 'text'
  if (/^[-+.\d]/.test(constant)) return 'number'
  return /^(?:true|false|null|undefined|nil|None|True|False)$/.test(constant) ? 'word' : 'name'
}

function tautology(node: Node, file: ParsedFile, one: Comparison, other: Comparison): Hit {
  const outcome = one.negated ? 'always true' : 'never true'
  const [wrong, right] = one.negated ? ['||', '&&'] : ['&&', '||']
  const isPython = file.language === 'python'
  const word = isPython
    ? { wrong: one.negated ? 'or' : 'and', right: one.negated ? 'and' : 'or' }
    : { wrong, right }
  const line = file.lines[lineOf(node) - 1] ?? ''
  const operators = isPython ? line.match(/\b(?:and|or)\b/g) : line.match(/&&|\|\|/g)
  const isSimple = operators?.length === 1 && node.startPosition.row === node.endPosition.row
  return {
    at: firstLine(node),
    title:
      `This condition is ${outcome}: ${quoteCode(one.subject)} can't be both ` +
      `${quoteCode(one.constant)} and ${quoteCode(other.constant)}`,
    body:
      `When ${quoteCode(one.subject)} has any value at all, the outcome is the same, so the ` +
      `check decides nothing. \`${word.right}\` was probably meant instead of \`${word.wrong}\`.`,
    severity: access.test(one.subject) || access.test(one.constant) ? 'critical' : 'moderate',
    suggestion: isSimple
      ? line.replace(isPython ? /\b(?:and|or)\b/ : /&&|\|\|/, word.right)
      : undefined,
  }
}

const conditionOwners = new Set(['if_statement', 'while_statement', 'do_statement', 'elif_clause'])

/** `if (x === 'a' || 'b')`: a constant that is always true beside a comparison. */
function checkConstantOperand(node: Node): Hit | undefined {
  const operator = field(node, 'operator')?.type ?? ''
  const outer = outerParent(node)
  if ((operator !== '||' && operator !== 'or') || !outer || !conditionOwners.has(outer.type))
    return undefined
  const condition = field(outer, 'condition')
  if (!condition || unwrap(condition).id !== node.id) return undefined
  const operands = operandsOf(node, operator)
  const constant = operands
    .slice(1)
    .find((operand) => isPlainString(operand) && operand.text.length > 2)
  const comparison = operands.map(comparisonOf).find((found) => found && !found.negated)
  if (!constant || !comparison) return undefined
  return {
    at: firstLine(node),
    title:
      `This condition is always true: ${quoteCode(constant.text)} isn't compared with ` +
      `${quoteCode(comparison.subject)}`,
    body:
      `When ${quoteCode(comparison.subject)} has any value at all, the text ` +
      `${quoteCode(constant.text)} by itself counts as true. Repeat the comparison for it.`,
    severity: access.test(comparison.subject) ? 'critical' : 'moderate',
  }
}

function checkAssertTuple(node: Node): Hit | undefined {
  const tuple = node.namedChild(0)
  if (tuple?.type !== 'tuple' || tuple.namedChildCount < 2 || node.namedChildCount !== 1)
    return undefined
  return {
    at: firstLine(node),
    title: 'This assertion is always true, because it tests a tuple',
    body:
      "When the condition fails, the assertion still passes: a tuple that isn't empty is true. " +
      'Leave out the parentheses.',
  }
}

export const conditionRules: readonly Rule[] = [
  {
    id: 'constant-condition',
    summary:
      "A condition can't fail or can't hold, such as `role !== 'admin' || role !== 'owner'`.",
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: allRuleLanguages, nodes: binaryTypes, check: checkTautology },
      {
        languages: [...javascriptFamily, 'python'],
        nodes: binaryTypes,
        check: checkConstantOperand,
      },
      { languages: ['python'], nodes: ['assert_statement'], check: checkAssertTuple },
    ],
  },
]
