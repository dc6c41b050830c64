// Finds comparisons with the same result for every value that can occur, in all languages.
import type { Node } from 'web-tree-sitter'
import { readCall } from './calls.ts'
import { isPlainString, stringText } from './literals.ts'
import { valueTextOf } from './local-values.ts'
import { pairedRoleOf, wordsOf } from './name-words.ts'
import { operandsOf, unwrap } from './operations.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { codeChildren, field, fieldText, firstLine, quoteCode } from './syntax-nodes.ts'

interface Sides {
  readonly left: Node
  readonly right: Node
  readonly operator: string
}

/** Reads a comparison of any language; undefined for Python's chains such as `a < b < c`. */
function sidesOf(node: Node): Sides | undefined {
  const isPython = node.type === 'comparison_operator'
  if (isPython && node.namedChildCount !== 2) return undefined
  const left = isPython ? node.namedChild(0) : field(node, 'left')
  const right = isPython ? node.namedChild(1) : field(node, 'right')
  const operator = isPython
    ? node.childrenForFieldName('operators').map((each) => each?.type ?? '')
    : [field(node, 'operator')?.type ?? '']
  return left && right
    ? { left: unwrap(left), right: unwrap(right), operator: operator.join(' ') }
    : undefined
}

const mirrored: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' }

interface Bound {
  readonly subject: string
  /** `<`, `<=`, `>` or `>=`, from the subject to the limit. */
  readonly operator: string
  readonly limit: string
}

function boundsOf(node: Node): Bound[] {
  const sides = sidesOf(unwrap(node))
  if (!sides || !mirrored[sides.operator]) return []
  const [left, right] = [sides.left.text, sides.right.text]
  if (left.length > 100 || right.length > 100) return []
  return [
    { subject: left, operator: sides.operator, limit: right },
    { subject: right, operator: mirrored[sides.operator]!, limit: left },
  ].filter(({ subject }) => !/^[-+.\d]/.test(subject))
}

/** `age < 18 && age > 65` never holds, and `age >= 18 || age <= 65` always does. */
export function checkEmptyRange(node: Node): Hit | undefined {
  const operator = fieldText(node, 'operator')
  if (!/^(?:\|\||or|&&|and)$/.test(operator)) return undefined
  const isAnd = operator === '&&' || operator === 'and'
  const bounds = operandsOf(node, operator).slice(0, 8).map(boundsOf)
  for (const [index, first] of bounds.entries()) {
    const second = bounds[index + 1] ?? []
    for (const one of first)
      for (const other of second)
        if (one.subject === other.subject && excludes(one, other, isAnd))
          return emptyRangeHit(node, one.subject, isAnd)
  }
  return undefined
}

function excludes(one: Bound, other: Bound, isAnd: boolean): boolean {
  const isUpper = one.operator.startsWith('<')
  if (isUpper === other.operator.startsWith('<')) return false
  const [upper, lower] = isUpper ? [one, other] : [other, one]
  const [most, least] = [Number(upper.limit), Number(lower.limit)]
  // `x > 10 || x < 20` holds for all numbers, as `x < 10 && x > 20` does for none.
  if (isAnd ? most <= least : least < most) return true
  const [top, bottom] = [wordsOf(upper.limit), wordsOf(lower.limit)]
  // A window such as that of a night begins after it ends.
  if (!isAnd && ![...top, ...bottom].some((word) => /^(?:min|max)/.test(word))) return false
  return pairedRoleOf(isAnd ? top : bottom, isAnd ? bottom : top, 'order') === 'first'
}

function emptyRangeHit(node: Node, subject: string, isAnd: boolean): Hit {
  const name = quoteCode(subject)
  return {
    at: firstLine(node),
    title: isAnd
      ? `This condition is never true: ${name} can't be below and above these limits at once`
      : `This condition is always true: every ${name} is on one side of these limits`,
    body:
      `When ${name} has any value, the result is the same, so the condition checks nothing. ` +
      (isAnd
        ? '`||` was probably intended, or the operators are the wrong way round.'
        : '`&&` was probably intended, or the operators are the wrong way round.'),
  }
}

