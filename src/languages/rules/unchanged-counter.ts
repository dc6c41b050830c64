// Finds functions that call themselves again and pass the number of the attempt unchanged.
import type { Node } from 'web-tree-sitter'
import { callTypes } from './calls.ts'
import { functionTypes } from './functions.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  firstLine,
  quoteCode,
} from './syntax-nodes.ts'

/** Names of parameters that count how often a function has called itself. */
const counterName =
  /^(?!.*(?:max|limit|total))(?:attempts?|retry|retries|tries|depth|hops?|redirects?|\w*(?:attempts?|retry_?count|retries|(?:attempts?|retries|tries)_?(?:left|remaining)|depth|redirects))$/i

/** Larger functions are not read, so that the work is bounded. */
const maxFunctionLength = 20_000
const maxAncestors = 60

const callee = /^(?:(\$?\w+)(?:\.|->|::))?(\w+)$/

function checkSelfCall(call: Node, { declarations, language }: ParsedFile): Hit | undefined {
  const list = findArguments(call)
  if (!list) return undefined
  const [, receiver = '', name] =
    callee.exec(call.text.slice(0, list.startIndex - call.startIndex).trim()) ?? []
  const fn = name && enclosingFunctionNamed(name, call)
  if (!fn || !isOwn(receiver, fn)) return undefined
  const counter = unchangedCounterOf(fn, list)
  if (counter) return unchangedHit(call, name, counter)
  if (!isOnlyOne(fn, name, declarations)) return undefined
  const args = codeChildren(list)
  const isSame =
    isOwnMember(fn, receiver, language) &&
    (passesOwnParameters(fn, call, args, receiver) || alwaysRuns(fn, call, args, receiver))
  return isSame ? sameCallHit(call, name) : undefined
}

/** Rust: a type may have a method of its own with the name, which is called before a trait's. */
export function isOfTrait(fn: Node): boolean {
  const owner = enclosingNode(fn, new Set(['impl_item']))
  return owner !== undefined && field(owner, 'trait') !== undefined
}

/** Whether a call passes a variable that is no parameter, and so goes on with what was found. */
function goesOn(fn: Node, list: Node): boolean {
  const own = parametersOf(functionOf(fn))
  return codeChildren(list).some(({ type, text }) => type === 'identifier' && !own.includes(text))
}

function unchangedCounterOf(fn: Node, list: Node): string | undefined {
  if (fn.text.length > maxFunctionLength || goesOn(fn, list)) return undefined
  const names = codeChildren(list).slice(0, 20).map(passedName)
  return names.find((passed) => counterName.test(passed) && limitsItself(fn, passed))
}

const classTypes: ReadonlySet<string> = new Set([
  ...['class_body', 'class_definition', 'object', 'class_declaration', 'declaration_list'],
  ...['class', 'module'],
])

/** Whether a call with this receiver is one of the function, and not of another with its name. */
function isOwnMember(fn: Node, receiver: string, language: string): boolean {
  const isMember = enclosingNode(fn, classTypes) !== undefined || /^method/.test(fn.type)
  if (receiver !== '') return isMember
  return !isMember || !/^(?:python|javascript|typescript|tsx|php|go|rust)$/.test(language)
}

/** Whether each call of the function comes to the same call again. */
function alwaysRuns(fn: Node, call: Node, args: readonly Node[], receiver: string): boolean {
  const target = functionOf(fn)
  const parameters = parametersOf(target)
  // Other functions of the name differ in their arguments.
  if (parameters.join() !== args.map(passedName).join() || usesOthers.test(fn.text)) return false
  if (parameters.length === 0 && receiver === '') return false
  return !childOf(target, /^explicit_interface/) && isUnconditional(call, target)
}

function parametersOf(target: Node): string[] {
  const list = field(target, 'parameters') ?? childOf(target, /parameters$/)
  const names = list ? codeChildren(list).map(nameOfParameter) : []
  return names.filter((each) => !ownName.test(each))
}

/** Such functions repeat on purpose, or belong to another type. */
const usesOthers = /await|sleep|delay|setTimeout|\bgo |spawn|launch|suspend|\w\.\w+\([^)]*\)\s*=>/

const wrappers =
  /^(?:return|expression)_(?:statement|expression)$|^(?:return|argument_list|expression_list)$|block$|body|^statement_list$|^compound_statement$|^arrow_expression_clause$|^(?:function|method|closure|arrow)/

/** Whether a node is run whenever the function is. */
function isUnconditional(node: Node, fn: Node): boolean {
  let inner = node
  for (let outer = node.parent; outer && inner.id !== fn.id; outer = outer.parent) {
    if (!wrappers.test(outer.type)) return false
    const before = codeChildren(outer).filter(({ endIndex }) => endIndex <= inner.startIndex)
    if (/block|body|list|compound/.test(outer.type) && before.some(({ text }) => exit.test(text)))
      return false
    if (outer.id === fn.id) return true
    inner = outer
  }
  return false
}

