// Finds values that are combined with, assigned to or passed as values of another unit.
import type { Node } from 'web-tree-sitter'
import { readBinding } from './bindings.ts'
import { signatureOf } from './call-parameters.ts'
import { callAndNewTypes, isCall, readCall } from './calls.ts'
import { valueTextOf } from './local-values.ts'
import {
  describeUnit,
  differ,
  innerOf,
  lastNameOf,
  type Measured,
  measureOf,
  numberOf,
  unitNamed,
  unitOfName,
} from './measures.ts'
import { wordsOf } from './name-words.ts'
import { readOperation } from './operations.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { firstLine, quoteCode } from './syntax-nodes.ts'

function unitHit(at: Node, one: string, unit: Measured, other: string, expected: Measured): Hit {
  const kind = unit.kind === 'time' ? ' of time' : ''
  return {
    at: firstLine(at),
    title:
      `Wrong unit${kind}: ${quoteCode(one)} is in ${describeUnit(unit)}, and ` +
      `${quoteCode(other)} in ${describeUnit(expected)}`,
    body: 'When this runs, one of them is wrong by a factor. Convert it, or correct its name.',
  }
}

/** Clocks show hours, minutes and seconds, which may be combined. */
const partOfTime = /(?:^|[.>@_])(?:days|hours|minutes|seconds)(?:\(\))?$/i

