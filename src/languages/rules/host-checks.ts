// Finds tests of hosts and addresses that other hosts pass as well.
import type { Node } from 'web-tree-sitter'
import { isInTestFolder } from '../common/test-folders.ts'
import { onlyValueOf } from './bindings.ts'
import { builtTextOf, hasInsertions } from './built-text.ts'
import { callAndNewTypes, callAround, isCall, readCall } from './calls.ts'
import { functionAround } from './functions.ts'
import { stringText, textTypes } from './literals.ts'
import { isSent } from './sent-values.ts'
import { languagesWith } from './sinks.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { field, fieldText, firstLine, quoteCode } from './syntax-nodes.ts'
import { matchesFile } from './word-index.ts'

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
  /(?:^|\b)(?:RegExp|[rR]egex|Regexp|re|regexp|Pattern)(?:\.\w+)?$|\.(?:matches|toRegex)$/

/** Words about where an address may lead, near a name or a test. */
const aboutHosts = /host|origin|domain|referr?er|netloc|authority/i

/** Names of addresses that decide where a browser goes, or where it comes from. */
const aboutAddresses = /origin|referr?er|redirect|callback|return|next|target/i

/** Words about what is allowed. */
const aboutTrust =
  /allow|trust|forbid|forbidden|reject|permit|\bdeny|denied|untrusted|unauthori[sz]ed|\bcors|safe|whitelist|isOwn|is_own|isValid|is_valid|\b403\b/i

function checkPattern(node: Node, file: ParsedFile): Hit | undefined {
  const pattern = patternOf(node, file)
  if (!pattern || pattern.length > 500 || isInTestFolder(file.path)) return undefined
  const context = contextOf(node, file.text)
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
function patternOf(node: Node, file: ParsedFile): string | undefined {
  if (node.type === 'regex') return node.text.replace(/^\/|\/\w*$/g, '')
  const text = node.text.slice(0, 600)
  if (!text.includes('.') || (node.type !== 'regex' && hasInsertions(node, file))) return undefined
  const content = stringText(node).replace(/^([~#/@])(?=\^)|(?<=\$)([~#/@])\w*$/g, '')
  if (wholeAddress.test(content) && /^(?:\^|\\A)|(?:\$|\\z)$|\\\./.test(content)) return content
  const call = /^\S+$/.test(content) ? callAround(node) : undefined
  return call && takesPattern.test(readCall(call).plain) ? content : undefined
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

const endTest = /(?:ends_?with\??|end_with\?|[hH]asSuffix|str_ends_with)$/i
const partTest = /(?:includes|contains|include\?|str_contains|strpos|indexOf)$/i
const startTest = /(?:starts_?with\??|start_with\?|[hH]asPrefix|str_starts_with)$/i

/** What a test of a text compares: the value, and the part that it must have. */
function operandsOf(test: Node): [value: Node, part: Node] | undefined {
  const [part, whole] = test.type === 'comparison_operator' ? test.namedChildren : []
  if (part && whole) return [whole, part]
  const { args, receiver } = readCall(test)
  if (args.length === 2) return [args[0]!, args[1]!]
  return receiver && args[0] ? [receiver, args[0]] : undefined
}

function checkComparison(node: Node, file: ParsedFile): Hit | undefined {
  const name = testOf(node)
  const [value, part] = (name && operandsOf(node)) || []
  const isStart = startTest.test(name)
  if (!value || !part || !isHostValue(value, isStart)) return undefined
  const text = fixedTextOf(part, file)
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
function testOf(node: Node): string {
  if (/^(?:not )?in$/.test(field(node, 'operators')?.text ?? '')) return 'in'
  const name = isCall(node) ? readCall(node).name : ''
  return [partTest, endTest, startTest].some((test) => test.test(name)) ? name : ''
}

/** Whether the function around a test is about what is allowed. */
function decidesTrust(node: Node, part: Node): boolean {
  const code = functionAround(node)?.text.slice(0, 2_000) ?? ''
  return aboutTrust.test(`${code}\n${part.text}`)
}

/** Whether a value, or what its variable was set to, is named like a host or an address. */
function isHostValue(value: Node, isStart: boolean): boolean {
  const names = isStart ? aboutAddresses : aboutHosts
  return [value, onlyValueOf(value)].some((each) =>
    names.test(/(\w+)(?:\(\))?\W*$/.exec(each?.text.slice(-100) ?? '')?.[1] ?? ''),
  )
}

/** The fixed text that a node is, also by a constant, or an element of a list of constants. */
function fixedTextOf(node: Node, file: ParsedFile): string | undefined {
  const built = builtTextOf(node, file)
  if (built) return built.values.length === 0 ? built.text : resolve(built.text, built.values)
  const name = /^(?:[\w$]+(?:\.|::|->))*([A-Za-z_]\w{1,60})$/.exec(node.text)?.[1]
  return name && constantText(name, file.text)

  /** `"." + DOMAIN` begins as the text before the value does. */
  function resolve(fixed: string, values: readonly { code: string }[]): string {
    return values.reduce(
      (all, { code }) => all.replace('\0', constantText(code, file.text) ?? '?'),
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
function checkSlash(call: Node, file: ParsedFile): Hit | undefined {
  if (!startTest.test(readCall(call).name)) return undefined
  const [value, part] = operandsOf(call) ?? []
  if (!value || !/^["'`]\/["'`]$/.test(part?.text ?? '')) return undefined
  if (!matchesFile(file, /redirect|["']Location["']/i)) return undefined
  if (!isOnlySlashOfTarget(call, value, file)) return undefined
  return {
    at: firstLine(call),
    title: `Open redirect: ${quoteCode(call.text)} also accepts \`//host\``,
    body:
      'When someone sends a link to this site with `//` and a host in it, visitors end up there ' +
      'and take it for this site. Also reject a second slash and a backslash.',
  }
}

/** Whether a function about the next address, or with one that was sent, tests nothing else. */
function isOnlySlashOfTarget(call: Node, value: Node, file: ParsedFile): boolean {
  const scope = functionAround(call)
  if (!scope || scope.text.length > 6_000 || looksFurther.test(scope.text)) return false
  return choosesTarget.test(fieldText(scope, 'name')) || isSent(value, file)
}

/** Code that looks at more than the first character of an address, or at its host. */
const looksFurther =
  /["'`/]\/\/|["'`]\/?\\\\|netloc|\bhost|origin|\[\^?\/|\(\?!|\bUR[IL]\(|parse|\[1\]|resolve/i

/** Other languages rarely decide where a browser goes. */
const languages = languagesWith('redirect')

export const hostPatternChecks = [
  { languages, nodes: ['regex', ...textTypes], check: checkPattern },
]

export const looseHostChecks = [
  { languages, nodes: [...callAndNewTypes, 'comparison_operator'], check: checkComparison },
]

export const slashChecks = [{ languages, nodes: callAndNewTypes, check: checkSlash }]
