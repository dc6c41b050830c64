// Follows what a client sent to where it is used, and to code that checks it.
import type { Node } from 'web-tree-sitter'
import { bindingsIn, boundValues, declares, type NamedBinding } from './bindings.ts'
import { builtTextOf, formatOf, hasInsertions, type InsertedValue } from './built-text.ts'
import { plainCallee } from './callee-words.ts'
import { callAround, readCall } from './calls.ts'
import { hostChecks, pathChecks, weakTests } from './check-words.ts'
import { listParameters, outermostFunction, scopeOf } from './functions.ts'
import { isText } from './literals.ts'
import { readOperation } from './operations.ts'
import { argumentsPassedTo, functionsNamed } from './own-functions.ts'
import { requestsIn } from './requests.ts'
import { sentNamesOf } from './sent-names.ts'
import type { ParsedFile } from './syntax-check.ts'
import { field, findNodes } from './syntax-nodes.ts'

/** The name that a client gave to the file that it uploads. */
const uploadedName =
  /\b(?:getOriginalFilename|getSubmittedFileName|getClientFilename|get_filename)\(\)|(?:\.|->)(?:submittedFileName|originalFile[nN]ame|original_?name|original_filename)\b|\b(?:[hH]eader|fileHeader|fh|\w*[fF]ile|\w*[uU]pload\w*|part)\??\.(?:[fF]ile_?[nN]ame\b|file_name\(\))/

/** Whether an expression holds the name that a client gave to an uploaded file. */
function isUploadedName(code: string): boolean {
  return uploadedName.test(code.slice(0, 500))
}

