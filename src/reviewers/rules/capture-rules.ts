// Rules about variables of loops: captured by functions that run later, or copies that are changed in vain.
import type { Node } from 'web-tree-sitter'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  calleeOf,
  containsIdentifier,
  enclosingFunction,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  isFunction,
  lineOf,
  quoteCode,
} from './syntax-nodes.ts'
import { parameterOf, typeOf } from './value-origins.ts'

const storingCalls =
  /^(?:append|add|insert|connect|submit|add_done_callback|call_later|call_soon|after|bind|register|subscribe|addEventListener|on|push|setTimeout|setInterval|then)$/

/** Whether what a function closes over is looked at only later: it is stored, or handed to something that waits. */
function isUsedLater(fn: Node): boolean {
  const outer = fn.parent
  if (outer?.type === 'assignment')
    return /^(?:subscript|attribute)$/.test(field(outer, 'left')?.type ?? '')
  if (outer?.type === 'pair' || outer?.type === 'list') return false
  const call =
    outer?.type === 'argument_list' || outer?.type === 'arguments' ? outer.parent : undefined
  if (call) return storingCalls.test(calleeOf(call).name)
  return (
    outer?.type === 'keyword_argument' &&
    /^(?:command|callback|on_\w+)$/.test(fieldText(outer, 'name'))
  )
}

/** A lambda in a loop of Python, or a function in a loop over a `var`. */
function checkCaptured(fn: Node, file: ParsedFile): Hit | undefined {
  const isPython = file.language === 'python'
  const loop = enclosingNode(
    fn,
    new Set([
      'for_statement',
      'for_in_statement',
      'function_definition',
      'lambda',
      'function_declaration',
      'arrow_function',
      'function_expression',
      'method_definition',
    ]),
  )
  if (!loop || isFunction(loop) || !isUsedLater(fn)) return undefined
  const initializer = field(loop, 'initializer')
  const isVar = initializer?.type === 'variable_declaration' || field(loop, 'kind')?.type === 'var'
  if (!isPython && !isVar) return undefined
  const declared = isPython
    ? field(loop, 'left')
    : (initializer?.namedChild(0) ?? field(loop, 'left'))
  const names = isPython
    ? declared?.type === 'identifier'
      ? [declared]
      : findNodes(declared ?? fn, 'identifier')
    : [field(declared ?? fn, 'name') ?? declared]
  const body = field(fn, 'body')
  const captured = names.find(
    (name) =>
      name &&
      body &&
      (body.text === name.text || containsIdentifier(body, name.text)) &&
      !parameterOf(fn, name.text),
  )
  if (!captured || /\b(?:break|return)\b/.test((field(loop, 'body')?.text ?? '').slice(-60)))
    return undefined
  return {
    at: firstLine(fn),
    title:
      `This function sees the last value of ${quoteCode(captured.text)}, not the one of its own ` +
      'turn',
    body:
      `When it is called after the loop, ${quoteCode(captured.text)} has its last value in all ` +
      'of the functions, because they share one variable. ' +
      `${isPython ? `Bind it as a default: ${quoteCode(`lambda ${captured.text}=${captured.text}: …`)}.` : 'Declare it with `let`.'}`,
    evidence: [{ line: lineOf(loop), note: 'the loop' }],
  }
}

/** Go: `for _, v := range xs { v.Name = … }` over a slice of values. */
function checkCopy(statement: Node, file: ParsedFile): Hit | undefined {
  const target = field(statement, 'left')?.namedChild(0)
  const name = target?.type === 'selector_expression' ? field(target, 'operand') : undefined
  const loop = enclosingNode(statement, new Set(['for_statement', 'func_literal']))
  const clause = loop?.namedChildren.find((child) => child.type === 'range_clause')
  const variable = clause && field(clause, 'left')?.namedChild(1)
  const list = clause && field(clause, 'right')
  if (
    !loop ||
    name?.type !== 'identifier' ||
    variable?.text !== name.text ||
    list?.type !== 'identifier'
  )
    return undefined
  if (!/^\[\w*\](?!interface|any|map|chan|func)[\w.]+$/.test(typeOf(list.text, statement, file)))
    return undefined
  const uses = findNodes(field(loop, 'body')!, 'identifier').filter(
    (use) => use.text === name.text && use.startIndex > statement.endIndex,
  )
  if (uses.length > 0 || enclosingFunction(statement)?.id !== enclosingFunction(loop)?.id)
    return undefined
  return {
    at: firstLine(statement),
    title: `${quoteCode(target!.text)} is set on a copy, so ${quoteCode(list.text)} stays as it was`,
    body:
      `When the loop goes on, the copy in ${quoteCode(name.text)} is thrown away. Write to ` +
      `${quoteCode(`${list.text}[i]`)} instead.`,
    confidence: 0.85,
  }
}

export const captureRules: readonly Rule[] = [
  {
    id: 'captured-loop-variable',
    summary: 'A function that is kept for later uses the variable of the loop that it was made in.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      { languages: ['python'], nodes: ['lambda'], check: checkCaptured },
      {
        languages: javascriptFamily,
        nodes: ['arrow_function', 'function_expression'],
        check: checkCaptured,
      },
    ],
  },
  {
    id: 'write-to-copy',
    summary: 'Go: a field is set on the copy that a loop over a slice of values makes.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['go'], nodes: ['assignment_statement'], check: checkCopy }],
  },
]
