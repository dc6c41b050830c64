// Finds values that are replaced although nothing read them, or although they narrow a query.
import type { Node } from 'web-tree-sitter'
import {
  bindingTypes,
  listVariables,
  mentionsName,
  readVariable,
  type VariableBinding,
} from './bindings.ts'
import { functionTypes } from './functions.ts'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import { enclosingNode, field, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

function readLocal(node: Node): VariableBinding | undefined {
  const binding = readVariable(node)
  return binding && /^\$?[a-z]\w{0,78}$/.test(binding.name) ? binding : undefined
}

const branchTypes = new Set(['if_statement', 'if_expression', 'if', 'if_modifier'])
const enclosingTypes = branchTypes.union(functionTypes)

/** `rows = rows.where(a)` in one branch, and `rows = all.where(b)` in the next one. */
export const droppedNarrowing: SyntaxCheck = { nodes: bindingTypes, check: checkNarrowing }

function checkNarrowing(node: Node): Hit | undefined {
  const branch = enclosingNode(node, enclosingTypes)
  if (!branch || !isOptional(branch)) return undefined
  const binding = readLocal(node)
  const fn = enclosingNode(branch, functionTypes)
  if (!binding || !fn || mentionsName(binding.value.text, binding.name)) return undefined
  const earlier = listVariables(fn).filter(
    ({ name, node: { endIndex } }) => name === binding.name && endIndex <= branch.startIndex,
  )
  const last = earlier.at(-1)
  if (!last || !narrows(binding, earlier)) return undefined
  const start = last.node.endIndex - fn.startIndex
  if (mentionsName(fn.text.slice(start, node.startIndex - fn.startIndex), binding.name))
    return undefined
  const name = quoteCode(binding.name)
  return {
    at: firstLine(node),
    title: `${name} loses the conditions that it had before`,
    body:
      `When this branch runs, it replaces ${name}, and the conditions of line ` +
      `${lineOf(last.node)} don't apply any more. Add to the value that ${name} has.`,
    evidence: [{ line: lineOf(last.node), note: 'the conditions that are lost' }],
  }
}

/** Whether a branch is an `if` without `else`, and not one of several branches. */
function isOptional(branch: Node): boolean {
  if (!branchTypes.has(branch.type) || field(branch, 'alternative')) return false
  const isElse =
    branch.previousSibling?.type === 'else' || /else|^if/.test(branch.parent?.type ?? '')
  return !isElse && !branch.children.some(({ type }) => /^else/.test(type))
}

function narrows({ name, value }: VariableBinding, earlier: readonly VariableBinding[]): boolean {
  const [first, ...others] = earlier
  const start = first?.value.text.slice(0, 200) ?? ''
  const text = value.text.slice(0, 200)
  if (others.length === 0)
    return conditionsName.test(name) && calledFilter.test(start) && /^\{[^{}]*\w/.test(text)
  if (isRebuilt(text, start) && others.some((each) => mentionsName(each.value.text, name)))
    return true
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
