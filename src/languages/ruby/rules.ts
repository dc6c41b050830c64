// Defines what the static reviewer checks in Ruby.
import type { Node } from 'web-tree-sitter'
import { builtTextOf } from '../rules/built-text.ts'
import type { CodeSyntax } from '../rules/code-syntax.ts'
import {
  checkPasswordHash,
  checkPredictable,
  checkRandom,
  checkTls,
} from '../rules/danger-checks.ts'
import { formatCounts } from '../rules/format-counts.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import { boundValueOf } from '../rules/local-bindings.ts'
import { checkInputs } from '../rules/request-checks.ts'
import { sinks } from '../rules/sinks.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import {
  argumentsOf,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
} from '../rules/syntax-nodes.ts'
import { ownMethod } from '../rules/unchanged-counter.ts'

const parameterTypes = ['method_parameters', 'block_parameters', 'lambda_parameters']

const syntax: CodeSyntax = {
  calls: ['call'],
  calleeOf(call) {
    const receiver = fieldText(call, 'receiver')
    return receiver ? `${receiver}.${fieldText(call, 'method')}` : fieldText(call, 'method')
  },
  argumentsOf,
  functions: ['method', 'singleton_method'],
  literals: ['string', 'heredoc_body', 'subshell'],
  joiner: '+',
  bindings: ['assignment'],
  bindingOf(node) {
    const value = field(node, 'right')
    return value && { name: fieldText(node, 'left'), value }
  },
  // Other names are calls.
  declares(name, at) {
    if (name.startsWith('@')) return true
    const scope = enclosingNode(at, new Set(syntax.functions))
    const parameters = findNodes(scope ?? at.tree.rootNode, ...parameterTypes)
    const isParameter = parameters.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text))
    return isParameter || boundValueOf(at, syntax, name) !== undefined
  },
  request:
    /\bparams\b\s*(?:\[|\.(?:fetch|dig|require|permit|expect|slice)\b|\.to_)|\bparams$|\bcookies\[|\brequest\.(?:params|headers|GET|POST|query_parameters|request_parameters|raw_post|body|query_string|referer|referrer|path_info|fullpath|cookies)\b|\benv\[/,
}

const escaped =
  /(?:^|\.)(?:h|sanitize|html_escape|escape\w*|ERB::Util|link_to|\w+_tag|to_json|t|l|I18n)\b|_url|_path|_html|render/

/** Reports a text with values that is marked as safe HTML. */
function checkHtmlSafe(call: Node): Hit | undefined {
  const receiver = field(call, 'receiver')
  if (fieldText(call, 'method') !== 'html_safe' || !receiver) return undefined
  const inner = /^parenthesized/.test(receiver.type) ? receiver.namedChild(0)! : receiver
  if (!syntax.literals.includes(inner.type)) return undefined
  const value = builtTextOf(inner, syntax)?.values.find(
    ({ code, node }) =>
      !escaped.test(code) &&
      !escaped.test(boundValueOf(node, syntax, code)?.text.slice(0, 500) ?? ''),
  )
  if (!value || /^[A-Z]|^\d|id$|count|size|css|class/.test(value.code)) return undefined
  return {
    at: firstLine(call),
    title: 'HTML injection: a text with inserted values is marked as safe HTML',
    body:
      `When \`${value.code.replaceAll('`', '')}\` contains markup, the browser runs the script ` +
      'in it. Use `content_tag`, or escape the value.',
  }
}

/** Reports `Time.new(2026, 5, 1, 12)` where the code has the zone that is meant. */
function checkLocalTime(call: Node, { text }: ParsedFile): Hit | undefined {
  if (!/^Time\.(?:new|local|mktime)$/.test(syntax.calleeOf(call))) return undefined
  const args = argumentsOf(call)
  const hasZone = args.length > 6 || args.some(({ type }) => type !== 'integer' && type === 'pair')
  if (args.length < 3 || hasZone || !/\bTimeZone\[|\bin_time_zone\b|@(?:time_)?zone\b/.test(text))
    return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(call.text)} is in the zone of the machine, not of this code`,
    body:
      'When that zone differs, everything that is compared with this time is off by hours. ' +
      'Create it from the zone: `zone.local(…)`.',
    severity: 'moderate',
    confidence: 0.85,
  }
}

/** Methods that store or send something, and raise if that fails. */
const writingCall =
  /^(?:(?:save|update|update_all|update_attributes|create|destroy|upsert|increment|decrement|touch|toggle|insert|transition|complete|publish|charge|refund|capture)!|deliver(?:_now|_later)?!?|perform_(?:now|later|async|in)|create_or_update!|commit)$/

/** Reports `order.save! rescue nil`. */
function checkRescueModifier(node: Node): Hit | undefined {
  const call = field(node, 'body')
  const isIgnored = /^(?:nil|false|true)$/.test(fieldText(node, 'handler'))
  if (call?.type !== 'call' || !isIgnored || !writingCall.test(fieldText(call, 'method')))
    return undefined
  return {
    at: firstLine(node),
    title: `\`rescue\` swallows every error of ${quoteCode(fieldText(call, 'method'))}`,
    body:
      'When it fails, nothing is stored or sent, nothing is reported, and the code continues as ' +
      'if it had succeeded. Handle or report the error.',
    severity: 'moderate',
    confidence: 0.85,
  }
}

const inputs = checkInputs(syntax, sinks.ruby)

export const rules: LanguageRules = {
  functions: syntax.functions,
  checks: {
    ...inputs,
    'time-without-zone': [{ nodes: ['call'], check: checkLocalTime }],
    'format-arguments': [
      formatCounts(syntax, [
        {
          callee: /^(?:Kernel\.)?(?:format|sprintf|printf)$/,
          style: 'printf',
          outcome: 'it raises an `ArgumentError`',
        },
      ]),
    ],
    'infinite-recursion': [ownMethod],
    'html-injection': [{ nodes: ['call'], check: checkHtmlSafe }],
    'swallowed-error': [{ nodes: ['rescue_modifier'], check: checkRescueModifier }],
    'tls-verification-off': [
      checkTls(
        syntax,
        ['assignment', 'pair'],
        /\bverify_mode\s*(?:=|:|=>)\s*OpenSSL::SSL::VERIFY_NONE$|^:?(?:verify_ssl|ssl_verify_peer)(?::|\s*=>)\s*(?:false|OpenSSL::SSL::VERIFY_NONE)$/,
      ),
    ],
    'weak-password-hash': [
      checkPasswordHash(
        syntax,
        /^(?:OpenSSL::)?Digest::(?:MD5|SHA1|SHA256|SHA2|SHA512)\.(?:hex|base64)?digest$/,
      ),
    ],
    'insecure-random': [
      checkRandom(
        syntax,
        /^(?:Kernel\.|Random\.)?rand$|\.(?:sample|shuffle)$/,
        ({ text }) => !/SecureRandom/.test(text),
      ),
      checkPredictable(syntax, /^(?:OpenSSL::)?Digest::(?:MD5|SHA\d+)\.(?:hex|base64)?digest$/),
    ],
  },
}
