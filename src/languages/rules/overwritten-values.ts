// Finds values that are replaced although nothing read them, or although they narrow a query.
import type { Node } from 'web-tree-sitter'
import type { CodeSyntax } from './code-syntax.ts'
import type { SyntaxCheck } from './syntax-check.ts'
import {
  enclosingNode,
  field,
  firstLine,
  functionTypes,
  lineOf,
  nextCodeSibling,
  quoteCode,
} from './syntax-nodes.ts'

/** How a language gives a variable its value. */
type BindingSyntax = Pick<CodeSyntax, 'bindings' | 'bindingOf' | 'functions'>

interface Binding {
  readonly node: Node
  readonly name: string
  readonly value: Node
}

/** Checks what gives a variable its value. */
export function overwrittenValues(syntax: BindingSyntax): readonly SyntaxCheck[] {
  return [overwrittenBinding(syntax), droppedNarrowing(syntax)]
}

function readBinding(node: Node, { bindingOf }: BindingSyntax): Binding | undefined {
  const binding = bindingOf(node)
  const name = binding && /^\$?[a-z]\w*$/.exec(binding.name.slice(0, 80))?.[0]
  return name && binding ? { node, name, value: binding.value } : undefined
}

function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])${name.replace('$', '\\$')}(?!\\w)`).test(text)
}

/** `x = a.b()`, and directly after it `x = c`. */
function overwrittenBinding(syntax: BindingSyntax): SyntaxCheck {
  const functions = new Set([...functionTypes, ...syntax.functions])
  return {
    nodes: syntax.bindings,
    check(node) {
      const first = readBinding(node, syntax)
      const statement = first && statementOf(node)
      const next = statement && nextCodeSibling(statement)
      if (!first || !next || !enclosingNode(node, functions)) return undefined
      const [, name, second = ''] = plainAssignment.exec(next.text.slice(0, 500)) ?? []
      if (name !== first.name || mentions(second, name)) return undefined
      if (/^(?:null|nil)\b/.test(second) || !isWorthReading(first.value.text)) return undefined
      return {
        at: firstLine(statement),
        fallback: firstLine(next),
        title: `${quoteCode(name)} is overwritten before it is read`,
        body:
          `When this runs, line ${lineOf(next)} replaces the value of ${quoteCode(name)} at ` +
          'once. Remove one of the assignments, or use the first value in the second.',
        evidence: [{ line: lineOf(next), note: `${quoteCode(name)} is assigned again here` }],
      }
    },
  }
}

const plainAssignment = /^(\$?[a-z]\w*) ?=(?![=>~]) ?([\s\S]+)$/

/** The statement that does nothing but give the value. */
function statementOf(node: Node): Node {
  let statement = node
  while (
    statement.parent &&
    statement.parent.namedChildCount === 1 &&
    /_statement$|_declaration$/.test(statement.parent.type)
  )
    statement = statement.parent
  return statement
}

/** Whether a value isn't the default of a variable, and has no effects that may be wanted. */
function isWorthReading(value: string): boolean {
  return /^\$?[a-z]\w*(?:(?:\.|->|\?\.)\w+(?:\(\))?)+$/.test(value) && !effectful.test(value)
}

const effectful =
  /(?:next|read|pop|shift|advance|fetch|skip|consume|poll|take|recv|receive|create|start|open|parse|scan|step)\w*\(\)$/i

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