const size =
  /(?:\.(?:length|size|Length)|\.(?:length|size|len|Count|count)\(\)|\b(?:len|count|strlen|sizeof)\([^()]*\))$/

/** `list.length >= 0`. */
export function checkNegativeSize(node: Node, { language }: ParsedFile): Hit | undefined {
  const bound = boundsOf(node).find(({ limit }) => limit === '0')
  if (!bound || !/^(?:<|>=)$/.test(bound.operator) || !size.test(bound.subject)) return undefined
  // A field with this name may hold any number.
  if (bound.subject.endsWith('.size') && !/^(?:javascript|typescript|tsx|kotlin)$/.test(language))
    return undefined
  const isAlways = bound.operator === '>='
  return {
    at: firstLine(node),
    title: `This condition is ${isAlways ? 'always' : 'never'} true: a size is never negative`,
    body:
      `When ${quoteCode(bound.subject)} is read, it is 0 or more, so the condition checks ` +
      `nothing. \`${isAlways ? '> 0' : '== 0'}\` was probably intended.`,
  }
}

const lower =
  /(?:\.(?:toLowerCase|toLocaleLowerCase|lower|casefold|ToLower|ToLowerInvariant|lowercase|to_lowercase|to_ascii_lowercase)\([\w.:]*\)|\.downcase!?|\b(?:strings\.ToLower|(?:mb_)?strtolower)\([^()]*(?:\([^()]*\))?[^()]*\))(?:\.(?:trim|strip|Trim|as_str)(?:\(\))?)?$/
const upper =
  /(?:\.(?:toUpperCase|toLocaleUpperCase|upper|ToUpper|ToUpperInvariant|uppercase|to_uppercase|to_ascii_uppercase)\([\w.:]*\)|\.upcase!?|\b(?:strings\.ToUpper|(?:mb_)?strtoupper)\([^()]*(?:\([^()]*\))?[^()]*\))(?:\.(?:trim|strip|Trim|as_str)(?:\(\))?)?$/

/** `name.toLowerCase() === 'Admin'`. */
export function checkLetterCase(node: Node): Hit | undefined {
  const sides = sidesOf(node)
  if (!sides || !/^(?:[=!]==?|in|not in)$/.test(sides.operator)) return undefined
  return describeCase(node, sides.left, sides.right) ?? describeCase(node, sides.right, sides.left)
}

const comparingMethod =
  /^(?:equals|Equals|startsWith|endsWith|startswith|endswith|StartsWith|EndsWith|includes|contains|Contains|start_with\?|end_with\?|include\?|starts_with|ends_with|contentEquals)$/

/** `name.toLowerCase().includes('Admin')`. */
export function checkLetterCaseOfCall(call: Node): Hit | undefined {
  const { receiver, name, args } = readCall(call)
  const [literal, ...others] = args
  if (!receiver || !literal || others.length > 0) return undefined
  return comparingMethod.test(name) && isPlainString(literal)
    ? describeCase(call, receiver, literal)
    : undefined
}

function describeCase(node: Node, converted: Node, other: Node): Hit | undefined {
  const literals = isPlainString(other) ? [other] : listTexts(other)
  const texts = literals.map(stringText)
  if (texts.length === 0 || texts.every((text) => !/\p{L}/u.test(text))) return undefined
  const value = valueTextOf(converted)
  const isLower = lower.test(value)
  if (!isLower && !upper.test(value)) return undefined
  const wrong = texts.find((text) =>
    isLower ? text.toLowerCase() !== text : text.toUpperCase() !== text,
  )
  // An escape such as `\n` isn't a letter.
  if (wrong === undefined || wrong.includes('\\')) return undefined
  const kind = isLower ? 'lowercase' : 'uppercase'
  return {
    at: firstLine(node),
    title:
      `This never matches: ${quoteCode(converted.text)} is in ${kind}, ` +
      `${quoteCode(wrong)} isn't`,
    body:
      `When this runs, every letter of ${quoteCode(converted.text)} is in ${kind}, so it can't ` +
      `be or contain ${quoteCode(wrong)}. Write the text in ${kind}, too.`,
  }
}

