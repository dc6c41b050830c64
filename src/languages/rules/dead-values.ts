// Finds sums that keep only their last value, and values that are replaced before they are read.
import type { Node } from 'web-tree-sitter'
import {
  bindingTypes,
  isMember,
  mentionsName,
  readBinding,
  readVariable,
  usesOf,
  type VariableBinding,
} from './bindings.ts'
import { callAndNewTypes, isCall, readCall } from './calls.ts'
import { isUnwatched } from './developer-tools.ts'
import { functionAround, isFunctionOrBlock } from './functions.ts'
import { isConstant } from './literals.ts'
import { loopTypes, mayLeave, statementAround, statementsAfter } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
  textOf,
  typeOf,
} from './syntax-nodes.ts'

/** Values that a sum begins with. */
const neutral =
  /^(?:0(?:\.0+)?[a-zA-Z]{0,3}\d{0,2}|(?:BigDecimal|BigInteger|decimal|Decimal)\.(?:ZERO|Zero)|Decimal\(["']?0["']?\)|0\.to_d)$/

/** Names of variables that are meant to hold the last or an extreme value. */
const holdsOne =
  /prev|last|cur|max|min|off|index|idx|pos|cursor|next|id$|line|row|state|status|level|depth|start|end|late|begin|high|low|best|code|page|size|length|width|height|key|old|new|left|right|time|stamp|version|type|mode|flag|result|ret|err|limit|rank|day|month|year|port|^[a-z]$/i

/** `total = 0`, and then in a loop `total = item.price`. */
function checkSum(node: Node): Hit | undefined {
  const binding = readVariable(node)
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
  const first = before.map(readVariable).findLast((each) => each?.name === name)
  const rest = scope.text.slice(loop.endIndex - scope.startIndex)
  return neutral.test(textOf(first?.value)) && mentionsName(rest, name)
}

/** The loop that runs a statement in every iteration. */
function loopAround(node: Node): Node | undefined {
  const block = statementAround(node).parent
  const owner = block?.type === 'statement_list' ? block.parent?.parent : block?.parent
  if (!owner || loopTypes.has(owner.type)) return owner ?? undefined
  const call = /^(?:do_block|block)$/.test(owner.type) ? owner.parent : undefined
  return call?.type === 'call' && fieldText(call, 'method').startsWith('each') ? call : undefined
}

/** The function around a loop, which in Ruby is no block. */
function scopeOf(loop: Node): Node | undefined {
  let scope = loop.parent
  while (scope && !(isFunctionOrBlock(scope) && scope.type !== 'do_block')) scope = scope.parent
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
  const binding = readVariable(node)
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
  return overwrittenHit(name, next, node)
}

/** Whether a closure of the function uses a variable, or the statement itself. */
function isUsedElsewhere(name: string, statement: Node, fn: Node): boolean {
  return usesOf(statement, name).length > 1 || isUsedInClosure(name, fn)
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
function assignmentIn(statement: Node): VariableBinding | undefined {
  const inner = statement.type === 'expression_statement' ? statement.namedChild(0) : statement
  if (!inner || !/^assignment/.test(inner.type)) return undefined
  const binding = readVariable(inner) ?? readField(inner)
  return binding?.targets.length === 1 ? binding : undefined
}

/** How many statements lie between a value and the one that replaces it at most, and one. */
const maxDistance = 5

/** `x = a(y)`, and a few statements later `x = b(y)`; of fields, directly after it. */
function checkOverwritten(node: Node, file: ParsedFile): Hit | undefined {
  const binding = readVariable(node) ?? readField(node)
  const statement = statementAround(node)
  const fn = functionAround(node)
  // `a = b = x` gives its value to another one as well.
  const isChained = /^assign/.test(typeOf(node.parent))
  if (!binding || !fn || isChained || !isWholeStatement(node, statement)) return undefined
  return findOverwritten(node, binding, fn, file)
}

function findOverwritten(
  node: Node,
  binding: VariableBinding,
  fn: Node,
  file: ParsedFile,
): Hit | undefined {
  const statement = statementAround(node)
  const { name, value, targets } = binding
  const isMeant = targets.length > 1 || /^(?:err|_.*)$/.test(name)
  if (isMeant || isFirstValue(value, name, file)) return undefined
  // Setting a field or property may do more.
  const isOuter = /^@|\w(?:\.|->)/.test(name) || isMember(name, node, fn, file)
  const next = replacementOf(name, statement, isOuter ? 1 : maxDistance)
  if (!next || !isOtherValue(next, value) || isUsedInClosure(name, fn)) return undefined
  const isNext = statementsAfter(statement)[0]?.id === next.id
  return isNext || !isInTry(statement, fn) ? overwrittenHit(name, next, node) : undefined
}

/** Whether a statement sets another value, and doesn't only release the first one. */
function isOtherValue(next: Node, value: Node): boolean {
  const given = assignmentIn(next)?.value.text
  return given !== value.text && !/^(?:null|nil|None|undefined)$/.test(given ?? 'null')
}

/** Reads which field gets a value, unless setting it may show or load something. */
function readField(node: Node): VariableBinding | undefined {
  const binding = readBinding(node)
  const [target] = binding?.targets ?? []
  const isPath = target && /^[$@]?\w+(?:(?:\.|->)\w+)+$/.test(target.text.slice(0, 100))
  if (!isPath || showing.test(target.text) || !/^:?=$/.test(binding!.operator)) return undefined
  return { ...binding!, name: target.text }
}

const showing =
  /style|scroll|\b(?:src|href|value|checked|disabled|hidden|textContent|current)$|HTML$/i

/** The first statement after one that mentions a variable, if it replaces the value. */
function replacementOf(name: string, statement: Node, distance: number): Node | undefined {
  for (const next of statementsAfter(statement).slice(0, distance)) {
    if (replaces(next, name)) return next
    if (next.text.includes(name.replace(/^[$@]/, '')) || mayLeave(next)) return undefined
  }
  return undefined
}

/** Whether a statement does nothing but give one value. */
function isWholeStatement(node: Node, statement: Node): boolean {
  const owners = [node, node.parent, node.parent?.parent].map((each) => each?.id)
  const isPlain = !/[-+*/|&^?.%<>]=$/.test(fieldText(node, 'operator'))
  return owners.includes(statement.id) && isPlain && !/^(?:if|for|while|try)/.test(statement.type)
}

/** Whether a value is one that variables have at first, or is made for its effects. */
function isFirstValue(value: Node, name: string, file: ParsedFile): boolean {
  // A field that gets a variable has no default.
  if (value.namedChildCount === 0 && /^[$@]?\w+$/.test(name)) return true
  if (isConstant(value) || /^assign/.test(value.type) || emptyValue.test(value.text)) return true
  const calls = isCall(value) ? [value] : []
  const names = [...calls, ...value.descendantsOfType([...callAndNewTypes])].map((call) =>
    readCall(call).name.replace(/^_*[A-Z]/, (first) => first.toLowerCase()),
  )
  return names.some((name) => effectful.test(name)) || (names.length > 0 && isUnwatched(file.path))
}

const emptyValue =
  /^(?:(?:await )?new [\w\\.]+(?:<.*>)?\([^()]*\)|\w+\(\)|[A-Z]\w*(?:\.\w+)?\(\)|[[({]\s*[\])}])$/

/** Names of functions that are called for what they do. */
const effectful = new RegExp(
  `^(?:${[
    ...['next', 'read', 'pop', 'shift', 'advance', 'fetch', 'skip', 'consume', 'poll', 'take'],
    ...['recv', 'receive', 'create', 'start', 'open', 'scan', 'step', 'expect', 'init', 'set'],
    ...['save', 'insert', 'update', 'delete', 'remove', 'send', 'post', 'put', 'patch', 'write'],
    ...['exec', 'run', 'call', 'invoke', 'wait', 'register', 'add', 'apply', 'load', 'request'],
    ...['click', 'render', 'mount', 'get', 'push', 'append', 'connect', 'query', 'lex', 'use'],
    ...['do', 'make', 'build', 'visit', 'process', 'handle', 'emit', 'execute', 'test', 'copy'],
  ].join('|')})(?![a-z])`,
)

function isUsedInClosure(name: string, fn: Node): boolean {
  return usesOf(fn, name).some((use) => functionAround(use)?.id !== fn.id)
}

function overwrittenHit(name: string, next: Node, first: Node): Hit {
  return {
    at: firstLine(next),
    fallback: firstLine(first),
    title: `${quoteCode(name)} is overwritten before it is read`,
    body:
      `When this runs, it replaces the value of line ${lineOf(first)} before anything reads it. ` +
      'Use that value here, or remove it.',
    severity: 'moderate',
    evidence: [{ line: lineOf(first), note: 'this value is lost' }],
  }
}

/** Checks values that are lost. */
export const deadValues: readonly SyntaxCheck[] = [
  { nodes: bindingTypes, check: checkOverwritten },
  { nodes: bindingTypes, check: checkSum },
  { nodes: bindingTypes, check: checkReplaced },
]
