// Finds sums that keep only their last value, and values that are replaced before they are read.
import type { Node } from 'web-tree-sitter'
import {
  bindingTypes,
  everyFunctionType,
  functionAround,
  mentionsName,
  readBinding,
  statementAround,
  statementsAfter,
  textOf,
  typeOf,
  usesOf,
} from './code-steps.ts'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import { field, fieldText, findNodes, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

const loopTypes =
  /^(?:for_statement|for_in_statement|for_expression|foreach_statement|enhanced_for_statement|for|while_statement|while_expression|while|for_each_statement|loop_expression)$/

/** Values that a sum begins with. */
const neutral =
  /^(?:0(?:\.0+)?[a-zA-Z]{0,3}\d{0,2}|(?:BigDecimal|BigInteger|decimal|Decimal)\.(?:ZERO|Zero)|Decimal\(["']?0["']?\)|0\.to_d)$/

/** Names of variables that are meant to hold the last or an extreme value. */
const holdsOne =
  /prev|last|cur|max|min|off|index|idx|pos|cursor|next|id$|line|row|state|status|level|depth|start|end|late|begin|high|low|best|code|page|size|length|width|height|key|old|new|left|right|time|stamp|version|type|mode|flag|result|ret|err|limit|rank|day|month|year|port|^[a-z]$/i

/** `total = 0`, and then in a loop `total = item.price`. */
function checkSum(node: Node): Hit | undefined {
  const binding = readBinding(node)
  const loop = loopAround(node)
  if (!binding || !loop || holdsOne.test(binding.name) || isDeclared(node)) return undefined
  const { name, value } = binding
  if (mentionsName(value.text, name) || /^[\d"'`]/.test(value.text)) return undefined
  // `sum += …` is an assignment in some grammars.
  if (/[-+*/|&^?.]=$/.test(node.text.slice(0, value.startIndex - node.startIndex).trim()))
    return undefined
  if (usesOf(loop, name).length > 1 || /\b(?:break|return)\b/.test(loop.text)) return undefined
  if (!startsEmpty(name, loop)) return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(name)} keeps only the value of the last iteration`,
    body:
      `When the loop runs more than once, ${quoteCode(name)} loses what it had before. Add to it ` +
      'with `+=`.',
    severity: 'moderate',
    evidence: [{ line: lineOf(loop), note: 'each iteration replaces it' }],
  }
}

/** Whether a variable is zero before a loop, and is read after it. */
function startsEmpty(name: string, loop: Node): boolean {
  const scope = scopeOf(loop)
  if (!scope) return false
  const before = findNodes(scope, ...bindingTypes).filter(
    ({ endIndex }) => endIndex < loop.startIndex,
  )
  const first = before.map(readBinding).findLast((each) => each?.name === name)
  const rest = scope.text.slice(loop.endIndex - scope.startIndex)
  return neutral.test(textOf(first?.value)) && mentionsName(rest, name)
}

/** The loop that runs a statement in every iteration. */
function loopAround(node: Node): Node | undefined {
  const block = statementAround(node).parent
  const owner = block?.type === 'statement_list' ? block.parent?.parent : block?.parent
  if (!owner || loopTypes.test(owner.type)) return owner ?? undefined
  const call = /^(?:do_block|block)$/.test(owner.type) ? owner.parent : undefined
  return call?.type === 'call' && fieldText(call, 'method').startsWith('each') ? call : undefined
}

/** The function around a loop, which in Ruby is no block. */
function scopeOf(loop: Node): Node | undefined {
  let scope = loop.parent
  while (scope && !(everyFunctionType.has(scope.type) && scope.type !== 'do_block'))
    scope = scope.parent
  return scope ?? undefined
}

function isDeclared({ type, parent }: Node): boolean {
  return (
    /^(?:variable_declarator|short_var_declaration|let_declaration|property_declaration)$/.test(
      type,
    ) || /declaration/.test(parent?.type ?? '')
  )
}

/** `if (a) x = 1`, and then `x = b` in any case. */
function checkReplaced(node: Node): Hit | undefined {
  const binding = readBinding(node)
  const fn = functionAround(node)
  const statement = statementAround(node)
  const branch = branchAround(statement)
  if (!binding || !fn || !branch || isDeclared(node) || isInTry(branch, fn)) return undefined
  const { name, value } = binding
  if (
    /^(?:[A-Z@]|_$)|\W/.test(name.replace('$', '')) ||
    /^(?:null|nil|None|undefined)\b/.test(value.text)
  )
    return undefined
  const [next] = statementsAfter(statementAround(branch))
  if (!next || statementsAfter(statement).length > 0 || !replaces(next, name)) return undefined
  if (isUsedElsewhere(name, statement, fn)) return undefined
  return {
    at: firstLine(next),
    fallback: firstLine(node),
    title: `${quoteCode(name)} is overwritten before it is read`,
    body:
      `When the branch in line ${lineOf(branch)} sets ${quoteCode(name)}, this replaces the ` +
      'value at once. Use it here, or leave it in an `else`.',
    severity: 'moderate',
    evidence: [{ line: lineOf(node), note: 'this value is lost' }],
  }
}

/** Whether a closure of the function uses a variable, or the statement itself. */
function isUsedElsewhere(name: string, statement: Node, fn: Node): boolean {
  if (usesOf(statement, name).length > 1) return true
  return usesOf(fn, name).some((use) => functionAround(use)?.id !== fn.id)
}

/** Whether a statement gives a variable a value that doesn't depend on the one that it has. */
function replaces(statement: Node, name: string): boolean {
  const other = assignmentIn(statement)
  return other?.name === name && !mentionsName(other.value.text, name)
}

/** The `if` without `else` whose last statement a statement is. */
function branchAround(statement: Node): Node | undefined {
  const block = statement.parent
  const owner = /^(?:block|statement_block|compound_statement|statement_list|then)$/.test(
    typeOf(block),
  )
    ? block!.parent
    : block
  const branch = owner?.type === 'block' ? owner.parent : owner
  if (!branch || !/^(?:if_statement|if_expression|if|if_modifier)$/.test(branch.type))
    return undefined
  return hasOtherBranch(branch) ? undefined : branch
}

function hasOtherBranch(branch: Node): boolean {
  if (field(branch, 'alternative') || typeOf(branch.previousSibling) === 'else') return true
  return /^el/.test(typeOf(branch.parent)) || branch.children.some(({ type }) => /^el/.test(type))
}

function isInTry(node: Node, fn: Node): boolean {
  for (let outer = node.parent; outer && outer.id !== fn.id; outer = outer.parent)
    if (/^(?:try|begin|with|switch|match|when|case)/.test(outer.type)) return true
  return false
}

/** The variable that a plain statement sets. */
function assignmentIn(statement: Node): { name: string; value: Node } | undefined {
  const inner = statement.type === 'expression_statement' ? statement.namedChild(0) : statement
  if (!inner || !/^assignment/.test(inner.type)) return undefined
  const isPlain = inner.children.some(({ type }) => type === '=')
  const binding = isPlain ? readBinding(inner) : undefined
  return binding?.names.length === 1 ? binding : undefined
}

/** Checks values that are lost. */
export const deadValues: readonly SyntaxCheck[] = [
  { nodes: bindingTypes, check: checkSum },
  { nodes: bindingTypes, check: checkReplaced },
]
