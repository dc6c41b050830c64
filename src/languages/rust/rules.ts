// Defines what the static reviewer checks in Rust.
import type { Node } from 'web-tree-sitter'
import type { LanguageRules } from '../rules/language-rules.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import { field, fieldText, firstLine, quoteCode } from '../rules/syntax-nodes.ts'

/** Reports the clock time of a moment in UTC, where the code has the zone that is meant. */
function checkUtcClock(call: Node, { text }: ParsedFile): Hit | undefined {
  const read = /(?:\b(\w+)|Utc::now\(\))\.(?:time|date_naive|hour|weekday)\(\)$/.exec(
    call.text.slice(-200),
  )
  if (!read || !/\b\w*(?:zone|tz)\w*: (?:\w+::)?Tz\b/.test(text)) return undefined
  if (read[1] && !new RegExp(`\\b${read[1]}: DateTime<Utc>`).test(text)) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(call.text)} is in UTC, not in the zone that this code has`,
    body:
      'When that zone differs, everything that is compared with it is off by hours. Convert the ' +
      'time with `with_timezone` first.',
    severity: 'moderate',
    confidence: 0.85,
  }
}

const writes =
  /\.(?:write_all|sync_all|sync_data|commit)$|^(?:std::)?fs::(?:write|rename|copy|set_permissions)$/

/** Reports `let _ =` for what writes, where nothing else shows that it failed. */
function checkIgnoredResult(node: Node): Hit | undefined {
  const call = field(node, 'value')
  if (fieldText(node, 'pattern') !== '_' && node.text.indexOf('let _ =') !== 0) return undefined
  const inner = call?.type === 'await_expression' ? call.namedChild(0)! : call
  if (inner?.type !== 'call_expression' || !writes.test(fieldText(inner, 'function')))
    return undefined
  if (/std(?:out|err)\b/.test(inner.text)) return undefined
  return {
    at: firstLine(node),
    title: `The error of ${quoteCode(inner.text)} is ignored`,
    body:
      'When the disk is full or the connection breaks, data is lost and nothing is reported. ' +
      'Return the error with `?`, or report it.',
  }
}

export const rules: LanguageRules = {
  checks: {
    'time-without-zone': [{ nodes: ['call_expression'], check: checkUtcClock }],
    'ignored-error': [{ nodes: ['let_declaration'], check: checkIgnoredResult }],
  },
}
