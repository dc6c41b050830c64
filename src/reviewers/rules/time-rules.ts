// Rules about times that have no zone or a wrong one, and about mistakes in date patterns.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { isPlainString, stringLike, stringText } from '../../languages/rules/literals.ts'
import { outerParent, unwrap } from '../../languages/rules/operations.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  fieldText,
  firstLine,
  quoteCode,
  replaceInLine,
} from '../../languages/rules/syntax-nodes.ts'
import { zoneMixes } from '../../languages/rules/zone-mixes.ts'
import { checkMixedJavaZones, checkMixedZones } from './mixed-zones.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { originOf } from './value-origins.ts'

/** How `datetime.utcnow()` goes wrong, which depends on what is made of it. */
function describeNow({ node, text }: Match, file: ParsedFile): Partial<Hit> | undefined {
  // The times of a certificate have no zone either.
  if (/\.not_valid_(?:after|before)\b/.test(node.parent?.text ?? '')) return undefined
  const importsZone = /^from datetime import [^\n]*\btimezone\b/m.test(file.text)
  const canReplace = importsZone && text('NOW') === 'datetime.utcnow'
  return {
    ...(isConvertedToTimestamp(node) ? wrongTimestamp : missingZone),
    suggestion: canReplace ? replaceInLine(node, file, 'datetime.now(timezone.utc)') : undefined,
  }
}

function isConvertedToTimestamp({ parent }: Node): boolean {
  return parent?.type === 'attribute' && fieldText(parent, 'attribute') === 'timestamp'
}

const wrongTimestamp = {
  body:
    "When the machine isn't set to UTC, `timestamp()` takes this for local time and is off by " +
    'hours.',
  severity: 'moderate',
} as const

const missingZone = {
  body:
    'When it is compared with a time that has a zone, Python raises `TypeError`; when it is ' +
    'converted or stored, it is taken for local time. Use `datetime.now(timezone.utc)`.',
  severity: 'minor',
} as const

const localDateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?$/

/** A layout or pattern that ends with a literal `Z`, the mark of UTC. */
const claimsUtc = /[T ]\S*(?:05|%S|ss|\.\d+|S+|%f)'?Z'?$/

const wrongZone = {
  title: '$TIME is written with a `Z` for UTC, but is the local time',
  body:
    'When the machine is not set to UTC, everyone who reads this is off by hours. Convert the ' +
    'time to UTC first, or write its real offset.',
  severity: 'moderate',
  confidence: 0.9,
} as const

