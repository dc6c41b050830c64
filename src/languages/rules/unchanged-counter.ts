// Finds functions that call themselves again and pass the number of the attempt unchanged.
import type { Node } from 'web-tree-sitter'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import {
  allCallTypes,
  codeChildren,
  field,
  fieldText,
  firstLine,
  quoteCode,
} from './syntax-nodes.ts'

/** Names of parameters that count how often a function has called itself. */
const counterName =
  /^(?!.*(?:max|limit|total))(?:attempts?|retry|retries|tries|depth|hops?|redirects?|\w*(?:attempts?|retry_?count|retries|(?:attempt|retries|tries)_?left|depth|redirects))$/i

/** Larger functions are not read, so that the work is bounded. */
const maxFunctionLength = 20_000
const maxAncestors = 60

const callee = /^(?:(\$?\w+)(?:\.|->|::))?(\w+)$/

function checkSelfCall(call: Node): Hit | undefined {
  const list = findArguments(call)
  if (!list) return undefined
  const [, receiver = '', name] =
    callee.exec(call.text.slice(0, list.startIndex - call.startIndex).trim()) ?? []
  const fn = name && enclosingFunctionNamed(name, call)
  if (!fn || fn.text.length > maxFunctionLength || !isOwn(receiver, fn)) return undefined
  const counter = codeChildren(list)
    .slice(0, 20)
    .map(passedName)
    .find((passed) => counterName.test(passed) && limitsItself(fn, passed))
  return counter ? unchangedHit(call, name, counter) : undefined
}

/** The name that an argument passes unchanged; empty if there is none. */
function passedName({ text }: Node): string {
  const [, label, value = ''] = /^(?:(\w+)\s*[=:]\s*)?\$?(\w+)$/.exec(text) ?? []
  return !label || label === value ? value : ''
}

function unchangedHit(call: Node, name: string, counter: string): Hit {
  return {
    at: firstLine(call),
    title: `${quoteCode(name)} calls itself again with the same ${quoteCode(counter)}`,
    body:
      `When this repeats, ${quoteCode(counter)} never reaches its limit, and the function calls ` +
      'itself without end. Pass the next value.',
  }
}

function findArguments(call: Node): Node | undefined {
  const list = field(call, 'arguments')
  return list ?? call.namedChildren.find(({ type }) => type === 'value_arguments')
}

/** The function around a call that has a name; a variable, if that is set to the function. */
function enclosingFunctionNamed(name: string, call: Node): Node | undefined {
  let node = call.parent
  for (let count = 0; node && count < maxAncestors; count++) {
    if (/^(?:function|method|singleton_method|variable_declarator|local_function)/.test(node.type))
      if (fieldText(node, 'name') === name) return node
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
  const target = fn.type === 'variable_declarator' ? (field(fn, 'value') ?? fn) : fn
  const body =
    field(target, 'body') ?? target.namedChildren.find(({ type }) => type === 'function_body')
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

export const unchangedCounter: SyntaxCheck = {
  nodes: allCallTypes,
  check: checkSelfCall,
}
