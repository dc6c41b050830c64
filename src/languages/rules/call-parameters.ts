// Finds the parameters of what a call runs, as far as its file shows it, in all languages.
import type { Node } from 'web-tree-sitter'
import type { Call } from './calls.ts'
import { functionTypes, isFunction, readParameters } from './functions.ts'
import type { ParsedFile } from './syntax-check.ts'
import { codeChildren, enclosingNode, field, fieldText, findNodes, textOf } from './syntax-nodes.ts'

export interface Signature {
  readonly parameters: readonly string[]
  /** The code that declares them; undefined for functions of libraries. */
  readonly definition: Node | undefined
}

/** Whether no argument is passed by its name. */
function isByPosition({ args, argNames }: Call): boolean {
  return args.length <= maxArguments && argNames.every((name) => name === undefined)
}

const maxArguments = 8

const ownReceiver = /^(?:\$?this|self|Self|static|cls|@?self\.class)$/

/** Returns the parameters of the only function of the file that the call can run. */
export function signatureOf(call: Call, file: ParsedFile): Signature | undefined {
  const definition = isByPosition(call) ? definitionOf(call, file) : undefined
  const parameters = definition && parametersOf(definition)
  return parameters && { parameters, definition }
}

function definitionOf(call: Call, file: ParsedFile): Node | undefined {
  const className = createdClass(call)
  if (className !== undefined) return constructorOf(className, file)
  const { name } = call
  const receiver = textOf(call.receiver)
  const { declarations } = file
  const all = [
    ...declarations.functions(name),
    ...declarations.methods(name),
    ...declarations.variables(name).filter((each) => {
      const value = field(each, 'value')
      return value !== undefined && isFunction(value)
    }),
  ]
  const [definition, ...others] = all
  if (!definition || others.length > 0) return undefined
  return isRunBy(definition, receiver, file.language) && !isShadowed(call) ? definition : undefined
}

/** The class that a call creates an object of: `new Range(…)`, `Range(…)`, `Range.new(…)`. */
function createdClass(call: Call): string | undefined {
  const { name, isNew, node } = call
  const receiver = textOf(call.receiver)
  if (isNew) return name
  if (name === 'new' && ownReceiver.test(receiver)) return classAround(node)
  if (name === 'new') return /(\w+)$/.exec(receiver)?.[1]
  return receiver === '' && /^[A-Z]/.test(name) && /^(?:call|call_expression)$/.test(node.type)
    ? name
    : undefined
}

const classTypes = new Set(['class', 'impl_item', 'class_declaration', 'class_definition'])

function classAround(node: Node): string | undefined {
  const owner = enclosingNode(node, classTypes)
  return owner && nameOfClass(owner)
}

function nameOfClass(owner: Node): string {
  return fieldText(owner, 'name') || fieldText(owner, 'type')
}

/** Go: the type that a method belongs to. */
function goTypeOf(definition: Node): string {
  return /(\w+)(?:\[.*\])?\)$/.exec(fieldText(definition, 'receiver'))?.[1] ?? ''
}

/** Whether a call with this receiver runs the function. */
function isRunBy(definition: Node, receiver: string, language: string): boolean {
  const owner = enclosingNode(definition, classTypes)
  const isMember = owner !== undefined || /^method_/.test(definition.type)
  if (ownReceiver.test(receiver)) return isMember
  // Python, JavaScript, PHP and Go call the methods of their own object by its name.
  const needsReceiver = /^(?:python|javascript|typescript|tsx|php|go)$/.test(language)
  if (receiver === '') return !isMember || !needsReceiver
  if (language === 'go' && isOfGo(definition, receiver)) return true
  if (language === 'go') return isNamedAfter(receiver, goTypeOf(definition))
  return owner !== undefined && isNamedAfter(receiver, nameOfClass(owner))
}

/** Whether a receiver is the class, or a variable with its name: `_ledger` of a `Ledger`. */
function isNamedAfter(receiver: string, name: string): boolean {
  const last = /(\w+)(?:\(\))?$/.exec(receiver)?.[1]?.toLowerCase().replace(/^_|s$/g, '') ?? ''
  return last.length > 2 && name.toLowerCase().endsWith(last)
}

