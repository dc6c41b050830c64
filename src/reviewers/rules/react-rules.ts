// Rules about components of React: effects that leave something behind, state that is changed in place.
import type { Node } from 'web-tree-sitter'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  field,
  fieldText,
  findOwnNodes,
  firstLine,
  isFunction,
  lineOf,
  quoteCode,
} from './syntax-nodes.ts'
import { originOf } from './value-origins.ts'

/** What an effect starts, and what ends it. */
const effectResources: readonly {
  readonly call: RegExp
  readonly end: RegExp
  readonly what: string
}[] = [
  {
    call: /(?:^|\.)addEventListener$/,
    end: /removeEventListener|\bsignal\b|\bonce\b|abort/,
    what: 'listener',
  },
  { call: /^(?:window\.)?setInterval$/, end: /clearInterval/, what: 'timer' },
  {
    call: /^new (?:ResizeObserver|IntersectionObserver|MutationObserver|WebSocket|EventSource)\b/,
    end: /disconnect\(|unobserve\(|close\(/,
    what: 'connection',
  },
]

function checkEffect(call: Node): Hit | undefined {
  const { name } = calleeOf(call)
  const effect = /^use(?:Layout)?Effect$/.test(name) ? argumentsOf(call)[0] : undefined
  const body = effect && isFunction(effect) ? field(effect, 'body') : undefined
  if (!effect || body?.type !== 'statement_block') return undefined
  if (findOwnNodes(effect, 'return_statement').some((statement) => statement.namedChildCount > 0))
    return undefined
  for (const start of findOwnNodes(effect, 'call_expression', 'new_expression')) {
    const callee =
      start.type === 'new_expression'
        ? `new ${fieldText(start, 'constructor')}`
        : fieldText(start, 'function')
    const kind = effectResources.find((candidate) => candidate.call.test(callee))
    if (!kind || kind.end.test(effect.text)) continue
    return {
      at: firstLine(start),
      fallback: firstLine(call),
      title: `The ${kind.what} that this effect starts with ${quoteCode(callee)} is never ended`,
      body: `When the component unmounts or the effect runs again, the ${kind.what} stays and goes on calling into a component that is gone, one more each time. Return a function from the effect that ends it.`,
    }
  }
  return undefined
}

const arrayChanges = /^(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)$/

const collectionChanges = /^(?:add|set|delete|clear)$/

/** `const [items, setItems] = useState([])` … `items.push(x)`. */
function checkState(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (receiver?.type !== 'identifier' || !(arrayChanges.test(name) || collectionChanges.test(name)))
    return undefined
  const origin = originOf(receiver.text, call, file)
  const pattern = origin && field(origin.node, 'name')
  if (pattern?.type !== 'array_pattern' || pattern.namedChild(0)?.text !== receiver.text)
    return undefined
  if (!/^(?:React\.)?useState\b/.test(origin!.value.text)) return undefined
  const isCollection = /new (?:Map|Set)\b|useState<(?:Map|Set)</.test(
    origin!.value.text.slice(0, 300),
  )
  if (!isCollection && !arrayChanges.test(name)) return undefined
  return {
    at: firstLine(call),
    title: `The state ${quoteCode(receiver.text)} is changed in place`,
    body: `When this runs, ${quoteCode(receiver.text)} stays the same object, so React sees no change: nothing is rendered, and memoised values and earlier snapshots change behind its back. Make a copy, and set that.`,
    evidence: [{ line: lineOf(origin!.node), note: 'the state' }],
  }
}

export const reactRules: readonly Rule[] = [
  {
    id: 'effect-without-cleanup',
    summary:
      'React: an effect adds a listener, timer or connection and returns nothing that ends it.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: javascriptFamily, nodes: ['call_expression'], check: checkEffect }],
  },
  {
    id: 'mutated-state',
    summary: 'React: a value from `useState` is changed in place.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: javascriptFamily, nodes: ['call_expression'], check: checkState }],
  },
]
