// Checks Kotlin for the rules of the static reviewer.
import type { Node } from 'web-tree-sitter'
import type { CodeSyntax } from '../rules/code-syntax.ts'
import {
  checkCalls,
  checkRandom,
  checkText,
  checkTls,
  chosenTypes,
  chosenTypesWording,
  isChosen,
  passwordHashBody,
  tlsBody,
} from '../rules/danger-checks.ts'
import { formatCounts, loggedBraces } from '../rules/format-counts.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import { functionTextOf } from '../rules/local-values.ts'
import { droppedNarrowing } from '../rules/overwritten-values.ts'
import { checkInputs } from '../rules/request-checks.ts'
import { needsFastHash } from '../rules/secret-names.ts'
import { sinks } from '../rules/sinks.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  fieldText,
  firstLine,
  quoteCode,
} from '../rules/syntax-nodes.ts'
import { ownProperty } from '../rules/unchanged-counter.ts'

const functions = ['function_declaration', 'anonymous_function', 'secondary_constructor']

function childOf(node: Node, ...types: string[]): Node | undefined {
  return node.namedChildren.find((child) => types.includes(child.type))
}

/** Returns the name of the function that is called; empty if it has none. */
function calledName(call: Node): string {
  const callee = call.namedChild(0)
  const name = callee?.type === 'navigation_expression' ? callee.namedChildren.at(-1) : callee
  return name?.type === 'identifier' ? name.text : ''
}

const syntax: CodeSyntax = {
  calls: ['call_expression'],
  calleeOf(call) {
    const list = childOf(call, 'value_arguments')
    return call.text.slice(0, list ? list.startIndex - call.startIndex : undefined).trim()
  },
  argumentsOf: (call) =>
    codeChildren(childOf(call, 'value_arguments') ?? call)
      .filter(({ type }) => type === 'value_argument')
      .map((argument) => argument.namedChildren.at(-1) ?? argument),
  functions,
  literals: ['string_literal', 'multiline_string_literal'],
  // The grammar takes `$name.` for fixed text.
  bareInsertion: /\$([A-Za-z_]\w*)/,
  joiner: '+',
  bindings: ['property_declaration'],
  bindingOf(node) {
    const name = childOf(node, 'variable_declaration')?.namedChild(0)?.text
    const value = node.namedChildren.at(-1)
    return name && value && value.type !== 'variable_declaration' ? { name, value } : undefined
  },
  request:
    /\b\w*[rR]equest\.(?:getParameter|getHeader|queryParams?|pathVariables?|getQueryString|parameters|headers|cookies|queryParameters|getPart)\b|\bcall\.(?:parameters|pathParameters|queryParameters|request\.(?:queryParameters|headers|header|cookies|rawQueryParameters|path)|receive\w*)\b|\b(?:ctx|context)\.(?:queryParam|pathParam|formParam|header|body|cookie|bodyAsClass)\b/,
}

/** The statement that a call is part of. */
function statementOf(call: Node): Node {
  let statement = call
  while (
    statement.parent &&
    !/^(?:block|function_body|class_body|source_file)$/.test(statement.parent.type)
  )
    statement = statement.parent
  return statement
}

/** Reports a `checkServerTrusted` that accepts every certificate. */
function checkTrust(fn: Node): Hit | undefined {
  if (fieldText(fn, 'name') !== 'checkServerTrusted') return undefined
  const body = childOf(fn, 'function_body')?.text.replace(/\s/g, '')
  if ((body !== '{}' && body !== '=Unit') || isChosen(fn, syntax)) return undefined
  return {
    at: firstLine(fn),
    title: '`checkServerTrusted` disables TLS certificate verification',
    body: tlsBody,
  }
}

/** Reports `getCompleted()` where nothing has waited for the work. */
function checkCompleted(call: Node): Hit | undefined {
  if (calledName(call) !== 'getCompleted') return undefined
  const fn = enclosingNode(call, new Set(functions))
  if (!fn || fn.text.length > 8_000) return undefined
  const before = fn.text.slice(0, call.startIndex - fn.startIndex)
  if (
    !/\basync\b/.test(before) ||
    /\b(?:await\w*|join\w*|onAwait|invokeOnCompletion|select)\b/.test(before)
  )
    return undefined
  return {
    at: firstLine(call),
    title: '`getCompleted` is called before anything has waited for the work',
    body:
      'When the work is still running, `getCompleted` throws, or its result is left out. Use ' +
      '`await` or `awaitAll`.',
    confidence: 0.85,
  }
}

/** Reports a local time of a clock in UTC, where the code has the zone that is meant. */
function checkClockZone(call: Node, { text }: ParsedFile): Hit | undefined {
  const [, type, clock] = /^(Local(?:Date|Time|DateTime))\.now\((\w*)\)$/.exec(call.text) ?? []
  if (!type || !/\bva[lr] \w+: ZoneId\b/.test(text)) return undefined
  if (clock && !new RegExp(`\\b${clock}\\b[^\\n]{0,40}= ?Clock\\.systemUTC\\(\\)`).test(text))
    return undefined
  return {
    at: firstLine(call),
    title:
      `${quoteCode(call.text)} is in ${clock ? 'UTC' : 'the zone of the machine'}, not in the ` +
      'zone that this code has',
    body:
      'When that zone differs, everything that is compared with this time is off by hours. Pass ' +
      `the zone: \`${type}.now(${clock ? `${clock}.withZone(zone)` : 'zone'})\`.`,
    severity: 'moderate',
    confidence: 0.85,
  }
}

const inputs = checkInputs(syntax, sinks.kotlin)

export const rules: LanguageRules = {
  functions,
  checks: {
    ...inputs,
    'unawaited-promise': [{ nodes: ['call_expression'], check: checkCompleted }],
    'time-without-zone': [{ nodes: ['call_expression'], check: checkClockZone }],
    'format-arguments': [formatCounts(syntax, [loggedBraces])],
    'infinite-recursion': [ownProperty],
    'overwritten-value': [droppedNarrowing(syntax)],
    'unsafe-deserialization': [
      ...inputs['unsafe-deserialization'],
      checkText(syntax.calls, chosenTypes, chosenTypesWording),
    ],
    'tls-verification-off': [
      { nodes: ['function_declaration'], check: checkTrust },
      checkTls(
        syntax,
        ['call_expression'],
        /\bhostnameVerifier\s*(?:\{|\(\s*\{?)[^{}]*->\s*true\s*\}?\)?$|\bsetDefaultHostnameVerifier\s*\{[^{}]*true\s*\}$/,
      ),
    ],
    'insecure-random': [
      checkRandom(
        syntax,
        /^(?:Random|kotlin\.random\.Random|ThreadLocalRandom\.current\(\)|Random\(.*\))\.next\w*$/,
      ),
    ],
    'weak-password-hash': [
      checkCalls(syntax, {
        callee: /^MessageDigest\.getInstance$/,
        title: 'A password is hashed with a function that is too fast for passwords',
        body: passwordHashBody,
        when: (call, args) =>
          /^"(?:md5|sha-?\d+)"$/i.test(args[0]?.text ?? '') &&
          /passw(?:or)?d|passphrase/i.test(statementOf(call).text.slice(0, 500)) &&
          !needsFastHash.test(functionTextOf(call)),
      }),
    ],
  },
}
