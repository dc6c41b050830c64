// Finds the texts that are added to variables.
import type { Node } from 'web-tree-sitter'
import { isVariableName } from './bindings.ts'
import { callAndNewTypes, isCall, readCall, valuesPassedTo } from './calls.ts'
import { scopeOf } from './functions.ts'
import { field, findNodes, isWithin } from './syntax-nodes.ts'

/** The types of nodes that add a text to a variable, or may do so. */
export const appendTypes: readonly string[] = [
  ...['augmented_assignment_expression', 'augmented_assignment', 'assignment_statement'],
  ...['assignment_expression', 'assignment', 'operator_assignment', 'compound_assignment_expr'],
  ...['binary', 'binary_expression', 'macro_invocation'],
]

/** Methods that add their arguments to a text or a list. */
const appendMethod =
  /^(?:append|Append|AppendLine|AppendFormat|push_str|concat|WriteString|push|add|write|write_str)$/

/** Functions that write a text into their first argument. */
const formatsInto = /^(?:fmt\.Fprintf|(?:std\.)?(?:sn?|as)printf)$/

/** Texts that are added to a variable. */
interface Append {
  readonly node: Node
  readonly target: Node
  readonly texts: readonly Node[]
}

/** Reads `query += text`, `query << text`, `query.append(text)` and `Fprintf(&query, text)`. */
export function appendOf(node: Node): Append | undefined {
  if (node.type === 'macro_invocation') return writtenBy(node)
  if (isCall(node)) return appendedBy(node)
  const [left, right] = [field(node, 'left'), field(node, 'right')]
  const operator = left && right ? (left.nextSibling?.type ?? '') : ''
  if (!/^(?:\+=|\.=|<<)$/.test(operator)) return undefined
  const inner = left!.type === node.type ? appendOf(left!) : undefined
  const { target, texts } = inner ?? { target: left!, texts: [] }
  return isVariableName(target.text) ? { node, target, texts: [...texts, right!] } : undefined
}

function writtenBy(node: Node): Append | undefined {
  const isWrite = /^write(?:ln)?$/.test(field(node, 'macro')?.text ?? '')
  const target = node.namedChildren.at(-1)?.descendantsOfType('identifier')[0]
  return isWrite && target ? { node, target, texts: [node] } : undefined
}

function appendedBy(call: Node): Append | undefined {
  const { name, plain, receiver } = readCall(call)
  if (formatsInto.test(plain)) {
    const target = readCall(call).args[0]?.descendantsOfType('identifier')[0]
    return target && { node: call, target, texts: [call] }
  }
  if (!receiver || !appendMethod.test(name)) return undefined
  const inner = isCall(receiver) ? appendedBy(receiver) : undefined
  const { target, texts } = inner ?? { target: receiver, texts: [] }
  if (!isVariableName(target.text)) return undefined
  return { node: call, target, texts: [...texts, ...valuesPassedTo(call)] }
}

/** What is added to a variable between its last value and its use. */
export function appendsTo(variable: Node, from: number): Append[] {
  const scope = scopeOf(variable)
  const name = variable.text
  if (!scope || !isVariableName(name)) return []
  const word = RegExp.escape(name)
  const added = new RegExp(`${word}\\s*(?:\\+=|\\.=|<<|(?:\\.|->)\\w)|[(&]${word},`)
  if (!added.test(scope.text.slice(0, variable.startIndex - scope.startIndex))) return []
  return (
    findNodes(scope, ...appendTypes, ...callAndNewTypes)
      .filter((node) => node.startIndex >= from && node.endIndex <= variable.startIndex)
      .flatMap((node) => appendOf(node) ?? [])
      .filter(({ target }) => target.text === name)
      // Of a chain of calls, the last one has all texts.
      .filter(({ node }, _, all) =>
        all.every((other) => other.node.id === node.id || !isWithin(node, other.node)),
      )
  )
}
