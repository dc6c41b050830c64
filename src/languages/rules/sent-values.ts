// Follows what a client sent to where it is used, and recognizes names in an archive.
import type { Node } from 'web-tree-sitter'
import { builtTextOf, type CodeSyntax, type InsertedValue } from './code-syntax.ts'
import { argumentsPassedTo, parametersOf } from './own-functions.ts'
import { sentNamesOf } from './sent-names.ts'
import { field, findNodes } from './syntax-nodes.ts'

/** The name that a client gave to the file that it uploads. */
const uploadedName =
  /\b(?:getOriginalFilename|getSubmittedFileName|getClientOriginalName|getClientFilename|get_filename)\(\)|(?:\.|->)(?:submittedFileName|originalFile[nN]ame|original_?name|original_filename)\b|\b(?:[hH]eader|fileHeader|fh|\w*[fF]ile|\w*[uU]pload\w*|part)\??\.(?:[fF]ile_?[nN]ame\b|file_name\(\))/

/** Whether an expression holds the name that a client gave to an uploaded file. */
function isUploadedName(code: string): boolean {
  return uploadedName.test(code.slice(0, 500))
}

/** Code that leaves no separator in a name, or takes the value from elsewhere. */
const cleaned =
  /\([\s/'"r@#~]*\[\^|tmp_name|\w\.(?:inputStream|content_type|size|bytes)$|\]\[['"](?:size|error)['"]\]|base_?name|filepath\.Base\(|GetFileName|getFileName|\bfile_name\(\)\s*\.?(?:ok_or|and_then|\?)|file_stem|extname|splitext|[gG]etExtension|filepath\.Ext|\b(?:File|Path|PurePath|Paths\.get|Path\.of)\([^()]{1,80}\)\??\.(?:name|stem|suffix|extension|getName\(\)|nameWithoutExtension)|\bto_i\b|toInt|toLong|parseInt|\bNumber\(|\bint(?:val)?\(|\(int\)|Atoi|uuid|guid|hash|md5|sha\d|slug|saniti[sz]|secure|random|escape|safe|plain|valid\w{0,20}(?:Name|Path|Url)|digest|parse::</i

/** Calls that return what they get, as far as syntax is concerned. */
const keepsText =
  /(?:^|\b|_|\.)(?:base64_decode|[dD]ecode64|b64decode|url_?decode|rawurldecode|decodeURI(?:Component)?|trim\w*|Trim\w*|String|str|strval|to_s(?:tring)?|[uU]nescape\w*|UnescapeDataString|firstOrNull|toString|strtolower|unquote|unquote_plus|decode|from_base64|getOrDefault|unwrap_or\w*|orElse|Optional\.ofNullable|presence|format!?|sprintf|Sprintf|Format|concat|join|joinpath|Join|Combine|resolve|Paths\.get|Path\.of|Path::new|PathBuf::from|URI\.create|Uri\.parse|URI\.parse|URI|URL|Uri|url\.Parse|HttpUrl\.parse|new File|File|Path|new Uri|new Path|require|normalize|Clean|(?:storage|public|base|resource|app)_path|_replace|replace|encode|camelize|classify|camelcase|capitalize|JSON\.parse|json\.loads|json_decode|GetBytes|getBytes|ByteArrayInputStream|BytesIO|StringIO|Bytes|to_owned|clone|as_ref|from_utf8_lossy)$/

/** Nodes whose index decides which value is read, and isn't a part of it. */
const lookups = /^(?:subscript|element_access|element_reference|index_expression|indexing)/

/** How many variables and calls are followed to what a client sent. */
const maxSteps = 4

/** Whether an expression, also by some variables and functions, holds what a client sent. */
export function isSent(node: Node, syntax: CodeSyntax, steps = maxSteps): boolean {
  if (syntax.literals.includes(node.type) && !syntax.insertion(node.text)) return false
  const code = node.text.slice(0, 500)
  if (cleaned.test(code)) return false
  if (holdsInput(code, syntax.request) || isUploadedName(code)) return true
  const variables = findVariables(node).filter((variable) => !isConverted(variable, node, syntax))
  if (variables.some((variable) => isSentName(variable.text, variable, syntax, steps))) return true
  return namesInTemplate(node, syntax).some((name) => isSentName(name, node, syntax, steps))
}

/** Names in a template such as that of `format!("{name}")`, which are no nodes. */
function namesInTemplate(node: Node, syntax: CodeSyntax): string[] {
  const isTemplate = syntax.literals.includes(node.type) || syntax.formatOf?.(node) !== undefined
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

const scopeTypes =
  /^(?:program|module|source_file|compilation_unit|method|singleton_method|lambda|\w*function\w*|func_literal|closure_expression|lambda_\w+|\w*method_(?:declaration|definition)|constructor_declaration|local_function_statement|do_block|block_argument|annotated_lambda)$/

/** The function, or at last the whole file, that a node is in. */
export function scopeOf(node: Node): Node | undefined {
  let scope = node.parent
  while (
    scope?.parent &&
    (!scopeTypes.test(scope.type) || /_type|modifiers|_body/.test(scope.type))
  )
    scope = scope.parent
  return scope ?? undefined
}

/** The values that a variable gets in its function before it is used. */
export function valuesOf(variable: Node, syntax: CodeSyntax): Node[] {
  const scope = scopeOf(variable)
  return scope ? boundValues(scope, variable.text, variable, syntax) : []
}

function boundValues(scope: Node, name: string, use: Node, syntax: CodeSyntax): Node[] {
  const bindings = bindingsOf(scope, syntax).byName.get(name) ?? []
  return bindings.map(({ value }) => value).filter(({ endIndex }) => endIndex <= use.startIndex)
}

interface Binding {
  readonly node: Node
  readonly names: readonly string[]
  readonly value: Node
}

interface ScopeBindings {
  readonly all: readonly Binding[]
  readonly byName: ReadonlyMap<string, readonly Binding[]>
}

/** By the tree and the scope in it, as every use of a value asks for the same bindings. */
const knownBindings = new WeakMap<object, Map<number, ScopeBindings>>()

function bindingsOf(scope: Node, syntax: CodeSyntax): ScopeBindings {
  const ofTree = knownBindings.get(scope.tree) ?? new Map<number, ScopeBindings>()
  knownBindings.set(scope.tree, ofTree)
  const bindings = ofTree.get(scope.id) ?? readBindings(scope, syntax)
  ofTree.set(scope.id, bindings)
  return bindings
}

function readBindings(scope: Node, syntax: CodeSyntax): ScopeBindings {
  const byName = new Map<string, Binding[]>()
  const all = findNodes(scope, ...syntax.bindings).flatMap((node) => {
    const binding = syntax.bindingOf(node)
    return binding ? [{ node, names: namesIn(binding.name), value: binding.value }] : []
  })
  for (const binding of all)
    for (const name of binding.names) {
      const known = byName.get(name)
      if (known) known.push(binding)
      else byName.set(name, [binding])
    }
  return { all, byName }
}

/** The names of a binding, which can be a pattern such as `{ url }` or `path, err`. */
function namesIn(pattern: string): readonly string[] {
  if (/^[$@]?\w+$/.test(pattern)) return [pattern]
  return pattern.length < 200 && /^[\w\s,{}()[\]:$]+$/.test(pattern)
    ? [...(pattern.match(/\$?\w+/g) ?? [])]
    : []
}

function declares(parameter: Node, name: string): boolean {
  return new Set<string>(parameter.text.slice(0, 200).match(/[$@]?\w+/g)).has(name)
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

/** The name of an entry of an archive, which can hold `../`. */
const entryName =
  /^&?\(?(?:\w{0,20}(?:entry|info|member|item|header|hdr|file|zf|ze|f|e))\??\.(?:filename|name|getName\(\)|FullName|Name|path|fileName|entryName|path\(\)\?|name\(\)|mangled_name\(\))\)?$/i

/** Code that extracts an archive. */
const extracts =
  /\bunzip|\bextract|ZipInputStream|\bZipFile\b|tarfile|\btar\.NewReader|\bzip\.(?:NewReader|OpenReader|ReadCloser|Reader)|ZipArchive|\bArchive::new|yauzl|unzipper|[nN]extEntry|infolist\(|namelist\(|getmembers\(|Zip::File|TarArchive|TarReader/

/** Code that creates an archive takes its names from files. */
const creates = /zip\.NewWriter|ZipOutputStream|tar\.NewWriter|CreateEntry|putNextEntry|['"]w['"]/

/** Whether an expression is the name of an entry, in a function that extracts an archive. */
export function isEntryName(node: Node, scope: string): boolean {
  const name = node.text
    .slice(0, 100)
    .replace(/^[\w.]+\.(?:Clean|normalize|normpath)\((.*)\)$/, '$1')
  if (!entryName.test(name)) return false
  return extracts.test(scope) && !creates.test(scope)
}

/** Code that looks at the whole path of an entry. Lists of allowed endings don't. */
const entryChecks =
  /starts?_?with\??\(|start_with\?|HasPrefix|base_?name|file_name\(|GetFileName\w{0,30}\(|getFileName\(|filepath\.Base|\.filename\.rsplit|realpath|canonical|relative|IsLocal|commonpath|safe|secure|saniti[sz]|enclosed_name|normaliz|\.\.["'/]|traversal|slip|\bunpack_in\(|\b\w{0,20}(?:valid|check|inside|within|contain)\w{0,20}Path\(/i

/** Whether the code of a function doesn't look at where an entry is written. */
export function hasNoEntryCheck(scope: string): boolean {
  return !entryChecks.test(scope.slice(0, 20_000).replace(weakTests, ''))
}

/** Code that compares any value with a list, a start or a pattern. */
const comparesText = [
  String.raw`[sS]tarts?_?[wW]ith\??\(|start_with\?|HasPrefix|[iI]ndexOf\(|\bfind\(|strpos|preg_match|=~|\b(?:full)?match(?:es|e[sd]To|All)?[?!]?\(|[eE]quals(?:IgnoreCase)?\(|is_match|IsMatch|MatchString|\.test\(|\.exec\(`,
  String.raw`in_array|include\?|includes\(|[cC]ontains\w{0,20}\(|\bhas(?:Own)?\(|\bany\w*\(|\ball\(|array_key_exists|isset\(self|\bnot in\b|\bin [A-Za-z_.]+`,
  String.raw`[=!]==?\s*(?!""|''|null\b|nil\b|None\b|undefined\b|false\b|UPLOAD_ERR|\[\])[\w"'\x60/]`,
  String.raw`allow|whitelist|permit|valid(?!ated)|verif|\bsafe|\bsecure|saniti[sz]|restrict|inside|within`,
  String.raw`\b(?:is|has|ensure|assert|check|require)(?!_?(?:[nN]ull|[eE]mpty|[bB]lank|[fF]ile|[dD]ir|set\b|[sS]tring|[pP]resent|Text|[rR]egular|[rR]eadable|[sS]ome|[nN]one|[oO]k|[eE]rr|[eE]xist|NotNull|nil)\w*[?(])(?:_[a-z]|[A-Z])\w{1,40}[?(]`,
].join('|')

/** Code that keeps a path inside of a folder, or checks it. */
const pathChecks = new RegExp(
  String.raw`${comparesText}|realpath|canonical|\brelative\(|\bRel\(|relative_path_from|is_relative_to|relative_to\(|IsLocal|commonpath|components\(\)|enclosed_name|OpenInRoot|os\.Root|\broot:|normaliz\w*\(\)\s*\.\s*start`,
)

/** Code that checks where an address leads. */
const hostChecks = new RegExp(
  String.raw`${comparesText}|same.?origin|is_?local|\bhost(?:name)?\b|\.Host\b|host_str|origin|netloc|getHost|url_from|only_path|GetLeftPart|parse_url|lookup|gethostby`,
  'i',
)

const quotedText = String.raw`["'\x60][^"'\x60\n]{0,40}["'\x60]`

/** Tests that a value with `../`, or with another host, passes as well. */
const weakTests = new RegExp(
  [
    String.raw`\btypeof [\w.$]+ [!=]==? ${quotedText}|\b(?:isinstance|is_string|is_str)\([^()]{1,60}\)`,
    String.raw`\w*[eE]nds?_?[wW]ith\??\([^()]{0,60}\)|\bend_with\?\([^()]{0,60}\)|\bHasSuffix\([^()]{0,60}\)`,
    String.raw`[\w.?]{0,40}\((?:[^()"']{0,40}, ?)?["']\\(?:0|x00|u0000)["']\)`,
    // The start of a name, but not of a path.
    String.raw`(?:[sS]tarts?_?[wW]ith|start_with\?|HasPrefix)\((?:[\w.$]{1,40}, ?)?["'][\w.]+/?["']\)`,
    String.raw`[\w.]{0,40}(?:[iI]nclude|[cC]ontain|has)s?\??\([^()]{0,20}\b\w*(?:[eE]xt|[eE]xtension|extname|filepath\.Ext)\b[^()]{0,20}(?:\([^()]{0,60}\))?\)`,
    String.raw`[\w.$]{1,40}\.(?:length|size|Length|count|len\(\))(?:\(\))? [=!<>]{1,3} \w+|\blen\([^()]{1,40}\) [=!<>]{1,2} \w+`,
    String.raw`\b[eE]rr[A-Z]\w{1,40}`,
  ].join('|'),
  'g',
)

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
