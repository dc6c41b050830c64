// Reads which unit a value has: from names, from what well-known calls return, and by arithmetic.
import type { Node } from 'web-tree-sitter'
import { allBindingTypes, onlyValueOf, readBinding } from './bindings.ts'
import { isCall, readCall } from './calls.ts'
import { wordsOf } from './name-words.ts'
import { type Operation, readOperation } from './operations.ts'
import type { ParsedFile } from './syntax-check.ts'
import { codeChildren, field, findNodes } from './syntax-nodes.ts'

/** It is what a value measures, and how much one of its unit is. */
export interface Measured {
  readonly kind: string
  readonly scale: number
}

/** The units of each kind, and the words that names with them end in. */
const units: Readonly<Record<string, readonly (readonly [scale: number, words: string])[]>> = {
  time: [
    [1e-9, 'nanoseconds nanos'],
    [1e-6, 'microseconds micros'],
    [1e-3, 'milliseconds millis millisecond msecs msec ms'],
    [1, 'seconds secs sec'],
    [60, 'minutes mins'],
    [3_600, 'hours'],
    [86_400, 'days'],
    [604_800, 'weeks'],
  ],
  data: [
    [1 / 8, 'bits'],
    [1, 'bytes'],
    [1_024, 'KB kilobytes kib'],
    [1_024 ** 2, 'MB megabytes mib'],
    [1_024 ** 3, 'GB gigabytes gib'],
  ],
  distance: [
    [0.001, 'millimeters millimetres mm'],
    [0.01, 'centimeters centimetres cm'],
    [0.3048, 'feet ft'],
    [1, 'meters metres'],
    [1_000, 'kilometers kilometres km'],
    [1_609, 'miles'],
  ],
  mass: [
    [1, 'grams'],
    [1_000, 'kilograms kg kgs'],
    [453.6, 'lbs'],
  ],
  energy: [
    [1, 'wh'],
    [1_000, 'kWh kwh'],
    [1_000_000, 'MWh mwh'],
  ],
  power: [
    [1, 'watts'],
    [1_000, 'kilowatts kw'],
    [1_000_000, 'megawatts'],
  ],
  volume: [
    [0.001, 'milliliters millilitres ml'],
    [1, 'liters litres'],
  ],
  // One of these isn't a multiple of another one.
  temperature: [
    [1, 'celsius'],
    [100, 'fahrenheit'],
    [10_000, 'kelvin'],
  ],
  money: [
    [0.01, 'cents'],
    [1, 'dollars euros'],
  ],
  angle: [
    [1, 'degrees deg'],
    [57.296, 'radians rad'],
  ],
  share: [
    [0.01, 'percent percentage pct'],
    [1, 'fraction ratio'],
  ],
}

const unitOfWord = new Map<string, Measured>(
  Object.entries(units).flatMap(([kind, list]) =>
    list.flatMap(([scale, words]) =>
      words.split(' ').map((word) => [word.toLowerCase(), { kind, scale }] as const),
    ),
  ),
)

/** Returns the unit that a word stands for: `millis`, `SECONDS`. */
export function unitNamed(word: string): Measured | undefined {
  return unitOfWord.get(word.toLowerCase())
}

/** Returns the name of a unit for people. */
export function describeUnit({ kind, scale }: Measured): string {
  const unit = units[kind]!.find(([other]) => isNear(other, scale))
  return unit![1].split(' ')[0]!
}

/** Whether two values measure the same in different units. */
export function differ(one: Measured, other: Measured): boolean {
  return one.kind === other.kind && !isNear(one.scale, other.scale)
}

/** A kilobyte may have 1,000 or 1,024 bytes, and a limit may leave some reserve. */
function isNear(one: number, other: number): boolean {
  return Math.abs(Math.log(one / other)) < 0.25
}

/** What a name ends in after these words is no amount: opening hours, weekdays, aspect ratio. */
const otherWords = new Set(
  'to per holi birth week work working business school opening office visiting aspect pixel'.split(
    ' ',
  ),
)

