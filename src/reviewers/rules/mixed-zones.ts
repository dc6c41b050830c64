// Finds calculations with times of which one has a time zone, or is in UTC, and the other is local.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import {
  field,
  fieldText,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { readComparison } from './equality.ts'
import type { Hit, ParsedFile } from './rule.ts'
import { originOf } from './value-origins.ts'

type Zone = 'local' | 'utc' | 'aware'

/** How a time is created, the kinds with a zone first. */
const pythonZones: readonly (readonly [Zone, RegExp])[] = [
  ['aware', /\bdatetime\.now\(\s*[^\s)]|\bfromtimestamp\([^()]+,|\b(?:tzinfo|tz)=/],
  ['aware', /\btimezone\.now\(\)|\.astimezone\(/],
  ['utc', /^(?:datetime\.)?datetime\.(?:utcnow|utcfromtimestamp)\(/],
  [
    'local',
    /^(?:datetime\.)?datetime\.(?:now|today)\(\s*\)|^(?:datetime\.)?datetime\.fromtimestamp\(/,
  ],
  ['local', /^(?:datetime\.)?datetime\.strptime\((?!.*(?:%z|Z["']))[^)]*["'][^)]*\)$/],
]

const javaZones: readonly (readonly [Zone, RegExp])[] = [
  [
    'utc',
    /^LocalDateTime\.(?:now|ofInstant|ofEpochSecond)\(.*\bZoneOffset\.UTC\)|\bClock\.systemUTC\(\)/s,
  ],
  ['local', /^LocalDateTime\.now\(\)/],
]

interface CreatedTime {
  readonly zone: Zone
  /** The code that creates it. */
  readonly value: Node
}

/** `datetime.now() > expires_at`, where `expires_at = datetime.now(timezone.utc) + lifetime`. */
export function checkMixedZones(node: Node, file: ParsedFile): Hit | undefined {
  const { left, right, operator } = readComparison(node) ?? {}
  if (!left || !right || !operator || !/^(?:-|[<>]=?)$/.test(operator)) return undefined
  return compareZones(node, [left, right], file, pythonZones)
}

/** `LocalDateTime.now().isAfter(expiresAt)`, where the other time is in UTC. */
export function checkMixedJavaZones(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name, args } = readCall(call)
  const isComparison = /^(?:isAfter|isBefore|isEqual|compareTo)$/.test(name) && args.length === 1
  if (isComparison && receiver) return compareZones(call, [receiver, args[0]!], file, javaZones)
  return name === 'between' && args.length === 2
    ? compareZones(call, args, file, javaZones)
    : undefined
}

function compareZones(
  node: Node,
  sides: readonly Node[],
  file: ParsedFile,
  zones: typeof pythonZones,
): Hit | undefined {
  const [one, other] = sides.map((side) => createdTimeOf(side, node, file, zones))
  if (!one || !other || one.zone === other.zone) return undefined
  const fails = one.zone === 'aware' || other.zone === 'aware'
  const evidence = [one, other]
    .filter(({ value }) => lineOf(value) !== lineOf(node))
    .map(({ value }) => ({ line: lineOf(value), note: 'where the time is created' }))
  return {
    at: firstLine(node),
    title: fails
      ? `${quoteCode(node.text)} mixes times with and without a time zone`
      : `${quoteCode(node.text)} mixes the local time and UTC`,
    body: fails
      ? 'When this runs, Python raises `TypeError`. Create both with a zone: ' +
        '`datetime.now(timezone.utc)`.'
      : 'When the machine is not set to UTC, the result is off by hours. Create both in UTC.',
    severity: 'moderate',
    confidence: 0.9,
    evidence,
  }
}

/** The zone that a time is created in, as far as the file shows. */
function createdTimeOf(
  side: Node,
  from: Node,
  file: ParsedFile,
  zones: typeof pythonZones,
): CreatedTime | undefined {
  const inner = unwrap(side)
  const value = firstOperand(findValue(inner, from, file) ?? inner)
  const text = value.text.slice(0, 300)
  // This removes the zone of a time.
  if (/tzinfo=None/.test(text)) return undefined
  const zone = zones.find(([, pattern]) => pattern.test(text))?.[0]
  return zone && { zone, value }
}

/** What a variable was set to last, or a field in the only place that sets it. */
function findValue(node: Node, from: Node, file: ParsedFile): Node | undefined {
  if (node.type === 'identifier') {
    const origin = originOf(node.text, from, file)
    if (origin) return unwrap(origin.value)
  }
  const name = fieldText(node, 'attribute') || fieldText(node, 'field') || node.text
  const { declarations } = file
  const places = [...declarations.variables(name), ...declarations.fields(name)]
  const values = places.flatMap((place) => field(place, 'value') ?? field(place, 'right') ?? [])
  return values.length === 1 ? unwrap(values[0]!) : undefined
}

/** The time that is changed in `time + delta` and `time.plusHours(1)`. */
function firstOperand(value: Node): Node {
  const changed = /^(?:plus|minus)/.test(readCall(value).name)
    ? readCall(value).receiver
    : undefined
  const left = changed ?? (value.type === 'binary_operator' ? field(value, 'left') : undefined)
  return left ? firstOperand(unwrap(left)) : value
}
