// Rules about React components: effects without cleanup, and state that is changed in place.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { findOwnNodes, isFunction } from '../../languages/rules/functions.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  field,
  fieldText,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { originOf } from './value-origins.ts'

/** Resources that an effect starts: `end` matches an effect that handles the end of them. */
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
  if (!/^use(?:Layout)?Effect$/.test(readCall(call).name)) return undefined
  const effect = readCall(call).args[0]
  if (!effect || !isFunction(effect)) return undefined
  if (field(effect, 'body')?.type !== 'statement_block') return undefined
  const returns = findOwnNodes(effect, 'return_statement')
  if (returns.some((statement) => statement.namedChildCount > 0)) return undefined
  for (const start of findOwnNodes(effect, 'call_expression', 'new_expression')) {
    const isNew = start.type === 'new_expression'
    const callee = isNew ? `new ${fieldText(start, 'constructor')}` : fieldText(start, 'function')
    const kind = effectResources.find((candidate) => candidate.call.test(callee))
    if (!kind || kind.end.test(effect.text)) continue
    return {
      at: firstLine(start),
      fallback: firstLine(call),
      title:
        `The ${kind.what} that this effect creates with ${quoteCode(callee)} is never cleaned ` +
        'up',
      body:
        `When the component unmounts or the effect runs again, the ${kind.what} stays active, ` +
        'one more each time. Return a cleanup function from the effect.',
    }
  }
  return undefined
}

const arrayChanges = /^(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)$/

/** Finds the state that is changed: `const [items, setItems] = useState([])` … `items.push(x)`. */
function findState({ node, text }: Match, file: ParsedFile): Partial<Hit> | undefined {
  const state = originOf(text('STATE'), node, file)
  if (!state || !isStateOf(state, text('STATE'))) return undefined
  // Objects of the project may have methods such as `add` that change nothing.
  if (!arrayChanges.test(text('METHOD')) && !holdsCollection(state.value)) return undefined
  return { evidence: [{ line: lineOf(state.node), note: 'the state' }] }
}

/** Whether the origin declares the name as the value of `useState`. */
function isStateOf({ node, value }: { node: Node; value: Node }, name: string): boolean {
  const pattern = field(node, 'name')
  if (pattern?.type !== 'array_pattern' || pattern.namedChild(0)?.text !== name) return false
  return /^(?:React\.)?useState\b/.test(value.text)
}

function holdsCollection(initial: Node): boolean {
  return /new (?:Map|Set)\b|useState<(?:Map|Set)</.test(initial.text.slice(0, 300))
}

export const reactRules: readonly Rule[] = [
  {
    id: 'effect-without-cleanup',
    summary: 'A React effect adds a listener, timer or connection and returns no cleanup function.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: ['javascript'], nodes: ['call_expression'], check: checkEffect }],
  },
  {
    id: 'mutated-state',
    summary: "A value from React's `useState` is mutated in place.",
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    title: 'The state $STATE is mutated in place',
    body:
      'When this runs, $STATE stays the same object, so React sees no change and ' +
      "doesn't render. Make a copy, and set that.",
    patterns: { javascript: ['$STATE.$METHOD($$$)'] },
    where: {
      METHOD:
        /^(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|add|set|delete|clear)$/,
      STATE: ({ type }) => type === 'identifier',
    },
    refine: findState,
  },
]