/** Short words are units only at the end of longer names. */
const shortUnit = /^(?:sec|[mkg]b|[kc]?m{1,2}|ft|kg|kw|wh|ml|rad|deg|ratio)$/

const unitsOfNames = new Map<string, Measured | undefined>()
const maxNames = 20_000

/** Returns the unit that a name ends in. */
export function unitOfName(name: string): Measured | undefined {
  if (!unitsOfNames.has(name)) {
    if (unitsOfNames.size > maxNames) unitsOfNames.clear()
    unitsOfNames.set(name, readUnit(name))
  }
  return unitsOfNames.get(name)
}

function readUnit(name: string): Measured | undefined {
  const plain = name.replace(/minor_?units?$/i, 'Cents').replace(/(?<=[KMG])iB$/, 'B')
  const words = wordsOf(plain.replace(/(?<=[KMG])Wh$/, 'wh'))
  // `mega_bytes` is one unit.
  const joined = words.slice(-2).join('')
  const last = unitOfWord.has(joined) ? joined : (words.at(-1) ?? '')
  const before = unitOfWord.has(joined) ? words.at(-3) : words.at(-2)
  const unit = unitOfWord.get(last)
  // A name such as `MS_PER_SECOND` or `last30Days` is that of a factor or a range.
  if (!unit || isFactor(words) || words.some((word) => /\d/.test(word))) return undefined
  if (words.length < 2) return shortUnit.test(last) && last !== 'km' ? undefined : unit
  return otherWords.has(before ?? '') ? undefined : unit
}

const wrapped =
  /^parenthesized|cast|^(?:as|satisfies|non_null|await|spread)_expression$|^(?:value_)?argument$|^literal_element$|^(?:expression_list|await)$/

/** Functions and methods that only change the type of a number. */
const converter =
  /^(?:Math\.(?:round|floor|ceil|trunc|abs)|math\.(?:ceil|floor|Round|Ceil|Floor)|Number|parseInt|parseFloat|int|round|float|abs|ceil|floor|intval|u?int\d*|float\d+|Decimal|BigInt|toLong|toInt|toDouble|to_i|to_f|longValue|intValue|round|unwrap|valueOf|toFixed)$/

/** Returns what a value is without parentheses and conversions of its type. */
export function innerOf(node: Node): Node {
  let inner = node
  for (let step = 0; step < 8; step++) {
    const next = wrapped.test(inner.type)
      ? (field(inner, 'value') ?? outermostPart(inner))
      : convertedBy(inner)
    if (!next) break
    inner = next
  }
  return inner
}

function outermostPart(node: Node): Node | undefined {
  if (node.type === 'expression_list' && node.namedChildCount > 1) return undefined
  const index = /^(?:as|satisfies|type_cast)_expression$/.test(node.type) ? 0 : -1
  return codeChildren(node).at(index)
}

function convertedBy(node: Node): Node | undefined {
  const call = isCall(node) ? readCall(node) : undefined
  if (!call || !(converter.test(call.callee) || converter.test(call.name))) return undefined
  if (call.args.length > 0)
    return /^[a-z]?\w+$|^[Mm]ath/.test(call.callee) ? call.args[0] : undefined
  return call.receiver
}

const path = /^[$@]{0,2}\w+(?:(?:\?\.|!!?\.|\.|->|\?->|::)\w+(?:\(\))?)*[!?]?$/

