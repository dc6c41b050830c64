// Recognizes values that a client sent, and names in an archive that someone made.
import type { Node } from 'web-tree-sitter'
import { boundValueOf, type CodeSyntax } from './code-syntax.ts'
import { enclosingNode, findNodes } from './syntax-nodes.ts'

/** The name that a client gave to the file that it uploads. */
const uploadedName =
  /\b(?:getOriginalFilename\(\)|submittedFileName|originalFileName|originalname|original_filename|getClientOriginalName\(\)|getClientFilename\(\))/

/** Whether an expression holds the name that a client gave to an uploaded file. */
export function isUploadedName(code: string): boolean {
  return uploadedName.test(code.slice(0, 500))
}

/** Parameters of a handler that frameworks fill with texts of a request. */
const sentParameters: readonly RegExp[] = [
  // Spring and JAX-RS, in Java and Kotlin.
  /@(?:RequestParam|PathVariable|RequestHeader|CookieValue|QueryParam|PathParam|FormParam)\b(?:\([^()]{0,80}\))?\s{1,20}(?:final\s)?(?:String\s{1,9}(\w{1,40})|(\w{1,40})\s{0,3}:\s{0,3}String)/g,
  // ASP.NET Core.
  /\[From(?:Query|Route|Form|Header)\b[^\]]{0,60}\]\s{0,20}string\??\s{1,9}(\w{1,40})/g,
  // Axum and Actix.
  /\b(?:Query|Path|Form|Json)\(\s?(?:mut\s)?(\w{1,40})\s?\)\s{0,3}:\s{0,3}[\w:]{0,60}(?:Query|Path|Form|Json)<(?![ui]\d|Uuid)/g,
]