/** Code that leaves no separator in a name, or takes the value from elsewhere. */
const cleaned =
  /\([\s/'"r@#~]*\[\^|tmp_name|\w\.(?:inputStream|content_type|size|bytes)$|\]\[['"](?:size|error)['"]\]|base_?name|getClientOriginalName|filepath\.Base\(|GetFileName|getFileName|\bfile_name\(\)\s*\.?(?:ok_or|and_then|\?)|file_stem|extname|splitext|[gG]etExtension|filepath\.Ext|\b(?:File|Path|PurePath|Paths\.get|Path\.of)\([^()]{1,80}\)\??\.(?:name|stem|suffix|extension|getName\(\)|nameWithoutExtension)|\bto_i\b|toInt|toLong|parseInt|\bNumber\(|\bint(?:val)?\(|\(int\)|Atoi|uuid|guid|hash|md5|sha\d|slug|saniti[sz]|secure|random|escape|safe|plain|valid\w{0,20}(?:Name|Path|Url)|digest|parse::</i

/** Calls that return what they get, as far as syntax is concerned. */
const keepsText =
  /(?:^|\b|_|\.)(?:base64_decode|[dD]ecode64|b64decode|url_?decode|rawurldecode|decodeURI(?:Component)?|trim\w*|Trim\w*|String|str|strval|to_s(?:tring)?|[uU]nescape\w*|UnescapeDataString|firstOrNull|toString|strtolower|unquote|unquote_plus|decode|from_base64|getOrDefault|unwrap_or\w*|orElse|Optional\.ofNullable|presence|format|sprintf|Sprintf|Format|concat|join|joinpath|Join|Combine|resolve|Paths\.get|Path\.of|PathBuf\.from|URI\.create|Uri\.parse|URI\.parse|URI|URL|Uri|url\.Parse|HttpUrl\.parse|File|Path|require|normalize|Clean|(?:storage|public|base|resource|app)_path|_replace|replace|encode|camelize|classify|camelcase|capitalize|JSON\.parse|URLSearchParams|json\.loads|json_decode|GetBytes|getBytes|ByteArrayInputStream|BytesIO|StringIO|Bytes|to_owned|clone|as_ref|from_utf8_lossy)(?:\.new)?$/

/** Nodes whose index decides which value is read, and isn't a part of it. */
const lookups = /^(?:subscript|element_access|element_reference|index_expression|indexing)/

/** How many variables and calls are followed to what a client sent. */
const maxSteps = 4

/** Whether an expression, also by some variables and functions, holds what a client sent. */
export function isSent(node: Node, file: ParsedFile, steps = maxSteps): boolean {
  if (isText(node) && !hasInsertions(node, file)) return false
  const code = node.text.slice(0, 500)
  if (cleaned.test(code)) return false
  if (holdsInput(code, file) || isUploadedName(code)) return true
  const variables = findVariables(node).filter((variable) => !isConverted(variable, node))
  if (variables.some((variable) => isSentName(variable.text, variable, file, steps))) return true
  return namesInTemplate(node, file).some((name) => isSentName(name, node, file, steps))
}

/** Names in a template such as that of `format!("{name}")`, which are no nodes. */
function namesInTemplate(node: Node, file: ParsedFile): string[] {
  const isTemplate = isText(node) || formatOf(node) !== undefined
  const values = isTemplate ? (builtTextOf(node, file)?.values ?? []) : []
  return values.map(({ code }) => /^&?([$@]?\w+)/.exec(code)?.[1] ?? '')
}

/** Whether a value that is inserted into a text holds what a client sent. */
export function isSentInsertion({ code, node }: InsertedValue, file: ParsedFile): boolean {
  if (node.text.slice(0, 200) === code) return isSent(node, file)
  if (cleaned.test(code)) return false
  const name = /^&?([$@]?\w+)/.exec(code)?.[1] ?? ''
  return holdsInput(code, file) || isSentName(name, node, file, maxSteps)
}

function isSentName(name: string, use: Node, file: ParsedFile, steps: number): boolean {
  for (let scope = scopeOf(use); scope; scope = scopeOf(scope)) {
    const values = boundValues(scope, name, use)
    if (values.length > 0)
      return steps > 0 && values.some((value) => isSent(value, file, steps - 1))
    if (sentNamesOf(scope).includes(name.replace(/^\$/, ''))) return true
    const index = listParameters(scope).findIndex((parameter) => declares(parameter, name))
    if (index >= 0) return steps > 1 && isPassedSent(scope, index, file, steps - 2)
    if (!scope.parent) return false
  }
  return false
}

/** Whether another function of the file passes what a client sent as a parameter. */
function isPassedSent(fn: Node, index: number, file: ParsedFile, steps: number): boolean {
  return argumentsPassedTo(fn, index).some(
    ({ call, argument }) => isSent(argument, file, steps) && hasNoHostCheck(call, argument, file),
  )
}

/** Whether code is input of a request, and not the result of a function of it. */
function holdsInput(code: string, file: ParsedFile): boolean {
  const match = requestsIn(file)?.exec(code)
  if (!match) return false
  const call = /([\w.:>$!-]+)\s*\([^()]*$/.exec(code.slice(0, match.index))
  const isKey = /[\w)\]]\[[^\][]*$/.test(code.slice(0, match.index))
  return !isKey && (!call || keepsText.test(plainCallee(call[1]!)))
}

/** Whether an expression only depends on a variable, and doesn't hold its text. */
function isConverted(variable: Node, outer: Node): boolean {
  for (let node: Node | null = variable; node && node.id !== outer.id; node = node.parent) {
    const { parent }: Node = node
    if (!parent) return false
    if (isOnlyCompared(node, parent)) return true
    const call = callAround(node)
    if (call && !keepsText.test(readCall(call).plain)) return true
  }
  return false
}

const comparison = /^(?:[=!]==?|[<>]=?|in|not in|is|instanceof)$/

/** Whether a node decides which value its parent is, and is no part of that. */
function isOnlyCompared(node: Node, parent: Node): boolean {
  if (lookups.test(parent.type) && parent.firstNamedChild?.id !== node.id) return true
  if (field(parent, 'condition')?.id === node.id) return true
  return comparison.test(readOperation(parent)?.operator ?? '')
}

function findVariables(node: Node): Node[] {
  const found = findNodes(node, 'identifier', 'variable_name', 'simple_identifier', 'constant')
  // The name of a function or member is no variable.
  const variables = found.filter(({ parent, id }) => {
    const member = parent && /^(?:navigation|member_access)/.test(parent.type)
    const isMember = member && parent.firstNamedChild?.id !== id
    return !isMember && (!parent || field(parent, 'name')?.id !== id || !/invoc/.test(parent.type))
  })
  return variables.length === 0 ? [node] : variables.slice(0, 8)
}

/** Empties messages of several words, which name no check. */
function withoutMessages(line: string): string {
  return line.replace(/(["'])((?:(?!\1).)*)\1/g, (text, _, content) =>
    / .* /.test(content) ? '""' : text,
  )
}

/** Whether no code in the function looks at a value, or at what is made of it. */
function isNeverChecked(
  use: Node,
  value: Node,
  file: ParsedFile,
  checks: RegExp,
  name = '',
): boolean {
  const scope = outermostFunction(use) ?? use.tree.rootNode
  const names = relatedNames(scope, value, use, file, name)
  if (names.length === 0) return true
  const words = wordsOf(names)
  const chooses = new RegExp(String.raw`\b(?:match|switch|when|case)\b[\s(&*]*${words}`)
  const code = scope.text.slice(0, 20_000).replace(laravelValidation, '')
  const lines = code
    .split('\n')
    .map((line) => withoutMessages(line.slice(0, 300)).replace('allow_other_host', ''))
    .map((line) => line.replace(weakTests, ''))
    .filter((line) => mentions(line, names))
  if (lines.some((line) => checks.test(line) || chooses.test(line))) return false
  return !isCheckedByCallee(scope, lines, names, checks)
}

/** Whether a function of the file that is called on one of the lines checks what it gets. */
function isCheckedByCallee(
  scope: Node,
  lines: readonly string[],
  values: readonly string[],
  checks: RegExp,
): boolean {
  const code = lines.join('\n')
  const called = new Set(code.match(/\w+(?=\()/g) ?? [])
  return [...called].some((name) => functionsNamed(name, scope).some((fn) => isChecking(name, fn)))

  function isChecking(name: string, fn: Node): boolean {
    if (fn.id === scope.id) return false
    const list = new RegExp(String.raw`\b${name}\(((?:[^()]|\([^()]*\))*)\)`).exec(code)?.[1]
    const args = list?.split(/,(?![^()]*\))/).map((argument) => mentions(argument, values)) ?? []
    const passed = listParameters(fn).filter((_, index) => args[index] ?? !args.includes(true))
    return linesAbout(passed, fn).some((line) => checks.test(line))
  }
}

/** The lines of a function about some of its parameters, and about what is made of them. */
function linesAbout(parameters: readonly Node[], fn: Node): string[] {
  const body = field(fn, 'body')?.text ?? fn.text
  const names = parameters.flatMap(({ text }) => text.match(/[$@]?\w+(?=\s*(?::|,|=|$))/g) ?? [])
  for (const binding of bindingsIn(fn).all)
    if (names.some((name) => mentions(binding.value.text, [name]))) names.push(...binding.names)
  const lines = body.slice(0, 5_000).replace(weakTests, '').split('\n')
  return names.length === 0 ? lines : lines.filter((line) => mentions(line, names))
}

function mentions(code: string, names: readonly string[]): boolean {
  return new RegExp(wordsOf(names)).test(code)
}

/** Matches one of the names as a whole word. */
function wordsOf(names: readonly string[]): string {
  return String.raw`(?<![\w$@])(?:${names.map(RegExp.escape).join('|')})(?!\w)`
}

/** Laravel's validation doesn't check paths unless it has a pattern. */
const laravelValidation = /\$\w+->validate[d]?\(/g

/** The variables that hold a value, those that it was made of, and those made of it. */
function relatedNames(
  scope: Node,
  value: Node,
  use: Node,
  file: ParsedFile,
  name: string,
): string[] {
  const bindings = bindingsIn(scope).all
  const names = new Set([
    name,
    ...namesOf(value),
    ...namesInTemplate(value, file),
    ...membersIn(value.text),
  ])
  for (const { node, names: bound } of bindings)
    if (use.startIndex >= node.startIndex && use.endIndex <= node.endIndex)
      for (const name of bound) names.add(name)
  for (let round = 0; round < 3; round++)
    for (const binding of bindings)
      for (const name of relatedBy(binding, names, file)) names.add(name)
  return [...names].filter(
    (name) => /^[$@]?\w{2,60}$/.test(name) && !commonNames.test(name.replace('$', '')),
  )
}

/** The names that a binding adds to those of a value. */
function relatedBy(binding: NamedBinding, names: ReadonlySet<string>, file: ParsedFile): string[] {
  const code = binding.value.text.slice(0, 300)
  const isMade = [...names].some((name) => code.includes(name) && name.length > 1)
  const made = isMade ? binding.names : []
  if (!binding.names.some((name) => names.has(name))) return [...made]
  const sources = findVariables(binding.value).filter((each) =>
    isSentName(each.text, each, file, 2),
  )
  return [...made, ...membersIn(code), ...sources.map(({ text }) => text)]
}

function namesOf(value: Node): string[] {
  return findVariables(value).flatMap(({ text, parent }) => [text, memberOf(parent)])
}

/** The members of what holds a whole request that code reads. */
function membersIn(code: string): string[] {
  const reads = code
    .slice(0, 300)
    .matchAll(/\b(?:body|query|params|form|model)\??\.(\w{2,40})\b(?!\()/g)
  return [...reads].map((match) => match[1]!)
}

/** The member that is read of a variable, which says more than the name of a request. */
function memberOf(parent: Node | null): string {
  return parent && /member|attribute|selector|navigation|field/.test(parent.type)
    ? (parent.namedChildren.at(-1)?.text ?? '')
    : ''
}

/** Names that stand for all of a request, or for tools. */
const commonNames =
  /^(?:req|request|res|response|ctx|context|call|err|error|params?|body|os|fs|filepath|http|https|this|self|app|File|Path|Paths|URL|URI|query)$/

/** @param name of a variable in a text that is the node */
export function hasNoPathCheck(use: Node, path: Node, file: ParsedFile, name = ''): boolean {
  return isNeverChecked(use, path, file, pathChecks, name)
}

export function hasNoHostCheck(use: Node, address: Node, file: ParsedFile): boolean {
  return isNeverChecked(use, address, file, hostChecks)
}
