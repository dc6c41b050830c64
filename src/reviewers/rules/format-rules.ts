// Rules about texts with places for values, and the values that are missing or left over.
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
  quoteCode,
} from './syntax-nodes.ts'
import { parameterOf } from './value-origins.ts'

const goFormats = /^(?:fmt\.(?:Sprintf|Printf|Errorf)|log\.(?:Printf|Fatalf|Panicf))$/

const goPlain =
  /^(?:fmt\.(?:Sprint|Print|Println|Sprintln)|log\.(?:Print|Println|Fatal|Fatalln|Panic)|errors\.New)$/

/** A verb of printf; `%%` is none. `*` and indexes take arguments otherwise, and make the count unclear. */
const verb =
  /%(?:%|(?:\([\w.]+\))?[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:\[\d+\])?(?:hh|h|ll|l)?[a-zA-Z])/g

/** How many values a format takes; undefined where that is unclear. */
function countVerbs(format: string): number | undefined {
  const verbs = [...format.matchAll(verb)].map(([found]) => found).filter((found) => found !== '%%')
  const rest = format.replace(verb, '')
  return rest.includes('%') || verbs.some((found) => /[*[(]/.test(found)) ? undefined : verbs.length
}

function countMismatch(at: Node, places: number, values: number, outcome: string): Hit {
  const number = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
  return {
    at: firstLine(at),
    title:
      `${quoteCode(stringText(at))} has ${number(places, 'place')}, but gets ` +
      `${number(values, 'value')}`,
    body: `When this runs, ${outcome}.`,
  }
}

function checkGo(call: Node): Hit | undefined {
  const callee = fieldText(call, 'function')
  const [format, ...values] = argumentsOf(call)
  if (
    !format ||
    !isPlainString(format) ||
    values.some((value) => value.type === 'variadic_argument')
  )
    return undefined
  const places = countVerbs(stringText(format))
  if (fieldText(call, 'arguments').includes('...') || places === undefined) return undefined
  if (goFormats.test(callee) && places !== values.length)
    return countMismatch(
      format,
      places,
      values.length,
      'the text says `%!(EXTRA …)` or `%!s(MISSING)` in place of a value',
    )
  // `Println` formats nothing. `%w` and `%v` stand in no other text.
  const isPlain = goPlain.test(callee) && places > 0 && /%[+#]?[vwdsq]/.test(stringText(format))
  return isPlain ? notFormatted(format, `${callee} doesn't format`) : undefined
}

function notFormatted(at: Node, why: string): Hit {
  return {
    at: firstLine(at),
    title: `The places in ${quoteCode(stringText(at))} are never filled`,
    body:
      'When this runs, the text keeps its places as they are written, because ' +
      `${why.replaceAll('`', '')}.`,
  }
}

const pythonLog = /^(?:debug|info|warning|warn|error|exception|critical)$/

function checkPythonCall(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [format, ...values] = argumentsOf(call)
  const positional = values.filter((value) => value.type !== 'keyword_argument')
  if (
    format?.type !== 'string' ||
    !isPlainString(format) ||
    positional.some((value) => /splat/.test(value.type))
  )
    return undefined
  const places = countVerbs(stringText(format))
  const isLog =
    pythonLog.test(name) &&
    /^(?:logging|_?log|_?logger|LOG|LOGGER|self\._?log(?:ger)?)$/.test(receiver?.text ?? '')
  if (isLog && !/loguru|structlog/.test(file.text)) {
    if (places === undefined || positional.length === 0 || positional[0]?.type === 'dictionary')
      return undefined
    return places === positional.length
      ? undefined
      : countMismatch(
          format,
          places,
          positional.length,
          'the logger fails to put the message together and prints a traceback instead of it',
        )
  }
  const isPrint = !receiver && name === 'print' && positional.length > 0
  const isError =
    call.parent?.type === 'raise_statement' &&
    /(?:Error|Exception)$/.test(name) &&
    positional.length > 0
  return (isPrint || isError) && places === positional.length && places > 0
    ? notFormatted(format, `${name} doesn't format`)
    : undefined
}

/** `"%s %s" % (a,)`. */
function checkPercent(node: Node): Hit | undefined {
  const [format, values] = [field(node, 'left'), field(node, 'right')]
  if (
    field(node, 'operator')?.type !== '%' ||
    !format ||
    format.type !== 'string' ||
    !isPlainString(format)
  )
    return undefined
  const places = countVerbs(stringText(format))
  if (
    places === undefined ||
    values?.type !== 'tuple' ||
    values.namedChildren.some((value) => /splat/.test(value.type))
  )
    return undefined
  const count = values.namedChildren.length
  return places === count
    ? undefined
    : countMismatch(format, places, count, 'it raises `TypeError`')
}

function checkJava(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  if (receiver?.text === 'String' && name === 'format') {
    const places =
      args[0] && isPlainString(args[0]) && !/%n|\$/.test(args[0].text)
        ? countVerbs(stringText(args[0]))
        : undefined
    const isShort =
      places !== undefined &&
      places > args.length - 1 &&
      !(args.length === 2 && args[1]!.type === 'identifier')
    return isShort
      ? countMismatch(
          args[0]!,
          places,
          args.length - 1,
          'it throws `MissingFormatArgumentException`',
        )
      : undefined
  }
  const isLog =
    /^(?:log|logger|LOG|LOGGER)$/.test(receiver?.text ?? '') &&
    /^(?:trace|debug|info|warn|error)$/.test(name)
  const format = args[0]
  if (!isLog || !format || !isPlainString(format) || args.length < 2) return undefined
  const places = stringText(format).split('{}').length - 1
  const values = args.length - 1
  return places > values && !(values === 1 && args[1]!.type === 'identifier')
    ? countMismatch(format, places, values, 'the message keeps a `{}` in place of a value')
    : undefined
}

const messageFunctions =
  /^(?:print|log|info|warn|warning|error|debug|exception|critical|\w*Error|\w*Exception)$/

/** A text that is shown to people and holds `${name}` or `{name}` of a name that is known here, without being a template. */
function checkInterpolation(text: Node, file: ParsedFile): Hit | undefined {
  const isPython = file.language === 'python'
  const list = text.parent
  const call = /^(?:arguments|argument_list)$/.test(list?.type ?? '') ? list?.parent : undefined
  if (!call || !isPlainString(text) || (isPython && /^[rRbB]*[fF]/.test(text.text)))
    return undefined
  const name = call.type === 'new_expression' ? fieldText(call, 'constructor') : calleeOf(call).name
  if (!messageFunctions.test(name) || argumentsOf(call)[0]?.id !== text.id) return undefined
  const match = (isPython ? /\{([a-z_]\w*)(?:\.\w+)*(?:![rs])?\}/i : /\$\{([a-z_$][\w$]*)/i).exec(
    stringText(text).slice(0, 500),
  )
  const variable = match?.[1]
  // loguru and string formatting fill such places themselves.
  if (
    !match ||
    !variable ||
    !isKnown(variable, text, file) ||
    (isPython && (argumentsOf(call).length > 1 || /loguru/.test(file.text)))
  )
    return undefined
  const at = firstLine(text)
  const isOneLine = text.startPosition.row === text.endPosition.row
  const line = file.lines[text.startPosition.row] ?? ''
  const { column } = text.startPosition
  const mended = isPython
    ? `f${text.text}`
    : text.text.includes('`')
      ? undefined
      : `\`${stringText(text)}\``
  return {
    at,
    title:
      `${quoteCode(match[0] + (isPython ? '' : '}'))} is written out as it is, because the text ` +
      `is no ${isPython ? 'f-string' : 'template'}`,
    body: `When this is shown, it has the name of ${quoteCode(variable)} in it instead of its value.`,
    suggestion:
      isOneLine && mended
        ? line.slice(0, column) + mended + line.slice(text.endPosition.column)
        : undefined,
  }
}

function isKnown(name: string, from: Node, file: ParsedFile): boolean {
  for (let fn = enclosingFunction(from); fn; fn = enclosingFunction(fn))
    if (parameterOf(fn, name)) return true
  return file.declarations.variables(name).some((node) => node.startIndex < from.startIndex)
}

export const formatRules: readonly Rule[] = [
  {
    id: 'format-arguments',
    summary:
      'A format has more or fewer places than it gets values, or is given to something that does ' +
      'not format.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: ['go'], nodes: ['call_expression'], check: checkGo },
      { languages: ['python'], nodes: ['call'], check: checkPythonCall },
      { languages: ['python'], nodes: ['binary_operator'], check: checkPercent },
      { languages: ['java'], nodes: ['method_invocation'], check: checkJava },
    ],
  },
  {
    id: 'missing-interpolation',
    summary: 'A message names a value of the code in braces, but is no template or f-string.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      { languages: [...javascriptFamily, 'python'], nodes: ['string'], check: checkInterpolation },
    ],
  },
]
