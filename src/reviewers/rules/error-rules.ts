// Rules about errors that a handler swallows.
import type { Node } from 'web-tree-sitter'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  calleeOf,
  codeChildren,
  enclosingFunction,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  findOwnNodes,
  firstLine,
  hasComment,
  isExplained,
  isFunction,
} from './syntax-nodes.ts'

const cleanup =
  /^(?:unlink|unlinkSync|rm|rmSync|rmdir|remove|removeItem|setItem|getItem|close|closeSync|destroy|kill|cleanup|dispose|stop|end|abort|cancel|disconnect|release|shutdown|mkdir|mkdirSync|makedirs|unsubscribe|log|warn|debug|flush|focus|play|pause|vibrate|import|require|delete|exit|detach|parse|loads|stat|statSync|access|accessSync|lstat|join|sleep|interrupt|call_soon_threadsafe|put|put_nowait|set_result|set_exception|fetchall|discard|reset|rmtree|terminate|send_signal)$/i

const sentence = {
  title: 'This handler drops the error without a trace',
  body:
    'When something in the `try` block fails, nobody learns of it: the code goes on as if it had ' +
    'worked. Handle or report the error, or say in a comment why it can be ignored.',
}

const triedTypes = [
  'call_expression',
  'call',
  'method_invocation',
  'new_expression',
  'object_creation_expression',
]

/** Converting a value; what fails to convert stays as it is. */
const conversion =
  /^(?:int|float|str|bool|len|list|dict|isinstance|strip|split|lower|upper|get|encode|decode|dumps|literal_eval|fromisoformat|strptime|isoformat|format|startsWith|startswith|Number|String|parseInt|parseFloat|stringify|toString|normalize|keys|values|items)$/

/** Telling someone how far the work is; what goes wrong there must not stop it. */
const progressCallbacks =
  /callback|progress|notify|listener|hook|^on_?[A-Z_]|^emit|^report|^track|^capture/i

/** Functions in which nothing may get in the way of the rest. */
const cleanupFunctions =
  /clean|rollback|close|shutdown|teardown|stop|dispose|destroy|__del__|__exit__|finali[sz]e|unload/i

/** Whether all that the `try` block calls may fail without harm: closing, deleting, probing, converting. */
function isHarmlessTry(tryBlock: Node | undefined): boolean {
  if (!tryBlock || enclosingNode(tryBlock, new Set(['finally_clause']))) return true
  // What is imported only where it is there.
  if (findNodes(tryBlock, 'import_statement', 'import_from_statement').length > 0) return true
  const fn = enclosingFunction(tryBlock)
  if (fn && cleanupFunctions.test(fieldText(fn, 'name'))) return true
  const awaited = findNodes(tryBlock, 'await_expression').map((node) => node.namedChild(0)!)
  const calls = awaited.length > 0 ? awaited : findNodes(tryBlock, ...triedTypes)
  return calls.every((call) => {
    const { name } = calleeOf(call)
    return (
      cleanup.test(name.replaceAll('_', '')) ||
      conversion.test(name) ||
      progressCallbacks.test(name) ||
      /creation|^new/.test(call.type)
    )
  })
}

/** `name = ""` and then `try: name = ask()`: the value before is the answer to a failure. */
function hasDefault(tried: Node): boolean {
  const statements = codeChildren(tried)
  const assignment = statements.length === 1 ? statements[0]!.namedChild(0) : null
  const target =
    assignment?.type === 'assignment' || assignment?.type === 'assignment_expression'
      ? fieldText(assignment, 'left')
      : ''
  const before = tried.parent?.previousNamedSibling?.text.slice(0, 300) ?? ''
  return (
    target !== '' &&
    (before.startsWith(`${target} =`) ||
      before.startsWith(`${target}:`) ||
      before.startsWith(`let ${target} =`))
  )
}

/** Names that say that the error is expected, or can't come. */
const expectedErrorNames =
  /^(?:_\w*|\w*ignored?|expected\w*|unused|(?:should|could|can_?not|can|must|will)_?(?:not|never)?_?happen|never_?happens?|impossible)$/i

