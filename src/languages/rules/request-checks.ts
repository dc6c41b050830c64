// Finds paths, addresses and code that a client chooses, the same for all languages.
import type { Node } from 'web-tree-sitter'
import { onlyValueOf, valuesOf } from './bindings.ts'
import { builtTextOf } from './built-text.ts'
import { callees } from './callee-words.ts'
import { callAndNewTypes, isCall, readCall, valuesPassedTo } from './calls.ts'
import { hasNoEntryCheck, isEntryName } from './check-words.ts'
import { codeInjectionBody, deserializationBody } from './danger-checks.ts'
import { isDeveloperTool } from './developer-tools.ts'
import { scopeOf } from './functions.ts'
import { severityOf } from './injection-hit.ts'
import { textTypes } from './literals.ts'
import { readOperation, unwrap } from './operations.ts'
import { passedArguments } from './own-functions.ts'
import { hasNoHostCheck, hasNoPathCheck, isSent, isSentInsertion } from './sent-values.ts'
import { languagesWith, type Sinks, sinksOf } from './sinks.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { firstLine, quoteCode } from './syntax-nodes.ts'

type SinkKind = Exclude<keyof Sinks, 'shell' | 'columns'>

/** Whether a call does something with its arguments in the language of its file. */
function isSink(kind: SinkKind, call: Node, file: ParsedFile): boolean {
  return sinksOf(file)?.[kind](readCall(call).plain) ?? false
}

/** Reports a path that a client, or the maker of an archive, can lead out of its folder. */
function checkPath(call: Node, file: ParsedFile): Hit | undefined {
  const args = pathsOf(call, file)
  if (args.length === 0 || isDeveloperTool(file.path) || isExistenceCheck(call)) return undefined
  if (takesName.test(file.text.slice(call.endIndex, call.endIndex + 40))) return undefined
  const scope = scopeOf(call)?.text ?? ''
  const entry = args.find((argument) => isEntryName(argument, scope))
  if (entry)
    return hasNoEntryCheck(scope)
      ? { ...placeOf(entry, call, file), ...entryTraversalOf(entry.text) }
      : undefined
  const path = args.find((argument) => isSent(argument, file))
  if (!path || !hasNoPathCheck(call, path, file) || isJoined(path, file)) return undefined
  return { ...placeOf(path, call, file), ...sentTraversalOf(path.text) }
}

export const traversalChecks = [
  {
    languages: languagesWith('path'),
    nodes: [...callAndNewTypes, 'binary_operator'],
    wholeFunction: true,
    check: checkPath,
  },
]

/** Whether another call that is reported joined a path. */
function isJoined(path: Node, file: ParsedFile): boolean {
  return valuesOf(path)
    .flatMap((value) => [value, ...value.descendantsOfType([...callAndNewTypes])])
    .some((call) => isCall(call) && isSink('path', call, file))
}