/** Go: `l.post(…)` in a method of the same receiver. */
function isOfGo(definition: Node, receiver: string): boolean {
  const own = /^\(\s*(\w+)/.exec(fieldText(definition, 'receiver'))?.[1]
  return own === receiver
}

/** Whether a parameter of a function around the call has its name. */
function isShadowed({ node, name, receiver }: Call): boolean {
  if (receiver) return false
  for (let fn = enclosingNode(node, functionTypes); fn; fn = enclosingNode(fn, functionTypes))
    if (readParameters(fn)?.includes(name)) return true
  return false
}

/** Finds what declares the parameters of the only constructor of a class. */
function constructorOf(
  name: string,
  { declarations, language, root }: ParsedFile,
): Node | undefined {
  if (language === 'rust') return implementedNew(name, declarations.functions('new'))
  if (language === 'ruby') {
    const made = declarations.variables(name).map((each) => field(each, 'right'))
    const struct = made.find((value) => value && /^(?:Struct\.new|Data\.define)\b/.test(value.text))
    if (struct) return struct
  }
  const [owner, ...others] = declarations.classes(name)
  if (!owner || others.length > 0 || owner.tree.rootNode.id !== root.id) return undefined
  const named = findNodes(owner, ...constructorTypes).filter(
    (each) =>
      /^(?:constructor|__construct|__init__|initialize)$/.test(fieldText(each, 'name')) ||
      (each.type === 'constructor_declaration' && fieldText(each, 'name') === name) ||
      each.type === 'secondary_constructor',
  )
  if (named.length > 1) return undefined
  const primary = owner.namedChildren.find(({ type }) =>
    /^(?:primary_constructor|parameter_list|class_parameters|formal_parameters)$/.test(type),
  )
  if (primary) return named.length === 0 ? primary : undefined
  return named[0] ?? (isDataClass(owner) ? owner : undefined)
}

const constructorTypes = [
  ...['constructor_declaration', 'method_definition', 'method_declaration', 'function_definition'],
  ...['method', 'secondary_constructor'],
]

function implementedNew(name: string, functions: readonly Node[]): Node | undefined {
  const own = functions.filter((each) => classAround(each) === name)
  return own.length === 1 ? own[0] : undefined
}

/** Python: the fields of a data class are the parameters of its constructor. */
function isDataClass(owner: Node): boolean {
  return (
    /@(?:dataclasses\.)?dataclass\b(?!\([^)]*kw_only)|@attr/.test(
      owner.parent?.text.slice(0, 200) ?? '',
    ) || /\b(?:NamedTuple)\b/.test(fieldText(owner, 'superclasses'))
  )
}

function parametersOf(definition: Node): readonly string[] | undefined {
  if (definition.type === 'class_definition') return fieldsOf(definition)
  return definition.type === 'call' ? symbolsOf(definition) : readParameters(definition)
}

function fieldsOf(owner: Node): string[] {
  const statements = codeChildren(field(owner, 'body') ?? owner)
  return statements.flatMap(({ text }) => /^(\w+)\s*:\s*(?!ClassVar)/.exec(text)?.[1] ?? [])
}

function symbolsOf(struct: Node): string[] {
  const list = field(struct, 'arguments')
  const isByName = /keyword_init: *true/.test(list?.text ?? '')
  return list && !isByName
    ? codeChildren(list).flatMap(({ text }) => /^:(\w+)$/.exec(text)?.[1] ?? [])
    : []
}

type KnownFunction = readonly [callee: RegExp, parameters: string]

/** Functions of standard and popular libraries, with the names of their parameters. */
const knownFunctions: readonly KnownFunction[] = [
  // Files: from where to where.
  [
    /^(?:fs|fsp|fse|fsPromises|fs\.promises)\.(?:copyFile|rename|cp|copy|move|symlink|link)(?:Sync)?$/,
    'source target',
  ],
  [/^(?:copyFile|rename)(?:Sync)?$|^(?:copy|link|symlink|move_uploaded_file)$/, 'source target'],
  [/^shutil\.(?:copy|copy2|copyfile|copytree|move)$/, 'source target'],
  [/^os\.(?:[rR]ename|replace|[lL]ink|[sS]ymlink|renames)$/, 'source target'],
  [/^(?:java\.nio\.file\.)?Files\.(?:copy|move)$/, 'source target'],
  [/^FileUtils\.(?:copy\w*|move\w*|cp|cp_r|mv|ln|ln_s|ln_sf|install)$/, 'source target'],
  [/^(?:System\.IO\.)?(?:File|Directory)\.(?:Move|Copy)$/, 'source target'],
  [/^File\.(?:rename|symlink|link|copy|copyDirectory|moveDirectory|move)$/, 'source target'],
  [/^Storage\.(?:disk\([^()]*\)\.)?(?:copy|move)$/, 'source target'],
  [/^(?:(?:std|tokio)\.)?fs\.(?:rename|copy|hard_link)$|^(?:std\.)?io\.copy$/, 'source target'],
  [/^io\.Copy(?:N|Buffer)?$/, 'target source'],
  [/^(?:fs|fsp|fsPromises)\.(?:writeFile|appendFile)(?:Sync)?$|^os\.WriteFile$/, 'path content'],
  [/^file_put_contents$|^(?:std\.)?fs\.write$|^Files\.write\w*$/, 'path content'],
  [/^(?:File|IO)\.(?:write|binwrite|WriteAll\w+|AppendAll\w+)$/, 'path content'],
  // Patterns.
  [
    /^preg_(?:match|match_all|split)$|^re\.(?:match|search|fullmatch|findall|split)$/,
    'pattern text',
  ],
  [/^preg_replace$|^re\.subn?$/, 'pattern replacement text'],
  [/^Regex\.(?:Replace|IsMatch|Match|Matches|Split)$/, 'text pattern'],
  // The text that is replaced, and its replacement.
  [/^(?:strings|bytes)\.(?:Replace|ReplaceAll)$/, 'text old new'],
  [/\.(?:replace|replaceAll|Replace|gsub|sub|tr|replaceFirst)$/, 'old new'],
  [/^str_i?replace$/, 'old new subject'],
  // Ranges.
  [/(?:^|\.)(?:clamp|Clamp|coerceIn|constrain)$/, 'value min max'],
  [/^random\.(?:randint|randrange|uniform)$|^(?:rand|mt_rand|random_int)$/, 'min max'],
  [/^(?:crypto\.randomInt|_\.random|faker\.\w+\.(?:int|number))$/, 'min max'],
  [/\.(?:Next|nextInt|NextInt64|nextLong)$/, 'min max'],
  [/(?:^|\.)(?:Duration|Period|ChronoUnit|[A-Z]+)(?:\.[A-Z]+)?\.between$/, 'start end'],
  [/\.(?:subList|substring|subSequence|slice|subarray|range|Range)$/, 'start end'],
  [/\.(?:between|whereBetween)$/, 'start end'],
  // Coordinates.
  [/(?:^|\.)(?:LatLng|latLng|GeoPoint|LatLon)$/, 'latitude longitude'],
  [/(?:ST_MakePoint|ST_Point|fromLonLat|from_lon_lat)$/, 'longitude latitude'],
  // What is searched, and in what.
  [/^(?:in_array|array_search)$/, 'needle haystack'],
  [/^str_(?:contains|starts_with|ends_with)$/, 'haystack needle'],
  [/^(?:mb_strpos|strpos|stripos|strrpos|strstr|substr_count)$/, 'haystack needle'],
  [/^explode$/, 'separator text'],
  [
    /^strings\.(?:Contains|HasPrefix|HasSuffix|Index|LastIndex|TrimPrefix|TrimSuffix|Split|Count)$/,
    'haystack needle',
  ],
  [/^array_key_exists$/, 'key array'],
  [/^isinstance$/, 'object type'],
  [/^errors\.(?:Is|As)$/, 'err target'],
  // Secrets.
  [/(?:^|\.)bcrypt\.(?:compare|compareSync|checkpw)$|^password_verify$/, 'password hash'],
  [/^Hash\.check$|(?:^|\.)verifyPassword$|BCrypt\.(?:checkpw|Verify)$/, 'password hash'],
  [/[pP]asswordEncoder\.matches$/, 'password hash'],
  [/^bcrypt\.CompareHashAndPassword$|^argon2\.verify$|\.verify_password$/, 'hash password'],
  [/^(?:jwt|jsonwebtoken)\.(?:sign|encode)$|^JWT\.encode$/, 'payload secret'],
  [/^(?:jwt|jsonwebtoken)\.(?:verify|decode)$|^JWT\.decode$/, 'token secret'],
  [/^hmac\.new$/, 'secret message'],
  [/^hash_hmac$/, 'algorithm message secret'],
  [/^(?:OpenSSL\.)?HMAC\.\w*digest$/, 'algorithm secret message'],
  // Dates.
  [/^(?:java\.time\.)?LocalDate(?:Time)?\.of$|^Date(?:Time|Only)?\.new$/, 'year month day'],
  [/^(?:datetime\.)?(?:date|datetime)$|^time\.Date$|^Date\.UTC$/, 'year month day'],
  [/^(?:DateTime(?:Offset)?|DateOnly|Date)$/, 'year month day'],
  [/^checkdate$/, 'month day year'],
  // Maps and caches.
  [
    /^(?:self|\$?this)?\.*_?(?:\w*[cC]ache|\w*[mM]ap|redis|session|headers)\.(?:set|put|write|store|Set|Put|append)$/,
    'key value',
  ],
  [/^(?:localStorage|sessionStorage)\.setItem$|\.(?:setItem)$/, 'key value'],
  [/(?:^|\.)assert_?[eE]quals?$|^(?:assert|require)\.Equal$/, 'expected actual'],
  [/^Assert\.(?:Equal|AreEqual|assertEquals)$/, 'expected actual'],
]

/** Returns the parameters of a function that a library has. */
export function knownSignatureOf(call: Call): Signature | undefined {
  const { callee, args, isNew, name } = call
  if (!isByPosition(call)) return undefined
  const known = knownFunctions.find(([pattern]) => pattern.test(isNew ? name : callee))
  if (!known) return undefined
  const parameters = known[1].split(' ')
  // Java's `Math.clamp(value, min, max)` and Kotlin's `value.coerceIn(min, max)`.
  const isMethod = parameters[0] === 'value' && args.length === 2
  return { parameters: isMethod ? parameters.slice(1) : parameters, definition: undefined }
}
