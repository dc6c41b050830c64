// Makes checks for paths, addresses and code that a client chooses, the same for all languages.
import type { Node } from 'web-tree-sitter'
import { builtTextOf } from './built-text.ts'
import { type Callees, callees } from './callee-words.ts'
import { hasNoEntryCheck, isEntryName } from './check-words.ts'
import { type CodeSyntax, calleeName, isCall, methodName, receiverOf } from './code-syntax.ts'
import { codeInjectionBody, deserializationBody } from './danger-checks.ts'
import { isDeveloperTool } from './developer-tools.ts'
import { checkHosts } from './host-checks.ts'
import { severityOf } from './injection-hit.ts'
import { boundValueOf, scopeOf, valuesOf } from './local-bindings.ts'
import { passedArguments } from './own-functions.ts'
import { hasNoHostCheck, hasNoPathCheck, isSent, isSentInsertion } from './sent-values.ts'
import { checkShell } from './shell-checks.ts'
import type { Sinks } from './sinks.ts'
import { checkSql } from './sql-checks.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { firstLine, quoteCode } from './syntax-nodes.ts'

/** Makes the checks of injections and of what a client chooses, by the ids of their rules. */
export function checkInputs(syntax: CodeSyntax, sinks: Sinks) {
  const hosts = checkHosts(syntax)
  return {
    ...hosts,
    'path-traversal': [checkPath(syntax, sinks.path)],
    'open-redirect': [
      ...hosts['open-redirect'],
      checkRedirect(syntax, sinks.redirect),
      checkRedirectText(syntax),
      checkLocation(syntax),
    ],
    'sql-injection': checkSql(syntax, sinks.columns),
    'command-injection': checkShell(syntax, sinks.shell),
    'request-forgery': [checkFetch(syntax, sinks.fetch)],
    'code-injection': [
      checkChosenCode(syntax, sinks.code),
      checkEvaluatedText(syntax, sinks.evaluate),
    ],
    'unsafe-deserialization': [checkLoad(syntax, sinks.load)],
  } satisfies Readonly<Record<string, readonly SyntaxCheck[]>>
}

/** Reports a path that a client, or the maker of an archive, can lead out of its folder. */
function checkPath(syntax: CodeSyntax, sink: Callees): SyntaxCheck {
  return {
    nodes: [...syntax.calls, 'binary_operator'],
    wholeFunction: true,
    check(call, file) {
      const args = pathsOf(call, syntax, sink)
      if (args.length === 0 || isDeveloperTool(file.path) || isExistenceCheck(call, syntax))
        return undefined
      if (takesName.test(file.text.slice(call.endIndex, call.endIndex + 40))) return undefined
      const scope = scopeOf(call)?.text ?? ''
      const entry = args.find((argument) => isEntryName(argument, scope))
      if (entry)
        return hasNoEntryCheck(scope)
          ? { ...placeOf(entry, call, syntax), ...entryTraversalOf(entry.text) }
          : undefined
      const path = args.find((argument) => isSent(argument, syntax))
      if (!path || !hasNoPathCheck(call, path, syntax) || isJoined(path, syntax, sink))
        return undefined
      return { ...placeOf(path, call, syntax), ...sentTraversalOf(path.text) }
    },
  }
}

/** Whether another call that is reported joined a path. */
function isJoined(path: Node, syntax: CodeSyntax, sink: Callees): boolean {
  return valuesOf(path, syntax)
    .flatMap((value) => [value, ...value.descendantsOfType([...syntax.calls])])
    .some((call) => syntax.calls.includes(call.type) && sink(calleeName(call, syntax)))
}