const exit =
  /\b(?:return|throw|raise|break|yield|exit|panic|die|abort|check|require|assert)\w*\b|\?[;.]|\?:/

/** Whether no local variable and no function with other parameters has the same name. */
function isOnlyOne(fn: Node, name: string, declarations: ParsedFile['declarations']): boolean {
  if (isOfTrait(fn)) return false
  const others = declarations.functions(name).length + declarations.methods(name).length
  const isHidden = declarations.variables(name).length > 0 && fn.type !== 'variable_declarator'
  return !isHidden && others <= 1
}

const ownName = /^(?:self|cls|&self|&mut self|this)$/

/** Whether a call passes what the function got, and nothing has changed in between. */
function passesOwnParameters(
  fn: Node,
  call: Node,
  args: readonly Node[],
  receiver: string,
): boolean {
  if (enclosingNode(call, functionTypes)?.id !== fn.id) return false
  const target = functionOf(fn)
  const list = field(target, 'parameters') ?? childOf(target, /parameters$/)
  const body = bodyOf(target)
  if (!body || (list && /=|\.\.\.|\*/.test(list.text))) return false
  const expected = parametersOf(target)
  const passed = args.map(passedName)
  const isSame = passed.length === expected.length && passed.join() === expected.join()
  return isSame && isOwnCall(fn, call, receiver) && !changesState(body, expected)
}

/** Whether a call is one of the function, and not of another function with its name. */
function isOwnCall(fn: Node, call: Node, receiver: string): boolean {
  // Kotlin calls the function of the type that was tested: `if (this is Other) name(value)`.
  if (receiver === '' && /\bthis is\b/.test(fn.text)) return false
  return receiver !== '' || (!call.text.endsWith('()') && !needsReceiver(fn, call))
}

/** In JavaScript, a method isn't called by its name alone. Kotlin's call may have a lambda. */
function needsReceiver(fn: Node, call: Node): boolean {
  const isCallee = call.parent?.namedChild(0)?.id === call.id && call.parent.type === call.type
  return (
    fn.type === 'method_definition' ||
    isCallee ||
    call.namedChildren.some(({ type }) => /lambda/.test(type))
  )
}

function childOf(node: Node, type: RegExp): Node | undefined {
  return node.namedChildren.find((child) => type.test(child.type))
}

function functionOf(fn: Node): Node {
  return fn.type === 'variable_declarator' ? (field(fn, 'value') ?? fn) : fn
}

function bodyOf(fn: Node): Node | undefined {
  return field(fn, 'body') ?? childOf(fn, /^function_body$/)
}

function nameOfParameter(parameter: Node): string {
  const name = field(parameter, 'name') ?? field(parameter, 'pattern') ?? parameter
  return /^[&$@]?(?:mut )?(\w+)/.exec(name.text)?.[1] ?? name.text
}

