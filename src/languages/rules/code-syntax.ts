// Describes how languages write calls, texts and bindings, for the checks that they share.
import type { Node } from 'web-tree-sitter'
import { plainCallee } from './callee-words.ts'
import { field } from './syntax-nodes.ts'

/** How a language writes what shared checks look at. */
export interface CodeSyntax {
  /** The types of nodes that are calls, also of constructors. */
  readonly calls: readonly string[]
  /** Returns the callee as it is written, such as `$this->db->query`. */
  readonly calleeOf: (call: Node) => string
  /** Returns the values that are passed. */
  readonly argumentsOf: (call: Node) => Node[]
  readonly functions: readonly string[]
  /** The types of nodes that are texts, with and without inserted values. */
  readonly literals: readonly string[]
  /** Matches a value in a literal that the grammar takes for fixed text. */
  readonly bareInsertion?: RegExp
  /** The operator that joins texts. */
  readonly joiner: '+' | '.'
  /** The types of nodes that give a variable its value. */
  readonly bindings: readonly string[]
  /** Returns which variable a binding sets, and to what. */
  readonly bindingOf: (node: Node) => { name: string; value: Node } | undefined
  /** Returns what stands for a node, such as `x` for `&x`. */
  readonly unwrap?: (node: Node) => Node | undefined
  /** Whether a bare name is a variable; without it, every one is. */
  readonly declares?: (name: string, at: Node) => boolean
  /** Expressions that hold what a user sent. */
  readonly request: RegExp
}

export function isCall(node: Node, syntax: CodeSyntax): boolean {
  return syntax.calls.includes(node.type)
}

let last: { readonly call: Node; readonly name: string } | undefined

/** The callee of a call in the form that the tables of functions have. */
export function calleeName(call: Node, syntax: CodeSyntax): string {
  // All checks ask for the same call, one directly after the other.
  if (last?.call !== call) last = { call, name: plainCallee(syntax.calleeOf(call)) }
  return last.name
}

/** The last part of the name of the function that is called. */
export function methodName(call: Node, syntax: CodeSyntax): string {
  return /\w+$/.exec(calleeName(call, syntax))?.[0] ?? ''
}

const memberTypes = /member|attribute|selector|navigation|field|scoped/

/** The value whose method is called. */
export function receiverOf(call: Node): Node | undefined {
  const own = field(call, 'receiver') ?? field(call, 'object')
  if (own) return own
  const callee = field(call, 'function') ?? call.namedChild(0)
  return callee && memberTypes.test(callee.type) ? (callee.namedChild(0) ?? undefined) : undefined
}

/** Removes the prefix and the quotation marks of a literal. */
export function contentOf(literal: string): string {
  return literal.replace(/^[$@a-zA-Z]{0,3}#*("""|"|'|`)([\s\S]*)\1#*$/, '$2')
}