const formattedLocalTime =
  /^(?:datetime\.)?datetime\.(?:now|today|fromtimestamp)\((?:[^()]|\([^()]*\))*\)\.(?:strftime|isoformat)\(/

function isPythonLocalTime({ text }: Node): boolean {
  return formattedLocalTime.test(text.slice(0, 300)) && !/\bt(?:ime)?z|utc/i.test(text)
}

/** Whether only the local day of a date is taken, in UTC. */
function isLocalDay({ node, get }: Match, file: ParsedFile): boolean {
  const date = unwrap(get('DATE'))
  const isLocal = isCut(node) && isLocalDate(initialValueOf(date, node, file))
  return isLocal && !isShiftedToUtc(date, node)
}

/** Whether only a part of the text is used: `date.toISOString().slice(0, 10)`. */
function isCut(call: Node): boolean {
  const outer = outerParent(call)
  return (
    outer?.type === 'member_expression' &&
    /^(?:slice|split|substring|substr)$/.test(fieldText(outer, 'property'))
  )
}

/** Follows a variable to the value that it was set to. */
function initialValueOf(node: Node, from: Node, file: ParsedFile): Node {
  if (node.type !== 'identifier') return node
  return unwrap(originOf(node.text, from, file)?.value ?? node)
}

function isLocalDate(value: Node): boolean {
  if (value.type !== 'new_expression' || fieldText(value, 'constructor') !== 'Date') return false
  return readCall(value).args.length >= 2
}

/** Whether the function corrects the variable of the date before. */
function isShiftedToUtc(date: Node, call: Node): boolean {
  if (date.type !== 'identifier') return false
  const correction = new RegExp(`\\b${date.text}\\.setUTC|${date.text} -= `)
  return correction.test(functionAround(call)?.text ?? '')
}

/** Functions whose first or second argument is a date pattern. */
const patternCalls: Readonly<Record<string, RegExp>> = {
  java: /^(?:ofPattern|SimpleDateFormat|DateFormat)$/,
  python: /^(?:strftime|strptime)$/,
  go: /^(?:Format|Parse|ParseInLocation)$/,
}

const javaPatternMistakes: readonly {
  readonly message: string
  matches(pattern: string): boolean
}[] = [
  {
    message:
      '`YYYY` is the year of the week, which is another one in the days around New Year; ' +
      '`yyyy` is the year',
    matches: (pattern) => /YYYY/.test(pattern) && /d/.test(pattern) && !/w|e/.test(pattern),
  },
  {
    message: '`DD` is the day of the year; `dd` is the day of the month',
    matches: (pattern) => /mm\W?DD|MM\W?DD|DD\W?MM/.test(pattern),
  },
  {
    message: '`mm` are the minutes; `MM` is the month',
    matches: (pattern) =>
      /yyyy\W?mm(?!\w)|dd\W?mm\W?yyyy/i.test(pattern) && /mm/.test(pattern) && !/MM/.test(pattern),
  },
  {
    message: '`MM` is the month; `mm` are the minutes',
    matches: (pattern) => /HH:MM|hh:MM/.test(pattern),
  },
]

/** Return what is wrong with a pattern as the end of a sentence; undefined if nothing is. */
const findPatternMistake: Readonly<Record<string, (pattern: string) => string | undefined>> = {
  java(pattern) {
    const mistakes = javaPatternMistakes.filter(({ matches }) => matches(pattern))
    return mistakes.map(({ message }) => message).join('. And ') || undefined
  },
  python(pattern) {
    if (/%[Yy]\W?%M|%M\W?%d\W?%[Yy]|%d\W?%M\W?%[Yy]/.test(pattern))
      return '`%M` are the minutes; `%m` is the month'
    return /%H:%m/.test(pattern) ? '`%m` is the month; `%M` are the minutes' : undefined
  },
  go(pattern) {
    if (!/[yY]{4}|\bMM\b|\bdd\b|HH:|hh:/.test(pattern) || /2006/.test(pattern)) return undefined
    return 'Go writes layouts with the date `2006-01-02 15:04:05`; letters are copied as they are'
  },
}

function checkPattern(node: Node, file: ParsedFile): Hit | undefined {
  const name =
    node.type === 'object_creation_expression' ? fieldText(node, 'type') : readCall(node).name
  if (!patternCalls[file.language]?.test(name)) return undefined
  if (file.language === 'go' && !/\btime\./.test(file.text)) return undefined
  const layout = readCall(node)
    .args.slice(0, 2)
    .find((argument) => isPlainString(argument))
  const mistake = layout && findPatternMistake[file.language]?.(stringText(layout))
  if (!layout || !mistake) return undefined
  return {
    at: firstLine(layout),
    title: `The date format ${quoteCode(layout.text)} uses the wrong letters`,
    body: `When a time is formatted or parsed with it, the result is wrong: ${mistake}.`,
  }
}

export const timeRules: readonly Rule[] = [
  {
    id: 'time-without-zone',
    summary: "A date or time has no time zone, or is written with one that it doesn't have.",
    seeAlso: ['Ruff `DTZ003`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.8,
    syntax: [
      zoneMixes,
      {
        patterns: { python: ['$NOW($$$)'] },
        where: { NOW: /^(?:datetime\.)?datetime\.(?:utcnow|utcfromtimestamp)$/ },
        title: '$NOW returns a time without a time zone',
        refine: describeNow,
      },
      {
        patterns: { python: ["$PARSE($TEXT, '$LAYOUT')"] },
        where: { PARSE: /^(?:datetime\.)?datetime\.strptime$/, LAYOUT: stringLike(/%[SHMf]Z$/) },
        title: '$MATCH drops the `Z` for UTC and returns a time without a zone',
        body:
          'When it is compared with a time that has a zone, as this file creates them, Python ' +
          'raises `TypeError`. Add `.replace(tzinfo=timezone.utc)`, or parse `%z`.',
        severity: 'moderate',
        confidence: 0.9,
        refine: ({ node }, { text }) =>
          !/attribute|argument/.test(node.parent?.type ?? '') &&
          /\bnow\(\s*(?:tz=)?(?:datetime\.)?(?:timezone\.utc|UTC)\b/.test(text) &&
          !/replace\(\s*tzinfo|\.localize\(|tzinfo=None/.test(text),
      },
      {
        patterns: {
          java: [
            '$_.atZone(ZoneId.systemDefault())',
            'LocalDate.now()',
            'LocalDateTime.now()',
            'LocalTime.now()',
          ],
          javascript: ['DateTime.fromISO($_).startOf($$$)', 'DateTime.fromISO($_).endOf($$$)'],
        },
        title: '$MATCH is in the zone of the machine, not in the zone that this code has',
        body:
          'When that zone differs, everything that is compared with this time is off by hours. ' +
          'Pass the zone.',
        severity: 'moderate',
        confidence: 0.8,
        refine: (_match, { language, text }) =>
          language === 'java'
            ? /\bZoneId (?!systemDefault)\w*[zZ]one\w*\s*[,;)]/.test(text)
            : /\btime_?zone\??: string\b/i.test(text) && !/setZone|defaultZone/.test(text),
      },
      {
        patterns: { python: ['$_.strftime($LAYOUT)'] },
        where: { LAYOUT: stringLike(claimsUtc) },
        ...wrongZone,
        title: '$MATCH is written with a `Z` for UTC, but is the local time',
        refine: ({ node }) => isPythonLocalTime(node),
      },
      {
        patterns: { python: ["$TIME + '$ZONE'"] },
        where: { TIME: isPythonLocalTime, ZONE: /^Z/ },
        ...wrongZone,
      },
      {
        patterns: { python: ["f'«{$TIME}»'"] },
        where: { TIME: isPythonLocalTime },
        ...wrongZone,
        refine: ({ node }, file) => file.text[node.endIndex] === 'Z',
      },
      {
        patterns: { go: ['time.Now().Format($LAYOUT)'] },
        where: { LAYOUT: stringLike(claimsUtc) },
        ...wrongZone,
        title: '$MATCH is written with a `Z` for UTC, but is the local time',
      },
      {
        languages: ['python'],
        nodes: ['comparison_operator', 'binary_operator'],
        check: checkMixedZones,
      },
      { languages: ['java'], nodes: ['method_invocation'], check: checkMixedJavaZones },
      {
        patterns: {
          java: [
            '$TIME.toInstant(ZoneOffset.UTC)',
            '$TIME.toEpochSecond(ZoneOffset.UTC)',
            '$TIME.atOffset(ZoneOffset.UTC)',
            '$TIME.atZone(ZoneOffset.UTC)',
          ],
        },
        where: { TIME: /^LocalDateTime\.now\(\)/ },
        title: '$MATCH takes the local time for UTC',
        body:
          'When the machine is not set to UTC, the result is off by hours. Use `Instant.now()`, ' +
          'or pass the zone to `LocalDateTime.now`.',
        severity: 'moderate',
        confidence: 0.95,
      },
      {
        patterns: { javascript: ['new Date($TIME)'] },
        where: { TIME: stringLike(localDateTime) },
        title: '$TIME has no time zone, so it means a different moment on each machine',
        body:
          'When the server, a developer and a browser are set to different time zones, this is a ' +
          'different moment on each. Add the zone: `Z` or an offset.',
      },
      {
        patterns: { javascript: ['$DATE.toISOString($$$)'] },
        title: 'The day of $DATE is taken in UTC, although it was created in local time',
        body:
          "When the machine's time zone is ahead of UTC, local midnight is still the day before " +
          'in UTC, so the date is off by one day. Build the day from `getFullYear`, `getMonth` ' +
          'and `getDate`, or create it with `Date.UTC`.',
        severity: 'moderate',
        confidence: 0.9,
        refine: isLocalDay,
      },
    ],
  },
  {
    id: 'date-pattern',
    summary: 'A date format uses the wrong letters, such as `MM` (month) for minutes.',
    seeAlso: ['Error Prone `MisusedWeekYear`'],
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