function checkEmptyCatch(clause: Node, file: ParsedFile): Hit | undefined {
  const body = field(clause, 'body')
  if (!body || body.namedChildCount > 0 || !clause.parent) return undefined
  const tried = field(clause.parent, 'body')
  if (expectedErrorNames.test(fieldText(clause, 'parameter'))) return undefined
  if (isHarmlessTry(tried) || returnsDirectly(tried!) || hasDefault(tried!)) return undefined
  if (file.language === 'java')
    return isBroadCatch(clause) ? { at: firstLine(clause), ...sentence } : undefined
  // `catch {}` without a name is written by those who know that they drop it; still wrong around a write.
  if (!field(clause, 'parameter') && !findNodes(tried!, 'await_expression').length) return undefined
  return { at: firstLine(clause), ...sentence }
}

/** `try { return parse(x) } catch {}`: what comes after is the answer to the failure. */
function returnsDirectly(tried: Node): boolean {
  return findOwnNodes(tried, 'return_statement').length > 0
}

function isBroadCatch(clause: Node): boolean {
  const parameter = clause.namedChildren.find((child) => child.type === 'catch_formal_parameter')
  if (!parameter || expectedErrorNames.test(fieldText(parameter, 'name'))) return false
  return /\b(?:Exception|Throwable|RuntimeException|IOException|SQLException|InterruptedException)\b/.test(
    parameter.text,
  )
}

function checkExceptPass(clause: Node, file: ParsedFile): Hit | undefined {
  const body = clause.namedChildren.find((child) => child.type === 'block')
  const caught =
    (field(clause, 'value') ?? clause.namedChildren.find((child) => child.type !== 'block'))
      ?.text ?? ''
  if (!/^(?:Exception|BaseException)?(?: as \w+)?$/.test(caught)) return undefined
  const statements = body ? codeChildren(body) : []
  if (
    statements.length !== 1 ||
    !/^(?:pass_statement|expression_statement)$/.test(statements[0]!.type)
  )
    return undefined
  if (statements[0]!.type === 'expression_statement' && statements[0]!.text !== '...')
    return undefined
  const rows = file.lines.slice(clause.startPosition.row, clause.endPosition.row + 2)
  if (rows.some((line) => line.includes('#')) || hasComment(clause)) return undefined
  const tried = clause.parent && field(clause.parent, 'body')
  if (!tried || isHarmlessTry(tried) || returnsDirectly(tried) || hasDefault(tried))
    return undefined
  return { at: firstLine(clause), ...sentence, severity: caught === '' ? 'moderate' : 'minor' }
}

function checkReturnInFinally(statement: Node, file: ParsedFile): Hit | undefined {
  const clause = enclosingNode(statement, new Set(['finally_clause']))
  if (!clause || isExplained(statement, file, /\w/)) return undefined
  for (let node = statement.parent; node && node.id !== clause.id; node = node.parent) {
    if (isFunction(node)) return undefined
  }
  return {
    at: firstLine(statement),
    title: 'A `return` in `finally` swallows the error and replaces the result',
    body:
      'When the `try` block throws or returns, this `return` wins: the error is lost, and the ' +
      'caller gets this value instead.',
  }
}

export const errorRules: readonly Rule[] = [
  {
    id: 'swallowed-error',
    summary: 'A handler catches every error and does nothing with it.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.7,
    syntax: [
      { languages: [...javascriptFamily, 'java'], nodes: ['catch_clause'], check: checkEmptyCatch },
      { languages: ['python'], nodes: ['except_clause'], check: checkExceptPass },
    ],
  },
  {
    id: 'return-in-finally',
    summary: 'A `return` in a `finally` block swallows errors.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      {
        languages: [...javascriptFamily, 'python', 'java'],
        nodes: ['return_statement'],
        check: checkReturnInFinally,
      },
    ],
  },
]
