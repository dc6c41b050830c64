// Rules about branches and operands that say the same thing twice, or assign instead of comparing.
import type { Node } from 'web-tree-sitter'
import { isConstant } from './literals.ts'
import { allRuleLanguages, type Hit, javascriptFamily, type Rule } from './rule.ts'
import {
  binaryTypes,
  field,
  fieldText,
  firstLine,
  hasCall,
  lineOf,
  outerParent,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'

function checkAssignment(node: Node): Hit | undefined {
  const condition = field(node, 'condition')
  const inner = condition?.type === 'parenthesized_expression' ? condition.namedChild(0) : undefined
  if (inner?.type !== 'assignment_expression') return undefined
  const right = field(inner, 'right')
  // `if (found = list.first)` is written on purpose; `if (user.role = Role.Admin)` is not.
  const isMember =
    right?.type === 'member_expression' && field(inner, 'left')?.type === 'member_expression'
  if (!right || !(isConstant(right) || right.type === 'identifier' || isMember)) return undefined
  const left = quoteCode(fieldText(inner, 'left'))
  return {
    at: firstLine(inner),
    title: `The condition assigns to ${left} instead of comparing it`,
    body:
      `When this is reached, ${left} is overwritten with ${quoteCode(right.text)}, and the ` +
      'branch depends on that value alone. Use `===`, or a second pair of parentheses if it is ' +
      'meant.',
  }
}

const duplicableOperators = new Set(['&&', '||', 'and', 'or', '==', '===', '<', '>', '<=', '>='])

function checkDuplicateOperand(node: Node): Hit | undefined {
  const operator = field(node, 'operator')?.type ?? ''
  const [left, right] = [field(node, 'left'), field(node, 'right')]
  if (!duplicableOperators.has(operator) || !left || !right || left.text !== right.text)
    return undefined
  const inner = unwrap(left)
  // `{icon && icon}` does no harm in a page, `...(more && more)` none in an object.
  if (
    hasCall(inner) ||
    isConstant(inner) ||
    /^(?:jsx_expression|spread_element)$/.test(outerParent(node)?.type ?? '')
  )
    return undefined
  // `x == x` is an old way to ask whether it is not NaN.
  if (inner.type === 'identifier' && operator.startsWith('==')) return undefined
  return {
    at: firstLine(node),
    title: `Both sides of \`${operator}\` are ${quoteCode(left.text)}`,
    body:
      `When this runs, the second ${quoteCode(left.text)} adds nothing to the first; something ` +
      'else was probably meant to stand there.',
  }
}

/** `if (a) … else if (a)`: the second branch is never taken. */
function checkDuplicateBranch(node: Node): Hit | undefined {
  const condition = field(node, 'condition')
  if (!condition || hasCall(condition) || field(node, 'initializer')) return undefined
  for (const earlier of earlierBranches(node)) {
    const other = field(earlier, 'condition')
    if (other && !field(earlier, 'initializer') && unwrap(other).text === unwrap(condition).text) {
      return {
        at: firstLine(condition),
        title:
          `This branch is never taken: ${quoteCode(unwrap(condition).text)} was already tested ` +
          'above',
        body:
          `When the condition holds, the branch in line ${lineOf(other)} runs instead of this ` +
          'one.',
        evidence: [{ line: lineOf(other), note: 'the same condition' }],
      }
    }
  }
  return undefined
}

function earlierBranches(node: Node): Node[] {
  if (node.type === 'elif_clause') {
    const owner = node.parent
    const clauses = (owner?.namedChildren ?? []).filter((child) => child.type === 'elif_clause')
    return owner ? [owner, ...clauses.filter((clause) => clause.startIndex < node.startIndex)] : []
  }
  const branches: Node[] = []
  for (let inner = node; ; ) {
    const parent = inner.parent?.type === 'else_clause' ? inner.parent.parent : inner.parent
    if (parent?.type !== 'if_statement' || !isAlternative(parent, inner)) return branches
    branches.push(parent)
    inner = parent
  }
}

function isAlternative(owner: Node, branch: Node): boolean {
  const alternative = field(owner, 'alternative')
  return (
    alternative !== undefined &&
    alternative.startIndex <= branch.startIndex &&
    alternative.endIndex >= branch.endIndex
  )
}

function checkDuplicateCase(node: Node): Hit | undefined {
  const value = field(node, 'value')
  if (!value || !isConstant(value)) return undefined
  const twin = (node.parent?.namedChildren ?? []).find(
    (other) =>
      other.type === 'switch_case' &&
      other.startIndex < node.startIndex &&
      fieldText(other, 'value') === value.text,
  )
  if (!twin) return undefined
  return {
    at: firstLine(node),
    title: `The case ${quoteCode(value.text)} stands twice in this \`switch\``,
    body:
      `When the value is ${quoteCode(value.text)}, the case in line ${lineOf(twin)} is taken, ` +
      'and this one never.',
    evidence: [{ line: lineOf(twin), note: 'the same case' }],
  }
}

export const branchRules: readonly Rule[] = [
  {
    id: 'assignment-in-condition',
    summary: 'The condition of an `if` is an assignment.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: javascriptFamily, nodes: ['if_statement'], check: checkAssignment }],
  },
  {
    id: 'duplicate-operand',
    summary: 'Both sides of a comparison or of a logical operator are the same.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: allRuleLanguages, nodes: binaryTypes, check: checkDuplicateOperand }],
  },
  {
    id: 'duplicate-branch',
    summary: 'A branch or case repeats the condition of one before it and is never taken.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: allRuleLanguages,
        nodes: ['if_statement', 'elif_clause'],
        check: checkDuplicateBranch,
      },
      { languages: javascriptFamily, nodes: ['switch_case'], check: checkDuplicateCase },
    ],
  },
]