const aspAction = /\[(?:Http(?:Get|Post|Put|Delete|Patch)|Route)\b/
const aspText = /[(,]\s{0,80}string\??\s{1,9}(\w{1,40})/g

/** Names the parameters of a function that hold what a client sent. */
export function sentParametersOf(fn: Node): string[] {
  const header = fn.text.slice(0, 1_500).replace(/\{\s*\n[\s\S]*$/, '')
  const all = aspAction.test(header) ? [...sentParameters, aspText] : sentParameters
  return all.flatMap((pattern) =>
    [...header.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? ''),
  )
}

/** Code that leaves no separator in a name, or takes the value from elsewhere. */
const cleaned =
  /base_?name|GetFileName|getFileName|file_name\(|file_stem|\bto_i\b|toInt|toLong|\bint(?:val)?\(|\(int\)|uuid|guid|hash|md5|sha\d|slug|saniti[sz]|secure|random|escape|safe|plain|valid\w{0,20}(?:Name|Path|Url)|normaliz|encode|digest|parse::</i

const maxSteps = 3

/** Whether an expression, also by up to three local variables, holds a text that a client sent. */
export function isSent(node: Node, syntax: CodeSyntax, steps = maxSteps): boolean {
  if (syntax.literals.includes(node.type) && !syntax.insertion(node.text)) return false
  const code = node.text.slice(0, 500)
  if (cleaned.test(code)) return false
  if (holdsInput(code, syntax.request) || isUploadedName(code)) return true
  const fn = enclosingNode(node, new Set(syntax.functions))
  const sent = fn ? sentParametersOf(fn) : []
  const variables = findVariables(node).filter((variable) => !isConverted(variable, node, syntax))
  if (variables.some(({ text }) => sent.includes(text.replace(/^\$/, '')))) return true
  return (
    steps > 0 &&
    variables.some((variable) => {
      const value = boundValueOf(variable, syntax)
      return value !== undefined && isSent(value, syntax, steps - 1)
    })
  )
}

/** Calls that return what they get, as far as syntax is concerned. */
const keepsText =
  /(?:base64_decode|[dD]ecode64|url_?decode|rawurldecode|trim|String|str|strval|to_s(?:tring)?|UnescapeDataString|firstOrNull|toString)$/

/** Whether code is input of a request, and not the result of a function of it. */
function holdsInput(code: string, request: RegExp): boolean {
  const match = request.exec(code)
  if (!match) return false
  const call = /([\w.]+)\s*\([^()]*$/.exec(code.slice(0, match.index))
  return !call || keepsText.test(call[1]!)
}

/** Whether a variable is passed to a function inside of an expression, which may convert it. */
function isConverted(variable: Node, outer: Node, syntax: CodeSyntax): boolean {
  for (let node: Node | null = variable; node && node.id !== outer.id; node = node.parent) {
    const { parent }: Node = node
    if (!parent || !/argument/.test(node.type) || !syntax.calls.includes(parent.type)) continue
    if (!keepsText.test(syntax.calleeOf(parent))) return true
  }
  return false
}

function findVariables(node: Node): Node[] {
  const found = findNodes(node, 'identifier', 'variable_name', 'simple_identifier').slice(0, 4)
  return found.length === 0 ? [node] : found
}

/** The name of an entry of an archive, which can hold `../`. */
const entryName =
  /^&?\(?(?:\w{0,20}(?:entry|info|member|item|header|hdr|file|zf|ze|f|e))\??\.(?:filename|name|getName\(\)|FullName|Name|path|fileName|entryName|path\(\)\?|name\(\)|mangled_name\(\))\)?$/i

/** Code that extracts an archive. */
const extracts =
  /\bunzip|\bextract|ZipInputStream|\bZipFile\b|tarfile|\btar\.NewReader|\bzip\.(?:NewReader|OpenReader)|ZipArchive|\bArchive::new|yauzl|unzipper|[nN]extEntry|infolist\(|namelist\(|getmembers\(|Zip::File|TarArchive|TarReader/

/** Code that creates an archive takes its names from files. */
const creates = /zip\.NewWriter|ZipOutputStream|tar\.NewWriter|CreateEntry|putNextEntry|['"]w['"]/

/** Whether an expression is the name of an entry, in a function that extracts an archive. */
export function isEntryName(node: Node, scope: string): boolean {
  if (!entryName.test(node.text.slice(0, 100))) return false
  return extracts.test(scope) && !creates.test(scope)
}

/** Code that keeps a path inside of a folder, or checks it. */
const pathChecks =
  /starts?_?with\??\(|start_with\?|HasPrefix|base_?name|file_name\(|GetFileName\w{0,30}\(|getFileName\(|filepath\.Base|realpath|canonical|\brelative\(|relative_path_from|is_relative_to|IsLocal|commonpath|safe_join|secure|allow|whitelist|permitted|saniti[sz]|preg_match|\.match\b|match\?|=~|is_match|IsMatch|\.matches\(|components\(\)|enclosed_name|contains?\w{0,20}\(\s{0,9}["']|include\?|in_array|normaliz|\b\w{0,30}(?:restrict|valid|check|inside|within|plain|clean|strip|ensure|resolve_?(?:safe|in))\w{0,30}\(/i

/** Code that looks at the whole path of an entry. Lists of allowed endings don't. */
const entryChecks =
  /starts?_?with\??\(|start_with\?|HasPrefix|base_?name|file_name\(|GetFileName\w{0,30}\(|getFileName\(|filepath\.Base|\.filename\.rsplit|realpath|canonical|relative|IsLocal|commonpath|safe|secure|saniti[sz]|enclosed_name|normaliz|\.\.["'/]|traversal|slip|\bunpack_in\(|\b\w{0,20}(?:valid|check|inside|within|contain)\w{0,20}Path\(/i

/** Whether the code of a function doesn't look at where an entry is written. */
export function hasNoEntryCheck(scope: string): boolean {
  return !entryChecks.test(scope.slice(0, 20_000))
}

/** Laravel's validation says nothing about paths unless it has a pattern. */
const laravelValidation = /\$\w+->validate[d]?\(/g

/** Whether the code of a function doesn't look at the path that it uses. */
export function hasNoPathCheck(scope: string): boolean {
  return !pathChecks.test(scope.slice(0, 20_000).replace(laravelValidation, ''))
}

/** Code that checks where an address leads. */
const hostChecks =
  /allow|whitelist|permitted|safe|valid(?!ated)|same.?origin|is_?local|\bhost(?:name)?\b|\.host\b|origin|netloc|saniti[sz]|url_from|only_path|GetLeftPart|parse_url/i

/** Code that compares any value with a list, a start or a pattern. */
const comparesText =
  /starts?_?with\??\(|start_with\?|HasPrefix|preg_match|=~|match|in_array|include\?|contains|\bwhen\b|[=!]=/i

/** Whether the code of a function doesn't look at where an address leads. */
export function hasNoHostCheck(scope: string, address: string): boolean {
  const code = scope.slice(0, 20_000).replace(laravelValidation, '')
  const name = /\w+(?=\W*$)/.exec(address.slice(-60))?.[0] ?? ''
  const isCompared = code
    .split('\n')
    .some((line) => line.includes(name) && comparesText.test(line.slice(0, 300)))
  return !isCompared && !hostChecks.test(code)
}
