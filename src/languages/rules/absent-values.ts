// Finds values that may be missing and are used without a test.
import type { Node } from 'web-tree-sitter'
import { bindingTypes, readVariable, type VariableBinding } from './bindings.ts'
import { callAndNewTypes, isCall, readCall } from './calls.ts'
import { isUnwatched } from './developer-tools.ts'
import { functionAround } from './functions.ts'
import { isLookup, lookupIn } from './lookups.ts'
import { awaitedValue } from './operations.ts'
import { statementAround } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { field, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'
import { firstUseAfter, isDereferenced, isReached, textAround } from './value-uses.ts'
import { weakTests } from './weak-tests.ts'

/** `x = list.find(…)`, and then `x.name`. */
function checkLookup(node: Node, file: ParsedFile): Hit | undefined {
  if (isUnwatched(file.path)) return undefined
  const binding = readVariable(node)
  if (binding?.targets.length !== 1 || !isWholeStatement(node) || isHandled(node)) return undefined
  const use = firstUseAfter(binding.name, statementAround(node), file)
  if (!use) return undefined
  const lookup = lookupIn(binding.value, file) ?? safelyRead(binding, node, use, file)
  if (testsMember(binding.name, file.text.slice(node.endIndex, use.startIndex))) return undefined
  if (!lookup || isKnownToExist(lookup, file) || isDocumented(node, file)) return undefined
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

/** Compilers of other languages require `?.` only where a value may be missing. */
const readsSafely = /^(?:c-sharp|php|ruby|javascript)$/

/** The value of a variable that is first read as `x?.name`, and then as `x.name`. */
function safelyRead(
  { name, value }: VariableBinding,
  node: Node,
  use: Node,
  { language, text }: ParsedFile,
): Node | undefined {
  if (!readsSafely.test(language) || !isCall(awaitedValue(value))) return undefined
  const between = text.slice(node.endIndex, use.startIndex)
  const read = new RegExp(`(?<![\\w$.])${RegExp.escape(name)}(?:\\?\\.|&\\.|\\?->)`)
  return read.test(between) ? awaitedValue(value) : undefined
}

/** Whether code tests what it read of a value: `blob = store?.blob`, `if (blob is null) return`. */
function testsMember(name: string, code: string): boolean {
  const own = RegExp.escape(name)
  const member = new RegExp(`(\\w+)\\s*=\\s*${own}(?:\\?\\.|&\\.|\\?->)`).exec(code)?.[1]
  return member !== undefined && new RegExp(`\\b(?:if|unless)\\b[^\\n]*\\b${member}\\b`).test(code)
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

/** Whether the function tests for the value that is looked up before. */
function isKnownToExist(lookup: Node, file: ParsedFile): boolean {
  const fn = functionAround(lookup)
  const before = fn
    ? fn.text.slice(0, lookup.startIndex - fn.startIndex)
    : file.text.slice(Math.max(0, lookup.startIndex - 500), lookup.startIndex)
  const receiver = isCall(lookup) ? readCall(lookup).receiver : field(lookup, 'operand')
  const owner = receiver ? RegExp.escape(receiver.text.slice(0, 100)) : undefined
  if (!owner) return false
  if (
    new RegExp(`\\bis(?:Not)?(?:Empty|Blank|Null)\\(${RegExp.escape(lookup.text)}\\)`).test(before)
  )
    return true
  return new RegExp(
    `${owner}\\??(?:\\.|->)(?:has|contains\\w*|Contains\\w*|set|put|exists?\\??|some|any\\??|Any|test|matches|[mM]atch\\w*|IsMatch|is_match|add|key\\?|include\\?|count)\\(|\\bin ${owner}\\b|${owner}\\[[^\\]\\n]+\\] ?=[^=]`,
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

/** Checks values that may be missing. */
export const absentValues: readonly SyntaxCheck[] = [
  { nodes: bindingTypes, wholeFunction: true, check: checkLookup },
  { nodes: callAndNewTypes, check: checkChain },
  ...weakTests,
]