/** `elapsedMs > limitSeconds`, `size > limitMb * 1024`, `now.millis() + lifetimeSeconds`. */
function checkOperands(node: Node, file: ParsedFile): Hit | undefined {
  const { left, right, operator } = readOperation(node) ?? {}
  if (!left || !right || !/^(?:[-+]|[<>]=?|[=!]==?)$/.test(operator!)) return undefined
  // A text for people names the unit of each part: `hours + 'h' + minutes + 'm'`.
  if (operator === '+' && /["'`]/.test(node.text)) return undefined
  const [one, other] = measuresOf([left, right], file)
  if (!one || !other || !differ(one, other)) return undefined
  if (partOfTime.test(left.text) && partOfTime.test(right.text)) return undefined
  return unitHit(node, left.text, one, right.text, other)
}

/** Follows variables only if the unit of one value is known without that. */
function measuresOf(values: readonly Node[], file: ParsedFile): (Measured | undefined)[] {
  const known = values.map((value) => measureOf(value, file, 0))
  if (!known.some(Boolean)) return known
  return values.map((value, index) => known[index] ?? measureOf(value, file))
}

/** Options of libraries, by what is called with them. */
const options: readonly (readonly [unit: string, names: string, callee?: RegExp])[] = [
  ['seconds', 'EX ex stdTTL max_age MaxAge expires_in expiresIn exp iat nbf ExpiresAt IssuedAt'],
  ['ms', 'PX px'],
  [
    'ms',
    'maxAge',
    /(?:\b(?:res|response|reply)\.(?:cookie|clearCookie)|[sS]ession|ctx\.cookies\.set)$/,
  ],
  ['seconds', 'maxAge', /(?:serialize|\bcors|cookies\(\)\.set|cookieStore\.set|setCookie)$/i],
  ['ms', 'timeout', /\baxios(?:\.\w+)?$|\bgot(?:\.\w+)?$/],
  ['seconds', 'timeout', /^(?:requests|httpx|subprocess|socket|urllib|asyncio)\b[\w.]*$/],
]

/** Claims have other units where they aren't those of a token. */
const claim = /^(?:exp|iat|nbf|ExpiresAt|IssuedAt)$/

/** `timeoutMs = retry.seconds`, `{ maxAge: ttlSeconds }`, `Cookie(max_age=ttl_ms)`. */
function checkBinding(node: Node, file: ParsedFile): Hit | undefined {
  const binding = readBinding(node)
  if (!binding || !/^(?:=>|[-+:]?=|:)$/.test(binding.operator)) return undefined
  const { targets, value, operator } = binding
  const target = targets[0]!
  const name = nameOfTarget(target)
  const wanted = unitOfName(name) ?? unitOfOption(name, node, file)
  const given = wanted && measureOf(value, file)
  if (!given || !differ(given, wanted) || isSame(target, value, operator)) return undefined
  return unitHit(value, value.text, given, name, wanted)
}

/** Some code converts a variable in place, or counts in steps of another unit. */
function isSame(target: Node, value: Node, operator: string): boolean {
  const isStep = /[-+]=/.test(operator) && partOfTime.test(target.text)
  return isStep || innerOf(value).text.startsWith(target.text)
}

function nameOfTarget(target: Node): string {
  const key = /^["':]?(\w+)["':]?$/.exec(target.text)?.[1]
  return lastNameOf(innerOf(target)) ?? key ?? ''
}

function unitOfOption(name: string, node: Node, { text }: ParsedFile): Measured | undefined {
  const callee = calleeAround(node)
  const option = options.find(
    ([, names, pattern]) => names.split(' ').includes(name) && (!pattern || pattern.test(callee)),
  )
  if (!option || (claim.test(name) && !/jwt|jose|token|claim/i.test(text))) return undefined
  return unitNamed(option[0])
}

/** What is called with an option, also in an object. */
function calleeAround(option: Node): string {
  let node = option.parent
  for (let step = 0; node && step < 6; step++) {
    if (isCall(node)) return readCall(node).callee
    node = node.parent
  }
  return ''
}

/** Functions that take a number of a unit, by the position of the argument. */
const takers: readonly (readonly [unit: string, at: number, names: string, where?: RegExp])[] = [
  ['ms', 1, 'setTimeout setInterval psetex pexpire PExpire'],
  ['ms', 0, 'AbortSignal.timeout Thread.sleep Thread.Sleep Task.Delay CancelAfter ofEpochMilli'],
  ['ms', 0, 'UnixMilli MILLISECONDS.sleep'],
  ['ms', 0, 'Date', /script$|^tsx$|^java$|^kotlin$/],
  ['ms', 0, 'delay', /^kotlin$/],
  ['seconds', 0, 'time.sleep asyncio.sleep ofEpochSecond fromtimestamp Time.at'],
  ['seconds', 0, 'setTimestamp', /^php$/],
  ['seconds', 0, 'time.Unix SECONDS.sleep setMaxAge'],
  ['seconds', 0, 'sleep', /^(?:php|ruby)$/],
  ['seconds', 1, 'setex set_ex setEx expire asyncio.wait_for Cache.remember'],
  ['seconds', 1, 'date gmdate', /^php$/],
  ['seconds', 2, 'Cache.put Cache.add', /^php$/],
  ['seconds', 2, 'cache.set cache.add cache.get_or_set', /^python$/],
  ['micros', 0, 'usleep'],
  ['radians', 0, 'sin cos tan'],
  ['bytes', -1, 'MaxBytesReader LimitReader NewLimitedReader ParseMultipartForm'],
  ['bytes', 0, 'setMaxUploadSize setFileSizeMax setSizeMax'],
]

/** Functions that make a time of a number or add one, such as `Duration.ofMillis`. */
const convertingWord = /^(?:from|of|plus|minus|add|sub|subtract)$/i

function takerOf(callee: string, name: string, count: number, language: string) {
  const words = wordsOf(name)
  const isConverting = words.length > 1 && convertingWord.test(words[0]!) && count === 1
  const unit = isConverting ? unitNamed(words.slice(1).join('')) : undefined
  if (unit) return { unit, at: 0 }
  const known = takers.find(
    ([, , names, where]) =>
      (!where || where.test(language)) &&
      names
        .split(' ')
        .some(
          (each) => callee === each || callee.endsWith(`.${each}`) || callee.endsWith(` ${each}`),
        ),
  )
  return known && { unit: unitNamed(known[0])!, at: known[1] }
}

/** `Duration.ofMillis(timeoutSeconds)`, `schedule(task, delayMinutes, TimeUnit.SECONDS)`. */
function checkCall(node: Node, file: ParsedFile): Hit | undefined {
  const call = readCall(node)
  if (!call || call.args.length > maxArguments) return undefined
  const { callee, name, args, receiver } = call
  const taker = takerOf(callee, name, args.length, file.language)
  const angle = taker?.unit.kind === 'angle' && args.length === 0 ? receiver : undefined
  const value = taker && (angle ?? args.at(taker.at))
  const hit = value && wrongArgument(value, taker.unit, callee, file)
  return hit ?? checkNextArgument(args, file) ?? checkParameters(node, file)
}

const maxArguments = 8

function isHeader(value: Node): boolean {
  return /[hH]eaders?\b[^()]*["'][\w-]+["']\W*$/.test(valueTextOf(value))
}

function wrongArgument(
  argument: Node,
  wanted: Measured,
  callee: string,
  file: ParsedFile,
): Hit | undefined {
  const unit = measureOf(argument, file)
  // A header is a text, which `Date` reads.
  if (/(?:^| )Date$/.test(callee) && isHeader(argument)) return undefined
  return unit && differ(unit, wanted)
    ? unitHit(argument, argument.text, unit, callee, wanted)
    : undefined
}

/** A constant or text for a unit that comes after its number, and Redis' option before it. */
const unitAfter =
  /^(?:[\w.]+(?:\.|::))?(?:TimeUnit|ChronoUnit|DurationUnit)(?:\.|::)(\w+)$|^["':](\w{4,})["']?$/
const redisUnits = new Map([
  ['"EX"', 'seconds'],
  ['"PX"', 'ms'],
])

function checkNextArgument(args: readonly Node[], file: ParsedFile): Hit | undefined {
  for (const [index, { text }] of args.entries()) {
    const [, constant, word] = unitAfter.exec(text) ?? []
    const unit = unitNamed(constant ?? word ?? '')
    const value = unit ? args[index - 1] : args[index + 1]
    const wanted = unit ?? unitNamed(redisUnits.get(text.replaceAll("'", '"')) ?? '')
    const hit = value && wanted && wrongArgument(value, wanted, text, file)
    if (hit) return hit
  }
  return undefined
}

/** `connect(config.timeoutSeconds, host)`, where the file has `connect(timeoutMs, host)`. */
function checkParameters(node: Node, file: ParsedFile): Hit | undefined {
  const call = readCall(node)
  if (!call.args.some((argument) => measureOf(argument, file, 0))) return undefined
  const { parameters = [] } = signatureOf(call, file) ?? {}
  if (parameters.length !== call.args.length) return undefined
  for (const [index, argument] of call.args.entries()) {
    const wanted = unitOfName(parameters[index] ?? '')
    const unit = wanted && measureOf(argument, file, 0)
    if (unit && differ(unit, wanted))
      return unitHit(argument, argument.text, unit, parameters[index]!, wanted)
  }
  return undefined
}

/** `net - net * discountPercent`, in a file that divides other percentages by 100. */
function checkPercentage(node: Node, file: ParsedFile): Hit | undefined {
  const { left, right, operator } = readOperation(node) ?? {}
  if (operator !== '*') return undefined
  const sides = [left!, right!]
  const factor = sides.find((side) => isPercentage(side, file))
  const isScaled = sides.some((side) => numberOf(side, file, 2) !== undefined)
  if (!factor || isScaled || !dividedPercentage.test(file.text)) return undefined
  let outer = node
  while (outer.parent && !/statement|block|body|declaration|^assignment/.test(outer.parent.type))
    outer = outer.parent
  if (/100|hundred|0\.01|1e-2|percent\(|ratio|fraction/i.test(outer.text)) return undefined
  return {
    at: firstLine(node),
    title: `Wrong unit: ${quoteCode(factor.text)} is a percentage, and isn't divided by 100 here`,
    body:
      'When this runs, the result is a hundred times too large, because other code of this file ' +
      'divides percentages by 100.',
  }
}

function isPercentage(node: Node, file: ParsedFile): boolean {
  const unit = measureOf(node, file, 0)
  return unit?.kind === 'share' && unit.scale < 1 && numberOf(node, file, 2) === undefined
}

const dividedPercentage =
  /(?:[pP]ercent(?:age)?|PERCENT|[pP]ct)\b[)\s]*(?:(?:\/|\.div\w*\()\s*\(?(?:100|HUNDRED)|\*\s?0\.01)/

/** `` `${waitMs} seconds` ``. */
function checkText(node: Node): Hit | undefined {
  if (node.endIndex - node.startIndex > 400) return undefined
  const insertions = node.text.matchAll(
    /(?:[$#]?\{|\$)([A-Za-z_][\w.>-]*)\}?[ -]?(milliseconds|ms|seconds|minutes|hours|days|KB|MB|GB|km|meters|kg)\b/g,
  )
  for (const [, name, word] of insertions) {
    const unit = unitOfName(/\w+$/.exec(name!)?.[0] ?? '')
    const wanted = unitNamed(word!)
    if (unit && wanted && differ(unit, wanted)) return unitHit(node, name!, unit, word!, wanted)
  }
  return undefined
}

/** Reports values of two units in all languages. */
export const mixedMeasures: readonly SyntaxCheck[] = [
  {
    nodes: ['binary_expression', 'binary_operator', 'comparison_operator', 'binary'],
    check: (node, file) => checkOperands(node, file) ?? checkPercentage(node, file),
  },
  {
    nodes: [
      ...['variable_declarator', 'assignment', 'assignment_expression', 'short_var_declaration'],
      ...['assignment_statement', 'let_declaration', 'property_declaration', 'pair'],
      ...['keyed_element', 'keyword_argument', 'field_initializer', 'array_element_initializer'],
      ...['value_argument', 'argument', 'augmented_assignment_expression', 'const_spec'],
      ...['augmented_assignment', 'operator_assignment', 'compound_assignment_expr'],
    ],
    check: checkBinding,
  },
  {
    nodes: callAndNewTypes,
    check: checkCall,
  },
  {
    nodes: [
      ...['template_string', 'string', 'interpolated_string_expression', 'encapsed_string'],
      'string_literal',
    ],
    check: checkText,
  },
]
