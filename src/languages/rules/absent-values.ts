// Finds values that may be missing and are used without a test, or after a test that lets them by.
import type { Node } from 'web-tree-sitter'
import {
  bindingTypes,
  everyCallType,
  everyFunctionType,
  firstField,
  functionAround,
  isCall,
  isUnwatched,
  mayLeave,
  mentionsName,
  readBinding,
  readCall,
  statementAround,
  statementsAfter,
  statementsOf,
  surelyLeaves,
  textOf,
  typeOf,
  usesOf,
} from './code-steps.ts'
import { isLogStatement } from './logged-only.ts'
import { isLookup, lookupIn } from './lookups.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  field,
  fieldText,
  firstLine,
  lineOf,
  operandsOf,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'

/** `x = list.find(…)`, and then `x.name`. */
function checkLookup(node: Node, file: ParsedFile): Hit | undefined {
  if (isUnwatched(file.path)) return undefined
  const binding = readBinding(node)
  const lookup = binding?.names.length === 1 ? lookupIn(binding.value, file) : undefined
  if (!binding || !lookup || !isWholeStatement(node) || isHandled(node)) return undefined
  const use = firstFailingUse(binding.name, statementAround(node), file)
  if (!use || isKnownToExist(lookup, file) || isDocumented(node, file)) return undefined
  const name = quoteCode(binding.name)
  return {
    at: firstLine(use),
    fallback: firstLine(node),
    title: `Null dereference: ${quoteCode(textAround(use))} is used, but ${name} may have no value`,
    body:
      `When ${quoteCode(lookup.text)} finds nothing, ${name} has no value, and this fails. ` +
      'Handle that case first.',
    confidence: 0.8,
    evidence: [{ line: lineOf(node), note: 'this may find nothing' }],
  }
}

/** PHP: whether a comment states a type that has a value: `@var User $user`. */
function isDocumented(binding: Node, { lines }: ParsedFile): boolean {
  const line = lines[lineOf(binding) - 2] ?? ''
  return /@var\s/.test(line) && !/null|\?/i.test(line)
}

/** Whether a binding is a statement of its own, and not part of a condition. */
function isWholeStatement(node: Node): boolean {
  const statement = statementAround(node)
  return /^(?:expression_statement|.*declaration|.*declaration_statement|.*assignment\w*|using_statement)$/.test(
    statement.type,
  )
}

