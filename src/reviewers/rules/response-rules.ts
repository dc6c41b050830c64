// Rules about request handlers that continue after a response, or trust an address of the client.
import type { Node } from 'web-tree-sitter'
import { functionAround } from '../../languages/rules/functions.ts'
import { slashChecks } from '../../languages/rules/host-checks.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  fetchChecks,
  openRedirectBody,
  redirectChecks,
} from '../../languages/rules/request-checks.ts'
import {
  codeChildren,
  field,
  fieldText,
  firstLine,
  lineOf,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { parameterOf } from './value-origins.ts'

/** A response of Express or Fastify. Its group is the name of the response object. */
const answersInScript =
  /^(res|response|reply)\b(?:\.(?:status|code|type|set|header)\([^()]{0,100}\)){0,3}\.(?:json|send|end|redirect|render|sendStatus|sendFile)\(/

/** A response of Go that refuses the request. */
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

/** `if (bad) { res.status(400).json(…) }`, followed by a second response. */
function checkScript(statement: Node): Hit | undefined {
  const last = lastStatement(field(statement, 'consequence'))
  if (field(statement, 'alternative') || last?.type !== 'expression_statement' || !statement.parent)
    return undefined
  const name = answersInScript.exec(last.text.slice(0, 500))?.[1]
  const fn = functionAround(statement)
  if (!name || !fn || !parameterOf(fn, name)) return undefined
  const second = statementsAfter(statement).find((other) =>
    answersInScript.test(other.text.replace(/^(?:return|await)\s+/, '').slice(0, 500)),
  )
  if (!second) return undefined
  return missingReturnHit(last, second, 'the second response fails with "headers already sent"')
}

/** `if err != nil { http.Error(…) }`, followed by more code. */
function checkGo(statement: Node): Hit | undefined {
  const last = lastStatement(field(statement, 'consequence'))
  const fn = functionAround(statement)
  if (field(statement, 'alternative') || last?.type !== 'expression_statement' || !fn)
    return undefined
  if (!refusesInGo.test(last.text.slice(0, 300))) return undefined
  if (!/ResponseWriter|\bContext\b/.test(fieldText(fn, 'parameters'))) return undefined
  const [next] = statementsAfter(statement)
  if (!next || next.type === 'return_statement') return undefined
  return missingReturnHit(
    last,
    next,
    'the handler does the work that it just rejected, and writes a second response',
  )
}

function missingReturnHit(answer: Node, next: Node, outcome: string): Hit {
  return {
    at: firstLine(answer),
    title: 'The handler continues after this response, because a `return` is missing',
    body: `When this branch is taken, the code in line ${lineOf(next)} still runs: ${outcome}.`,
    evidence: [{ line: lineOf(next), note: 'this runs too' }],
  }
}

/** Whether a redirect goes where the session says that the client wanted to go. */
function isRememberedTarget(argument: Node, file: ParsedFile): boolean {
  return alternativesOf(unwrap(argument)).some((target) => isRemembered(target, file))
}

/** The values that an expression chooses from: those of `a ? b : c` and `a ?? b`. */
function alternativesOf(node: Node): Node[] {
  if (/^(?:ternary|conditional)_expression$/.test(node.type)) {
    const isPython = !field(node, 'consequence')
    const values = isPython
      ? [node.namedChild(0), node.namedChild(2)]
      : [field(node, 'consequence'), field(node, 'alternative')]
    return values.flatMap((value) => (value ? [unwrap(value)] : []))
  }
  const isChoice = /^(?:\|\||\?\?|or)$/.test(field(node, 'operator')?.type ?? '')
  const left = isChoice ? field(node, 'left') : undefined
  return [left ? unwrap(left) : node]
}

/** Whether an address is a field that the same file sets to input of a request, for later. */
function isRemembered(node: Node, { text }: ParsedFile): boolean {
  const name = /\.(\w{2,40})$/.exec(node.text.slice(-60))?.[1]
  if (!name || !/return|redirect|next|continue|back|dest|url/i.test(name)) return false
  const stored = new RegExp(String.raw`\b${name}\b\s{0,5}[:=](?!=)\s{0,5}([^,;}\n]{1,120})`).exec(
    text,
  )
  return stored !== null && /\b(?:req|request|ctx|c)\.(?:query|body|params)\b/.test(stored[1]!)
}

/** Code that checks the host of an address. */
const hostChecks =
  /startsWith\(|startswith\(|HasPrefix|allow|whitelist|is_safe|isSafe|valid|same.?origin|\.host(?:name)?\b|hostname|origin|netloc|sanitiz/i

/** Whether the code around a call doesn't look at the host of an address. */
function isUnchecked({ node }: Match): boolean {
  const scope = functionAround(node) ?? node
  return !hostChecks.test(scope.text.slice(0, 20_000))
}

/** Reports a redirect to what a session remembers of an earlier request. */
const rememberedTarget = {
  patterns: { javascript: ['$CALLEE($$$, $ADDRESS, $$$)'] },
  where: {
    CALLEE: /^(?:res|response|reply|ctx|context|c|h)\.redirect$/,
    ADDRESS: isRememberedTarget,
  },
  refine: isUnchecked,
  title: 'Open redirect: $ADDRESS comes from a request and decides where the browser goes',
  body: openRedirectBody,
}

export const responseRules: readonly Rule[] = [
  {
    id: 'answer-without-return',
    summary: 'A request handler sends a response and continues, because a `return` is missing.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.92,
    syntax: [
      { languages: ['javascript'], nodes: ['if_statement'], check: checkScript },
      { languages: ['go'], nodes: ['if_statement'], check: checkGo },
    ],
  },
  {
    id: 'open-redirect',
    summary: 'Open redirect: a redirect goes to a URL from the request without a check.',
    seeAlso: ['CWE-601'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.85,
    syntax: [...slashChecks, ...redirectChecks, rememberedTarget],
  },
  {
    id: 'request-forgery',
    summary:
      'Server-side request forgery (SSRF): the server fetches a URL from the request without a ' +
      'check.',
    seeAlso: ['CWE-918'],
    severity: 'critical',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.8,
    syntax: fetchChecks,
  },
]
