// Rules about loop variables that later functions capture, or that are changed as copies.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { functionTypes, isFunction } from '../../languages/rules/functions.ts'
import { loopTypes } from '../../languages/rules/statements.ts'
import {
  containsIdentifier,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { parameterOf, typeOf } from './value-origins.ts'

/** Functions that store a callback and run it later. */
const storingFunctions = new Set([
  'append',
  'add',
  'insert',
  'connect',
  'submit',
  'add_done_callback',
  'call_later',
  'call_soon',
  'after',
  'bind',
  'register',
  'subscribe',
  'addEventListener',
  'on',
  'push',
  'setTimeout',
  'setInterval',
  'then',
])

/** Whether a function runs after its turn of the loop, because the code stores it. */
function isUsedLater(fn: Node): boolean {
  const outer = fn.parent
  switch (outer?.type) {
    case 'assignment':
      return /^(?:subscript|attribute)$/.test(field(outer, 'left')?.type ?? '')
    case 'argument_list':
    case 'arguments':
      return outer.parent !== null && storingFunctions.has(readCall(outer.parent).name)
    case 'keyword_argument':
      return /^(?:command|callback|on_\w+)$/.test(fieldText(outer, 'name'))
    default:
      return false
  }
}

const loopAndFunctionTypes = loopTypes.union(functionTypes)

/** Finds the loop directly around a function that runs later. */
function findLoopAround(fn: Node): Node | undefined {
  const loop = enclosingNode(fn, loopAndFunctionTypes)
  return loop && !isFunction(loop) && isUsedLater(fn) ? loop : undefined
}

/** Python: a `lambda` in a loop uses the loop's variable. */
function checkCapturedInLambda(fn: Node): Hit | undefined {
  const loop = findLoopAround(fn)
  const target = loop && field(loop, 'left')
  if (!target) return undefined
  const names = target.type === 'identifier' ? [target] : findNodes(target, 'identifier')
  const captured = names.find((name) => usesVariable(fn, name.text))
  if (!captured || endsLoop(loop)) return undefined
  const name = captured.text
  const binding = quoteCode(`lambda ${name}=${name}: …`)
  return reportCaptured(fn, loop, name, `Bind it as a default: ${binding}.`)
}

/** JavaScript: a function in a loop uses the loop's `var`. */
function checkCapturedVar(fn: Node): Hit | undefined {
  const loop = findLoopAround(fn)
  const declared = loop && findVar(loop)
  if (!declared) return undefined
  const name = (field(declared, 'name') ?? declared).text
  if (!usesVariable(fn, name) || endsLoop(loop)) return undefined
  return reportCaptured(fn, loop, name, 'Declare it with `let`.')
}

/** The declaration of a loop's variable, when `var` makes all turns share it. */
function findVar(loop: Node): Node | undefined {
  const initializer = field(loop, 'initializer')
  const isVar = initializer?.type === 'variable_declaration' || field(loop, 'kind')?.type === 'var'
  return isVar ? (initializer?.namedChild(0) ?? field(loop, 'left')) : undefined
}

function usesVariable(fn: Node, name: string): boolean {
  const body = field(fn, 'body')
  if (!body || parameterOf(fn, name)) return false
  return body.text === name || containsIdentifier(body, name)
}

/** Whether the loop ends after the turn that makes the function: then it has the right value. */
function endsLoop(loop: Node): boolean {
  return /\b(?:break|return)\b/.test(fieldText(loop, 'body').slice(-60))
}

function reportCaptured(fn: Node, loop: Node, name: string, remedy: string): Hit {
  const variable = quoteCode(name)
  return {
    at: firstLine(fn),
    title: `This closure captures the loop variable ${variable} and sees only its last value`,
    body:
      `When the closure is called after the loop, ${variable} has its last value, because ` +
      `all closures share one variable. ${remedy}`,
    evidence: [{ line: lineOf(loop), note: 'the loop' }],
  }
}

/** Go: `for _, v := range xs { v.Name = … }` over a slice of values. */
function checkCopy(statement: Node, file: ParsedFile): Hit | undefined {
  const target = field(statement, 'left')?.namedChild(0)
  const loop = enclosingNode(statement, new Set(['for_statement', 'func_literal']))
  if (target?.type !== 'selector_expression' || !loop) return undefined
  const copy = field(target, 'operand')
  if (copy?.type !== 'identifier') return undefined
  const list = findRangedList(loop, copy.text)
  if (list?.type !== 'identifier' || !isSliceOfValues(list, statement, file)) return undefined
  if (isUsedAfter(copy.text, statement, loop)) return undefined
  return {
    at: firstLine(statement),
    title: `${quoteCode(target.text)} is set on a copy, so ${quoteCode(list.text)} doesn't change`,
    body:
      `When the iteration ends, the copy in ${quoteCode(copy.text)} is discarded. Assign to ` +
      `${quoteCode(`${list.text}[i]`)} instead.`,
    confidence: 0.85,
  }
}

/** The list of a `range` loop that assigns its elements to the variable. */
function findRangedList(loop: Node, variable: string): Node | undefined {
  const clause = loop.namedChildren.find((child) => child.type === 'range_clause')
  if (!clause || field(clause, 'left')?.namedChild(1)?.text !== variable) return undefined
  return field(clause, 'right')
}

function isUsedAfter(name: string, statement: Node, loop: Node): boolean {
  return findNodes(field(loop, 'body')!, 'identifier').some(
    (use) => use.text === name && use.startIndex > statement.endIndex,
  )
}

function isSliceOfValues(list: Node, from: Node, file: ParsedFile): boolean {
  const valueSlice = /^\[\w*\](?!interface|any|map|chan|func)[\w.]+$/
  return valueSlice.test(typeOf(list.text, from, file))
}

export const captureRules: readonly Rule[] = [
  {
    id: 'captured-loop-variable',
    summary: 'A closure captures a loop variable and sees only its last value.',
    seeAlso: ['ESLint `no-loop-func`', 'Ruff `B023`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      { languages: ['python'], nodes: ['lambda'], check: checkCapturedInLambda },
      {
        languages: ['javascript'],
        nodes: ['arrow_function', 'function_expression'],
        check: checkCapturedVar,
      },
    ],
  },
  {
    id: 'write-to-copy',
    summary: 'A field is set on the loop variable of `range`, which is a copy of the element.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['go'], nodes: ['assignment_statement'], check: checkCopy }],
  },
]
