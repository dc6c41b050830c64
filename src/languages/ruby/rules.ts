// Defines what the static reviewer checks in Ruby.
import type { Node } from 'web-tree-sitter'
import { builtTextOf } from '../rules/built-text.ts'
import { readCall } from '../rules/calls.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import { isText } from '../rules/literals.ts'
import { valueTextOf } from '../rules/local-values.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import { field, fieldText, firstLine, quoteCode } from '../rules/syntax-nodes.ts'
import { ownMethod } from '../rules/unchanged-counter.ts'

const escaped =
  /(?:^|\.)(?:h|sanitize|html_escape|escape\w*|ERB::Util|link_to|\w+_tag|to_json|t|l|I18n)\b|_url|_path|_html|render/

/** Reports a text with values that is marked as safe HTML. */
function checkHtmlSafe(call: Node, file: ParsedFile): Hit | undefined {
  const receiver = field(call, 'receiver')
  if (fieldText(call, 'method') !== 'html_safe' || !receiver) return undefined
  const inner = /^parenthesized/.test(receiver.type) ? receiver.namedChild(0)! : receiver
  if (!isText(inner)) return undefined
  const value = builtTextOf(inner, file)?.values.find(
    ({ code, node }) => !escaped.test(code) && !escaped.test(valueTextOf(node)),
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
  const { plain, args, argNames } = readCall(call)
  if (!/^Time\.(?:new|local|mktime)$/.test(plain)) return undefined
  const hasZone = args.length > 6 || argNames.some((name) => name !== undefined)
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

export const rules: LanguageRules = {
  checks: {
    'time-without-zone': [{ nodes: ['call'], check: checkLocalTime }],
    'infinite-recursion': [ownMethod],
    'html-injection': [{ nodes: ['call'], check: checkHtmlSafe }],
    'swallowed-error': [{ nodes: ['rescue_modifier'], check: checkRescueModifier }],
  },
}
