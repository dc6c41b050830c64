// Rules about hooks of React that don't run in each render, and keys that change in each.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { findOwnNodes, functionAround } from '../../languages/rules/functions.ts'
import {
  codeChildren,
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'

/** Hooks that are part of React, whatever file calls them. */
const builtInHooks =
  /^use(?:State|Effect|LayoutEffect|InsertionEffect|Context|Reducer|Callback|Memo|Ref|ImperativeHandle|Transition|DeferredValue|Id|SyncExternalStore)$/

/** Libraries whose functions with such names needn't run in order. */
const otherLibraries = /['"](?:vue|@vue\/|solid-js|@builder\.io\/qwik|svelte|nuxt)/

const componentOrHook = /^(?:[A-Z]|use[A-Z\d])/

/** `if (open) useEffect(…)`, and `function format() { useContext(…) }`. */
function checkHook(call: Node, file: ParsedFile): Hit | undefined {
  const hook = hookNameOf(call)
  const fn = functionAround(call)
  if (!hook || !fn || !isReactFile(file)) return undefined
  const name = nameOfFunction(fn)
  if (name === undefined) return isEventHandler(fn) ? hookHit(call, hook, inHandler) : undefined
  if (!componentOrHook.test(name))
    return builtInHooks.test(hook) && isPlainFunction(fn, name)
      ? hookHit(call, hook, outside)
      : undefined
  if (isInBranch(call, fn)) return hookHit(call, hook, inBranch)
  const exit = findEarlierReturn(call, fn)
  if (!exit) return undefined
  const evidence = [{ line: lineOf(exit), note: 'the function can return here' }]
  return { ...hookHit(call, hook, afterReturn), evidence }
}

interface Wording {
  readonly where: string
  readonly when: string
}

const inBranch = {
  where: 'is called conditionally',
  when: 'the condition changes between two renders',
}
const afterReturn = {
  where: 'is called after an early `return`',
  when: 'one render returns early and the next does not',
}
const inHandler = { where: 'is called in an event handler', when: 'the handler runs' }
const outside = {
  where: 'is called in a function that is neither a component nor a hook',
  when: 'this runs outside of a render',
}

function hookHit(call: Node, hook: string, { where, when }: Wording): Hit {
  return {
    at: firstLine(call),
    title: `The hook ${quoteCode(hook)} ${where}`,
    body:
      `When ${when}, React throws or mixes up the state of hooks, which it identifies by their ` +
      'order. Call it at the top of the component, and use its result where it is needed.',
  }
}

/** The name of a hook that is called by itself or as a member of React. */
function hookNameOf(call: Node): string | undefined {
  const { receiver, name } = readCall(call)
  const isHook = /^use[A-Z]\w*$/.test(name) && (!receiver || receiver.text === 'React')
  return isHook ? name : undefined
}

function isReactFile({ path, text }: ParsedFile): boolean {
  if (otherLibraries.test(text)) return false
  return /['"](?:react|preact(?:\/hooks)?)['"]/.test(text) || /\.[jt]sx$/.test(path)
}

/** The name of a function or of the variable that holds it, also through `memo(…)`. */
function nameOfFunction(fn: Node): string | undefined {
  const own = fieldText(fn, 'name')
  if (own) return own
  let holder = fn.parent
  while (holder && /^(?:arguments|call_expression|parenthesized_expression)$/.test(holder.type))
    holder = holder.parent
  const isDirect = holder?.id === fn.parent?.id
  const name = holder?.type === 'variable_declarator' ? fieldText(holder, 'name') : ''
  return isDirect || /^[A-Z]/.test(name) ? name || undefined : undefined
}

/** Whether a function is declared by a name of its own; methods belong to objects of any kind. */
function isPlainFunction(fn: Node, name: string): boolean {
  if (
    fn.type === 'method_definition' ||
    findNodes(fn, 'jsx_element', 'jsx_self_closing_element').length > 0
  )
    return false
  return /^[a-z]/.test(name) && !/^(?:create|make|render|default|with|setup|get)|[hH]ook/.test(name)
}

function isEventHandler(fn: Node): boolean {
  const attribute = fn.parent?.type === 'jsx_expression' ? fn.parent.parent : undefined
  return attribute?.type === 'jsx_attribute' && /^on[A-Z]/.test(attribute.text)
}

/** Whether a call is in a part of its function that doesn't run in each render. */
function isInBranch(call: Node, fn: Node): boolean {
  let node = call
  for (let parent = node.parent; parent && parent.id !== fn.id; parent = parent.parent) {
    if (skipsPart(parent, node)) return true
    node = parent
  }
  return false
}

function skipsPart(parent: Node, part: Node): boolean {
  if (/^(?:while|for|for_in|do)_statement$/.test(parent.type)) return isPartOf(parent, 'body', part)
  if (parent.type === 'if_statement' || parent.type === 'ternary_expression')
    return !isPartOf(parent, 'condition', part)
  if (/^switch_(?:case|default)$/.test(parent.type)) return true
  return /^(?:&&|\|\||\?\?)$/.test(fieldText(parent, 'operator')) && isPartOf(parent, 'right', part)
}

function isPartOf(parent: Node, name: string, part: Node): boolean {
  return field(parent, name)?.id === part.id
}

/** A branch before the statement of a call that may leave the function. */
function findEarlierReturn(call: Node, fn: Node): Node | undefined {
  const body = field(fn, 'body')
  if (body?.type !== 'statement_block') return undefined
  return codeChildren(body)
    .filter((statement) => statement.endIndex <= call.startIndex)
    .filter(({ type }) => type === 'if_statement' || type === 'switch_statement')
    .flatMap((statement) => findOwnNodes(statement, 'return_statement'))
    .find((statement) => functionAround(statement)?.id === fn.id)
}

/** `key={Math.random()}`. */
function checkKey(attribute: Node): Hit | undefined {
  if (attribute.namedChild(0)?.text !== 'key') return undefined
  const value = attribute.namedChild(1)
  const source = value && changingValue.exec(value.text)?.[0]
  if (!source || findNodes(value, 'arrow_function').length > 0) return undefined
  return {
    at: firstLine(attribute),
    title: `The key is another one in each render: ${quoteCode(value.text)}`,
    body:
      'When the component renders again, React removes all of these elements and makes new ones, ' +
      'which lose their state and focus. Use an identifier of the data.',
  }
}

const changingValue =
  /\b(?:Math\.random|Date\.now|performance\.now|crypto\.randomUUID|randomUUID|uuid(?:v[14])?|nanoid)\(|\bnew Date\(\s*\)/

export const hookRules: readonly Rule[] = [
  {
    id: 'conditional-hook',
    summary: 'A hook of React is called conditionally, or outside of a component or hook.',
    seeAlso: ['ESLint `react-hooks/rules-of-hooks`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: ['javascript'], nodes: ['call_expression'], check: checkHook }],
  },
  {
    id: 'changing-key',
    summary: 'The `key` of a React element is a random number or the time.',
    seeAlso: ['SonarSource `S6486`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['javascript'], nodes: ['jsx_attribute'], check: checkKey }],
  },
]
