// Finds times of two time zones that a function compares, or uses as the ends of the same range.
import {
  type BoundText,
  checkFunctions,
  type FunctionCode,
  listBindings,
  wordPattern,
} from './function-code.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { fieldText, quoteCode } from './syntax-nodes.ts'

interface Clocks {
  /** The time of the machine without a zone. */
  readonly local: RegExp
  /** Shows that a value is in UTC, or has a zone. */
  readonly utc: string
}

const javaClocks: Clocks = {
  local: /\bLocalDate(?:Time)?\.now\(\)/g,
  utc: '\\bLocalDate(?:Time)?\\.(?:now|ofInstant|ofEpochSecond)\\([^;\\n]*(?:UTC|systemUTC)',
}

const clocksOf: Readonly<Record<string, Clocks>> = {
  'c-sharp': { local: /\bDateTime\.(?:Now|Today)\b/g, utc: '\\bDateTime(?:Offset)?\\.UtcNow\\b' },
  java: javaClocks,
  kotlin: javaClocks,
  python: {
    local: /\b(?:datetime\.)?datetime\.(?:now|today)\(\)/g,
    utc: '\\bdatetime\\.now\\((?:tz=)?[\\w.]|\\btimezone\\.now\\(|\\butcnow\\(\\)',
  },
  php: {
    local: /(?<![\w>:])date\(\s*['"][^()]*['"]\s*\)/g,
    utc: '\\bgmdate\\(|DateTimeZone\\([\'"]UTC',
  },
}

const operand = '([$@]?\\w[\\w.$>?!()\\[\\]\'"-]*?)'

/** `token.ExpiresAt > DateTime.Now`, where the file sets it from `DateTime.UtcNow`. */
function findMixedComparison(code: FunctionCode, file: ParsedFile): Hit | undefined {
  const clocks = clocksOf[file.language]
  if (!clocks) return undefined
  const { text } = code
  for (const { 0: local, index } of text.matchAll(clocks.local)) {
    const name = /([$@]?\w+)(?:\s*:\s*\w+\??)?\s*:?=\s*$/.exec(
      text.slice(Math.max(0, index - 80), index),
    )?.[1]
    const shown = name ? wordPattern(name) : RegExp.escape(local)
    const from = name ? index : Math.max(0, index - 200)
    const other = comparedWith(text.slice(from, name ? undefined : index + 250), shown)
    if (other && isUtc(other, clocks, file.text)) return mixedHit(code, index, local, other)
  }
  return undefined
}

function comparedWith(text: string, shown: string): string | undefined {
  const patterns = [
    `${operand}(?:->format\\([^()]*\\))?\\s*(?:[<>]=?|-(?!>))\\s*${shown}`,
    `${shown}\\s*(?:[<>]=?|-(?!>))\\s*${operand}(?=[\\s;,):&|}]|$)`,
    `${operand}\\.(?:isBefore|isAfter|isEqual|compareTo|CompareTo)\\(\\s*${shown}`,
    `${shown}\\.(?:isBefore|isAfter|isEqual|compareTo|CompareTo)\\(\\s*${operand}\\)`,
  ]
  for (const pattern of patterns) {
    const match = new RegExp(pattern).exec(text)
    if (match) return match[1]
  }
  return undefined
}

/** Whether the name of a value says UTC, or the file sets the name to a time in UTC only. */
function isUtc(value: string, { local, utc }: Clocks, text: string): boolean {
  const call = value.replace(/[?!]/g, '').replace(/->format\(.*$/, '')
  const name = /(\w+)(?:\(\))?$/.exec(call)?.[1]?.replace(/^(?:get|is)_?(?=[A-Z_])/, '') ?? ''
  if (/utc$/i.test(name)) return true
  if (name.length < 3) return false
  const set = `(?:\\b|_|set)_?${name}(?:\\s*(?::[^=\\n]{1,40})?(?:=>|:=|[=:])(?!=)|\\()\\s*[^;\\n]{0,60}?`
  return (
    new RegExp(`${set}(?:${utc})`, 'i').test(text) &&
    !new RegExp(`${set}(?:${local.source})`, 'i').test(text)
  )
}

function mixedHit(code: FunctionCode, index: number, local: string, other: string): Hit {
  const line = code.lineAt(index)
  return zoneHit(
    line,
    `${quoteCode(local)} is local time, and ${quoteCode(other)} is in UTC`,
    'When the machine is not set to UTC, the result is off by hours (or Python raises ' +
      '`TypeError`). Take both from the same clock.',
  )
}

function zoneHit(line: number, title: string, body: string): Hit {
  return {
    at: { startLine: line, endLine: line },
    title,
    body,
    severity: 'moderate',
    confidence: 0.85,
  }
}

/** Reads the zone of the end of a range; empty for that of the machine. */
const zonePatterns: readonly RegExp[] = [
  /\.atStartOfDay\(([^()]*(?:\(\))?)\)/,
  /\bCarbon(?:Immutable)?::(?:now|today)\(([^()]*)\)/,
  /\btime\.Date\([^\n]*,\s*([\w.]+)\)$/,
  /\bdatetime\.combine\([^\n]*tzinfo=([\w.]+)\)/,
  /\b(?:ZonedDateTime|OffsetDateTime)\.of\([^\n]*,\s*([\w.]+)\)/,
]

const rangeStart = /^[$@]?(?:from|start|begin|since|lower|first|min|open)/i
const rangeEnd = /^[$@]?(?:to|end|until|upper|last|max|till|close)/i

function zoneOf({ value }: BoundText): string | undefined {
  if (/\bDate\.UTC\(/.test(value)) return 'UTC'
  if (/\bnew Date\(\s*[\w.]+\.getFullYear\(\)/.test(value)) return ''
  for (const pattern of zonePatterns) {
    const zone = pattern.exec(value.trim())?.[1]
    if (zone !== undefined) return zone.trim()
  }
  return undefined
}

/** `from = day.atStartOfDay(zone)`, `to = day.plusDays(1).atStartOfDay(ZoneOffset.UTC)`. */
function findMixedRange(code: FunctionCode): Hit | undefined {
  const ends = listBindings(code).filter(({ name }) => rangeStart.test(name) || rangeEnd.test(name))
  for (const [index, end] of ends.entries()) {
    const start = ends[index - 1]
    if (!start || !rangeStart.test(start.name) || !rangeEnd.test(end.name)) continue
    const [one, other] = [zoneOf(start), zoneOf(end)]
    if (one === undefined || other === undefined || one === other) continue
    const wrong = /^$|UTC|Default|Local$/.test(other) && !/^$/.test(one) ? end : start
    const right = wrong === end ? start : end
    return zoneHit(
      code.lineAt(wrong.start),
      `${quoteCode(wrong.name)} is in another time zone than ${quoteCode(right.name)}`,
      'When the zones differ, the range is hours longer or shorter than meant. Take both from ' +
        'the same zone.',
    )
  }
  return undefined
}

/** Times in UTC, and times of the machine, in all languages. */
const utcTime =
  /\b(?:utcnow|UtcNow|gmdate|gmtime|toISOString|getUTC\w+)\b|\bUtc::now\(|\bTime\.now\.utc\b|\.UTC\(\)$|\.(?:utc|getutc|toUniversalTime|ToUniversalTime)(?:\(\))?$|ZoneOffset\.UTC\)/
const localTime =
  /\b(?:datetime\.)?datetime\.(?:now|today)\(\)|\bDateTime(?:Offset)?\.(?:Now|Today)\b|\bLocalDate(?:Time)?\.now\(\)|\bLocal::now\(|\.(?:localtime|getlocal|toLocal\w+|ToLocalTime)(?:\(\))?$|systemDefault\(\)/

/** `local = now.utc`, `utc_now = datetime.now()`: the name has another zone than the value. */
function findMisnamedZone(code: FunctionCode): Hit | undefined {
  if (!/utc|gmt|local/i.test(code.text)) return undefined
  for (const { name, value, start } of listBindings(code)) {
    const isUtc = /(?:^|_|[a-z])(?:utc|UTC|Utc|gmt)(?:$|_|[A-Z])|^[$@]?utc/.test(name)
    const isLocal = /^[$@]?local(?:$|_?(?:time|now|date|day|start|end|hour)|[A-Z])/i.test(name)
    const text = value.trim()
    const isWrong =
      (isUtc && !isLocal && localTime.test(text) && !/utc/i.test(text)) ||
      (isLocal && !isUtc && utcTime.test(text) && !/zone|local/i.test(text))
    if (!isWrong || /offset|diff/i.test(name)) continue
    return zoneHit(
      code.lineAt(start),
      `${quoteCode(name)} gets ${quoteCode(text)}, which is in another zone than its name says`,
      'When the zones differ, everything that is computed with it is off by hours. Convert the ' +
        'time to the zone that is meant.',
    )
  }
  return undefined
}

/** Code that names a zone, and code that uses the one of the machine or UTC instead. */
interface OtherZone {
  readonly call: RegExp
  /** How the file does the same in a zone that it names. */
  readonly named: RegExp
}

const javaZone: OtherZone = {
  call: /\b(?:ofInstant|atZone|atStartOfDay|withZone|now|withZoneSameInstant)\([^\n]*?\b(?:ZoneId\.systemDefault|TimeZone\.getDefault)\(\)|\bTimeZone\.currentSystemDefault\(\)/g,
  named:
    /\b(?:ofInstant|atZone|atStartOfDay|withZone|now|toLocalDateTime|atStartOfDayIn|setTimeZone)\([^\n]*?(?:\bZoneOffset\.UTC|\bTimeZone\.UTC|\b(?:[\w.]+\.)?\w*(?<!system)[zZ]one(?:Id)?(?:\(\))?\)|ZoneId\.of\(|\b[A-Z_]*ZONE\w*\))/g,
}

const scriptZone: OtherZone = {
  call: /\b(?:dayjs|moment)\([^()]*\)\.(?:startOf|endOf|hour|day|format|date)\(/g,
  named: /\.tz\(|\.utc\(/g,
}

/** By language. The zone of the machine must be the exception in the file. */
const otherZones: Readonly<Record<string, OtherZone>> = {
  java: javaZone,
  kotlin: javaZone,
  typescript: scriptZone,
  javascript: scriptZone,
  tsx: scriptZone,
  php: {
    call: /\bnew \\?DateTime(?:Immutable)?\(\s*\$(?:\w|->|\[|\]|["'])+\s*\)(?!->set)/g,
    named: /\bnew \\?DateTime(?:Immutable)?\([^()]*,\s*(?:\$|new \\?DateTimeZone)/g,
  },
  'c-sharp': {
    call: /\bDateTime\.(?:Now|Today)\b|\bTimeZoneInfo\.Local\b|\.ToLocalTime\(\)/g,
    named: /\bDateTime(?:Offset)?\.UtcNow\b|\bGetUtcNow\(\)|\bConvertTime(?:FromUtc)?\(/g,
  },
  go: {
    call: /\.In\(time\.Local\)|\btime\.Date\([^\n]*, time\.Local\)|\.Local\(\)/g,
    named: /\.In\((?!time\.Local)\w|\btime\.Date\([^\n]*, (?!time\.Local)[\w.]+\)|\.UTC\(\)/g,
  },
  ruby: {
    call: /(?<=[\w)]\.)(?:localtime|getlocal)\b(?!\()|\bTime\.now\.(?:hour|wday|day|to_date|strftime)\b|\bDate\.today\b/g,
    named: /\.in_time_zone\(|\bTimeZone\[|\.localtime\(/g,
  },
  rust: {
    call: /\bLocal::now\(\)|\bwith_timezone\(&(?:chrono::)?Local\)/g,
    named: /\bUtc::now\(\)|\bwith_timezone\(&(?!Local|chrono::Local)/g,
  },
}

/** Texts for people and logs may well be in the zone of the machine. */
const shownTime = /log|print|echo|file_?name|backup|format|label|display|title|message|stamp/i

function findOtherZone(code: FunctionCode, { language, text: whole }: ParsedFile): Hit | undefined {
  const zone = otherZones[language]
  const [match] = zone ? code.text.matchAll(zone.call) : []
  if (!zone || !match) return undefined
  const isException = whole.search(zone.named) >= 0 && whole.match(zone.call)?.length === 1
  const { index } = match
  const line = code.text.slice(code.text.lastIndexOf('\n', index) + 1, index + match[0].length)
  const isMeant =
    /local/i.test(fieldText(code.node, 'name')) ||
    isLocalMeant(line.slice(0, -match[0].length), whole)
  if (isMeant || !isException || shownTime.test(line)) return undefined
  return zoneHit(
    code.lineAt(index),
    `${quoteCode(match[0])} isn't in the time zone that this file uses elsewhere`,
    'When the zones differ, the time or the day is wrong for some hours of each day. Pass the ' +
      'same zone.',
  )
}

/** @param before what is on the line before the time */
function isLocalMeant(before: string, file: string): boolean {
  // A variable for a zone is passed on.
  if (/local|\b\w*zone\w*(?:\s*:[^=]*)?\s*:?=\s*$/i.test(before)) return true
  // `created = DateTime.Now` beside `createdUtc = DateTime.UtcNow` keeps both.
  const target = /(\w+)\s*=\s*$/.exec(before)?.[1]
  return target !== undefined && new RegExp(`\\b${target}_?utc\\b`, 'i').test(file)
}

/** `local.toInstant(ZoneOffset.UTC)`, where the function has a zone. */
function findWrongOffset(code: FunctionCode, { language }: ParsedFile): Hit | undefined {
  if (!/^(?:java|kotlin)$/.test(language)) return undefined
  const { text } = code
  const call = /\.(?:toInstant|toEpochSecond|atOffset)\(ZoneOffset\.UTC\)/.exec(text)
  const zone =
    /\b(?:atZone|atStartOfDay|ofInstant|now)\((?:[^()\n]*, ?)?([\w.]*[zZ]one(?:Id)?(?:\(\))?)\)/.exec(
      text,
    )
  if (!call || !zone || zone.index > call.index) return undefined
  return zoneHit(
    code.lineAt(call.index),
    `${quoteCode(call[0])} takes the time for UTC, although this code has ${quoteCode(zone[1]!)}`,
    `When the zones differ, the result is off by hours. Use \`.atZone(${zone[1]})\`.`,
  )
}

/** `day.getUTCFullYear()` and `day.getDate()` of the same time. */
function findMixedParts({ text, lineAt }: FunctionCode, { language }: ParsedFile): Hit | undefined {
  if (!/script$|^tsx$/.test(language)) return undefined
  const parts = [...text.matchAll(/\b(\w+)\.([gs]et)(UTC)?(FullYear|Month|Date|Day|Hours)\(/g)]
  for (const [index, [, name, verb, isUtc, part]] of parts.entries()) {
    const same = parts.filter((other) => other[1] === name && other[2] === verb)
    const others = same.filter((other) => !other[3] !== !isUtc)
    // Both of a part are compared, or converted.
    if (others.length < 1 || others.length < same.length - 1 || same.length < 2) continue
    if (same.some((other) => other[4] === part && !other[3] !== !isUtc)) continue
    if (same.length === 2 && isUtc) continue
    return zoneHit(
      lineAt(parts[index]!.index),
      `${quoteCode(`${name}.${verb}${isUtc ?? ''}${part}()`)} isn't in the zone of the rest`,
      'When the day is another one in UTC, the parts are those of two days. Take all in one zone.',
    )
  }
  return undefined
}

/** Go: `local.Truncate(24 * time.Hour)` cuts at midnight in UTC. */
function findTruncatedDay(code: FunctionCode, { language }: ParsedFile): Hit | undefined {
  if (language !== 'go') return undefined
  const { text } = code
  const cut = /(\w+|\))\.Truncate\(24 ?\* ?time\.Hour\)/.exec(text)
  const isLocal =
    cut &&
    new RegExp(`\\b${cut[1] === ')' ? '' : `${cut[1]}\\s*:?=[^\\n]*`}\\.In\\((?!time\\.UTC)`).test(
      text.slice(0, cut.index + 1),
    )
  if (!cut || !isLocal) return undefined
  return zoneHit(
    code.lineAt(cut.index),
    `${quoteCode(cut[0])} cuts at midnight in UTC, although the time is in another zone`,
    'When that zone differs, the day begins hours too early or too late. Use `time.Date` with ' +
      'the location.',
  )
}

/** Go: times of a wall clock, where the function has the location that is meant. */
function findWrongLocation(
  code: FunctionCode,
  { language, text: whole }: ParsedFile,
): Hit | undefined {
  if (language !== 'go') return undefined
  const { text } = code
  const location =
    /\b(\w+)\s+\*time\.Location\b|\b(\w+)(?:, \w+)?\s*:?=\s*[^\n]*(?:LoadLocation\(|[lL]ocation\(\))/.exec(
      text,
    )
  const name = location?.[1] ?? location?.[2]
  if (!name || name === '_') return undefined
  return findWallClock(code, whole, name) ?? findLocalDate(code, name)
}

function findWallClock(code: FunctionCode, whole: string, name: string): Hit | undefined {
  const parses = code.text.matchAll(/\btime\.Parse\(\s*("[^"]*"|[\w.]+)\s*,/g)
  for (const { index, 1: layout = '' } of parses) {
    const format = layout.startsWith('"') ? layout : (layoutOf(layout, whole) ?? '')
    if (!format || /MST|Z07|-07|RFC(?:3339|1123Z|822Z)/.test(format)) continue
    return zoneHit(
      code.lineAt(index),
      `\`time.Parse\` takes the time for UTC, although this code has ${quoteCode(name)}`,
      'When the text is a time of that zone, the result is off by hours. Use ' +
        `\`time.ParseInLocation\` with \`${name}\`.`,
    )
  }
  return undefined
}

/** `time.Date(local.Year(), …, time.UTC)`, where `local` is in another location. */
function findLocalDate(code: FunctionCode, name: string): Hit | undefined {
  const { text } = code
  const local = new RegExp(`\\b(\\w+)\\s*:?=\\s*[^\\n]*\\.In\\(${name}\\)`).exec(text)?.[1]
  const date =
    local &&
    new RegExp(
      `\\btime\\.Date\\(\\s*${local}\\.Year\\(\\)[^\\n]*,\\s*time\\.(?:UTC|Local)\\)`,
    ).exec(text)
  if (!date) return undefined
  return zoneHit(
    code.lineAt(date.index),
    `The day of ${quoteCode(local)} is taken in ${quoteCode(name)}, but its start in another zone`,
    `When that zone isn't UTC, the day begins hours too early or too late. Pass \`${name}\`.`,
  )
}

/** The value of a constant for a layout. */
function layoutOf(name: string, text: string): string | undefined {
  if (/^time\./.test(name)) return /Only|DateTime/.test(name) ? name : `Z07 ${name}`
  return new RegExp(`\\b${RegExp.escape(name)}\\s*=\\s*("[^"]*")`).exec(text)?.[1]
}

interface ServerClock {
  readonly call: RegExp
  /** Shows that the file has another zone than that of the machine. */
  readonly zone: RegExp
  readonly remedy: string
}

/** Calls that use the zone of the machine, in files that use another one. */
const serverClocks: Readonly<Record<string, readonly ServerClock[]>> = {
  python: [
    {
      call: /\b(?:datetime\.)?date\.today\(\)|\b(?:datetime\.)?datetime\.(?:now|today)\(\)/,
      zone: /^from django\.utils import [^\n]*\btimezone\b/m,
      remedy: 'Use `timezone.localdate()` or `timezone.now()`',
    },
  ],
  ruby: [
    {
      call: /\bDate\.(?:today|tomorrow|yesterday)\b|\bTime\.(?:now\.(?:to_date|hour|wday|beginning_of_\w+|end_of_\w+)|parse\()|\bDateTime\.(?:now|parse)\b/,
      zone: /\bTime\.zone\b|\bin_time_zone\b|\bTime\.use_zone\b|\btime_zone\b/,
      remedy: 'Use `Time.zone`',
    },
  ],
  java: [
    {
      call: /\.setTimeZone\(TimeZone\.getDefault\(\)\)/,
      zone: /\b(?:TimeZone|ZoneId) \w+\s*[,)]/,
      remedy: 'Pass the zone',
    },
  ],
  php: [
    {
      call: /\bnew \\?DateTime(?:Immutable)?\(\s*["'][^"'\n]*\$[^\n]*?(?:,\s*(?:\$utc|new \\?DateTimeZone\(['"]UTC['"]\))\s*)\)/,
      zone: /\bDateTimeZone \$(?!utc)\w+/,
      remedy: 'Pass the zone in which people write the time',
    },
  ],
}

function findServerClock(
  code: FunctionCode,
  { language, text: whole }: ParsedFile,
): Hit | undefined {
  for (const { call, zone, remedy } of serverClocks[language] ?? []) {
    const match = call.exec(code.text)
    if (!match || !zone.test(whole)) continue
    return zoneHit(
      code.lineAt(match.index),
      `${quoteCode(match[0])} isn't in the time zone that this file uses elsewhere`,
      `When the zones differ, the time or the day is wrong for some hours of each day. ${remedy}.`,
    )
  }
  return undefined
}

/** `now.setHours(0, 0, 0, 0)`, `now.toISOString().slice(0, 10)`. */
function findLocalDay(code: FunctionCode, { language }: ParsedFile): Hit | undefined {
  if (!/script|tsx/.test(language)) return undefined
  const day = /\b(\w+)\.toISOString\(\)\.(?:slice|split|substring|substr)\(/g
  for (const { index, 1: name } of code.text.matchAll(day)) {
    const set = new RegExp(
      `\\b${name}\\.set(?:Hours|Date|Month|FullYear)\\(|\\b${name} = (?:startOf|endOf)(?:Day|Week|Month|Year)\\(`,
    )
    const before = code.text.slice(0, index)
    if (!set.test(before) || new RegExp(`\\b${name}\\.setUTC|getTimezoneOffset`).test(before))
      continue
    return zoneHit(
      code.lineAt(index),
      `The day of ${quoteCode(name!)} is taken in UTC, although it was set in local time`,
      "When the machine's time zone is ahead of UTC, local midnight is still the day before in " +
        'UTC, so the date is off by one day. Format it in local time.',
    )
  }
  return undefined
}

/** Rust: `created.date_naive() == Local::now().date_naive()`. */
function findNaiveComparison(
  code: FunctionCode,
  { language, text: whole }: ParsedFile,
): Hit | undefined {
  if (language !== 'rust' || !/DateTime<Utc>|Utc::now/.test(whole)) return undefined
  const match =
    /(\w+(?:\.\w+)*)\.(?:date_naive|naive_utc|naive_local|time)\(\)\s*[=!<>]=?\s*Local::now\(\)\.(?:date_naive|naive_local|time)\(\)|Local::now\(\)\.(?:date_naive|naive_local|time)\(\)\s*[=!<>]=?\s*(\w+(?:\.\w+)*)\.(?:date_naive|naive_utc|time)\(\)/.exec(
      code.text,
    )
  if (!match || /with_timezone/.test(match[0])) return undefined
  return mixedHit(code, match.index, 'Local::now()', (match[1] ?? match[2])!)
}

/** C#: `DateTime.Parse(value)` in what is named UTC. */
function findLocalParse(code: FunctionCode, { language }: ParsedFile): Hit | undefined {
  if (language !== 'c-sharp') return undefined
  const parse = /\bDateTime\.Parse(?:Exact)?\((?:[^()]|\([^()]*\))*\)(?!\s*\.ToUniversal)/g
  for (const { index, 0: call } of code.text.matchAll(parse)) {
    const line = code.text.slice(code.text.lastIndexOf('\n', index) + 1, index)
    const isNamedUtc = /\b\w*(?:Utc|UTC)\w*\s*=\s*$|\b\w*Utc\w*\([^)]*\)[^;]*$/.test(
      /=\s*$/.test(line) ? line : code.text.slice(0, index),
    )
    if (!isNamedUtc || /Universal|Roundtrip|SpecifyKind/.test(code.text)) continue
    return zoneHit(
      code.lineAt(index),
      `${quoteCode(call)} returns local time or no zone, although UTC is meant`,
      'When the machine is not set to UTC, the result is off by hours. Pass ' +
        '`DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal`.',
    )
  }
  return undefined
}

const dates = /time|date|zone|Carbon|Local|Utc|utc|UTC/i

/** Reports times of different zones in the same comparison or range. */
export const zoneMixes = checkFunctions(
  ...[
    findMixedComparison,
    findMixedRange,
    findWrongLocation,
    findServerClock,
    findLocalDay,
    findNaiveComparison,
    findLocalParse,
    findMisnamedZone,
    findWrongOffset,
    findMixedParts,
    findTruncatedDay,
    findOtherZone,
  ].map(
    (find): typeof findOtherZone =>
      (code, file) =>
        dates.test(code.text) ? find(code, file) : undefined,
  ),
)
