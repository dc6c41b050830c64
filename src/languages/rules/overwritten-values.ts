// Finds values that are replaced although nothing read them, or although they narrow a query.
import type { Node } from 'web-tree-sitter'
import type { CodeSyntax } from './code-syntax.ts'
import { functionTypes } from './functions.ts'
import type { SyntaxCheck } from './syntax-check.ts'
import { enclosingNode, field, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

/** How a language gives a variable its value. */
type BindingSyntax = Pick<CodeSyntax, 'bindings' | 'bindingOf' | 'functions'>

interface Binding {
  readonly node: Node
  readonly name: string
  readonly value: Node
}

function readBinding(node: Node, { bindingOf }: BindingSyntax): Binding | undefined {
  const binding = bindingOf(node)
  const name = binding && /^\$?[a-z]\w*$/.exec(binding.name.slice(0, 80))?.[0]
  return name && binding ? { node, name, value: binding.value } : undefined
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])${name.replace('$', '\\$')}(?!\\w)`).test(text)
}

const branchTypes = new Set(['if_statement', 'if_expression', 'if', 'if_modifier'])

/** `rows = rows.where(a)` in one branch, and `rows = all.where(b)` in the next one. */
export function droppedNarrowing(syntax: BindingSyntax): SyntaxCheck {
  const functions = new Set([...functionTypes, ...syntax.functions])
  const enclosingTypes = new Set([...branchTypes, ...functions])
  return {
    nodes: syntax.bindings,
    check(node) {
      const binding = readBinding(node, syntax)
      const branch = enclosingNode(node, enclosingTypes)
      const fn = branch && enclosingNode(branch, functions)
      if (!binding || !fn || !isOptional(branch) || mentions(binding.value.text, binding.name))
        return undefined
      const earlier = fn
        .descendantsOfType([...syntax.bindings])
        .filter(({ endIndex }) => endIndex <= branch.startIndex)
        .flatMap((each) => readBinding(each, syntax) ?? [])
        .filter(({ name }) => name === binding.name)
      const last = earlier.at(-1)
      if (!last || !narrows(binding, earlier)) return undefined
      const between = fn.text.slice(
        last.node.endIndex - fn.startIndex,
        node.startIndex - fn.startIndex,
      )
      if (mentions(between, binding.name)) return undefined
      const name = quoteCode(binding.name)
      return {
        at: firstLine(node),
        title: `${name} loses the conditions that it had before`,
        body:
          `When this branch runs, it replaces ${name}, and the conditions of line ` +
          `${lineOf(last.node)} don't apply any more. Add to the value that ${name} has.`,
        evidence: [{ line: lineOf(last.node), note: 'the conditions that are lost' }],
      }
    },
  }
}

/** Whether a branch is an `if` without `else`, and not one of several branches. */
function isOptional(branch: Node): boolean {
  if (!branchTypes.has(branch.type) || field(branch, 'alternative')) return false
  const isElse =
    branch.previousSibling?.type === 'else' || /else|^if/.test(branch.parent?.type ?? '')
  return !isElse && !branch.children.some(({ type }) => /^else/.test(type))
}

function narrows({ name, value }: Binding, earlier: readonly Binding[]): boolean {
  const [first, ...others] = earlier
  const start = first?.value.text.slice(0, 200) ?? ''
  const text = value.text.slice(0, 200)
  if (others.length === 0)
    return conditionsName.test(name) && calledFilter.test(start) && /^\{[^{}]*\w/.test(text)
  if (isRebuilt(text, start) && others.some((each) => mentions(each.value.text, name))) return true
  // All start from the same collection.
  const root = queryStart.exec(start)?.[1]
  const isBuilt = others.some(
    (each) => queryStart.exec(each.value.text.slice(0, 200))?.[1] === name,
  )
  return root !== undefined && isBuilt && queryStart.exec(text)?.[1] === root
}

const conditionsName = /^\$?(?:where|filters?|conditions?|criteria)$/

const calledFilter = /^(?:await )?(?:\w+\.)*[a-z]\w*\([^()]/

const queryStart = /^([$@]?\w+)(?:\.|->)(?:[wW]here|filter|[sS]elect|scope|and[A-Z]\w*)\(/

/** Whether a value begins like the first one, such as `select(` or `{`. */
function isRebuilt(text: string, start: string): boolean {
  const head = /^(?:\{|(?:await )?[\w.$]*(?:select|from|where|query|filter)\w*\()/i.exec(text)?.[0]
  return head !== undefined && start.startsWith(head)
}