/** Code after a path that leaves only its last part. */
const takesName =
  /^(?:\.toString\(\))?\??\.(?:endsWith\(|name|stem|suffix|extension|nameWithoutExtension|fileName|getName\(|getFileName\(|file_name\(|basename)/

/** The values that a call, or Python's `folder / name`, uses as a path. */
function pathsOf(node: Node, syntax: CodeSyntax, sink: Callees): Node[] {
  if (node.type !== 'binary_operator')
    return sink(calleeName(node, syntax)) ? syntax.argumentsOf(node).slice(0, 4) : []
  const right = node.childForFieldName('right')
  const isDivision = node.childForFieldName('operator')?.type === '/'
  return isDivision && right && !/^(?:integer|float)$/.test(right.type) ? [right] : []
}

/** Whether only the existence of the file is used: `os.Stat(filepath.Join(…))`. */
function isExistenceCheck(call: Node, syntax: CodeSyntax): boolean {
  let outer = call.parent
  while (outer && /argument|call|invocation/.test(outer.type)) {
    const name = isCall(outer, syntax) ? methodName(outer, syntax) : ''
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

/** Makes a check of the calls whose callee matches. */
function checkCallsOf(
  syntax: CodeSyntax,
  sink: (name: string, call: Node) => boolean,
  check: (call: Node, file: ParsedFile) => Hit | undefined,
): SyntaxCheck {
  return {
    nodes: syntax.calls,
    wholeFunction: true,
    check: (call, file) => (sink(calleeName(call, syntax), call) ? check(call, file) : undefined),
  }
}

/** Reports a redirect to an address that a client chooses. */
function checkRedirect(syntax: CodeSyntax, sink: Callees): SyntaxCheck {
  return checkCallsOf(syntax, sink, (call) => {
    const args = syntax.argumentsOf(call)
    // The name of a route decides, such as Django's `orders:show`, or Rails tests the host.
    const isNamed = args[0] && builtTextOf(args[0], syntax)?.values.length === 0
    if (isNamed || /\ballow_other_host: false\b/.test(call.text)) return undefined
    const address = findAddress(args, call, syntax)
    return address && redirectHit(address, call, syntax)
  })
}

/** Reports the text `redirect:` + target, which Spring answers with a redirect. */
function checkRedirectText(syntax: CodeSyntax): SyntaxCheck {
  return {
    nodes: ['binary_expression', ...syntax.literals],
    check(text) {
      if (!/^"redirect:["$]/.test(text.text.slice(0, 12))) return undefined
      const value = builtTextOf(text, syntax)?.values[0]
      if (!value || !isSent(text, syntax) || !hasNoHostCheck(text, text, syntax)) return undefined
      return choosesHost(text, syntax) ? redirectHit(text, text, syntax, value.code) : undefined
    },
  }
}

function redirectHit(address: Node, call: Node, syntax: CodeSyntax, code = address.text): Hit {
  return {
    ...placeOf(address, call, syntax),
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
function checkLocation(syntax: CodeSyntax): SyntaxCheck {
  return {
    nodes: [...syntax.calls, 'pair'],
    wholeFunction: true,
    check(node) {
      const isPair = node.type === 'pair'
      if (!isPair && !setsHeader(calleeName(node, syntax))) return undefined
      const [name, ...values] = isPair ? node.namedChildren : syntax.argumentsOf(node)
      if (!/^['"]?(?:HttpHeaders\.)?location['"]?$/i.test(name?.text.slice(0, 30) ?? ''))
        return undefined
      const address = findAddress(values, node, syntax)
      return address && redirectHit(address, node, syntax)
    },
  }
}

/** Finds the argument that a client chooses, with the host in it, and that nothing checks. */
function findAddress(args: readonly Node[], call: Node, syntax: CodeSyntax): Node | undefined {
  return args
    .slice(0, 3)
    .filter(({ type }) => !/pair|keyword|lambda|arrow|function|object$|dictionary/.test(type))
    .find(
      (address) =>
        !wholeRequest.test(address.text) &&
        !valuesOf(address, syntax).some(({ type }) => /^(?:object|dictionary)$/.test(type)) &&
        isSent(address, syntax) &&
        choosesHost(address, syntax) &&
        hasNoHostCheck(call, address, syntax),
    )
}

/** The request itself, or a part of it that is no single value. */
const wholeRequest = /(?:^|\.)(?:req|request|r|ctx|c|context|body|Body|headers|json|form)(?:\(\))?$/

/** Reports an address that a client chooses and this server fetches. */
function checkFetch(syntax: CodeSyntax, sink: Callees): SyntaxCheck {
  return checkCallsOf(syntax, sink, (call, file) => {
    if (isDeveloperTool(file.path)) return undefined
    const address = findAddress(syntax.argumentsOf(call), call, syntax)
    if (!address || !isNamedLikeAddress(address, syntax)) return undefined
    return {
      ...placeOf(address, call, syntax),
      title:
        `Server-side request forgery (SSRF): ${quoteCode(address.text)} comes from a request ` +
        'and decides what this server fetches',
      body:
        "When a client passes an internal address, such as the cloud's metadata service, this " +
        'server fetches it with its own network access. Allow a fixed list of hosts.',
    }
  })
}

const addressName =
  /ur[il]|link|host|address|endpoint|callback|hook|\bsrc\b|source|target|feed|domain|site|location|origin|proxy|image|avatar|remote|redirect|server|href|download|import|fetch/i

/** Whether a value, or what it was made of, has the name of an address. */
function isNamedLikeAddress(address: Node, syntax: CodeSyntax): boolean {
  const values = [address, ...valuesOf(address, syntax)]
  return values.some(({ text }) => addressName.test(text.slice(0, 300)))
}

const takesAddress = callees('**.{URI,URL,Uri}{,.new} **.{*parse,*Parse} **.URI.create')

/** Whether nothing fixed stands before the value, such as a path of this site. */
function choosesHost(address: Node, syntax: CodeSyntax): boolean {
  const built = builtTextOf(address, syntax)
  const [inner] = built || !syntax.calls.includes(address.type) ? [] : syntax.argumentsOf(address)
  // An address that is parsed stays the same.
  if (inner && takesAddress(calleeName(address, syntax))) return choosesHost(inner, syntax)
  const first = built?.values[0]
  if (!built || !first) return !built
  const isStart = /^(?:Location:\s*|redirect:|https?:\/\/)?$/i.test(first.before)
  return isStart && isSentInsertion(first, syntax)
}

/** Reports code, or the name of a class or module, that a client chooses. */
function checkChosenCode(syntax: CodeSyntax, sink: Callees): SyntaxCheck {
  const isSink = (name: string, call: Node) =>
    sink(name) || chosenFunction.test(syntax.calleeOf(call).slice(-200))
  return checkCallsOf(syntax, isSink, (call, file) => {
    if (isDeveloperTool(file.path)) return undefined
    const code = codeOf(call, syntax).find(
      (value) => isSent(value, syntax) && hasNoPathCheck(call, value, syntax),
    )
    if (!code) return undefined
    const { why, ...severity } = severityOf(true)
    return {
      ...placeOf(code, call, syntax),
      title:
        `Code injection: ${quoteCode(code.text)} comes from a request and decides what is ` +
        'executed',
      body: `${codeInjectionBody} ${why}`,
      ...severity,
    }
  })
}

/** PHP's `new $class` and `$function()`. */
const chosenFunction = /^(?:new )?\$\w+$/

/** The code that a call runs, or the name of what it loads. */
function codeOf(call: Node, syntax: CodeSyntax): readonly Node[] {
  const receiver = receiverOf(call)
  if (receiver && /constantize$/.test(methodName(call, syntax))) return [receiver]
  if (chosenFunction.test(syntax.calleeOf(call).slice(-200)))
    return call.descendantsOfType('variable_name').slice(0, 1)
  return syntax.argumentsOf(call).slice(0, 2)
}

/** Code that a program makes itself, and functions. */
const madeByProgram = /^[A-Z][A-Z0-9_]*$|lambda|function|=>|[cC]ompiled|[tT]emplate|[cC]ache/

/** Reports values that are run as code, wherever they come from. */
function checkEvaluatedText(syntax: CodeSyntax, sink: Callees): SyntaxCheck {
  return {
    nodes: [...syntax.calls],
    check(call, file) {
      if (!sink(calleeName(call, syntax)) || isDeveloperTool(file.path)) return undefined
      const [code, ...others] = syntax.argumentsOf(call)
      // Ruby: code that names its place in this file is a part of it.
      const isOwn = others.some(({ text }) => text === '__FILE__')
      const isFixed = isOwn || !code || builtTextOf(code, syntax)?.values.length === 0
      // Such a context reads values, and calls nothing.
      const isSafe = /SimpleEvaluationContext|ReadOnlyDataBinding/.test(file.text)
      if (isFixed || isSafe || madeByProgram.test(code.text.slice(0, 200))) return undefined
      return {
        at: firstLine(call),
        title: `Code injection: ${quoteCode(code.text)} is executed as code`,
        body:
          `${codeInjectionBody.replace('the value', quoteCode(code.text))} ` +
          severityOf(false).why,
      }
    },
  }
}

/** Names of data that comes from outside of the program. */
const outsideData =
  /request|http|\bbody|payload|message|msg|cookie|upload|decode|redis|socket|packet|queue|consume|\bevent|session|header|token|input(?!Stream)|received|incoming|\braw/i

/** Code that restricts which classes data may name, or that copies an object of its own. */
const restrictsClasses =
  /ObjectInputFilter|[sS]erialFilter|resolveClass|Validating\w*InputStream|allowed_classes|ObjectOutputStream|Marshal\.dump|pickle\.dumps|allowTypes|setupDefaultSecurity|addPermission|find_class|hmac|signature|Signer|verify/i

/** Reports data from outside whose text decides which objects are created. */
function checkLoad(syntax: CodeSyntax, sink: Callees): SyntaxCheck {
  return checkCallsOf(syntax, sink, (call, file) => {
    if (isDeveloperTool(file.path)) return undefined
    const data = syntax.argumentsOf(call)[0]
    const scope = scopeOf(call)?.text ?? ''
    if (!data || restrictsClasses.test(scope.slice(0, 20_000))) return undefined
    const named = [data, ...data.descendantsOfType(['identifier', 'variable_name']).slice(0, 4)]
    const values = named.flatMap((value) => [value, ...valuesOf(value, syntax)])
    const isOutside = [
      ...values,
      ...values.flatMap((value) => passedArguments(value, syntax)),
    ].some(({ text }) => outsideData.test(text.slice(0, 300)))
    if (!isOutside && !isSent(data, syntax)) return undefined
    return {
      at: firstLine(call),
      title:
        `Unsafe deserialization: ${quoteCode(call.text)} creates objects of any type from ` +
        'its input',
      body: deserializationBody,
    }
  })
}

/** Reports where a text is built with a value, or else the call that uses the value. */
function placeOf(value: Node, use: Node, syntax: CodeSyntax): Pick<Hit, 'at' | 'fallback'> {
  const bound = boundValueOf(syntax.unwrap?.(value) ?? value, syntax)
  const isBuilt = bound && (builtTextOf(bound, syntax)?.values.length ?? 0) > 0
  const [at, fallback] = isBuilt ? [bound, use] : [use, bound ?? value]
  return { at: firstLine(at), fallback: firstLine(fallback) }
}
