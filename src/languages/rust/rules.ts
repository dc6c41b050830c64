// Defines what the static reviewer checks in Rust.
import type { Node } from 'web-tree-sitter'
import type { LanguageRules } from '../rules/language-rules.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import { firstLine, quoteCode } from '../rules/syntax-nodes.ts'

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

export const rules: LanguageRules = {
  checks: {
    'time-without-zone': [{ nodes: ['call_expression'], check: checkUtcClock }],
  },
}
