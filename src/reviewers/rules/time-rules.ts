// Rules about times: without a zone, with a zone that isn't theirs, in patterns that mean something else.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from './literals.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  enclosingFunction,
  field,
  fieldText,
  firstLine,
  outerParent,
  quoteCode,
  replaceInLine,
  unwrap,
} from './syntax-nodes.ts'
import { originOf } from './value-origins.ts'

function checkUtcNow(call: Node, file: ParsedFile): Hit | undefined {
  const callee = fieldText(call, 'function')
  if (!/^(?:datetime\.)?datetime\.(?:utcnow|utcfromtimestamp)$/.test(callee)) return undefined
  const importsZone = /^from datetime import [^\n]*\btimezone\b/m.test(file.text)
  const stamp =
    call.parent?.type === 'attribute' && fieldText(call.parent, 'attribute') === 'timestamp'
  return {
    at: firstLine(call),
    title: `${quoteCode(callee)} gives a time without a zone`,
    body: stamp
      ? "When the machine isn't set to UTC, `timestamp()` takes this for local time and is off by hours."
      : 'When it is compared with a time that has a zone, Python raises `TypeError`; when it is converted or stored, it is taken for local time. Use `datetime.now(timezone.utc)`.',
    severity: stamp ? 'moderate' : 'minor',
    suggestion:
      importsZone && callee === 'datetime.utcnow'
        ? replaceInLine(call, file, 'datetime.now(timezone.utc)')
        : undefined,
  }
}

function checkLocalDate(node: Node): Hit | undefined {
  const argument = fieldText(node, 'constructor') === 'Date' ? argumentsOf(node)[0] : undefined
  if (!argument || !isPlainString(argument) || argumentsOf(node).length > 1) return undefined
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?$/.test(stringText(argument)))
    return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(argument.text)} has no time zone, so it means another moment on each machine`,
    body: 'When the server, a developer and a browser are set to different zones, this is a different moment on each. Write the zone: `Z` or an offset.',
  }
}

/** A layout or pattern that ends in a bare `Z` says UTC, whatever the time is. */
const claimsUtc = /[T ]\S*(?:05|%S|ss|\.\d+|S+|%f)'?Z'?$/

function wrongZone(at: Node, what: string): Hit {
  return {
    at: firstLine(at),
    title: `${what} is written with a \`Z\` for UTC, but is the local time`,
    body: 'When the machine is not set to UTC, everyone who reads this is off by hours. Convert the time to UTC first, or write its real offset.',
    severity: 'moderate',
    confidence: 0.9,
  }
}

