// Reads units from names, and finds values whose names have another unit than their use.
import type { Node } from 'web-tree-sitter'
import type { CodeSyntax } from './code-syntax.ts'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import {
  argumentsOf,
  calleeOf,
  callTypes,
  field,
  firstLine,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'

export type Unit =
  | 'nanoseconds'
  | 'microseconds'
  | 'milliseconds'
  | 'seconds'
  | 'minutes'
  | 'hours'
  | 'days'

/** The ends of names, the longer ones before those that they contain. */
const unitEndings: readonly (readonly [Unit, RegExp])[] = [
  ['nanoseconds', /nano(?:second)?s$/i],
  ['microseconds', /micro(?:second)?s$/i],
  ['milliseconds', /(?:milli(?:second)?s|msecs?|(?:^|_)ms|(?:^|_)MS)$/i],
  ['milliseconds', /[a-z\d](?:Ms|MS)$/],
  ['seconds', /(?:seconds|(?:^|_)secs?|[a-z]Secs?)$/],
  ['seconds', /(?:Seconds|InSec|SECONDS|_SECS)$/],
  ['minutes', /(?:minutes|_mins|[a-z]Mins|Minutes|MINUTES)$/],
  ['hours', /(?:hours|Hours|HOURS)$/],
  ['days', /(?:days|Days|DAYS)$/],
]

/** The unit that the name of a value ends in. Anything but a name or a getter has none. */
export function unitOf(node: Node): Unit | undefined {
  const inner = unwrap(node)
  const factor = repeatedFactorOf(inner)
  return factor ? unitOf(factor) : unitOfName(nameOf(inner) ?? '')
}

/** What a product such as `delayMs * attempt` repeats, which keeps its unit. */
function repeatedFactorOf(node: Node): Node | undefined {
  if (!/^binary/.test(node.type)) return undefined
  const [left, right] = [field(node, 'left'), field(node, 'right')]
  const operator = (field(node, 'operator') ?? node.child(1))?.text
  if (!left || !right || operator !== '*') return undefined
  if (repetition.test(right.text)) return left
  return repetition.test(left.text) ? right : undefined
}

const repetition =
  /^\(?(?:[2-9]|1\.5|(?:Math\.)?pow\(.*|[2-9] ?\*\* ?\(?\w+\)?|[$@]?(?:\w*(?:attempt|retry|retries|tries)\w*|n|multiplier|factor|backoffFactor|backoff_factor)(?: \+ 1)?)\)?$/i

function unitOfName(name: string): Unit | undefined {
  // A name such as `msToSeconds` is that of a factor or a function.
  if (
    /\d+$|\d_?[a-z]+$|per_?[a-z]+s?$|(?:to|in)_?(?:milli|micro|nano)?s(?:ec|$)/i.test(name) ||
    calendarName.test(name)
  )
    return inSeconds.test(name) ? 'seconds' : undefined
  return unitEndings.find(([, ending]) => ending.test(name))?.[0]
}

/** Days and hours that are no duration. */
const calendarName =
  /(?:holi|birth|week|work|business|school)_?days$|(?:opening|business|working|office|visiting)_?hours$/i

const inSeconds = /(?:In|_in_)[sS]ec(?:ond)?s?$/

const memberTypes = [
  ...['member_expression', 'attribute', 'selector_expression', 'field_access'],
  ...['field_expression', 'member_access_expression', 'navigation_expression'],
  ...['class_constant_access_expression', 'scope_resolution'],
]

function nameOf(node: Node): string | undefined {
  if (/identifier$|^(?:variable_name|instance_variable|constant)$/.test(node.type))
    return /\w+$/.exec(node.text)?.[0]
  if (node.type === 'literal_element') return nameOf(node.namedChild(0) ?? node)
  if (memberTypes.includes(node.type) && !isDuration(node))
    return /\w+$/.exec(node.text.slice(-200))?.[0]
  const isGetter = callTypes.includes(node.type) && argumentsOf(node).length === 0
  return isGetter ? /^get_?(\w+)$/.exec(calleeOf(node).name)?.[1] : undefined
}

/** Kotlin: `2.seconds` and `timeout.seconds` are durations, which know their unit. */
function isDuration({ type, text }: Node): boolean {
  return type === 'navigation_expression' && bareUnit.test(text.slice(-200))
}

type Calls = Pick<CodeSyntax, 'calls' | 'calleeOf' | 'argumentsOf'>

/** Callees that take a time in their first argument, by its unit. */
type Sleeps = Readonly<Partial<Record<Unit, RegExp>>>

/** `Duration.ofMillis(timeoutSeconds)`, `schedule(task, delayMinutes, TimeUnit.SECONDS)`. */
export function unitOfArguments(syntax: Calls, sleeps: Sleeps = {}): SyntaxCheck {
  return {
    nodes: syntax.calls,
    check(call, { language }) {
      const args = syntax.argumentsOf(call)
      if (args.length === 0 || args.length > maxArguments) return undefined
      const callee = syntax.calleeOf(call).slice(-maxNameLength)
      const [first] = args
      const hit = wrongPosition(callee, args, language)
      if (hit) return hit
      const named = args.length === 1 ? unitOfCallee(callee) : sleepUnitOf(callee, sleeps)
      if (first && named) return wrongUnit(first, named, callee)
      for (const [index, argument] of args.entries()) {
        const unit = timeUnit.exec(argument.text.slice(0, maxNameLength))?.[1]
        const value = args[index - 1]
        if (unit && value) return wrongUnit(value, constantUnit(unit), argument.text)
      }
      return undefined
    },
  }

  function unitOfCallee(callee: string): Unit | undefined {
    const unit = convertingName.exec(callee)?.[1]
    return unit ? constantUnit(unit) : sleepUnitOf(callee, sleeps)
  }
}

/** Functions of caches and the like, by the position and the unit of a time that they take. */
const positions: readonly (readonly [callee: RegExp, position: number, unit: Unit])[] = [
  [/(?:^|[.>:])set_?ex$/i, 1, 'seconds'],
  [/(?:^|[.>:])pset_?ex$/i, 1, 'milliseconds'],
  [/(?:redis|rdb|client|conn|cache)\w*(?:\.|->|::)expire$/i, 1, 'seconds'],
  [/(?:^|[.>:])pexpire$/i, 1, 'milliseconds'],
  [/^\\?(?:Cache::|cache\(\)->)(?:put|add)$/, 2, 'seconds'],
  [/^\\?(?:Cache::|cache\(\)->)remember$/, 1, 'seconds'],
  [/^\\?(?:gm)?date$/, 1, 'seconds'],
  [/->setTimestamp$/, 0, 'seconds'],
  [/^usleep$/, 0, 'microseconds'],
  [/^Time\.at$/, 0, 'seconds'],
  [/^(?:django_)?cache\.(?:set|add|get_or_set)$/, 2, 'seconds'],
]

/** `redis.setex(key, TTL_MINUTES, value)`. */
function wrongPosition(callee: string, args: readonly Node[], language: string): Hit | undefined {
  const known = positions.find(([pattern]) => pattern.test(callee))
  // The caches of scripts take milliseconds or seconds.
  if (!known || (/script$|^tsx$/.test(language) && /cache\.\w+$/i.test(callee)))
    return wrongOption(args)
  const [, position, unit] = known
  const value = optionValueOf(args[position])
  return value && wrongUnit(value, unit, callee)
}

/** `redis.set(key, value, 'EX', ttlMs)`. */
function wrongOption(args: readonly Node[]): Hit | undefined {
  for (const [index, { text }] of args.entries()) {
    const option = /^["']([EP])X["']$/.exec(text)?.[1]
    const value = args[index + 1]
    if (option && value) return wrongUnit(value, option === 'E' ? 'seconds' : 'milliseconds', text)
  }
  return undefined
}

/** The value of Python's `timeout=…`. */
function optionValueOf(argument: Node | undefined): Node | undefined {
  return argument?.type === 'keyword_argument' ? field(argument, 'value') : argument
}

const optionUnits: Readonly<Record<string, Unit>> = {
  EX: 'seconds',
  PX: 'milliseconds',
  ex: 'seconds',
  px: 'milliseconds',
  stdTTL: 'seconds',
  max_age: 'seconds',
  expires_in: 'seconds',
  MaxAge: 'seconds',
}

/** `{ EX: ttlMs }`, `ex=ttl_minutes`, `expires_in: TTL_MINUTES`. */
export function unitOfOptions(nodes: readonly string[]): SyntaxCheck {
  return {
    nodes,
    check(node) {
      const [, option = ''] =
        /^["':]?(\w+)["']?\s{0,9}(?:=>|[:=])/.exec(node.text.slice(0, 40)) ?? []
      const value = node.namedChildren.at(-1)
      if (!value || !Object.hasOwn(optionUnits, option)) return undefined
      const converted =
        option === 'MaxAge' ? /\.Milliseconds\(\)|\.Minutes\(\)|\.Hours\(\)/.exec(value.text) : null
      const expected = optionUnits[option]!
      if (converted) return convertedHit(value, option, expected)
      return wrongUnit(value, expected, option)
    },
  }
}

function convertedHit(value: Node, option: string, expected: Unit): Hit {
  return {
    at: firstLine(value),
    title: `Wrong unit of time: ${quoteCode(value.text)} is used as ${expected}`,
    body:
      `When this is set, the time is wrong by a factor, because ${quoteCode(option)} is in ` +
      `${expected}.`,
  }
}

function sleepUnitOf(callee: string, sleeps: Sleeps): Unit | undefined {
  return (Object.keys(sleeps) as Unit[]).find((unit) => sleeps[unit]?.test(callee))
}

const maxArguments = 8
const maxNameLength = 200

const unitWord =
  '(nano(?:second)?s|micro(?:second)?s|milli(?:second)?s|sec(?:ond)?s|min(?:ute)?s|hours|days)'

const bareUnit = new RegExp(`\\.${unitWord}$`)

/** A function that makes a time of a number, or adds one to a time. */
const convertingName = new RegExp(
  `(?:^|[.:>])(?:[fF]rom|of|plus|minus|[aA]dd|[fF]romUnixTime)_?${unitWord}$`,
  'i',
)

/** A constant for a unit. */
const timeUnit = new RegExp(`^(?:[a-z.]+\\.)?(?:TimeUnit|ChronoUnit)(?:\\.|::)${unitWord}$`, 'i')

/** The unit that a word stands for: `millis`, `SECONDS`. */
function constantUnit(word: string): Unit {
  const start = word.toLowerCase().slice(0, 3)
  const units: Readonly<Record<string, Unit>> = {
    nan: 'nanoseconds',
    mic: 'microseconds',
    mil: 'milliseconds',
    sec: 'seconds',
    min: 'minutes',
    hou: 'hours',
  }
  return units[start] ?? 'days'
}

function wrongUnit(value: Node, expected: Unit, use: string): Hit | undefined {
  const unit = unitOf(value)
  if (!unit || unit === expected) return undefined
  const code = quoteCode(value.text)
  return {
    at: firstLine(value),
    title: `Wrong unit of time: ${code} is used as ${expected}`,
    body:
      `When ${quoteCode(use)} takes it, ${code} is in ${unit} by its name, but ${expected} are ` +
      'expected. Convert it, or correct its name.',
  }
}

/** `timeoutMs = retry.seconds`, for languages whose bindings are described. */
export function unitOfBindings({ bindings, bindingOf }: CodeSyntax): SyntaxCheck {
  return {
    nodes: bindings,
    check(node) {
      const { name, value } = bindingOf(node) ?? {}
      const given = value && unitOf(value)
      const wanted = name && unitOfName(/\w+$/.exec(name.slice(-maxNameLength))?.[0] ?? '')
      return given && wanted && given !== wanted ? assignedUnit(name, value, wanted) : undefined
    },
  }
}

/** Describes a value that is assigned to a name of another unit. */
export function assignedUnit(name: string, value: Node, wanted: Unit): Hit {
  return {
    at: firstLine(value),
    title:
      `Wrong unit of time: ${quoteCode(name)} gets ${quoteCode(value.text)}, which is in ` +
      unitOf(value),
    body:
      `When this is used as ${wanted}, the time is wrong by a factor. Convert the value, or ` +
      'correct one of the names.',
  }
}

/** `exp: Date.now() + lifetime`: the times of a JSON Web Token are in seconds. */
export function unitOfClaims(nodes: readonly string[]): SyntaxCheck {
  return {
    nodes,
    check(node, file) {
      const text = node.text.slice(0, maxClaimLength)
      const [, claim, value = ''] = tokenClaim.exec(text) ?? []
      if (!claim || !millisecondClock.test(value) || isConverted.test(value)) return undefined
      if (/^[EI]/.test(claim) && !/json:"exp"|jwt\./.test(file.text)) return undefined
      // Such a token is read by the same program.
      if (comparedClaim.test(file.text)) return undefined
      return {
        at: firstLine(node),
        title: `Wrong unit of time: the claim ${quoteCode(claim)} gets milliseconds`,
        body:
          'When the token is checked, its times are taken for seconds since 1970 (RFC 7519), so ' +
          'it is valid for thousands of years. Use seconds.',
      }
    },
  }
}

const maxClaimLength = 300

const tokenClaim =
  /^["':]?(exp|iat|nbf|ExpiresAt(?=.*UnixMilli)|IssuedAt(?=.*UnixMilli))\b["']?\s{0,9}(?:=>|[:=])([\s\S]*)$/

const millisecondClock =
  /\bDate\.now\(\)|\bcurrentTimeMillis\(\)|\bas_millis\(\)|\btimestamp_millis\(\)|\.UnixMilli\(\)|\.ToUnixTimeMilliseconds\(\)|\.toEpochMilli\(\)|\.getTime\(\)/

const isConverted = /\/\s?(?:1_?000|1e3)|seconds/i

const comparedClaim =
  /\bexp\s?[<>]=?\s?(?:Date\.now|System\.current)|(?:Date\.now\(\)|Millis\(\))\s?[<>]=?\s?[\w.]{0,60}\bexp\b/

/** `claims.exp < Date.now()`, `Date.now() + token.expires_in`: both are in seconds. */
export function unitOfTokenTimes(nodes: readonly string[]): SyntaxCheck {
  return {
    nodes,
    check(node, file) {
      const text = node.text.slice(0, maxClaimLength)
      const match = comparedWithClock.exec(text) ?? addedToClock.exec(text)
      const name = match?.[1] ?? match?.[2]
      if (
        !name ||
        /1_?000|1e3|seconds|_ms\b|[a-z]Ms\b|[mM]illis\(?\)?\s*\//i.test(
          text.replace(/currentTimeMillis\(\)(?!\s*\/)/, ''),
        )
      )
        return undefined
      const isOwn = /\bexp["']?\s*[:=]\s*(?:Date\.now|System\.current)/.test(file.text)
      if (isOwn || (/^expiresIn$/.test(name) && !file.text.includes('expires_in'))) return undefined
      return {
        at: firstLine(node),
        title:
          `Wrong unit of time: ${quoteCode(name)} is in seconds, and the clock in ` +
          'milliseconds',
        body:
          'When these are combined, the result is wrong by a factor of a thousand: the times of ' +
          'tokens are in seconds (RFC 7519, RFC 6749). Convert one of them.',
      }
    },
  }
}

const clock =
  '(?:Date\\.now\\(\\)|(?:System\\.)?currentTimeMillis\\(\\)|\\bnow\\.getTime\\(\\)|\\.UnixMilli\\(\\))'

const comparedWithClock = new RegExp(
  `^(?:[\\w.?!]*?\\b(exp)!? [<>]=? ${clock}|${clock} [<>]=? [\\w.?!]*?\\b(exp)!?)$`,
)

const addedToClock = new RegExp(
  `^${clock} [+] \\(?[\\w.?!]*?\\b(expires_in|expiresIn)(?:\\(\\))?\\)?$`,
)

/** `upload.size > MAX_KB`: sizes of files and texts are in bytes. */
export function unitOfSizes(nodes: readonly string[]): SyntaxCheck {
  return {
    nodes: [...nodes, ...callTypes],
    check: (node) => checkSize(node) ?? checkSizeLimit(node),
  }
}

/** `http.MaxBytesReader(w, body, maxUploadMB)`. */
function checkSizeLimit(call: Node): Hit | undefined {
  if (!callTypes.includes(call.type)) return undefined
  const callee = calleeOf(call).name
  if (
    !/^(?:MaxBytesReader|LimitReader|NewLimitedReader|ParseMultipartForm|setMaxUploadSize|setFileSizeMax|setSizeMax)$/.test(
      callee,
    )
  )
    return undefined
  const limit = argumentsOf(call).at(-1)
  const unit = limit && largeUnit.exec(limit.text)?.[1]
  return unit ? sizeHit(limit, callee, limit.text, unit.toUpperCase()) : undefined
}

function checkSize(node: Node): Hit | undefined {
  const sides = /^(\S[^<>=\n]{0,150}?) [<>]=? ([^<>=\n]{1,150})$/.exec(node.text.slice(0, 310))
  const [, left = '', right = ''] = sides ?? []
  const [size, limit] = byteCount.test(left) ? [left, right] : [right, left]
  const unit = largeUnit.exec(limit)?.[1]?.toUpperCase()
  if (!unit || !byteCount.test(size) || measuredInUnits.test(size)) return undefined
  return sizeHit(node, size, limit, unit)
}

function sizeHit(node: Node, size: string, limit: string, unit: string): Hit {
  return {
    at: firstLine(node),
    title: `Wrong unit: ${quoteCode(size)} is in bytes, and ${quoteCode(limit)} in ${unit}`,
    body:
      'When these are compared, the limit is too small by a factor of a thousand or more. ' +
      'Multiply it by the number of bytes in its unit.',
  }
}

const byteCount =
  /(?:(?:\.|->)(?:size|[lL]ength|byteLength|Size|getSize\(\)|size\(\)|len\(\)|length\(\)|bytesize|st_size|ContentLength|content_length|contentLength))$|^len\([\w.]+\)$/

const largeUnit =
  /^[\w.$@:>-]*(?:\[:?["']?\w*)?(?:_|[a-z])(kb|mb|KB|MB|Kb|Mb|KiB|MiB|[mM]ega[bB]ytes|[kK]ilo[bB]ytes)["']?\]?$/

/** What is measured in larger units. */
const measuredInUnits = /volume|disk|memory|\bram\b|instance|storage|plan|quota|(?:k|m)i?b\b/i