/** The texts of a list such as `('a', 'b')`. */
function listTexts(node: Node): Node[] {
  const isList = /^(?:tuple|list|set|array)$/.test(node.type)
  return isList ? codeChildren(node).filter(isPlainString) : []
}

/** What a request, the environment or a conversion gives is a text. */
const text = new RegExp(
  [
    String.raw`\$_(?:GET|POST|COOKIE|REQUEST)\[[^\]]+\]`,
    String.raw`\bparams(?:\[:?["']?\w+["']?\]|\.(?:fetch|require)\([^()]+\))`,
    String.raw`\bENV(?:\[[^\]]+\]|\.fetch\(["'][^"']+["']\))`,
    String.raw`\brequest\.(?:args|form|GET|POST|cookies|headers)(?:\.get\(["'][^"',]+["'](?:, *["'][^"']*["'])?\)|\[[^\]]+\])`,
    String.raw`\b(?:req|request)\.(?:query|params|cookies|headers)(?:\.\w+|\[[^\]]+\])`,
    String.raw`\b\w*[pP]arams\.get\(["'][^"']+["']\)`,
    String.raw`\b(?:local|session)Storage\.getItem\([^()]+\)`,
    String.raw`\b(?:e|event|evt)\.(?:target|currentTarget)\.value`,
    String.raw`\b(?:sys|process)\.argv\[\d\]`,
    String.raw`[\w)\]]\.(?:to_s|toString\(\)|strip\(\)|trim\(\)|downcase|upcase|lower\(\)|upper\(\)|toLowerCase\(\)|toUpperCase\(\))`,
    String.raw`\b(?:str|String|strval|trim|strtolower)\([^()]+\)`,
  ]
    .map((source) => `^[\\w.$]{0,60}?(?:${source})$`)
    .join('|'),
)

const notText = /^(?:-?\d[\d_.]*|true|false|True|False)$/

/** `params[:page] == 1` compares a text with a number, `kind.to_s == :mail` with a symbol. */
export function checkTextComparison(node: Node, { language }: ParsedFile): Hit | undefined {
  const sides = sidesOf(node)
  const strict = strictEqualities[language]
  if (!sides || !strict?.test(sides.operator)) return undefined
  const pairs = [
    [sides.left, sides.right],
    [sides.right, sides.left],
  ] as const
  for (const [value, other] of pairs) {
    const isOther =
      notText.test(other.text) || (language === 'ruby' && other.type === 'simple_symbol')
    const isText =
      isTextOf(value, language) ||
      (other.type === 'simple_symbol' && textKey.test(valueTextOf(value)))
    if (isOther && isText) return textHit(node, value, other, sides)
  }
  return undefined
}

/** Whether a value is a text. In Python, many parameters with other values are named `params`. */
function isTextOf(value: Node, language: string): boolean {
  return text.test(valueTextOf(value)) && !(language === 'python' && /^params\b/.test(value.text))
}

/** Ruby: an element of a parsed document, whose keys are strings. */
const textKey = /(?:\[|\.(?:fetch|dig)\()(['"])[\w-]+\1[\])]$/

/** Operators that convert neither side. */
const strictEqualities: Readonly<Record<string, RegExp>> = {
  javascript: /^[=!]==$/,
  typescript: /^[=!]==$/,
  tsx: /^[=!]==$/,
  python: /^(?:[=!]=|is|is not)$/,
  ruby: /^[=!]=$/,
  php: /^[=!]==$/,
}

function textHit(node: Node, value: Node, other: Node, { operator }: Sides): Hit {
  const outcome = operator.startsWith('!') || operator === 'is not' ? 'always' : 'never'
  const kind =
    other.type === 'simple_symbol' ? 'a symbol' : /\d/.test(other.text) ? 'a number' : 'a boolean'
  return {
    at: firstLine(node),
    title:
      `This condition is ${outcome} true: ${quoteCode(value.text)} is a string, ` +
      `${quoteCode(other.text)} is ${kind}`,
    body:
      `When ${quoteCode(value.text)} has any value, it is a string, and \`${operator}\` converts ` +
      'neither side. Convert it first, or compare it with a string.',
  }
}
