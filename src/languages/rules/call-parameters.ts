// Reads calls of all languages, and the parameters of what they run, as far as a file shows it.
import type { Node } from 'web-tree-sitter'
import type { ParsedFile } from './syntax-check.ts'
import {
  allCallTypes,
  allFunctionTypes,
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
} from './syntax-nodes.ts'

/** The types of nodes that are calls or create an object. */
export const calledTypes: readonly string[] = [
  ...allCallTypes,
  ...['object_creation_expression', 'new_expression', 'nullsafe_member_call_expression'],
]

export interface ReadCall {
  readonly node: Node
  /** What is called, as it is written. */
  readonly callee: string
  /** Its last name, and what stands before that. */
  readonly name: string
  readonly receiver: string
  readonly isNew: boolean
  readonly args: readonly Node[]
}

export interface Signature {
  readonly parameters: readonly string[]
  /** The code that declares them; undefined for functions of libraries. */
  readonly definition: Node | undefined
}

/** Returns undefined for calls with fewer arguments than `least`, and with arguments by name. */
export function readCall(node: Node, least = 2): ReadCall | undefined {
  const list =
    field(node, 'arguments') ?? node.namedChildren.find(({ type }) => listTypes.test(type))
  if (!list || list.type === 'template_string') return undefined
  const args = codeChildren(list)
  if (args.length < least || args.length > 8 || args.some(isPassedByName)) return undefined
  const text = node.text.slice(0, list.startIndex - node.startIndex).trim()
  const isNew = /^new\s/.test(text)
  const callee = isNew ? text.slice(4).trim() : text
  const [, receiver = '', name] = calleeParts.exec(callee) ?? []
  return name === undefined
    ? undefined
    : { node, callee, name, receiver, isNew, args: args.map(passedValue) }
}

const listTypes = /^(?:arguments|argument_list|value_arguments)$/

/** The receiver and the last name of what is called. */
const calleeParts = /^(?:([\s\S]*?)(?:\?\.|!!\.|\.|\?->|->|::))?(\w+[?!]?)(?:::)?(?:<[^()]*>)?$/

/** `f(width: w)`, `f(width=w)`, and Kotlin's `f(width = w)`. */
function isPassedByName({ type, text }: Node): boolean {
  if (/^(?:pair|keyword_argument|named_argument)$/.test(type)) return true
  return /argument$/.test(type) && /^\w+\s*(?::(?!:)|=(?!=))/.test(text.slice(0, 80))
}

function passedValue(argument: Node): Node {
  return /argument$/.test(argument.type) ? (codeChildren(argument).at(-1) ?? argument) : argument
}

const ownReceiver = /^(?:\$?this|self|Self|static|cls|@?self\.class)$/

/** Returns the parameters of the only function of the file that the call can run. */
export function signatureOf(call: ReadCall, file: ParsedFile): Signature | undefined {
  const definition = definitionOf(call, file)
  const parameters = definition && readParameters(definition)
  return parameters && { parameters, definition }
}

function definitionOf(call: ReadCall, file: ParsedFile): Node | undefined {
  const className = createdClass(call)
  if (className !== undefined) return constructorOf(className, file)
  const { name, receiver } = call
  const { declarations } = file
  const all = [
    ...declarations.functions(name),
    ...declarations.methods(name),
    ...declarations.variables(name).filter((each) => {
      const value = field(each, 'value')
      return value !== undefined && allFunctionTypes.has(value.type)
    }),
  ]
  const [definition, ...others] = all
  if (!definition || others.length > 0) return undefined
  return isRunBy(definition, receiver, file.language) && !isShadowed(call) ? definition : undefined
}