/** Code after a path that leaves only its last part. */
const takesName =
  /^(?:\.toString\(\))?\??\.(?:endsWith\(|name|stem|suffix|extension|nameWithoutExtension|fileName|getName\(|getFileName\(|file_name\(|basename)/

/** The values that a call, or Python's `folder / name`, uses as a path. */
function pathsOf(node: Node, file: ParsedFile): readonly Node[] {
  if (node.type !== 'binary_operator')
    return isSink('path', node, file) ? valuesPassedTo(node).slice(0, 4) : []
  const { right, operator } = readOperation(node) ?? {}
  return right && operator === '/' && !/^(?:integer|float)$/.test(right.type) ? [right] : []
}

/** Whether only the existence of the file is used: `os.Stat(filepath.Join(…))`. */
function isExistenceCheck(call: Node): boolean {
  let outer = call.parent
  while (outer && /argument|call|invocation/.test(outer.type)) {
    const name = isCall(outer) ? readCall(outer).name : ''
    if (/^(?:L?[sS]tat|exists|existsSync|access|isfile|isdir)$/.test(name)) return true
    outer = outer.parent
  }
  return false
}

function sentTraversalOf(path: string): Pick<Hit, 'title' | 'body'> {
  const code = quoteCode(path)
  return {
    title: `Path traversal: ${code} comes from a request and is used as a path without a check`,
    body:
      `When ${code} contains \`../\`, the path leaves its folder, and the client can reach any ` +
      'file that this program can. Resolve the path and check that it is still inside.',
  }
}

/** The words about the name of an entry of an archive that decides where a file is written. */
function entryTraversalOf(path: string): Pick<Hit, 'title' | 'body'> {
  const code = quoteCode(path)
  return {
    title: `Path traversal: the archive chooses where ${code} is written`,
    body:
      `When ${code} contains \`../\`, extracting the archive replaces files outside of the ` +
      'folder. Resolve the path and check that it is still inside.',
  }
}

/** Reports a redirect to an address that a client chooses. */
function checkRedirect(call: Node, file: ParsedFile): Hit | undefined {
  if (!isSink('redirect', call, file)) return undefined
  const args = valuesPassedTo(call)
  // The name of a route decides, such as Django's `orders:show`, or Rails tests the host.
  const isNamed = args[0] && builtTextOf(args[0], file)?.values.length === 0
  if (isNamed || /\ballow_other_host: false\b/.test(call.text)) return undefined
  const address = findAddress(args, call, file)
  return address && redirectHit(address, call, file)
}

/** Reports the text `redirect:` + target, which Spring answers with a redirect. */
function checkRedirectText(text: Node, file: ParsedFile): Hit | undefined {
  if (!/^"redirect:["$]/.test(text.text.slice(0, 12))) return undefined
  const value = builtTextOf(text, file)?.values[0]
  if (!value || !isSent(text, file) || !hasNoHostCheck(text, text, file)) return undefined
  return choosesHost(text, file) ? redirectHit(text, text, file, value.code) : undefined
}

function redirectHit(address: Node, call: Node, file: ParsedFile, code = address.text): Hit {
  return {
    ...placeOf(address, call, file),
    title:
      `Open redirect: ${quoteCode(code)} comes from a request and decides where the ` +
      'browser goes',
    body: openRedirectBody,
  }
}

export const openRedirectBody =
  'When someone sends a link to this site with their own URL in it, visitors end up ' +
  'there and take it for this site. Allow only paths of this site, or a fixed list of hosts.'

const setsHeader = callees(
  '**.{,set,add,with,append,insert,put,replace}{,_}{header,Header}',
  '**.{set,Set,add,Add,append,Append}',
)

/** Reports a header `Location` with an address that a client chooses. */
function checkLocation(node: Node, file: ParsedFile): Hit | undefined {
  const isPair = node.type === 'pair'
  if (!isPair && !setsHeader(readCall(node).plain)) return undefined
  const [name, ...values] = isPair ? node.namedChildren : valuesPassedTo(node)
  if (!/^['"]?(?:HttpHeaders\.)?location['"]?$/i.test(name?.text.slice(0, 30) ?? ''))
    return undefined
  const address = findAddress(values, node, file)
  return address && redirectHit(address, node, file)
}

export const redirectChecks = [
  {
    languages: languagesWith('redirect'),
    nodes: callAndNewTypes,
    wholeFunction: true,
    check: checkRedirect,
  },
  {
    languages: languagesWith('redirect'),
    nodes: ['binary_expression', ...textTypes],
    check: checkRedirectText,
  },
  {
    languages: languagesWith('redirect'),
    nodes: [...callAndNewTypes, 'pair'],
    wholeFunction: true,
    check: checkLocation,
  },
]

/** Finds the argument that a client chooses, with the host in it, and that nothing checks. */
function findAddress(args: readonly Node[], call: Node, file: ParsedFile): Node | undefined {
  return args
    .slice(0, 3)
    .filter(({ type }) => !/pair|keyword|lambda|arrow|function|object$|dictionary/.test(type))
    .find(
      (address) =>
        !wholeRequest.test(address.text) &&
        !valuesOf(address).some(({ type }) => /^(?:object|dictionary)$/.test(type)) &&
        isSent(address, file) &&
        choosesHost(address, file) &&
        hasNoHostCheck(call, address, file),
    )
}

/** The request itself, or a part of it that is no single value. */
const wholeRequest = /(?:^|\.)(?:req|request|r|ctx|c|context|body|Body|headers|json|form)(?:\(\))?$/

/** Reports an address that a client chooses and this server fetches. */
function checkFetch(call: Node, file: ParsedFile): Hit | undefined {
  if (!isSink('fetch', call, file) || isDeveloperTool(file.path)) return undefined
  const address = findAddress(valuesPassedTo(call), call, file)
  if (!address || !isNamedLikeAddress(address)) return undefined
  return {
    ...placeOf(address, call, file),
    title:
      `Server-side request forgery (SSRF): ${quoteCode(address.text)} comes from a request ` +
      'and decides what this server fetches',
    body:
      "When a client passes an internal address, such as the cloud's metadata service, this " +
      'server fetches it with its own network access. Allow a fixed list of hosts.',
  }
}

export const fetchChecks = [
  {
    languages: languagesWith('fetch'),
    nodes: callAndNewTypes,
    wholeFunction: true,
    check: checkFetch,
  },
]

const addressName =
  /ur[il]|link|host|address|endpoint|callback|hook|\bsrc\b|source|target|feed|domain|site|location|origin|proxy|image|avatar|remote|redirect|server|href|download|import|fetch/i

/** Whether a value, or what it was made of, has the name of an address. */
function isNamedLikeAddress(address: Node): boolean {
  const values = [address, ...valuesOf(address)]
  return values.some(({ text }) => addressName.test(text.slice(0, 300)))
}

const takesAddress = callees('**.{URI,URL,Uri}{,.new} **.{*parse,*Parse} **.URI.create')

/** Whether nothing fixed stands before the value, such as a path of this site. */
function choosesHost(address: Node, file: ParsedFile): boolean {
  const built = builtTextOf(address, file)
  const [inner] = built || !isCall(address) ? [] : valuesPassedTo(address)
  // An address that is parsed stays the same.
  if (inner && takesAddress(readCall(address).plain)) return choosesHost(inner, file)
  const first = built?.values[0]
  if (!built || !first) return !built
  const isStart = /^(?:Location:\s*|redirect:|https?:\/\/)?$/i.test(first.before)
  return isStart && isSentInsertion(first, file)
}

/** Reports code, or the name of a class or module, that a client chooses. */
function checkChosenCode(call: Node, file: ParsedFile): Hit | undefined {
  const isCode = isSink('code', call, file) || isChosenFunction(call)
  if (!isCode || isDeveloperTool(file.path)) return undefined
  const code = codeOf(call).find(
    (value) => isSent(value, file) && hasNoPathCheck(call, value, file),
  )
  if (!code) return undefined
  const { why, ...severity } = severityOf(true)
  return {
    ...placeOf(code, call, file),
    title:
      `Code injection: ${quoteCode(code.text)} comes from a request and decides what is ` +
      'executed',
    body: `${codeInjectionBody} ${why}`,
    ...severity,
  }
}

/** Whether a call is PHP's `new $class` or `$function()`. */
function isChosenFunction(call: Node): boolean {
  const { name, receiver } = readCall(call)
  return !receiver && /^\$\w+$/.test(name)
}

/** The code that a call runs, or the name of what it loads. */
function codeOf(call: Node): readonly Node[] {
  const { receiver, name } = readCall(call)
  if (receiver && name.endsWith('constantize')) return [receiver]
  if (isChosenFunction(call)) return call.descendantsOfType('variable_name').slice(0, 1)
  return valuesPassedTo(call).slice(0, 2)
}

/** Code that a program makes itself, and functions. */
const madeByProgram = /^[A-Z][A-Z0-9_]*$|lambda|function|=>|[cC]ompiled|[tT]emplate|[cC]ache/

/** Reports values that are run as code, wherever they come from. */
function checkEvaluatedText(call: Node, file: ParsedFile): Hit | undefined {
  if (!isSink('evaluate', call, file) || isDeveloperTool(file.path)) return undefined
  const [code, ...others] = valuesPassedTo(call)
  // Ruby: code that names its place in this file is a part of it.
  const isOwn = others.some(({ text }) => text === '__FILE__')
  const isFixed = isOwn || !code || builtTextOf(code, file)?.values.length === 0
  // Such a context reads values, and calls nothing.
  const isSafe = /SimpleEvaluationContext|ReadOnlyDataBinding/.test(file.text)
  if (isFixed || isSafe || madeByProgram.test(code.text.slice(0, 200))) return undefined
  const name = quoteCode(code.text)
  return {
    at: firstLine(call),
    title: `Code injection: ${name} is executed as code`,
    body: `${codeInjectionBody.replace('the value', name)} ${severityOf(false).why}`,
  }
}

export const codeChecks = [
  {
    languages: languagesWith('code'),
    nodes: callAndNewTypes,
    wholeFunction: true,
    check: checkChosenCode,
  },
  { languages: languagesWith('code'), nodes: callAndNewTypes, check: checkEvaluatedText },
]

/** Names of data that comes from outside of the program. */
const outsideData =
  /request|http|\bbody|payload|message|msg|cookie|upload|decode|redis|socket|packet|queue|consume|\bevent|session|header|token|input(?!Stream)|received|incoming|\braw/i

/** Code that restricts which classes data may name, or that copies an object of its own. */
const restrictsClasses =
  /ObjectInputFilter|[sS]erialFilter|resolveClass|Validating\w*InputStream|allowed_classes|ObjectOutputStream|Marshal\.dump|pickle\.dumps|allowTypes|setupDefaultSecurity|addPermission|find_class|hmac|signature|Signer|verify/i

/** Reports data from outside whose text decides which objects are created. */
function checkLoad(call: Node, file: ParsedFile): Hit | undefined {
  if (!isSink('load', call, file) || isDeveloperTool(file.path)) return undefined
  const data = valuesPassedTo(call)[0]
  const scope = scopeOf(call)?.text ?? ''
  if (!data || restrictsClasses.test(scope.slice(0, 20_000))) return undefined
  const named = [data, ...data.descendantsOfType(['identifier', 'variable_name']).slice(0, 4)]
  const values = named.flatMap((value) => [value, ...valuesOf(value)])
  const isOutside = [...values, ...values.flatMap(passedArguments)].some(({ text }) =>
    outsideData.test(text.slice(0, 300)),
  )
  if (!isOutside && !isSent(data, file)) return undefined
  return {
    at: firstLine(call),
    title:
      `Unsafe deserialization: ${quoteCode(call.text)} creates objects of any type from ` +
      'its input',
    body: deserializationBody,
  }
}

export const loadChecks = [
  {
    languages: languagesWith('load'),
    nodes: callAndNewTypes,
    wholeFunction: true,
    check: checkLoad,
  },
]

/** Reports where a text is built with a value, or else the call that uses the value. */
function placeOf(value: Node, use: Node, file: ParsedFile): Pick<Hit, 'at' | 'fallback'> {
  const bound = onlyValueOf(unwrap(value))
  const isBuilt = bound && (builtTextOf(bound, file)?.values.length ?? 0) > 0
  const [at, fallback] = isBuilt ? [bound, use] : [use, bound ?? value]
  return { at: firstLine(at), fallback: firstLine(fallback) }
}
