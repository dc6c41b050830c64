// Checks Kotlin for the rules of the static reviewer.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../rules/calls.ts'
import { isChosen, tlsBody } from '../rules/danger-checks.ts'
import { namedFunctionAround } from '../rules/functions.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import { fieldText, firstLine, quoteCode } from '../rules/syntax-nodes.ts'
import { ownProperty } from '../rules/unchanged-counter.ts'

/** Reports a `checkServerTrusted` that accepts every certificate. */
function checkTrust(fn: Node): Hit | undefined {
  if (fieldText(fn, 'name') !== 'checkServerTrusted') return undefined
  const code = fn.namedChildren.find(({ type }) => type === 'function_body')
  const body = code?.text.replace(/\s/g, '')
  if ((body !== '{}' && body !== '=Unit') || isChosen(fn)) return undefined
  return {
    at: firstLine(fn),
    title: '`checkServerTrusted` disables TLS certificate verification',
    body: tlsBody,
  }
}

/** Reports `getCompleted()` where nothing has waited for the work. */
function checkCompleted(call: Node): Hit | undefined {
  if (readCall(call).name !== 'getCompleted') return undefined
  const fn = namedFunctionAround(call)
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

export const rules: LanguageRules = {
  checks: {
    'unawaited-promise': [{ nodes: ['call_expression'], check: checkCompleted }],
    'time-without-zone': [{ nodes: ['call_expression'], check: checkClockZone }],
    'infinite-recursion': [ownProperty],
    'tls-verification-off': [{ nodes: ['function_declaration'], check: checkTrust }],
  },
}