/** Python: `datetime.now().strftime('…Z')`, `datetime.now().isoformat() + 'Z'`. */
function checkPythonZone(node: Node, file: ParsedFile): Hit | undefined {
  const now =
    /^(?:datetime\.)?datetime\.(?:now|today|fromtimestamp)\((?:[^()]|\([^()]*\))*\)\.(?:strftime|isoformat)\(/
  const call =
    node.type === 'call'
      ? node
      : node.type === 'binary_operator'
        ? field(node, 'left')
        : field(node, 'expression')
  if (!call || !now.test(call.text.slice(0, 300)) || /\bt(?:ime)?z|utc/i.test(call.text))
    return undefined
  if (node.type === 'call') {
    const layout = argumentsOf(node)[0]
    const isUtc =
      calleeOf(node).name === 'strftime' &&
      layout &&
      isPlainString(layout) &&
      claimsUtc.test(stringText(layout))
    return isUtc ? wrongZone(node, quoteCode(node.text)) : undefined
  }
  const after =
    node.type === 'binary_operator'
      ? fieldText(node, 'right').replace(/["']/g, '')
      : (file.text[node.endIndex] ?? '')
  return /^Z/.test(after) ? wrongZone(node, quoteCode(call.text)) : undefined
}

/** Go: `time.Now().Format("2006-01-02T15:04:05Z")`. */
function checkGoZone(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [layout] = argumentsOf(call)
  if (name !== 'Format' || receiver?.text !== 'time.Now()' || !layout || !isPlainString(layout))
    return undefined
  return claimsUtc.test(stringText(layout)) ? wrongZone(call, quoteCode(call.text)) : undefined
}

/** `new Date(2026, 0, 1).toISOString()`: local midnight, told in UTC, is often the day before. */
function checkLocalDay(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (name !== 'toISOString' || !receiver) return undefined
  const outer = outerParent(call)
  const cut =
    outer?.type === 'member_expression' &&
    /^(?:slice|split|substring|substr)$/.test(fieldText(outer, 'property'))
  const inner = unwrap(receiver)
  const origin =
    inner.type === 'identifier' ? unwrap(originOf(inner.text, call, file)?.value ?? inner) : inner
  const isLocal =
    origin.type === 'new_expression' &&
    fieldText(origin, 'constructor') === 'Date' &&
    argumentsOf(origin).length >= 2
  const fn = enclosingFunction(call)
  if (
    !cut ||
    !isLocal ||
    (inner.type === 'identifier' &&
      new RegExp(`\\b${inner.text}\\.setUTC|${inner.text} -= `).test(fn?.text ?? ''))
  )
    return undefined
  return {
    at: firstLine(call),
    title: `The day of ${quoteCode(receiver.text)} is taken in UTC, though it was made in local time`,
    body: 'When the machine stands east of Greenwich, local midnight is still the day before in UTC, and this gives that day. Put the day together from `getFullYear`, `getMonth` and `getDate`, or make it with `Date.UTC`.',
    severity: 'moderate',
    confidence: 0.9,
  }
}

const patternCalls: Readonly<Record<string, RegExp>> = {
  java: /^(?:ofPattern|SimpleDateFormat|DateFormat)$/,
  python: /^(?:strftime|strptime)$/,
  go: /^(?:Format|Parse|ParseInLocation)$/,
}

/** All that is wrong with a pattern of Java. */
function javaPatternMistakes(pattern: string): string[] {
  const year =
    '`YYYY` is the year of the week, which is another one in the days around New Year; `yyyy` is the year'
  return [
    ...(/YYYY/.test(pattern) && /d/.test(pattern) && !/w|e/.test(pattern) ? [year] : []),
    ...(/mm\W?DD|MM\W?DD|DD\W?MM/.test(pattern)
      ? ['`DD` is the day of the year; `dd` is the day of the month']
      : []),
    ...(/yyyy\W?mm(?!\w)|dd\W?mm\W?yyyy/i.test(pattern) && /mm/.test(pattern) && !/MM/.test(pattern)
      ? ['`mm` are the minutes; `MM` is the month']
      : []),
    ...(/HH:MM|hh:MM/.test(pattern) ? ['`MM` is the month; `mm` are the minutes'] : []),
  ]
}

/** What is wrong with a pattern of the language, as the end of a sentence. */
function patternMistake(pattern: string, language: string): string | undefined {
  if (language === 'java') return javaPatternMistakes(pattern).join('. And ') || undefined
  if (language === 'python') {
    if (/%[Yy]\W?%M|%M\W?%d\W?%[Yy]|%d\W?%M\W?%[Yy]/.test(pattern))
      return '`%M` are the minutes; `%m` is the month'
    return /%H:%m/.test(pattern) ? '`%m` is the month; `%M` are the minutes' : undefined
  }
  return /[yY]{4}|\bMM\b|\bdd\b|HH:|hh:/.test(pattern) && !/2006/.test(pattern)
    ? 'Go writes layouts with the date `2006-01-02 15:04:05`; letters are copied as they are'
    : undefined
}

function checkPattern(node: Node, file: ParsedFile): Hit | undefined {
  const name =
    node.type === 'object_creation_expression' ? fieldText(node, 'type') : calleeOf(node).name
  if (!patternCalls[file.language]?.test(name)) return undefined
  if (file.language === 'go' && !/\btime\./.test(file.text)) return undefined
  const layout = argumentsOf(node)
    .slice(0, 2)
    .find((argument) => isPlainString(argument))
  const mistake = layout && patternMistake(stringText(layout), file.language)
  if (!layout || !mistake) return undefined
  return {
    at: firstLine(layout),
    title: `The pattern ${quoteCode(layout.text)} doesn't mean what it says`,
    body: `When a time is read or written with it, the outcome is wrong: ${mistake}.`,
  }
}

export const timeRules: readonly Rule[] = [
  {
    id: 'time-without-zone',
    summary:
      'A point in time is made without a time zone, or written with one that is not its own.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.8,
    syntax: [
      { languages: ['python'], nodes: ['call'], check: checkUtcNow },
      {
        languages: ['python'],
        nodes: ['call', 'binary_operator', 'interpolation'],
        check: checkPythonZone,
      },
      { languages: ['go'], nodes: ['call_expression'], check: checkGoZone },
      { languages: javascriptFamily, nodes: ['new_expression'], check: checkLocalDate },
      { languages: javascriptFamily, nodes: ['call_expression'], check: checkLocalDay },
    ],
  },
  {
    id: 'date-pattern',
    summary:
      'A pattern for dates holds a letter that means something else, such as minutes for the month.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: ['python', 'go', 'java'],
        nodes: ['call', 'call_expression', 'method_invocation', 'object_creation_expression'],
        check: checkPattern,
      },
    ],
  },
]