const statementWithEffect =
  /(?:^|[\n;{])\s*(?:await |yield |return await )?(?!return|if|for|while|unless|else|raise|throw|switch|when|case|println|print|log)[\w$@.>!?:()-]{1,80}(?:\(|\.push|<<)|catch|rescue|except|sleep|delay|retry|refresh|[^=!<>]=[^=>].*\bself\.|(?:this|self|\$this|@)(?:\.|->)?\w+\s*(?:=(?!=)|[-+|]{1,2}=|\+\+)|\?\?=/i

/** Whether a function has a statement after which the same call may behave in another way. */
function changesState(body: Node, names: readonly string[]): boolean {
  const code = body.text.replace(/^\s*\{/, '')
  if (statementWithEffect.test(code)) return true
  return names.some((name) =>
    new RegExp(
      `(?<![\\w.])${RegExp.escape(name)}\\s*(?:[-+*/|&?]{0,2}=(?![=>])|\\+\\+|--|\\.\\w+\\()`,
    ).test(code),
  )
}

function sameCallHit(call: Node, name: string): Hit {
  return {
    at: firstLine(call),
    title: `Infinite recursion: ${quoteCode(name)} calls itself with what it was called with`,
    body:
      'When this is reached, the next call takes the same branches and comes here again, until ' +
      'the stack overflows. Call it for the next object, or pass the next value.',
  }
}

/** The name that an argument passes unchanged; empty if there is none. */
function passedName({ text }: Node): string {
  const [, label, value = ''] = /^(?:(\w+)\s*[=:]\s*)?\$?(\w+)$/.exec(text) ?? []
  return !label || label === value ? value : ''
}

function unchangedHit(call: Node, name: string, counter: string): Hit {
  return {
    at: firstLine(call),
    title: `Infinite recursion: ${quoteCode(name)} passes on the same ${quoteCode(counter)}`,
    body:
      `When this repeats, ${quoteCode(counter)} never reaches its limit, and the function calls ` +
      'itself without end. Pass the next value.',
  }
}

function findArguments(call: Node): Node | undefined {
  const list = field(call, 'arguments')
  return list ?? call.namedChildren.find(({ type }) => type === 'value_arguments')
}

const ownerTypes =
  /^(?:function|method|singleton_method|variable_declarator|local_function)(?!\w*(?:call|invocation))/

/** The function around a call that has a name; a variable, if that is set to the function. */
function enclosingFunctionNamed(name: string, call: Node): Node | undefined {
  let node = call.parent
  for (let count = 0; node && count < maxAncestors; count++) {
    if (ownerTypes.test(node.type) && fieldText(node, 'name') === name) return node
    if (/^class/.test(node.type)) return undefined
    node = node.parent
  }
  return undefined
}

function isOwn(receiver: string, fn: Node): boolean {
  if (/^(?:|this|self|Self|static|\$this)$/.test(receiver)) return true
  return fieldText(fn, 'receiver').startsWith(`(${receiver} `)
}

/** Whether a function has the parameter, compares it with a limit, and never changes it. */
function limitsItself(fn: Node, counter: string): boolean {
  const target = functionOf(fn)
  const body = bodyOf(target)
  if (!body) return false
  const head = target.text.slice(0, body.startIndex - target.startIndex)
  if (!new RegExp(`(?<![\\w.])${counter}\\b`).test(head)) return false
  // A named argument isn't an assignment.
  const code = body.text.replaceAll(
    new RegExp(`\\b${counter}\\s*[=:]\\s*\\$?${counter}\\b`, 'g'),
    '',
  )
  const isCompared = new RegExp(
    `(?<![\\w.])${counter}\\s*(?:[<>]|[!=]==?)|[<>]=?\\s*\\$?${counter}\\b`,
  ).test(code)
  const isChanged = new RegExp(
    `(?<![\\w.])${counter}\\s*(?:[-+*]|=(?!=)|:=)|(?:[-+]|\\+\\+|--)\\s*\\$?${counter}\\b|(?:\\b(?:mut|ref|out) |(?<!&)&)${counter}\\b`,
  ).test(code)
  return isCompared && !isChanged
}

/** C#: `string Path => Parent == null ? Name : Path + Name`; Kotlin: `get() = …`. */
function checkOwnProperty(property: Node): Hit | undefined {
  const text = property.text.slice(0, 1_000)
  const name = /(?<![.\w])(\w+)(?:\s*:\s*[\w?<>]+)?\s*(?:=>|\{\s*get\b|\n\s*get\(\))/.exec(
    text,
  )?.[1]
  const body = /(?:=>|\bget\(\)\s*=|\bget\s*\{)([^;]*)/.exec(text)?.[1]
  if (!name || !body || changesState(property, [name])) return undefined
  // A type can have the name of the property, too: `Color Color => new Color(0)`.
  const isType = new RegExp(`\\b${name}\\??(?:<[^<>]*>)? ${name}\\b`).test(text)
  const use = new RegExp(
    `(?<![.\\w"<>])(?:this\\.)${isType ? '' : '?'}${name}(?![\\w(<>"]|\\s*[:=](?!=)|\\s*\\.)`,
  ).exec(body)
  return use ? sameCallHit(property, name) : undefined
}

/** Ruby: `def root` that ends in `root`. */
function checkOwnMethod(method: Node): Hit | undefined {
  const name = fieldText(method, 'name')
  const body = field(method, 'body')
  if (!body || field(method, 'parameters') || !/^[a-z_]\w*[?!]?$/.test(name)) return undefined
  const word = `(?<![.\\w@:"'#])(?:self\\.)?${RegExp.escape(name)}(?![\\w?!:("']| *[-+|]?=(?!=))`
  const call = new RegExp(`(?:^|\\n)\\s*(?:return )?${word}(?:\\s*(?:$|\\n)| [-+*] |\\.)`).exec(
    body.text,
  )
  if (
    !call ||
    changesState(body, []) ||
    new RegExp(`\\b${name} =|\\|${name}\\||, ${name}\\|`).test(body.text)
  )
    return undefined
  const line =
    body.startPosition.row +
    1 +
    body.text.slice(0, call.index + call[0].trimEnd().length).split('\n').length -
    1
  return { ...sameCallHit(method, name), at: { startLine: line, endLine: line } }
}

export const ownProperty: SyntaxCheck = {
  nodes: ['property_declaration'],
  check: checkOwnProperty,
}

export const ownMethod: SyntaxCheck = { nodes: ['method'], check: checkOwnMethod }

export const unchangedCounter: SyntaxCheck = {
  nodes: callTypes,
  check: checkSelfCall,
}
