// Makes checks for tests of hosts and addresses that other hosts pass as well.
import type { Node } from 'web-tree-sitter'
import { isInTestFolder } from '../common/test-folders.ts'
import { builtTextOf, hasInsertions } from './built-text.ts'
import { type CodeSyntax, contentOf } from './code-syntax.ts'
import { boundValueOf, scopeOf } from './local-bindings.ts'
import { isSent } from './sent-values.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { field, firstLine, quoteCode } from './syntax-nodes.ts'
import { matchesFile } from './word-index.ts'

/** Makes the checks by the ids of their rules. */
export function checkHosts(syntax: CodeSyntax) {
  const comparison = {
    nodes: [...syntax.calls, 'comparison_operator'],
    check: (node: Node, file: ParsedFile) => checkComparison(node, syntax, file),
  }
  return {
    'unescaped-dot': [
      {
        nodes: ['regex', ...syntax.literals],
        check: (node: Node, file: ParsedFile) => checkPattern(node, syntax, file),
      },
    ],
    'loose-host-check': [comparison],
    'open-redirect': [
      {
        nodes: syntax.calls,
        check: (node: Node, file: ParsedFile) => checkSlash(node, syntax, file),
      },
    ],
  } satisfies Readonly<Record<string, readonly SyntaxCheck[]>>
}

/** A host in a regular expression: labels, dots with or without an escape, and an ending. */
const labels = String.raw`(?<![\w\\])(?:[a-z\d)][\w)-]*\\{0,2}\.)+`
const hostEnd = String.raw`(?=[()]|\$|\/|\\|:|["'?]|$)`
const knownHost = new RegExp(
  `${labels}(?:com|org|net|io|dev|app|co|gov|edu|info|cloud|ai|de|fr|uk|eu|us|local|internal|localhost)${hostEnd}`,
)
const anyHost = new RegExp(`${labels}[a-z]{2,12}${hostEnd}`)

/** A pattern for a whole host or address. Others find addresses in a text, or have comments. */
const wholeAddress = /^(?:(?:\^|\\A)\S*|\S*(?:\$|\\z|\\Z)|https?\S*)$/

const unescapedDot = /(?<!\\)\./

const takesPattern =
  /(?:^|\b)(?:RegExp|[rR]egex|Regexp|re|regexp|Pattern|Regex::new)(?:\.\w+)?$|\.(?:matches|toRegex)$/

/** Words about where an address may lead, near a name or a test. */
const aboutHosts = /host|origin|domain|referr?er|netloc|authority/i

/** Names of addresses that decide where a browser goes, or where it comes from. */
const aboutAddresses = /origin|referr?er|redirect|callback|return|next|target/i

/** Words about what is allowed. */
const aboutTrust =
  /allow|trust|forbid|forbidden|reject|permit|\bdeny|denied|untrusted|unauthori[sz]ed|\bcors|safe|whitelist|isOwn|is_own|isValid|is_valid|\b403\b/i

function checkPattern(node: Node, syntax: CodeSyntax, { text, path }: ParsedFile): Hit | undefined {
  const pattern = patternOf(node, syntax)
  if (!pattern || pattern.length > 500 || isInTestFolder(path)) return undefined
  const context = contextOf(node, text)
  const host = (aboutHosts.test(context) ? anyHost : knownHost).exec(pattern)
  if (!host) return undefined
  const rest = pattern.slice(host.index + host[0].length)
  // Other patterns with a path sort addresses.
  const decides = aboutHosts.test(context) || aboutTrust.test(context)
  if (!decides && /[^()?:$\\/.*+dzZ]/.test(rest)) return undefined
  if (unescapedDot.test(host[0]))
    return {
      at: firstLine(node),
      title: `Unescaped dot: ${quoteCode(host[0])} in this pattern also matches other hosts`,
      body:
        'When somebody registers a host with another character in place of the dot, the pattern ' +
        'accepts it. Escape the dots.',
    }
  return isOpenEnded(pattern, rest, context) ? openEndHit(node, host[0]) : undefined
}

/** Whether a pattern that decides what is allowed begins at the start, and ends with the host. */
function isOpenEnded(pattern: string, rest: string, context: string): boolean {
  const isOpen = /^(?:\^|\\A)/.test(pattern) && /^\)*$/.test(rest)
  return isOpen && aboutTrust.test(context) && !/fullmatch|\.matches\(/.test(context)
}

function openEndHit(node: Node, host: string): Hit {
  return {
    at: firstLine(node),
    title: `${quoteCode(host)} has no end in this pattern, which also matches longer hosts`,
    body:
      'When somebody registers a host that only begins so, such as `example.com.evil.net`, the ' +
      'pattern accepts it. End it with `$`, or with a `/` in an address.',
  }
}