/** The class that a call creates an object of: `new Range(…)`, `Range(…)`, `Range.new(…)`. */
function createdClass({ name, receiver, isNew, node }: ReadCall): string | undefined {
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
function isShadowed({ node, name, receiver }: ReadCall): boolean {
  if (receiver !== '') return false
  for (let fn = enclosingNode(node, allFunctionTypes); fn; fn = enclosingNode(fn, allFunctionTypes))
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

/** Returns the names of parameters; those that have none are empty. */
export function readParameters(definition: Node): readonly string[] | undefined {
  if (definition.type === 'class_definition') return fieldsOf(definition)
  if (definition.type === 'call') return symbolsOf(definition)
  const value = field(definition, 'value')
  const fn = value && allFunctionTypes.has(value.type) ? value : definition
  const list = /parameter(?:s|_list)$/.test(fn.type) ? fn : parameterListOf(fn)
  if (!list) return undefined
  if (list.type === 'identifier') return [list.text]
  const names = codeChildren(list).flatMap(namesOf)
  return /^(?:self|cls|this)$/.test(names[0] ?? '') ? names.slice(1) : names
}

function parameterListOf(fn: Node): Node | undefined {
  const direct =
    field(fn, 'parameters') ??
    field(fn, 'parameter') ??
    fn.namedChildren.find(({ type }) => /parameter(?:s|_list)$/.test(type))
  return direct
}

function namesOf(parameter: Node): string[] {
  if (parameter.type === 'self_parameter') return []
  const named = parameter.childrenForFieldName('name').filter((each) => each !== null)
  const found = named.length > 0 ? named : [nameNodeOf(parameter)]
  return found.map((each) => /^[$@&*]*(\w+)$/.exec(each.text)?.[1] ?? '')
}

function nameNodeOf(parameter: Node): Node {
  return (
    field(parameter, 'pattern') ??
    parameter.namedChildren.find(({ type }) => type === 'identifier') ??
    parameter
  )
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
  [/^(?:copyFile|rename|copyFileSync|renameSync)$/, 'source target'],
  [
    /^(?:shutil\.(?:copy|copy2|copyfile|copytree|move)|os\.(?:rename|replace|link|symlink|renames))$/,
    'source target',
  ],
  [/^os\.(?:Rename|Link|Symlink)$/, 'source target'],
  [/^(?:java\.nio\.file\.)?Files\.(?:copy|move)$/, 'source target'],
  [/^FileUtils\.(?:copy|move)\w*$/, 'source target'],
  [/^(?:::)?FileUtils\.(?:cp|cp_r|mv|ln|ln_s|ln_sf|copy|move|install)$/, 'source target'],
  [/^(?:::)?File\.(?:rename|symlink|link)$/, 'source target'],
  [/^(?:System\.IO\.)?(?:File|Directory)\.(?:Move|Copy)$/, 'source target'],
  [/^(?:std::|tokio::)?fs::(?:rename|copy|hard_link)$|^(?:std::)?io::copy$/, 'source target'],
  [/^\\?(?:copy|rename|link|symlink|move_uploaded_file)$/, 'source target'],
  [
    /^(?:File|Storage)::(?:copy|move|copyDirectory|moveDirectory)$|^Storage::disk\([^()]*\)->(?:copy|move)$/,
    'source target',
  ],
  [/^(?:io\.Copy|io\.CopyN|io\.CopyBuffer)$|^copy$/, 'target source'],
  [
    /^(?:fs|fsp|fsPromises)\.(?:writeFile|appendFile)(?:Sync)?$|^os\.WriteFile$|^\\?file_put_contents$/,
    'path content',
  ],
  [
    /^(?:File|IO)\.(?:write|binwrite|WriteAll\w+|AppendAll\w+)$|^(?:std::)?fs::write$|^Files\.write\w*$/,
    'path content',
  ],
  // Patterns.
  [
    /^\\?preg_(?:match|match_all|split)$|^re\.(?:match|search|fullmatch|findall|split)$/,
    'pattern text',
  ],
  [/^\\?preg_replace$|^re\.subn?$/, 'pattern replacement text'],
  [/^Regex\.(?:Replace|IsMatch|Match|Matches|Split)$/, 'text pattern'],
  // The text that is replaced, and its replacement.
  [/\.(?:replace|replaceAll|Replace|gsub|sub|tr|replaceFirst)$/, 'old new'],
  [/^(?:strings|bytes)\.(?:Replace|ReplaceAll)$/, 'text old new'],
  [/^\\?str_i?replace$/, 'old new subject'],
  // Ranges.
  [/(?:^|[.:>])(?:clamp|Clamp|coerceIn|constrain)$/, 'value min max'],
  [
    /^(?:random\.(?:randint|randrange|uniform)|\\?(?:rand|mt_rand|random_int)|crypto\.randomInt|_\.random|faker\.\w+\.(?:int|number))$/,
    'min max',
  ],
  [/\.(?:Next|nextInt|NextInt64|nextLong)$/, 'min max'],
  [
    /(?:^|\.)(?:Duration|Period)\.between$|(?:^|\.)(?:ChronoUnit|[A-Z]+)(?:\.[A-Z]+)?\.between$/,
    'start end',
  ],
  [
    /\.(?:subList|substring|subSequence|slice|between|whereBetween|subarray|range|Range)$/,
    'start end',
  ],
  // Coordinates.
  [/(?:^|\.)(?:LatLng|latLng|GeoPoint|LatLon)$/, 'latitude longitude'],
  [/(?:ST_MakePoint|ST_Point|fromLonLat|from_lon_lat)$/, 'longitude latitude'],
  // What is searched, and in what.
  [/^\\?(?:in_array|array_search)$/, 'needle haystack'],
  [
    /^\\?(?:str_contains|str_starts_with|str_ends_with|mb_strpos|strpos|stripos|strrpos|strstr|substr_count)$/,
    'haystack needle',
  ],
  [/^\\?explode$/, 'separator text'],
  [
    /^strings\.(?:Contains|HasPrefix|HasSuffix|Index|LastIndex|TrimPrefix|TrimSuffix|Split|Count)$/,
    'haystack needle',
  ],
  [/^\\?array_key_exists$/, 'key array'],
  [/^isinstance$/, 'object type'],
  [/^errors\.(?:Is|As)$/, 'err target'],
  // Secrets.
  [
    /(?:^|\.)bcrypt\.(?:compare|compareSync|checkpw)$|^\\?password_verify$|^Hash::check$|(?:^|\.)verifyPassword$|BCrypt\.(?:checkpw|Verify)$|[pP]asswordEncoder\.matches$/,
    'password hash',
  ],
  [/^bcrypt\.CompareHashAndPassword$|^argon2\.verify$|\.verify_password$/, 'hash password'],
  [/^(?:jwt|jsonwebtoken)\.(?:sign|encode)$|^JWT\.encode$|^JWT::encode$/, 'payload secret'],
  [/^(?:jwt|jsonwebtoken)\.(?:verify|decode)$|^JWT\.decode$|^JWT::decode$/, 'token secret'],
  [/^hmac\.new$/, 'secret message'],
  [/^\\?hash_hmac$/, 'algorithm message secret'],
  [/^(?:OpenSSL::)?HMAC\.\w*digest$/, 'algorithm secret message'],
  // Dates.
  [
    /^(?:java\.time\.)?LocalDate(?:Time)?\.of$|^Date(?:Time|Only)?\.new$|^(?:datetime\.)?(?:date|datetime)$/,
    'year month day',
  ],
  [/^(?:DateTime(?:Offset)?|DateOnly|Date)$|^time\.Date$|^Date\.UTC$/, 'year month day'],
  [/^\\?checkdate$/, 'month day year'],
  // Maps and caches.
  [
    /^(?:self|this|\$this)?[.>-]*_?(?:\w*[cC]ache|\w*[mM]ap|redis|session|localStorage|sessionStorage|headers)\.(?:set|put|setItem|write|store|Set|Put|append)$|(?:->|::)(?:put|setItem)$/,
    'key value',
  ],
  [
    /(?:^|[.:>])assert_?[eE]quals?$|^(?:assert|require)\.Equal$|^Assert\.(?:Equal|AreEqual|assertEquals)$/,
    'expected actual',
  ],
]

/** Returns the parameters of a function that a library has. */
export function knownSignatureOf({ callee, args, isNew, name }: ReadCall): Signature | undefined {
  const known = knownFunctions.find(([pattern]) => pattern.test(isNew ? name : callee))
  if (!known) return undefined
  const parameters = known[1].split(' ')
  // Java's `Math.clamp(value, min, max)` and Kotlin's `value.coerceIn(min, max)`.
  const isMethod = parameters[0] === 'value' && args.length === 2
  return { parameters: isMethod ? parameters.slice(1) : parameters, definition: undefined }
}
