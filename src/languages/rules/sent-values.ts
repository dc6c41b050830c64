// Follows what a client sent to where it is used, and to code that checks it.
import type { Node } from 'web-tree-sitter'
import { builtTextOf, formatOf, hasInsertions, type InsertedValue } from './built-text.ts'
import { hostChecks, pathChecks, weakTests } from './check-words.ts'
import type { CodeSyntax } from './code-syntax.ts'
import { type Binding, bindingsOf, boundValues, declares, scopeOf } from './local-bindings.ts'
import { argumentsPassedTo, parametersOf } from './own-functions.ts'
import { sentNamesOf } from './sent-names.ts'
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
  /(?:^|\b|_|\.)(?:base64_decode|[dD]ecode64|b64decode|url_?decode|rawurldecode|decodeURI(?:Component)?|trim\w*|Trim\w*|String|str|strval|to_s(?:tring)?|[uU]nescape\w*|UnescapeDataString|firstOrNull|toString|strtolower|unquote|unquote_plus|decode|from_base64|getOrDefault|unwrap_or\w*|orElse|Optional\.ofNullable|presence|format!?|sprintf|Sprintf|Format|concat|join|joinpath|Join|Combine|resolve|Paths\.get|Path\.of|Path::new|PathBuf::from|URI\.create|Uri\.parse|URI\.parse|URI|URL|Uri|url\.Parse|HttpUrl\.parse|new File|File|Path|new Uri|new Path|require|normalize|Clean|(?:storage|public|base|resource|app)_path|_replace|replace|encode|camelize|classify|camelcase|capitalize|JSON\.parse|URLSearchParams|json\.loads|json_decode|GetBytes|getBytes|ByteArrayInputStream|BytesIO|StringIO|Bytes|to_owned|clone|as_ref|from_utf8_lossy)$/

/** Nodes whose index decides which value is read, and isn't a part of it. */
const lookups = /^(?:subscript|element_access|element_reference|index_expression|indexing)/

/** How many variables and calls are followed to what a client sent. */
const maxSteps = 4

/** Whether an expression, also by some variables and functions, holds what a client sent. */
export function isSent(node: Node, syntax: CodeSyntax, steps = maxSteps): boolean {
  if (syntax.literals.includes(node.type) && !hasInsertions(node, syntax)) return false
  const code = node.text.slice(0, 500)
  if (cleaned.test(code)) return false
  if (holdsInput(code, syntax.request) || isUploadedName(code)) return true
  const variables = findVariables(node).filter((variable) => !isConverted(variable, node, syntax))
  if (variables.some((variable) => isSentName(variable.text, variable, syntax, steps))) return true
  return namesInTemplate(node, syntax).some((name) => isSentName(name, node, syntax, steps))
}

/** Names in a template such as that of `format!("{name}")`, which are no nodes. */
function namesInTemplate(node: Node, syntax: CodeSyntax): string[] {
  const isTemplate = syntax.literals.includes(node.type) || formatOf(node, syntax) !== undefined
  const values = isTemplate ? (builtTextOf(node, syntax)?.values ?? []) : []
  return values.map(({ code }) => /^&?([$@]?\w+)/.exec(code)?.[1] ?? '')
}

/** Whether a value that is inserted into a text holds what a client sent. */
export function isSentInsertion({ code, node }: InsertedValue, syntax: CodeSyntax): boolean {
  if (node.text.slice(0, 200) === code) return isSent(node, syntax)
  if (cleaned.test(code)) return false
  const name = /^&?([$@]?\w+)/.exec(code)?.[1] ?? ''
  return holdsInput(code, syntax.request) || isSentName(name, node, syntax, maxSteps)
}

function isSentName(name: string, use: Node, syntax: CodeSyntax, steps: number): boolean {
  for (let scope = scopeOf(use); scope; scope = scopeOf(scope)) {
    const values = boundValues(scope, name, use, syntax)
    if (values.length > 0)
      return steps > 0 && values.some((value) => isSent(value, syntax, steps - 1))
    if (sentNamesOf(scope).includes(name.replace(/^\$/, ''))) return true
    const index = parametersOf(scope).findIndex((parameter) => declares(parameter, name))
    if (index >= 0) return steps > 1 && isPassedSent(scope, index, syntax, steps - 2)
    if (!scope.parent) return false
  }
  return false
}

/** Whether another function of the file passes what a client sent as a parameter. */
function isPassedSent(fn: Node, index: number, syntax: CodeSyntax, steps: number): boolean {
  return argumentsPassedTo(fn, index, syntax).some(
    ({ call, argument }) =>
      isSent(argument, syntax, steps) && hasNoHostCheck(call, argument, syntax),
  )
}

/** Whether code is input of a request, and not the result of a function of it. */
function holdsInput(code: string, request: RegExp): boolean {
  const match = request.exec(code)
  if (!match) return false
  const call = /([\w.:>$!-]+)\s*\([^()]*$/.exec(code.slice(0, match.index))
  const isKey = /[\w)\]]\[[^\][]*$/.test(code.slice(0, match.index))
  return !isKey && (!call || keepsText.test(call[1]!))
}

