// Rules about format strings whose placeholders and values don't match.
import type { Node } from 'web-tree-sitter'
import { callAround, readCall } from '../../languages/rules/calls.ts'
import { formatCounts } from '../../languages/rules/format-counts.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { isPlainString, stringText } from '../../languages/rules/literals.ts'
import {
  field,
  fieldText,
  firstLine,
  quoteCode,
  replaceInLine,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { parameterOf } from './value-origins.ts'

const goFormats =
  /^(?:fmt\.(?:Sprintf|Printf|Errorf)|\w*[lL]og(?:ger)?\.(?:Printf|Fatalf|Panicf|Infof|Warnf|Errorf|Debugf)|errors\.(?:Errorf|Newf))$/

/** Functions that print their arguments without formatting them. */
const goPrints =
  /^(?:fmt\.(?:Sprint|Print|Println|Sprintln)|log\.(?:Print|Println|Fatal|Fatalln|Panic)|errors\.New)$/

const mappingKey = String.raw`(?:\([\w.]+\))?`
const flags = '[-+ #0]*'
const width = String.raw`(?:\d+|\*)?`
const precision = String.raw`(?:\.(?:\d+|\*))?`
const argumentIndex = String.raw`(?:\[\d+\])?`
const argumentSize = '(?:hh|h|ll|l)?'

/** Matches a verb of printf, or the escape `%%`. */
const verb = new RegExp(
  `%(?:%|${mappingKey}${flags}${width}${precision}${argumentIndex}${argumentSize}[a-zA-Z])`,
  'g',
)

/** Counts the values that a format takes. Undefined where `*`, indexes or names prevent that. */
function countVerbs(format: string): number | undefined {
  const verbs = [...format.matchAll(verb)].map(([found]) => found).filter((found) => found !== '%%')
  const hasUnknownVerb = format.replace(verb, '').includes('%')
  const isUnclear = hasUnknownVerb || verbs.some((found) => /[*[(]/.test(found))
  return isUnclear ? undefined : verbs.length
}

function reportCount(format: Node, places: number, values: number, outcome: string): Hit {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
  return {
    at: firstLine(format),
    title:
      `${quoteCode(stringText(format))} has ${count(places, 'placeholder')}, but gets ` +
      `${count(values, 'argument')}`,
    body: `When this runs, ${outcome}.`,
  }
}

/** Whether a file's `log` is a logger or a package that may format in another way. */
function hasOtherLog({ text }: ParsedFile): boolean {
  return /^import\b/m.test(text) && !/^(?:import)?\s*"log"/m.test(text)
}

function checkGoFormat(call: Node, file: ParsedFile): Hit | undefined {
  const callee = fieldText(call, 'function')
  if (callee.startsWith('log.') && hasOtherLog(file)) return undefined
  const [format, ...values] = readCall(call).args
  if (!format || !isPlainString(format) || fieldText(call, 'arguments').includes('...')) {
    return undefined
  }
  const text = stringText(format)
  const places = countVerbs(text)
  if (places === undefined) return undefined
  if (goFormats.test(callee)) {
    const outcome = 'the text says `%!(EXTRA …)` or `%!s(MISSING)` in place of a value'
    return places === values.length
      ? undefined
      : reportCount(format, places, values.length, outcome)
  }
  // Texts that aren't formats may hold other verbs, such as `50% off`, but never these.
  const isFormat = places > 0 && /%[+#]?[vwdsq]/.test(text)
  return isFormat && goPrints.test(callee)
    ? reportUnformatted(format, `${callee} doesn't format`)
    : undefined
}

function reportUnformatted(format: Node, reason: string): Hit {
  return {
    at: firstLine(format),
    title: `The placeholders in ${quoteCode(stringText(format))} are never filled`,
    body:
      'When this runs, the placeholders stay in the text, because ' +
      `${reason.replaceAll('`', '')}.`,
  }
}

const pythonLogMethods = /^(?:debug|info|warning|warn|error|exception|critical)$/
const pythonLoggers = /^(?:logging|_?log|_?logger|LOG|LOGGER|self\._?log(?:ger)?)$/

function checkPythonCall(call: Node, file: ParsedFile): Hit | undefined {
  const { args, argNames } = readCall(call)
  const [format] = args
  if (format?.type !== 'string' || !isPlainString(format)) return undefined
  const values = args.slice(1).filter((_, index) => argNames[index + 1] === undefined)
  const places = countVerbs(stringText(format))
  if (places === undefined || values.some((value) => /splat/.test(value.type))) return undefined
  return isPythonLog(call, file)
    ? checkPythonLog(format, places, values)
    : checkPythonMessage(call, format, places, values)
}

/** Whether a call logs with Python's own logging; loguru and structlog format in another way. */
function isPythonLog(call: Node, file: ParsedFile): boolean {
  const { receiver, name } = readCall(call)
  if (!pythonLogMethods.test(name) || !pythonLoggers.test(receiver?.text ?? '')) return false
  return !/loguru|structlog/.test(file.text)
}

function checkPythonLog(format: Node, places: number, values: readonly Node[]): Hit | undefined {
  const [first] = values
  if (!first || first.type === 'dictionary' || places === values.length) return undefined
  const outcome = 'the logger fails to format the message and prints a traceback instead'
  return reportCount(format, places, values.length, outcome)
}

/** `print('%s', name)`, `raise ValueError('%s', name)`. */
function checkPythonMessage(
  call: Node,
  format: Node,
  places: number,
  values: readonly Node[],
): Hit | undefined {
  if (places === 0 || places !== values.length) return undefined
  const { receiver, name } = readCall(call)
  const isPrint = !receiver && name === 'print'
  const isError = call.parent?.type === 'raise_statement' && /(?:Error|Exception)$/.test(name)
  return isPrint || isError ? reportUnformatted(format, `${name} doesn't format`) : undefined
}

/** Python: `"%s %s" % (a,)`. */
function checkPercent(node: Node): Hit | undefined {
  if (field(node, 'operator')?.type !== '%') return undefined
  const format = field(node, 'left')
  const values = field(node, 'right')
  if (format?.type !== 'string' || !isPlainString(format) || values?.type !== 'tuple') {
    return undefined
  }
  const places = countVerbs(stringText(format))
  const isUnpacked = values.namedChildren.some((value) => /splat/.test(value.type))
  const count = values.namedChildren.length
  if (places === undefined || places === count || isUnpacked) return undefined
  return reportCount(format, places, count, 'it raises `TypeError`')
}

function checkJavaMessage(call: Node): Hit | undefined {
  const { receiver, name, args } = readCall(call)
  const [format, ...values] = args
  if (!format || !isPlainString(format) || mayBeArray(values)) return undefined
  const owner = receiver?.text ?? ''
  if (owner === 'String' && name === 'format') return checkJavaFormat(format, values)
  const isLogger = /^(?:log|logger|LOG|LOGGER)$/.test(owner)
  const isLog = isLogger && /^(?:trace|debug|info|warn|error)$/.test(name)
  return isLog ? checkJavaLog(format, values) : undefined
}

/** One variable may be an array with all of the values. */
function mayBeArray(values: readonly Node[]): boolean {
  return values.length === 1 && values[0]!.type === 'identifier'
}

function checkJavaFormat(format: Node, values: readonly Node[]): Hit | undefined {
  // `%n` takes no value, and `$` selects one by its number.
  if (/%n|\$/.test(format.text)) return undefined
  const places = countVerbs(stringText(format))
  if (places === undefined || places <= values.length) return undefined
  return reportCount(format, places, values.length, 'it throws `MissingFormatArgumentException`')
}

function checkJavaLog(format: Node, values: readonly Node[]): Hit | undefined {
  const places = stringText(format).split('{}').length - 1
  if (values.length === 0 || places <= values.length) return undefined
  const outcome = 'the message keeps a `{}` in place of a value'
  return reportCount(format, places, values.length, outcome)
}

const messageFunctions =
  /^(?:print|log|info|warn|warning|error|debug|exception|critical|\w*Error|\w*Exception)$/

/** The call that a plain text is the message of, such as `log.info('…')` or `new Error('…')`. */
function findMessageCall(text: Node): Node | undefined {
  const call = isPlainString(text) ? callAround(text) : undefined
  if (!call) return undefined
  const { name, args } = readCall(call)
  return messageFunctions.test(name) && args[0]?.id === text.id ? call : undefined
}

/** JavaScript: a message with `${name}` of a known name that isn't a template. */
function checkScriptInterpolation(text: Node, file: ParsedFile): Hit | undefined {
  if (!findMessageCall(text)) return undefined
  const match = /\$\{([a-z_$][\w$]*)/i.exec(stringText(text).slice(0, 500))
  const variable = match?.[1]
  if (!variable || !isKnown(variable, text, file)) return undefined
  const template = text.text.includes('`') ? undefined : `\`${stringText(text)}\``
  return {
    ...describeInterpolation(text, `${match[0]}}`, variable, 'template literal'),
    suggestion: template && replaceInLine(text, file, template),
  }
}

/** Python: a message with `{name}` of a known name that isn't an f-string. */
function checkPythonInterpolation(text: Node, file: ParsedFile): Hit | undefined {
  if (/^[rRbB]*[fF]/.test(text.text)) return undefined
  const call = findMessageCall(text)
  // loguru formats messages itself, with the arguments that follow.
  if (!call || readCall(call).args.length > 1 || /loguru/.test(file.text)) return undefined
  const match = /\{([a-z_]\w*)(?:\.\w+)*(?:![rs])?\}/i.exec(stringText(text).slice(0, 500))
  const variable = match?.[1]
  if (!variable || !isKnown(variable, text, file)) return undefined
  return {
    ...describeInterpolation(text, match[0], variable, 'f-string'),
    // Bytes can't be interpolated.
    suggestion: /^[bB]/.test(text.text) ? undefined : replaceInLine(text, file, `f${text.text}`),
  }
}

function describeInterpolation(
  text: Node,
  placeholder: string,
  variable: string,
  kind: 'template literal' | 'f-string',
): Hit {
  return {
    at: firstLine(text),
    title: `${quoteCode(placeholder)} isn't interpolated, because the string is no ${kind}`,
    body: `When this is shown, it contains the name ${quoteCode(variable)} instead of its value.`,
  }
}

/** Whether a name is a parameter or variable that is declared before a node. */
function isKnown(name: string, from: Node, file: ParsedFile): boolean {
  for (let fn = functionAround(from); fn; fn = functionAround(fn))
    if (parameterOf(fn, name)) return true
  return file.declarations.variables(name).some((node) => node.startIndex < from.startIndex)
}

export const formatRules: readonly Rule[] = [
  {
    id: 'format-arguments',
    summary:
      "A format string has more or fewer placeholders than arguments, or the function doesn't " +
      'format.',
    seeAlso: ['go vet `printf`', 'Ruff `F507`', 'Ruff `PLE1206`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: ['go'], nodes: ['call_expression'], check: checkGoFormat },
      { languages: ['python'], nodes: ['call'], check: checkPythonCall },
      { languages: ['python'], nodes: ['binary_operator'], check: checkPercent },
      { languages: ['java'], nodes: ['method_invocation'], check: checkJavaMessage },
      formatCounts,
    ],
  },
  {
    id: 'missing-interpolation',
    summary:
      'A string contains a placeholder such as `{name}`, but is no template literal or f-string.',
    seeAlso: ['ESLint `no-template-curly-in-string`', 'Ruff `RUF027`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      { languages: ['javascript'], nodes: ['string'], check: checkScriptInterpolation },
      { languages: ['python'], nodes: ['string'], check: checkPythonInterpolation },
    ],
  },
]
