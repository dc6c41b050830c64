// Reads calls and the texts that code builds, in languages whose checks share the same ideas.
import type { Node } from 'web-tree-sitter'
import { enclosingNode, field, findNodes } from './syntax-nodes.ts'

/** How a language writes what the checks of `danger-checks.ts` look at. */
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
  /** Matches an inserted value in the source of a literal; one of its groups is the value. */
  readonly insertion: (literal: string) => RegExp | undefined
  /** The operator that joins texts. */
  readonly joiner: '+' | '.'
  /** The types of nodes that give a variable its value. */
  readonly bindings: readonly string[]
  /** Returns which variable a binding sets, and to what. */
  readonly bindingOf: (node: Node) => { name: string; value: Node } | undefined
  /** Returns what stands for a node, such as `x` for `&x` or `x.c_str()`. */
  readonly unwrap?: (node: Node) => Node | undefined
  /** Returns the template and the values of a call that formats a text. */
  readonly formatOf?: (node: Node) => readonly Node[] | undefined
  /** Whether a bare name is a variable; without it, every one is. */
  readonly declares?: (name: string, at: Node) => boolean
  /** Expressions that hold what a user sent. */
  readonly request: RegExp
}

/** It is a value in a text, with the text before it. */
export interface InsertedValue {
  readonly code: string
  readonly before: string
  /** The node that holds it, near enough to look up its variable. */
  readonly node: Node
}

interface BuiltText {
  readonly text: string
  readonly values: readonly InsertedValue[]
}

type Part = string | Pick<InsertedValue, 'code' | 'node'>

/** How many variables are followed to the code that builds their text. */
const maxSteps = 3
const maxLength = 4_000

/** Splits a text into what is fixed and what is inserted; undefined if it has no fixed part. */
export function builtTextOf(node: Node, syntax: CodeSyntax): BuiltText | undefined {
  const parts = partsOf(node, syntax, maxSteps)
  if (!parts.some((part) => typeof part === 'string')) return undefined
  let text = ''
  const values: InsertedValue[] = []
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else {
      values.push({ ...part, before: text })
      text += '\0'
    }
  }
  return { text, values }
}

function partsOf(node: Node, syntax: CodeSyntax, steps: number): Part[] {
  const formatted = syntax.formatOf?.(node)
  if (formatted?.[0]) return formattedParts(formatted[0], formatted.slice(1))
  if (syntax.literals.includes(node.type)) return literalParts(node, syntax)
  const inner = /^parenthesized/.test(node.type) ? node.namedChild(0) : syntax.unwrap?.(node)
  if (inner) return partsOf(inner, syntax, steps)
  const left = field(node, 'left')
  const right = field(node, 'right')
  if (left && right && operatorOf(node) === syntax.joiner)
    return [...partsOf(left, syntax, steps), ...partsOf(right, syntax, steps)]
  return boundParts(node, syntax, steps) ?? [{ code: node.text.slice(0, 200), node }]
}

/** Returns the parts of the text that a variable was set to. */
function boundParts(node: Node, syntax: CodeSyntax, steps: number): Part[] | undefined {
  const value = steps > 0 ? boundValueOf(node, syntax) : undefined
  const parts = value ? partsOf(value, syntax, steps - 1) : []
  return parts.some((part) => typeof part === 'string') ? parts : undefined
}

function operatorOf(node: Node): string | undefined {
  return (field(node, 'operator') ?? node.child(1))?.type
}

/** Removes the prefix and the quotation marks of a literal. */
export function contentOf(literal: string): string {
  return literal.replace(/^[$@a-zA-Z]{0,3}#*("""|"|'|`)([\s\S]*)\1#*$/, '$2')
}

function literalParts(node: Node, syntax: CodeSyntax): Part[] {
  const source = node.text.slice(0, maxLength)
  const content = contentOf(source)
  const insertion = syntax.insertion(source)
  if (!insertion) return [content]
  const parts: Part[] = []
  let from = 0
  for (const match of content.matchAll(insertion)) {
    const code = match.slice(1).find((group) => group !== undefined) ?? ''
    parts.push(content.slice(from, match.index), { code: code.trim(), node })
    from = match.index + match[0].length
  }
  return [...parts, content.slice(from)]
}

/** `%s`, `{}`, `{0}` and `{name}`; digits have verbs of their own. */
const placeholder = /%[-+ #0-9.]*[a-zA-Z]|\{([^{}]{0,60})\}/g

function formattedParts(template: Node, values: readonly Node[]): Part[] {
  const content = contentOf(template.text.slice(0, maxLength))
  const parts: Part[] = []
  let from = 0
  let next = 0
  for (const match of content.matchAll(placeholder)) {
    const name = match[1]?.replace(/:.*$/, '').trim() ?? ''
    parts.push(content.slice(from, match.index))
    from = match.index + match[0].length
    const isPosition = /^\d+$/.test(name)
    const value = isPosition ? values[Number(name)]?.text : name || values[next++]?.text
    parts.push(/^%.*[diufeEgxX]$/.test(match[0]) ? '0' : { code: value ?? '', node: template })
  }
  return [...parts, content.slice(from)]
}

/**
 * Returns the only value that a local variable gets in the function around its use.
 *
 * @param name of the variable; by default the text of the node
 */
export function boundValueOf(node: Node, syntax: CodeSyntax, name = node.text): Node | undefined {
  if (!/^[$@]?\w+$/.test(name) || /^\d/.test(name)) return undefined
  const scope = enclosingNode(node, new Set(syntax.functions)) ?? node.tree.rootNode
  const bindings = findNodes(scope, ...syntax.bindings)
    .map(syntax.bindingOf)
    .filter((binding) => binding?.name === name && binding.value.startIndex < node.startIndex)
  const value = bindings.length === 1 ? bindings[0]!.value : undefined
  return value && value.text !== name ? value : undefined
}

/** Whether an expression, or the local variable that it is, holds what a user sent. */
export function isFromRequest(node: Node, syntax: CodeSyntax): boolean {
  if (syntax.request.test(node.text.slice(0, 500))) return true
  return findVariables(node).some((variable) => {
    const value = boundValueOf(variable, syntax)
    return value !== undefined && syntax.request.test(value.text.slice(0, 500))
  })
}

function findVariables(node: Node): Node[] {
  const found = findNodes(node, 'identifier', 'variable_name').slice(0, 20)
  return found.length === 0 ? [node] : found
}
