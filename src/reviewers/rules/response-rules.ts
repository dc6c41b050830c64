// Rules about handlers of requests that go on after they have answered, or answer where the client says.
import type { Node } from 'web-tree-sitter'
import {
  allRuleLanguages,
  grammarFamilyOf,
  type Hit,
  javascriptFamily,
  type ParsedFile,
  type Rule,
} from './rule.ts'
import {
  argumentsOf,
  callTypes,
  codeChildren,
  enclosingFunction,
  field,
  fieldText,
  firstLine,
  lineOf,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'
import { isSafeInsertion } from './text-building.ts'
import { isRequestInput, parameterOf } from './value-origins.ts'

const answersInScript =
  /^(res|response|reply)\b(?:\.(?:status|code|type|set|header)\([^()]{0,100}\)){0,3}\.(?:json|send|end|redirect|render|sendStatus|sendFile)\(/

const refusesInGo =
  /^http\.(?:Error|NotFound|Redirect)\(|^(\w{1,10})\.(?:AbortWithStatusJSON|AbortWithStatus|AbortWithError)\(|^(\w{1,10})\.(?:JSON|String)\(\s*(?:http\.Status(?:Bad|Un|Not|Internal|Forbidden|Conflict|Too)|[45]\d\d)/

function lastStatement(block: Node | undefined): Node | undefined {
  if (block?.type === 'expression_statement') return block
  const list = block?.namedChildren.find((child) => child.type === 'statement_list') ?? block
  return list && codeChildren(list).at(-1)
}

function statementsAfter(statement: Node): Node[] {
  return codeChildren(statement.parent!).filter((other) => other.startIndex > statement.startIndex)
}

/** `if (bad) { res.status(400).json(…) }` with a second answer below. */
function checkScript(statement: Node): Hit | undefined {
  const last = lastStatement(field(statement, 'consequence'))
  if (field(statement, 'alternative') || last?.type !== 'expression_statement' || !statement.parent)
    return undefined
  const name = answersInScript.exec(last.text.slice(0, 500))?.[1]
  const fn = enclosingFunction(statement)
  if (!name || !fn || !parameterOf(fn, name)) return undefined
  const second = statementsAfter(statement).find((other) =>
    answersInScript.test(other.text.replace(/^(?:return|await)\s+/, '').slice(0, 500)),
  )
  return (
    second &&
    missingReturn(
      last,
      second,
      'the second answer fails with "headers already sent", after all between ran',
    )
  )
}

/** `if err != nil { http.Error(…) }` with more below. */
function checkGo(statement: Node): Hit | undefined {
  const last = lastStatement(field(statement, 'consequence'))
  const fn = enclosingFunction(statement)
  if (field(statement, 'alternative') || last?.type !== 'expression_statement' || !fn)
    return undefined
  if (
    !refusesInGo.test(last.text.slice(0, 300)) ||
    !/ResponseWriter|\bContext\b/.test(fieldText(fn, 'parameters'))
  )
    return undefined
  const [next] = statementsAfter(statement)
  return next && next.type !== 'return_statement'
    ? missingReturn(
        last,
        next,
        'the handler does the work that it just refused, and writes a second answer after the first',
      )
    : undefined
}

function missingReturn(answer: Node, next: Node, outcome: string): Hit {
  return {
    at: firstLine(answer),
    title: 'The handler goes on after this answer, because a `return` is missing',
    body: `When this branch is taken, the code in line ${lineOf(next)} still runs: ${outcome}.`,
    evidence: [{ line: lineOf(next), note: 'this runs too' }],
  }
}

const redirects: Readonly<Record<string, RegExp>> = {
  javascript: /^(?:res|response|reply|ctx)\.redirect$|^(?:window\.)?location\.(?:assign|replace)$/,
  python: /^(?:redirect|RedirectResponse|HttpResponseRedirect|flask\.redirect)$/,
  go: /^http\.Redirect$|^c\.Redirect$/,
  java: /\.sendRedirect$/,
}

const fetches: Readonly<Record<string, RegExp>> = {
  javascript: /^(?:fetch|axios|got|axios\.(?:get|post|put|request)|got\.(?:get|post))$/,
  python:
    /^(?:requests|httpx)\.(?:get|post|put|patch|delete|head|request)$|^(?:urllib\.request\.)?urlopen$/,
  go: /^http\.(?:Get|Post|Head)$/,
  java: /^URI\.create$/,
}

/** Whether an address is wholly, or from its first character on, what a client sent. */
function isForeignAddress(argument: Node, file: ParsedFile): boolean {
  const inner = unwrap(argument)
  if (
    !/^(?:identifier|member_expression|attribute|subscript|subscript_expression|call|call_expression|method_invocation|selector_expression|index_expression|await_expression)$/.test(
      inner.type,
    )
  )
    return false
  if (
    isSafeInsertion(inner, file) ||
    /valid|safe|allow|check|verif|sign|build|make|create|resolve/i.test(inner.text.slice(0, 300))
  )
    return false
  return (
    isRequestInput(inner, file) &&
    !/(?:^|\.)(?:req|request|r|ctx|c|body|headers|json)(?:\(\))?$/.test(inner.text)
  )
}

const guards =
  /startsWith\(|startswith\(|HasPrefix|allow|whitelist|is_safe|isSafe|valid|same.?origin|\.host(?:name)?\b|hostname|origin|netloc|sanitiz/i

function checkForeignAddress(
  call: Node,
  file: ParsedFile,
  callees: typeof redirects,
  hit: (value: string) => Omit<Hit, 'at'>,
): Hit | undefined {
  const callee =
    fieldText(call, 'function') || `${fieldText(call, 'object')}.${fieldText(call, 'name')}`
  if (!callees[grammarFamilyOf(file.language)]?.test(callee)) return undefined
  const foreign = argumentsOf(call)
    .slice(0, 3)
    .find((argument) => isForeignAddress(argument, file))
  const fn = enclosingFunction(call)
  if (!foreign || guards.test((fn ?? call).text.slice(0, 20_000))) return undefined
  return { at: firstLine(call), ...hit(quoteCode(foreign.text)) }
}

const checkRedirect = (call: Node, file: ParsedFile) =>
  checkForeignAddress(call, file, redirects, (value) => ({
    title: `${value} comes from a request and decides where the browser goes next`,
    body: `When someone sends a link to this site with an address of theirs in it, the visitor ends up there and takes it for this site. Allow paths of this site only, or a fixed list of hosts.`,
  }))

const checkFetch = (call: Node, file: ParsedFile) =>
  checkForeignAddress(call, file, fetches, (value) => ({
    title: `${value} comes from a request and decides what this server fetches`,
    body: `When a client names an address inside of the network, such as that of the cloud's metadata service, this server fetches it with its own reach. Allow a fixed list of hosts.`,
  }))

export const responseRules: readonly Rule[] = [
  {
    id: 'answer-without-return',
    summary: 'A handler answers a request in a branch and goes on, because a `return` is missing.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.92,
    syntax: [
      { languages: javascriptFamily, nodes: ['if_statement'], check: checkScript },
      { languages: ['go'], nodes: ['if_statement'], check: checkGo },
    ],
  },
  {
    id: 'open-redirect',
    summary: 'A value from a request is the address of a redirect, without a check.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    syntax: [{ languages: allRuleLanguages, nodes: callTypes, check: checkRedirect }],
  },
  {
    id: 'request-forgery',
    summary: 'A value from a request is the address that the server fetches, without a check.',
    severity: 'critical',
    category: 'security',
    confidence: 0.8,
    syntax: [{ languages: allRuleLanguages, nodes: callTypes, check: checkFetch }],
  },
]