/** Whether an expression only depends on a variable, and doesn't hold its text. */
function isConverted(variable: Node, outer: Node, syntax: CodeSyntax): boolean {
  for (let node: Node | null = variable; node && node.id !== outer.id; node = node.parent) {
    const { parent }: Node = node
    if (!parent) return false
    if (isOnlyCompared(node, parent)) return true
    const call = /argument/.test(parent.type) ? callOf(parent, syntax) : undefined
    if (call && !keepsText.test(syntax.calleeOf(call).slice(-200))) return true
  }
  return false
}

const comparison = /^(?:[=!]==?|[<>]=?|in|not in|is|instanceof)$/

/** Whether a node decides which value its parent is, and is no part of that. */
function isOnlyCompared(node: Node, parent: Node): boolean {
  if (lookups.test(parent.type) && parent.firstNamedChild?.id !== node.id) return true
  if (field(parent, 'condition')?.id === node.id) return true
  return comparison.test(field(parent, 'operator')?.type ?? '')
}

/** The call whose arguments a node holds; in some languages, each argument is a node, too. */
function callOf(list: Node, syntax: CodeSyntax): Node | undefined {
  const { parent } = list
  if (!parent) return undefined
  if (syntax.calls.includes(parent.type)) return parent
  const outer = parent.parent
  if (outer && syntax.calls.includes(outer.type)) return outer
  return undefined
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
  syntax: CodeSyntax,
  checks: RegExp,
  name = '',
): boolean {
  const scope = outermostScope(use)
  const names = relatedNames(scope, value, use, syntax, name)
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
  return !isCheckedByCallee(scope, lines, names, syntax, checks)
}

/** Whether a function of the file that is called on one of the lines checks what it gets. */
function isCheckedByCallee(
  scope: Node,
  lines: readonly string[],
  values: readonly string[],
  syntax: CodeSyntax,
  checks: RegExp,
): boolean {
  const code = lines.join('\n')
  const called = new Set(code.match(/\w+(?=\()/g) ?? [])
  return scope.tree.rootNode.descendantsOfType([...syntax.functions]).some((fn) => {
    const name = field(fn, 'name')?.text ?? ''
    if (!called.has(name) || fn.id === scope.id) return false
    const list = new RegExp(String.raw`\b${name}\(((?:[^()]|\([^()]*\))*)\)`).exec(code)?.[1]
    const args = list?.split(/,(?![^()]*\))/).map((argument) => mentions(argument, values)) ?? []
    const passed = parametersOf(fn).filter((_, index) => args[index] ?? !args.includes(true))
    return linesAbout(passed, fn, syntax).some((line) => checks.test(line))
  })
}

/** The lines of a function about some of its parameters, and about what is made of them. */
function linesAbout(parameters: readonly Node[], fn: Node, syntax: CodeSyntax): string[] {
  const body = field(fn, 'body')?.text ?? fn.text
  const names = parameters.flatMap(({ text }) => text.match(/[$@]?\w+(?=\s*(?::|,|=|$))/g) ?? [])
  for (const binding of bindingsOf(fn, syntax).all)
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

/** The outermost function around a node, or the file if there is none. */
function outermostScope(node: Node): Node {
  let scope = scopeOf(node) ?? node.tree.rootNode
  for (let outer = scopeOf(scope); outer?.parent; outer = scopeOf(outer)) scope = outer
  return scope
}

/** The variables that hold a value, those that it was made of, and those made of it. */
function relatedNames(
  scope: Node,
  value: Node,
  use: Node,
  syntax: CodeSyntax,
  name: string,
): string[] {
  const bindings = bindingsOf(scope, syntax).all
  const names = new Set([
    name,
    ...namesOf(value),
    ...namesInTemplate(value, syntax),
    ...membersIn(value.text),
  ])
  for (const { node, names: bound } of bindings)
    if (use.startIndex >= node.startIndex && use.endIndex <= node.endIndex)
      for (const name of bound) names.add(name)
  for (let round = 0; round < 3; round++)
    for (const binding of bindings)
      for (const name of relatedBy(binding, names, syntax)) names.add(name)
  return [...names].filter(
    (name) => /^[$@]?\w{2,60}$/.test(name) && !commonNames.test(name.replace('$', '')),
  )
}

/** The names that a binding adds to those of a value. */
function relatedBy(binding: Binding, names: ReadonlySet<string>, syntax: CodeSyntax): string[] {
  const code = binding.value.text.slice(0, 300)
  const isMade = [...names].some((name) => code.includes(name) && name.length > 1)
  const made = isMade ? binding.names : []
  if (!binding.names.some((name) => names.has(name))) return [...made]
  const sources = findVariables(binding.value).filter((each) =>
    isSentName(each.text, each, syntax, 2),
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
export function hasNoPathCheck(use: Node, path: Node, syntax: CodeSyntax, name = ''): boolean {
  return isNeverChecked(use, path, syntax, pathChecks, name)
}

export function hasNoHostCheck(use: Node, address: Node, syntax: CodeSyntax): boolean {
  return isNeverChecked(use, address, syntax, hostChecks)
}