/** Handlers that expect that something is missing. */
const expectsMissing =
  /\brescue\s*(?:$|;|=>|StandardError|NoMethodError)|\bexcept\s*(?::|Exception|\(?[^:\n]*(?:Attribute|Type|Index|Key)Error)|\bcatch\s*(?:\{|\([^)]*(?:NullPointer|NullReference)\w*)/m

/** Whether a short block with a handler around code expects that something is missing. */
function isHandled(node: Node): boolean {
  const statement = statementAround(node)
  const block = statement.parent
  const handled = [block, block?.parent].find(
    (each) => each && /^(?:try|begin|body_)/.test(each.type),
  )
  return (
    handled !== undefined && handled !== null && expectsMissing.test(handled.text.slice(0, 600))
  )
}

/** The access that a value is used in. */
function textAround(use: Node): string {
  return (wrapped(use).parent ?? use).text
}

function wrapped(use: Node): Node {
  return use.parent?.type === 'non_null_expression' ? use.parent : use
}

/** The first use of a variable after a statement, if it fails without a value and surely runs. */
function firstFailingUse(name: string, statement: Node, file: ParsedFile): Node | undefined {
  for (const next of statementsAfter(statement)) {
    const uses = usesOf(next, name)
    const [use] = uses
    if (use) return isDereferenced(use, file) && isReached(use, next) ? use : undefined
    if (mentionsName(next.text, name) || surelyLeaves(next)) return undefined
  }
  return undefined
}

const objectFields = ['object', 'operand', 'expression', 'receiver', 'value']

const accessTypes =
  /^(?:member_expression|attribute|selector_expression|field_access|method_invocation|call|member_access_expression|member_call_expression|subscript|subscript_expression|element_reference|element_access_expression|index_expression)$/

/** Methods that nil has, too. */
const nilMethods =
  /^(?:ConfigureAwait|AsTask|WaitAsync|nil\?|present\?|blank\?|presence|to_\w+|try|then|tap|is_a\?|kind_of\?|inspect|class|respond_to\?|dup|freeze|instance_of\?|in\?|eql\?|equal\?|!|==|hash|object_id|itself|as_json|HasValue|GetValueOrDefault|Key|Value)$/

/** Whether the use of a value reads a member or element of it. */
function isDereferenced(use: Node, file: ParsedFile): boolean {
  const value = wrapped(use)
  const { parent } = value
  if (!parent || !accessTypes.test(parent.type) || !isObjectOf(value, parent)) return false
  if (field(parent, 'optional_chain') || parent.children.some(({ type }) => safe.test(type)))
    return false
  // Go can call methods of a nil pointer.
  if (file.language === 'go' && typeOf(parent.parent) === 'call_expression' && use.type !== 'call')
    return field(parent.parent!, 'function')?.id !== parent.id
  const member = textOf(firstField(parent, ['method', 'name', 'property', 'attribute', 'field']))
  return !isLengthTest(parent, member) && !nilMethods.test(member)
}

const safe = /^(?:&\.|\?\.|\?->)$/

function isObjectOf(value: Node, access: Node): boolean {
  const hasNoFields = /^(?:subscript_expression|element_reference)$/.test(access.type)
  if (hasNoFields && access.namedChild(0)?.id === value.id) return true
  return objectFields.some((name) => field(access, name)?.id === value.id)
}

/** `len(m)` and `m.length` are tests. */
function isLengthTest(access: Node, member: string): boolean {
  return member === 'length' && /binary|unary|if/.test(access.parent?.type ?? '')
}

const branches =
  /^(?:if|unless|else|elsif|elif|when|switch|match|case|for|foreach|while|until|try|do|conditional|ternary|catch|except|rescue|with|begin|select|select_statement|expression_switch)(?:_(?:statement|expression|clause|modifier|entry|arm|block|case|list))*$/

/** Whether nothing in the statement around a use decides that it is reached. */
function isReached(use: Node, statement: Node): boolean {
  let child = use
  for (let node = use.parent; node && child.id !== statement.id; child = node, node = node.parent) {
    if (everyFunctionType.has(node.type) || isGuarding(node, child)) return false
    const isHeader = ['condition', 'right', 'value', 'iterable', 'subject'].some(
      (name) => field(node, name)?.id === child.id,
    )
    if (branches.test(node.type) && !isHeader) return false
  }
  return true
}

/** Operators whose right side depends on the left one, and PHP's tests of accesses. */
function isGuarding(node: Node, child: Node): boolean {
  const operator = field(node, 'operator')?.type ?? node.child(1)?.type ?? ''
  if (/^(?:\?\?|\?:)$/.test(operator)) return true
  if (/^(?:&&|\|\||and|or|\?)$/.test(operator) && field(node, 'left')?.id !== child.id)
    return node.firstChild?.id !== child.id
  if (/^(?:error_suppression_expression|rescue_modifier)$/.test(node.type)) return true
  return /^\\?(?:isset|empty|unset)$/.test(fieldText(node, 'function'))
}

/** Whether the function tests for the value that is looked up before. */
function isKnownToExist(lookup: Node, file: ParsedFile): boolean {
  const fn = functionAround(lookup)
  const before = fn
    ? fn.text.slice(0, lookup.startIndex - fn.startIndex)
    : file.text.slice(Math.max(0, lookup.startIndex - 500), lookup.startIndex)
  const receiver = isCall(lookup) ? readCall(lookup).receiver : field(lookup, 'operand')
  const owner = receiver ? RegExp.escape(receiver.text.slice(0, 100)) : undefined
  if (!owner) return false
  return new RegExp(
    `${owner}\\??(?:\\.|->)(?:has|contains\\w*|Contains\\w*|set|put|exists?\\??|some|any\\??|Any|test|matches|add|key\\?|include\\?|count)\\(|\\bin ${owner}\\b|${owner}\\[[^\\]\\n]+\\] ?=[^=]`,
  ).test(before.slice(-8_000))
}

/** `list.find(…).name`. */
function checkChain(call: Node, file: ParsedFile): Hit | undefined {
  if (isUnwatched(file.path) || !isLookup(call, file)) return undefined
  const outer = outerValue(call)
  if (!isDereferenced(outer, file) || !isReached(outer, statementAround(outer))) return undefined
  const fn = functionAround(call)
  if (isKnownToExist(call, file) || isRepeated(call, fn) || isHandled(call)) return undefined
  return {
    at: firstLine(call),
    title: `Null dereference: ${quoteCode(call.text)} may give no value`,
    body:
      `When it finds nothing, ${quoteCode(textAround(outer).slice(outer.text.length))} fails. ` +
      'Handle that case first.',
    confidence: 0.75,
  }
}

/** The value of a call after `await` and in parentheses. */
function outerValue(call: Node): Node {
  let outer = call
  while (outer.parent && /^(?:await|parenthesized)/.test(outer.parent.type)) outer = outer.parent
  return outer
}

/** Whether a function has the same code a second time, which is mostly a test. */
function isRepeated(code: Node, fn: Node | undefined): boolean {
  const text = fn?.text.slice(0, 20_000) ?? ''
  return text.indexOf(code.text) !== text.lastIndexOf(code.text)
}

interface ValueTest {
  readonly name: string
  readonly isMissing: boolean
}

const nothing = '(?:null|nil|None|undefined)'
const variable = '(\\$?[A-Za-z_]\\w*)'
const missingTest = new RegExp(
  `^(?:!\\s*${variable}|not ${variable}|${variable} (?:===?|is) ${nothing}|${nothing} ===? ${variable}|${variable}\\.(?:nil\\?|is_none\\(\\))|is_null\\(${variable}\\))$`,
)
const presentTest = new RegExp(
  `^(?:${variable}|${variable} (?:!==?|is not) ${nothing}|${nothing} !==? ${variable}|!\\s*${variable}\\.nil\\?|!\\s*is_null\\(${variable}\\)|${variable}\\.(?:present\\?|is_some\\(\\)))$`,
)

/** Languages in which a bare name as a condition tests whether it has a value. */
const testsByName = /^(?:javascript|typescript|tsx|python|php|ruby)$/

function testOf(operand: Node, { language }: ParsedFile): ValueTest | undefined {
  const text = unwrap(operand).text.slice(0, 120)
  const isBare = /^[!]?\s*\$?\w+$|^not \w+$/.test(text)
  if (isBare && !testsByName.test(language)) return undefined
  const missing = missingTest.exec(text)?.slice(1)
  const present = presentTest.exec(text)?.slice(1)
  const name = (missing ?? present)?.find((group) => group !== undefined)
  return name ? { name, isMissing: missing !== undefined } : undefined
}

/** `if (x == null && other) return`, and then `x.name`. */
function checkWeakTest(statement: Node, file: ParsedFile): Hit | undefined {
  const condition = field(statement, 'condition')
  const branch = firstField(statement, ['consequence', 'body']) ?? kotlinBranch(statement)
  if (!condition || !branch || hasElse(statement)) return undefined
  const inner = unwrap(condition)
  const and = ['&&', 'and'].find((each) => field(inner, 'operator')?.type === each)
  const operands = and ? operandsOf(inner, and) : [inner]
  for (const operand of operands.slice(0, 6)) {
    const test = testOf(operand, file)
    if (!test || !letsMissingBy(test, operands, branch)) continue
    const use = firstFailingUse(test.name, statementAround(statement), file)
    if (!use || isCorrelated(use, operands, operand)) continue
    return weakTestHit(use, test, inner)
  }
  return undefined
}

function kotlinBranch(statement: Node): Node | undefined {
  return statement.namedChildren.find(({ type }) => type === 'block')
}

function hasElse(statement: Node): boolean {
  return (
    field(statement, 'alternative') !== undefined ||
    statement.children.some(({ type }) => /^el/.test(type)) ||
    /^(?:else|elif)/.test(statement.parent?.type ?? '') ||
    statement.previousSibling?.type === 'else'
  )
}

/** Whether the code after a branch runs although the value may be missing. */
function letsMissingBy(test: ValueTest, operands: readonly Node[], branch: Node): boolean {
  if (isAssigned(branch, test.name)) return false
  const leaves = surelyLeaves(branch)
  if (operands.length > 1) return leaves && isOwnMember(test, operands)
  return test.isMissing && !leaves && !mayLeave(branch) && isHarmlessBranch(branch, test.name)
}

/** Whether the other operands read the value, or the test is for a missing one. */
function isOwnMember({ name, isMissing }: ValueTest, operands: readonly Node[]): boolean {
  return (
    isMissing ||
    operands.some(({ text }) =>
      new RegExp(`\\b${name.replace('$', '')}(?:\\.|->|\\[|\\?\\.)`).test(text),
    )
  )
}

function isAssigned(branch: Node, name: string): boolean {
  return new RegExp(
    `(?<![\\w.])${RegExp.escape(name)}(?:, ?\\w+)?\\s*[:|?]*=(?!=)|&${name}\\b`,
  ).test(branch.text)
}

/** Whether a branch only writes messages and counts, so that the code goes on. */
function isHarmlessBranch(branch: Node, name: string): boolean {
  const statements = statementsOf(branch)
  return (
    statements.length > 0 &&
    statements.length <= 4 &&
    statements.every((statement) => isLogStatement(statement) || isNote(statement, name))
  )
}

const notes =
  /(?:metrics?|counters?|stats|errors?|warnings?|messages?|problems|issues|failures?|skipped|audit|alerts?|log(?:ger)?)\w*(?:\(\))?(?:\.|->|::)\w+[(!]|\.(?:inc|increment|incr)\(|^\$?[\w.>-]*(?:errors?|fail\w*|skipped|missing|count\w*)\s*(?:\+\+|\+= 1)|^(?:http\.Error|(?:w|res|response|c|ctx)\.(?:WriteHeader|status|send\w*|json|JSON|String|end))\(/i

function isNote({ text }: Node, name: string): boolean {
  return notes.test(text.slice(0, 300)) && !mentionsName(text, `${name} =`)
}

/** Whether the use only runs where the other operands of the test can't hold. */
function isCorrelated(use: Node, operands: readonly Node[], test: Node): boolean {
  const statement = statementAround(use)
  const others = operands.filter(({ id }) => id !== test.id)
  return others.some(({ text }) => /^if/.test(statement.type) && statement.text.includes(text))
}

function weakTestHit(use: Node, { name }: ValueTest, condition: Node): Hit {
  const value = quoteCode(name)
  return {
    at: firstLine(use),
    fallback: firstLine(condition),
    title:
      `Null dereference: ${quoteCode(textAround(use))} is used where ${value} may have no ` +
      'value',
    body:
      `When ${value} has no value, the check ${quoteCode(condition.text)} doesn't always leave, ` +
      'and this fails. Leave in every case without a value.',
    confidence: 0.85,
    evidence: [{ line: lineOf(condition), note: 'the check lets a missing value by' }],
  }
}

/** Checks values that may be missing. */
export const absentValues: readonly SyntaxCheck[] = [
  { nodes: bindingTypes, wholeFunction: true, check: checkLookup },
  { nodes: everyCallType, check: checkChain },
  {
    nodes: ['if_statement', 'if_expression', 'if', 'if_modifier'],
    wholeFunction: true,
    check: checkWeakTest,
  },
]