/** Returns the last name of a variable, field, getter or key; undefined for other code. */
export function lastNameOf({ text }: Node): string | undefined {
  if (text.length > 200) return undefined
  const key = /^[$@]?[\w.$>-]+(?:\[|\.get\(|\.fetch\():?["']?([A-Za-z_]\w*)["']?[\])]$/.exec(text)
  if (key) return key[1]
  // These are parts of a time, and Kotlin's and Ruby's `2.seconds` is a duration.
  if (!path.test(text) || /\.get(?:UTC)?(?:Hours|Minutes|Seconds|Milliseconds)\(\)$|^\d/.test(text))
    return undefined
  const name = /(\w+)(\(\))?[!?]?$/.exec(text)
  return name?.[2] ? name[1]!.replace(/^(?:to|as|get)_?(?=[A-Z]|\w*s$)/, '') : name?.[1]
}

/** Values whose unit is known, although their names don't have it. */
const knownValues: readonly (readonly [unit: string, RegExp])[] = [
  [
    'ms',
    /\b(?:Date|performance)\.now\(\)$|\bcurrentTimeMillis\(\)$|\.getTime\(\)$|\.(?:UnixMilli|toEpochMilli|lastModified|elapsedRealtime)\(\)$|\bTickCount(?:64)?$/,
  ],
  [
    'seconds',
    /^time\.(?:time|monotonic)\(\)$|^\\?time\(\)$|^microtime\(true\)$|\.(?:Unix|timestamp|getEpochSecond)\(\)$|->getTimestamp\(\)$|\bTime\.now\.to_[if]$|\bst_mtime$/,
  ],
  ['nanos', /\bnanoTime\(\)$|\.UnixNano\(\)$|^hrtime\.bigint\(\)$/],
  ['seconds', /^[^()]*[hH]eaders?\b.{0,20}retry-after["']\W*$/i],
]

/** The times of tokens are in seconds (RFC 7519, RFC 6749). */
const tokenTime = /(?:\.|->|\[["'])(?:exp|iat|nbf|expires_in|expiresIn)(?:\(\)|["']\])?[!?]?$/

/** Whether a program reads its own tokens, whose times are in milliseconds. */
const ownTokenTime =
  /\b(?:exp|iat|nbf)\b["']?\s*[:=]\s*(?:Date\.now|System\.current)|\bexp\s?[<>]=?\s?(?:Date\.now|System\.current)|(?:Date\.now\(\)|Millis\(\))\s?[<>]=?\s?[\w.]{0,60}\bexp\b/

/** Sizes of files and texts. */
const byteCount =
  /(?:(?:\.|->)(?:size|[lL]ength|byteLength|Size|getSize\(\)|size\(\)|len\(\)|length\(\)|bytesize|st_size|[cC]ontent_?[lL]ength))$|^len\([\w.]+\)$/
const sizeSum =
  /(?:^|\.)(?:sum\w*|reduce|fold|map\w*)\b[\s\S]*(?:size|[lL]ength|bytesize)\b[(), 0}]*$/

/** What is measured in larger units. */
const largeThing = /volume|disk|memory|\bram\b|instance|storage|plan|quota|(?:k|m)i?b\b/i

function knownUnit({ text }: Node, file: ParsedFile): Measured | undefined {
  const code = text.slice(-300)
  const known = knownValues.find(([, pattern]) => pattern.test(code))
  if (known) return unitNamed(known[0])
  if (tokenTime.test(code) && /jwt|jose|token|claim/i.test(file.text))
    return isOwnTime(code, file) ? undefined : unitNamed('seconds')
  const isSize = (byteCount.test(code) || sizeSum.test(code)) && !largeThing.test(code)
  return isSize ? unitNamed('bytes') : undefined
}

/** Libraries that name the field `expiresIn` have units of their own. */
function isOwnTime(code: string, { text }: ParsedFile): boolean {
  return /expiresIn\b/.test(code) ? !text.includes('expires_in') : ownTokenTime.test(text)
}

/** What repeats or scales a value, which keeps its unit. */
const repetition =
  /^\(?(?:(?:Math\.)?pow\(.*|[\d.]+ ?\*\* ?\(?\w+\)?|[$@]?\w*(?:attempt|retry|retries|tries|multiplier|factor|quantity|count|qty)\w*(?: \+ 1)?|n|[01]?\.\d+)\)?$/i

const maxRepetitions = 20

/** Returns the unit of a value, as far as names and the code before it show. */
export function measureOf(node: Node, file: ParsedFile, steps = 2): Measured | undefined {
  const inner = innerOf(node)
  const operation = readOperation(inner)
  if (operation) return measureOfOperation(operation, file, steps)
  const name = lastNameOf(inner)
  const own = name === undefined ? undefined : unitOfName(name)
  if (own) return own
  const known = knownUnit(inner, file)
  if (known || steps === 0 || name === undefined) return known
  const value = onlyValueOf(inner)
  return value && measureOf(value, file, steps - 1)
}

function measureOfOperation(
  { left, right, operator }: Operation,
  file: ParsedFile,
  steps: number,
): Measured | undefined {
  const one = measureOf(left, file, steps)
  if (/^(?:\/\/?|>>|>>>)$/.test(operator)) return one && scaledBy(one, 1, right, file)
  const other = measureOf(right, file, steps)
  if (operator === '*')
    return one ? timesOf(one, other, right, file) : timesOf(other, one, left, file)
  if (!/^(?:[-+]|\?\?|\|\||or|\?:)$/.test(operator)) return undefined
  return one && other && differ(one, other) ? undefined : (one ?? other)
}

function timesOf(
  one: Measured | undefined,
  other: Measured | undefined,
  by: Node,
  file: ParsedFile,
): Measured | undefined {
  return one && !other ? scaledBy(one, -1, by, file) : undefined
}

/** Returns the unit of a value that is multiplied (-1) or divided (1) by a factor. */
function scaledBy(
  { kind, scale }: Measured,
  direction: 1 | -1,
  by: Node,
  file: ParsedFile,
): Measured | undefined {
  const factor = numberOf(by, file, 3)
  if (factor === undefined) return repetition.test(by.text) ? { kind, scale } : undefined
  const converted = { kind, scale: scale * factor ** direction }
  if (units[kind]!.some(([known]) => isNear(known, converted.scale))) return converted
  return factor <= maxRepetitions || repetition.test(by.text) ? { kind, scale } : undefined
}

/** Returns the value of a number, also of a constant or product of the file. */
export function numberOf(node: Node, file: ParsedFile, steps: number): number | undefined {
  const inner = innerOf(node)
  const literal = /^[\d_]+(?:\.\d+)?(?:[eE]\d+)?(?=[lLfFdDmMuUi_\d]*$)/.exec(inner.text)
  if (literal) return Number(literal[0].replaceAll('_', ''))
  const operation = readOperation(inner)
  if (operation && /^(?:\*|\/|\*\*|<<)$/.test(operation.operator)) {
    const [one, other] = [operation.left, operation.right].map((each) =>
      numberOf(each, file, steps),
    )
    if (one === undefined || other === undefined) return undefined
    if (operation.operator === '<<') return one * 2 ** other
    if (operation.operator === '**') return one ** other
    return operation.operator === '*' ? one * other : one / other
  }
  const name = lastNameOf(inner)
  if (name === undefined || steps === 0) return undefined
  const value = constantNamed(name, file)
  return value ? numberOf(value, file, steps - 1) : conversionOf(name)
}

function isFactor(words: readonly string[]): boolean {
  return words.includes('per') || unitOfWord.has(words[words.indexOf('in') - 1] ?? '')
}

/** The factor that a name such as `BYTES_PER_MB` or `MS_IN_SECOND` stands for. */
function conversionOf(name: string): number | undefined {
  const words = wordsOf(name)
  const index = words.findIndex((word) => word === 'per' || word === 'in')
  const [small, large] = [unitNamed(words[index - 1] ?? ''), unitNamed(pluralOf(words[index + 1]))]
  return small && large?.kind === small.kind ? large.scale / small.scale : undefined
}

function pluralOf(word = ''): string {
  return unitOfWord.has(word) ? word : `${word}s`
}

const bindingsOf = new WeakMap<ParsedFile, Map<string, Node[]>>()

/** The value of the only declaration of a constant in a file. */
function constantNamed(name: string, file: ParsedFile): Node | undefined {
  const all =
    bindingsOf.get(file) ?? Map.groupBy(findNodes(file.root, ...allBindingTypes), nameOfTarget)
  bindingsOf.set(file, all)
  const found = all.get(name) ?? []
  return found.length === 1 ? readBinding(found[0]!)?.value : undefined
}

function nameOfTarget(binding: Node): string {
  return /(\w+)$/.exec(readBinding(binding)?.targets[0]?.text.slice(0, 100) ?? '')?.[1] ?? ''
}