/** The regular expression that a literal is, as far as its form or the call around it shows. */
function patternOf(node: Node, syntax: CodeSyntax): string | undefined {
  if (node.type === 'regex') return node.text.replace(/^\/|\/\w*$/g, '')
  const text = node.text.slice(0, 600)
  if (!text.includes('.') || (node.type !== 'regex' && hasInsertions(node, syntax)))
    return undefined
  const content = contentOf(text).replace(/^([~#/@])(?=\^)|(?<=\$)([~#/@])\w*$/g, '')
  if (wholeAddress.test(content) && /^(?:\^|\\A)|(?:\$|\\z)$|\\\./.test(content)) return content
  return /^\S+$/.test(content) && takesPattern.test(calleeAround(node, syntax))
    ? content
    : undefined
}

/** The callee of the call that a node is an argument of; empty if there is none. */
function calleeAround(node: Node, syntax: CodeSyntax): string {
  let call: Node | null = node.parent
  for (let depth = 0; call && depth < 3 && !syntax.calls.includes(call.type); depth++)
    call = /argument/.test(call.type) ? call.parent : null
  return call && syntax.calls.includes(call.type) ? syntax.calleeOf(call) : ''
}

/** The line of a node, and the lines that use the name that its value gets there. */
function contextOf(node: Node, text: string): string {
  const start = text.lastIndexOf('\n', node.startIndex) + 1
  const line = text.slice(start, node.startIndex + 80)
  const name = /([A-Za-z_]\w{2,60})\s*(?::[^=\n]{0,40})?:?=(?!=)/.exec(line)?.[1]
  if (!name) return line
  const uses = text.split('\n').filter((each) => each.length < 300 && each.includes(name))
  return [line, ...uses.slice(0, 6)].join('\n')
}

const endTest = /[.>:]?(?:ends_?with\??|end_with\?|[hH]asSuffix|str_ends_with)$/i
const partTest = /[.>:]?(?:includes|contains|include\?|str_contains|strpos|indexOf)$/i
const startTest = /[.>:]?(?:starts_?with\??|start_with\?|[hH]asPrefix|str_starts_with)$/i

/** What a test of a text compares: the value, and the part that it must have. */
function operandsOf(call: Node, syntax: CodeSyntax): [value: string, part: Node] | undefined {
  const [part, whole] = call.type === 'comparison_operator' ? call.namedChildren : []
  if (part && whole) return [whole.text, part]
  const args = syntax.argumentsOf(call)
  if (args.length === 2) return [args[0]!.text, args[1]!]
  const receiver = /^([\s\S]*?)\??(?:\.|->|::)[\w?!]+$/.exec(syntax.calleeOf(call).slice(-200))?.[1]
  return receiver && args[0] ? [receiver, args[0]] : undefined
}

function checkComparison(node: Node, syntax: CodeSyntax, file: ParsedFile): Hit | undefined {
  const callee = testOf(node, syntax)
  const [value, part] = (callee && operandsOf(node, syntax)) || []
  if (!value || !part || !isHostValue(value, node, callee, syntax)) return undefined
  const isStart = startTest.test(callee)
  const text = fixedTextOf(part, syntax, file)
  const form = isStart ? /^https?:\/\/[\w-]+(?:\.[\w-]+)+$/ : /^[\w-]+(?:\.[\w-]+)+$/
  if (!text || !form.test(text) || !decidesTrust(node, part)) return undefined
  const longer = isStart ? `${text}.evil.net` : `evil-${text}`
  return {
    at: firstLine(node),
    title: `${quoteCode(node.text)} also accepts other hosts`,
    body:
      `When somebody registers \`${longer.replace('https://', '')}\`, this accepts it. ` +
      'Compare the whole host, or its end with the dot before it.',
  }
}

/** Returns the name of a test of a text's end, start or part; empty for other code. */
function testOf(node: Node, syntax: CodeSyntax): string {
  if (/^(?:not )?in$/.test(field(node, 'operators')?.text ?? '')) return 'in'
  const callee = syntax.calls.includes(node.type) ? syntax.calleeOf(node).slice(-200) : ''
  return [partTest, endTest, startTest].some((test) => test.test(callee)) ? callee : ''
}

/** Whether the function around a test is about what is allowed. */
function decidesTrust(node: Node, part: Node): boolean {
  const scope = scopeOf(node)
  return aboutTrust.test(`${scope?.parent ? scope.text.slice(0, 2_000) : ''}\n${part.text}`)
}

/** Whether a value, or what its variable was set to, is named like a host or an address. */
function isHostValue(value: string, use: Node, callee: string, syntax: CodeSyntax): boolean {
  const names = startTest.test(callee) ? aboutAddresses : aboutHosts
  const source = boundValueOf(use, syntax, value)?.text ?? ''
  return [value, source].some((code) =>
    names.test(/(\w+)(?:\(\))?\W*$/.exec(code.slice(-100))?.[1] ?? ''),
  )
}

/** The fixed text that a node is, also by a constant, or an element of a list of constants. */
function fixedTextOf(node: Node, syntax: CodeSyntax, { text }: ParsedFile): string | undefined {
  const built = builtTextOf(node, syntax)
  if (built) return built.values.length === 0 ? built.text : resolve(built.text, built.values)
  const name = /^(?:[\w$]+(?:\.|::|->))*([A-Za-z_]\w{1,60})$/.exec(node.text)?.[1]
  return name && constantText(name, text)

  /** `"." + DOMAIN` begins as the text before the value does. */
  function resolve(fixed: string, values: readonly { code: string }[]): string {
    return values.reduce(
      (all, { code }) => all.replace('\0', constantText(code, text) ?? '?'),
      fixed,
    )
  }
}

/** The text that a name of the file is set to. Of a list, or its element, the first. */
function constantText(name: string, text: string): string | undefined {
  const list = new RegExp(
    String.raw`([A-Za-z_][\w.]*)\.(?:some|any|find|every|any\?|iter\(\)\.any|Any|Exists)\s?[({]\s?[({|]{0,2}\s?(?:\w+ )?${name}\b` +
      String.raw`|\b${name}\b\s(?:in|of)\s([A-Za-z_][\w.]*)|:?= range ([A-Za-z_][\w.]*)|([$A-Za-z_][\w.:]*) as \$${name}\b`,
  ).exec(text)
  const source = list
    ?.slice(1)
    .find((each) => each !== undefined)
    ?.replace(/^.*[.:]/, '')
  const wanted = source ?? name
  return new RegExp(
    String.raw`(?<![\w.])${RegExp.escape(wanted)}\b[^=\n]{0,60}=(?!=)[^"'\n;]{0,60}\n?\s{0,20}["']([^"'\n]{3,100})["']`,
  ).exec(text)?.[1]
}

/** Names of functions about where to go next. */
const choosesTarget = /redirect|next|return_?(?:to|url)|safe|local|internal|destination|target/i

/** Reports `target.startsWith("/")`, where nothing looks at the second character. */
function checkSlash(call: Node, syntax: CodeSyntax, file: ParsedFile): Hit | undefined {
  if (!startTest.test(syntax.calleeOf(call).slice(-60))) return undefined
  const [value, part] = operandsOf(call, syntax) ?? []
  if (!value || !/^["'`]\/["'`]$/.test(part?.text ?? '')) return undefined
  if (!matchesFile(file, /redirect|["']Location["']/i)) return undefined
  if (!isOnlySlashOfTarget(call, value, syntax)) return undefined
  return {
    at: firstLine(call),
    title: `Open redirect: ${quoteCode(call.text)} also accepts \`//host\``,
    body:
      'When someone sends a link to this site with `//` and a host in it, visitors end up there ' +
      'and take it for this site. Also reject a second slash and a backslash.',
  }
}

/** Whether a function about the next address, or with one that was sent, tests nothing else. */
function isOnlySlashOfTarget(call: Node, value: string, syntax: CodeSyntax): boolean {
  const scope = scopeOf(call)
  if (!scope?.parent || scope.text.length > 6_000 || looksFurther.test(scope.text)) return false
  const tested = valueNodeOf(call, value, syntax)
  const isTarget = choosesTarget.test(field(scope, 'name')?.text ?? '')
  return isTarget || (tested !== undefined && isSent(tested, syntax))
}

/** Code that looks at more than the first character of an address, or at its host. */
const looksFurther =
  /["'`/]\/\/|["'`]\/?\\\\|netloc|\bhost|origin|\[\^?\/|\(\?!|\bUR[IL]\(|parse|\[1\]|resolve/i

function valueNodeOf(call: Node, value: string, syntax: CodeSyntax): Node | undefined {
  const [first] = syntax.argumentsOf(call)
  if (first?.text === value) return first
  return (
    call.tree.rootNode.descendantForIndex(call.startIndex, call.startIndex + value.length - 1) ??
    boundValueOf(call, syntax, value)
  )
}
