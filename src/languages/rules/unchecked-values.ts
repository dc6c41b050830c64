// Finds values that are taken out of optional results and collections that may be empty.
import type { Node } from 'web-tree-sitter'
import { bindingTypes, readVariable } from './bindings.ts'
import { callAndNewTypes, callAround, isCall, readCall } from './calls.ts'
import { isUnwatched } from './developer-tools.ts'
import { functionAround } from './functions.ts'
import { statementAround } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstField,
  firstLine,
  quoteCode,
  textOf,
} from './syntax-nodes.ts'

/** How much of a function is searched for a test. */
const maxLength = 20_000

function codeBefore(node: Node): string {
  const fn = functionAround(node)
  return fn ? fn.text.slice(0, node.startIndex - fn.startIndex).slice(-maxLength) : ''
}

/** The code that gives a variable its value before a use; undefined for parameters and fields. */
function findValueOf(variable: Node): Node | undefined {
  const fn = functionAround(variable)
  if (!fn || !/^(?:identifier|variable_name)$/.test(variable.type)) return undefined
  const bindings = findNodes(fn, ...bindingTypes)
    .filter(({ endIndex }) => endIndex <= variable.startIndex)
    .map(readVariable)
    .filter((binding) => binding?.name === variable.text)
  return bindings.length === 1 ? bindings[0]!.value : undefined
}

/** Calls that give an `Optional` without a value, or null, when they find nothing. */
const optionalCall =
  /^(?:findFirst|findAny|min|max|reduce|findById|findOne|findBy[A-Z]\w*|ofNullable|findLast)$/

/** Java and Kotlin: `get()` of an `Optional`, also through a variable. */
function checkOptional(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name, args } = readCall(call)
  if (!receiver || args.length > 0 || !/^get(?:AsInt|AsDouble|AsLong)?$/.test(name))
    return undefined
  const made = isCall(receiver) ? receiver : findValueOf(receiver)
  if (!made || !isCall(made) || isTested(receiver.text, call)) return undefined
  if (!givesOptional(made, receiver, file) && !isDeclaredOptional(receiver, call)) return undefined
  const maker = quoteCode(readCall(made).name)
  return uncheckedHit(
    call,
    `\`${name}\` is called on the \`Optional\` of ${maker} without checking that it has a value`,
    `When it is empty, \`${name}\` throws a \`NoSuchElementException\`. Use \`orElseThrow\` with ` +
      'a reason, or `orElse`.',
  )
}

function givesOptional(made: Node, receiver: Node, { language }: ParsedFile): boolean {
  const { name } = readCall(made)
  if (!optionalCall.test(name) || language !== 'java') return false
  if (made.id !== receiver.id) return true
  // Patterns report direct calls of the others.
  return /^(?:min|max|reduce)$/.test(name)
    ? /[sS]tream/.test(made.text) && !/^Stream\.of\(/.test(made.text)
    : /^findBy[A-Z](?!d$)/.test(name)
}

function isDeclaredOptional({ text, type }: Node, call: Node): boolean {
  if (type !== 'identifier') return false
  return new RegExp(`\\bOptional(?:Int|Double|Long|<.{1,80}>) +${text}\\b`).test(codeBefore(call))
}

const emptinessTests =
  'isPresent|isEmpty|ifPresent|orElse\\w*|isNotEmpty|length|size|count|Count|Any|any\\?|empty\\?|present\\?|is_empty|len|is_some|nil\\?|isNullOrEmpty|first|indices'

/** Whether the function tests a value before: `list.isEmpty()`, `len(list)`, `if (list)`. */
export function isTested(name: string, use: Node): boolean {
  const own = RegExp.escape(name)
  return (
    new RegExp(
      `${own}\\)?[?!]?(?:\\.|->)(?:${emptinessTests})\\b|\\b(?:len|count|empty|isset|is_array|array_key_exists|is(?:Not)?Empty|isNullOrEmpty)\\(\\s*\\S{0,40}${own}|(?:\\bif|\\bunless|\\bnot|\\bassert|\\bwhile|&&|\\|\\||!|\\?)\\s*\\(?\\s*${own}\\b\\s*(?:\\)|:|\\{|&&|and\\b|\\?|==|!=|is\\b|===|!==|$)|\\b(?:in|of|range) ${own}\\b|\\b(?:nil|null|None) [!=]==? ${own}|require\\w*\\([^)\\n]*${own}|(?:assert|check|expect)\\w*!?\\(.{0,60}${own}`,
      'm',
    ).test(codeBefore(use)) || testsResultOf(own, codeBefore(use))
  )
}

/** Whether code tests what it computed from a value: `n = overlap(list)`, `if n > 0`. */
function testsResultOf(own: string, code: string): boolean {
  const results = code.matchAll(
    new RegExp(`(\\w+)\\s*:?=(?!=)[^;=]{0,160}?\\(\\s*&?${own}[,).]`, 'g'),
  )
  return [...results].some(({ 0: text, 1: name, index }) =>
    new RegExp(`\\b(?:if|while|unless|when)\\b[^\\n]*(?<!\\w)${name}\\b`).test(
      code.slice(index + text.length),
    ),
  )
}

function uncheckedHit(node: Node, title: string, body: string): Hit {
  return { at: firstLine(node), title, body, confidence: 0.75 }
}

/** Calls that give a list which may be empty. */
const listCall =
  /^(?:filterNot|filterNotNull|filter_map|mapNotNull|select|reject|grep|list\w*|List\w*|search\w*|Search\w*|find(?:All|Many|_all|_many)\w*|findBy\w*|Find(?:All|Many)\w*|query\w*|Query\w*|glob|where|Where|get_all|getAll\w*|GetAll\w*|fetchAll\w*|fetchall|fetch_all|collect|toList|ToList|sorted\w*|sort_by|to_a|all|array_filter|array_values|glob|intersect|OrderBy\w*|execute|run)$/

/** `rows = list()`, and then `rows[0]`. */
function checkFirst(node: Node, file: ParsedFile): Hit | undefined {
  if (isUnwatched(file.path) || isInTest(node, file)) return undefined
  const list = firstOfList(node, file)
  if (!list || !failsWithout(node, file)) return undefined
  const made = isCall(list) ? list : findValueOf(list)
  const maker = made && !isKnown(made) ? listMakerOf(made) : undefined
  if (!maker || maker === 'list' || isTested(list.text, node) || isInTry(node)) return undefined
  return uncheckedHit(
    node,
    `${quoteCode(node.text)} fails when ${quoteCode(list.text)} is empty`,
    `When ${quoteCode(maker)} finds nothing, there is no such element. Test for an empty result ` +
      'first.',
  )
}

/** Whether a list is of an own method, or of a key that was tested: `if "length" in headers`. */
function isKnown(made: Node): boolean {
  const { receiver, name, args } = readCall(made)
  const key = textOf(args[0])
  const isOwn = !receiver && /^getAll/.test(name)
  return isOwn || (key !== '' && codeBefore(made).includes(`${key} in `))
}

/** The collection whose first or last element is read. */
function firstOfList(node: Node, file: ParsedFile): Node | undefined {
  if (isCall(node)) return receiverOfFirst(node, file)
  const list = firstField(node, ['object', 'operand', 'value']) ?? node.namedChild(0)
  const index = firstField(node, ['index', 'subscript']) ?? node.namedChildren.at(-1)
  return list && /^\[?(?:0|-1)\]?$/.test(textOf(index)) ? list : undefined
}

/** The list of `list.first()` in Kotlin, and of `list.get(0)` in Java. */
function receiverOfFirst(call: Node, { language }: ParsedFile): Node | undefined {
  const { receiver, name, args } = readCall(call)
  const first = textOf(args[0])
  const isKotlin = language === 'kotlin' && /^(?:first|last|single|random)$/.test(name)
  if (isKotlin) return first === '' && !call.text.endsWith('}') ? receiver : undefined
  const isJava = language === 'java' && /^get 0$|^get(?:First|Last) $/.test(`${name} ${first}`)
  return isJava ? receiver : undefined
}

/** Languages in which reading an element that is missing gives nothing, without an error. */
const givesNothing = /^(?:javascript|typescript|tsx|php|ruby)$/

function failsWithout(node: Node, { language }: ParsedFile): boolean {
  if (/^assignment/.test(node.parent?.type ?? '') && field(node.parent!, 'left')?.id === node.id)
    return false
  if (!givesNothing.test(language)) return true
  const { parent } = node
  if (!parent || field(parent, 'optional_chain')) return false
  const isObject = ['object', 'receiver'].some((name) => field(parent, name)?.id === node.id)
  return isObject && !parent.children.some(({ type }) => /^(?:\?\.|&\.|\?->)$/.test(type))
}

function listMakerOf(made: Node): string | undefined {
  let value = made
  while (/^(?:await|try_expression|parenthesized)/.test(value.type)) value = value.namedChild(0)!
  if (!isCall(value)) return undefined
  const { name, receiver, args } = readCall(value)
  if (
    /^(?:collect|toList|ToList|to_a|sorted\w*|sort_by|array_values|execute|run|all)$/.test(name)
  ) {
    const inner = receiver && isCall(receiver) ? receiver : args[0]
    return inner && isCall(inner) ? listMakerOf(inner) : undefined
  }
  // A statement that reads no table gives one row.
  const text = textOf(args[0])
  const isRow = /\bselect\b(?![\s\S]*\bfrom\b)|\bpragma\b/i.test(text)
  return listCall.test(name) && !isRow ? name : undefined
}

function isInTry(node: Node): boolean {
  const statement = statementAround(node)
  return /^try/.test(statement.parent?.parent?.type ?? '')
}

/** Kotlin's `map[key]!!`, and Rust's `map.get(key).unwrap()`. */
const kotlinLookup =
  /^(?:find|firstOrNull|lastOrNull|singleOrNull|m(?:ax|in)(?:By|Of|With)?OrNull|getOrNull|listFiles|getResourceAsStream|getParameter|getHeader|getenv|toIntOrNull|toLongOrNull|toDoubleOrNull)$/

function isSearch(name: string): boolean {
  return /^(?:find|first|last|single|m(?:ax|in))/.test(name)
}

const kotlinBranches = new Set(['if_expression', 'when_expression', 'when_entry'])

function checkAsserted(node: Node, file: ParsedFile): Hit | undefined {
  const value = field(node, 'argument')
  if (!value || isUnwatched(file.path) || !node.text.endsWith('!!')) return undefined
  const owner = lookedUpIn(value, file)
  if (!owner || hasKeyTest(owner.text, node) || codeBefore(node).includes(value.text))
    return undefined
  // The condition of a branch mostly makes it certain that a search finds something.
  if (isSearch(readCall(value).name) && enclosingNode(node, kotlinBranches)) return undefined
  return uncheckedHit(
    node,
    `\`!!\` fails when ${quoteCode(value.text)} finds nothing`,
    'When there is no such value, this throws a `NullPointerException` that gives no reason. ' +
      'Handle that case with `?:`.',
  )
}

/** The object that a value is searched in; undefined for other values. */
function lookedUpIn(value: Node, { path }: ParsedFile): Node | undefined {
  if (!isCall(value)) return undefined
  const { name, receiver } = readCall(value)
  const isAsked = /^find(?:ById|By[A-Z]\w*)/.test(name) && /Controller|Routes/.test(path)
  const isLookup = name === 'find' ? value.text.endsWith('}') : kotlinLookup.test(name)
  return isAsked || isLookup ? receiver : undefined
}

function hasKeyTest(owner: string, use: Node): boolean {
  const own = RegExp.escape(owner.slice(0, 100))
  return new RegExp(
    `${own}\\??\\.(?:contains\\w*|has|any|getOrPut|putIfAbsent|insert|entry|push|put|add|isNotEmpty|isEmpty|is_empty|len|size|all|none)\\b|\\bin ${own}\\b|${own}\\[[^\\]\\n]{1,80}\\] ?=[^=]`,
  ).test(codeBefore(use))
}

const requestMap =
  /(?:query|params|headers?(?:\(\))?|form|args|cookies|vars|payload|body|fields|claims|attributes|meta(?:data)?)$/i

/** Rust: `params.get("id").unwrap()`, where a client may leave the value out. */
function checkUnwrap(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = readCall(call)
  if (name !== 'unwrap' || !receiver || !isCall(receiver) || isUnwatched(file.path))
    return undefined
  if (!functionAround(call) || isInTest(call, file) || !mayFindNothing(receiver, call))
    return undefined
  const from = textOf(readCall(receiver).receiver)
  const owner = from.replace(/\.(?:iter|into_iter|values|keys)\(\).*$/s, '')
  if (hasKeyTest(owner, call) || isTested(owner, call) || isGroup(owner, call)) return undefined
  return uncheckedHit(
    call,
    `${quoteCode(call.text)} panics when there is no such value`,
    `When ${quoteCode(receiver.text)} gives \`None\`, the thread panics. Return an error with ` +
      '`ok_or` and `?`, or handle `None`.',
  )
}

/** Whether a value is a parameter of a closure that gets groups, which are never empty. */
function isGroup(name: string, use: Node): boolean {
  const closure = functionAround(use)
  const call = closure && callAround(closure)
  return (
    call !== undefined &&
    new RegExp(`^\\|&?${RegExp.escape(name)}\\|$`).test(fieldText(closure!, 'parameters')) &&
    /(?:group_by|chunk_by|chunks|windows)\w*\([^{};]*$/.test(textOf(readCall(call).receiver))
  )
}

/** Whether a client or the data decide whether a call gives a value. */
function mayFindNothing(looked: Node, use: Node): boolean {
  const { name, receiver } = readCall(looked)
  const from = textOf(receiver)
  if (name === 'get') return requestMap.test(from)
  if (/^(?:split_once|rsplit_once|captures|first|max|min|max_by\w*|min_by\w*)$/.test(name))
    return from !== ''
  // The first part of a text always exists, and so does another case of a letter.
  if (/\.to_(?:lower|upper)case\(\)$/.test(from)) return false
  if (name === 'next')
    return /\bsplit\w*\(/.test(from) || /\.next\(\)/.test(codeBefore(use).slice(-200))
  return name === 'last' || (name === 'nth' && /\bsplit\w*\(/.test(from))
}

function isInTest(node: Node, { text, language }: ParsedFile): boolean {
  if (language !== 'rust') return false
  const tests = text.indexOf('#[cfg(test)]')
  return (
    (tests >= 0 && node.startIndex > tests) ||
    fieldText(functionAround(node) ?? node, 'name') === 'main'
  )
}

/** C#: `map.TryGetValue(key, out var value);` as a statement. */
function checkTryGet(statement: Node): Hit | undefined {
  const call = statement.namedChild(0)
  const fn = functionAround(statement)
  if (call?.type !== 'invocation_expression' || !fn) return undefined
  const { name, receiver } = readCall(call)
  const variable = /\bout (?:var|[\w<>?]+) (\w+)\)$/.exec(call.text)?.[1]
  if (!/^Try(?:GetValue|Get|Dequeue|Pop|Take|Peek|Remove)$/.test(name) || !variable)
    return undefined
  // Their values are a struct, which is never null.
  if (/(?:Headers|Query|Form)$/.test(textOf(receiver))) return undefined
  const rest = fn.text.slice(statement.endIndex - fn.startIndex)
  const next = new RegExp(`\\b${variable}\\b(.{0,3})`, 's').exec(rest)?.[1] ?? ''
  if (!/^\.\w/.test(next)) return undefined
  return uncheckedHit(
    statement,
    `\`${variable}\` is used although \`${name}\` may have found nothing`,
    `When ${quoteCode(textOf(receiver))} has no such value, \`${variable}\` is null, and its use ` +
      'throws a `NullReferenceException`. Test the result.',
  )
}

/** Checks of languages whose values are wrapped. */
export const uncheckedOptional = {
  java: { nodes: ['method_invocation'], check: checkOptional },
  kotlin: [
    { nodes: ['unary_expression'], check: checkAsserted },
    { nodes: ['call_expression'], check: checkOptional },
  ],
  rust: { nodes: ['call_expression'], check: checkUnwrap },
  cSharp: { nodes: ['expression_statement'], check: checkTryGet },
} satisfies Readonly<Record<string, SyntaxCheck | readonly SyntaxCheck[]>>

/** Checks reads of the first or last element. */
export const uncheckedFirst: SyntaxCheck = {
  nodes: [
    ...['subscript_expression', 'index_expression', 'subscript', 'element_reference'],
    ...callAndNewTypes,
  ],
  check: checkFirst,
}
