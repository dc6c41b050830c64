// Lists the calls of well-known libraries that may find nothing, by language.
import type { Node } from 'web-tree-sitter'
import { type Call, isCall, readCall } from './calls.ts'
import { functionAround, outermostFunction } from './functions.ts'
import { awaitedValue } from './operations.ts'
import type { ParsedFile } from './syntax-check.ts'
import { field, textOf, typeOf } from './syntax-nodes.ts'

interface Lookups {
  /** Matches callees that may give null, `None` or the like. */
  readonly calls: RegExp
  /** Whether a call whose callee matches is one of the library, by its arguments and receiver. */
  readonly when?: (parts: Call, call: Node, file: ParsedFile) => boolean
}

/** Names of objects that send requests: their `get` never gives nothing. */
const clients = /(?:client|requests?|session|http|api|axios|fetch|cache|cy)$/i

const regexName = /^\/|^(?:re|regexp?|\w*(?:[rR]egexp?|[pP]attern|_re|RE)|[A-Z][A-Z0-9_]*)$/

/** Whether a file declares that a variable holds a map. */
function isMap(receiver: Node | undefined, { text }: ParsedFile): boolean {
  const name = /\w+$/.exec(receiver?.text ?? '')?.[0]
  if (!name) return false
  return new RegExp(
    `\\b\\w*Map<[^\\n;=]{1,100}> +${name}\\b|\\b${name}[:!?]?\\s*(?::[^\\n=]{0,80}\\bMap<|(?::[^\\n=]{0,80})?= ?new \\w*Map\\b)`,
  ).test(text)
}

/** Whether a function declares a variable, and so knows what it holds. */
function isLocal(receiver: Node | undefined, call: Node): boolean {
  const fn = functionAround(call)
  const name = RegExp.escape(receiver?.text ?? '')
  return new RegExp(`[\\w>] ${name}\\s*=[^=]`).test(fn?.text ?? '')
}

/** Java: whether the variable that gets a result is declared with the type of one object. */
function isEntityType(call: Node): boolean {
  const declaration = call.parent?.parent
  const declared = textOf(declaration && field(declaration, 'type'))
  return /^(?!Optional|List|Set|Collection|Page|Slice|Stream|Map|Iterable|Mono|Flux|Window)[A-Z]\w*$/.test(
    declared,
  )
}

const javascript: Lookups = {
  calls: /(?:^|\.)(?:match|exec|findOne|findUnique|findFirst|findByPk|findOneBy|get)$/,
  when({ name, args, receiver }, call, file) {
    const [first, second] = args
    const from = textOf(receiver)
    if (/^(?:find[A-Z]\w*)$/.test(name))
      return /^await/.test(typeOf(call.parent)) && !/\breject(?:OnEmpty|NotFound)\b/.test(call.text)
    if (!first || second) return false
    if (name === 'get') return isMap(receiver, file)
    if (name === 'match') return regexName.test(first.text) && !/\/\w*g\w*$/.test(first.text)
    return name === 'exec' && regexName.test(from)
  },
}

/** Python: `row.get("name")`, and `session.get(Model, id)`. */
function isKeyRead(from: string, args: readonly Node[]): boolean {
  const key = textOf(args[0])
  if (args.length === 2) return /session$/.test(from) && /^[A-Z]\w*$/.test(key)
  return (
    args.length === 1 &&
    /^["'][\w. -]+["']$/.test(key) &&
    !clients.test(from) &&
    !/(?:validated|cleaned)_data$/.test(from)
  )
}

const python: Lookups = {
  calls:
    /(?:^|\.)(?:match|search|fullmatch|first|fetchone|scalar_one_or_none|one_or_none|get|find_one|getenv|which|next|get_or_none|select_one)$/,
  when({ name, args, callee, receiver }, _call, { text }) {
    const from = textOf(receiver)
    if (name === 'get') return isKeyRead(from, args)
    if (name === 'first')
      return args.length === 0 && /objects|query|filter|execute|scalars|select/.test(from)
    if (name === 'next') return callee === 'next' && textOf(args[1]) === 'None'
    if (name === 'getenv') return args.length === 1 || textOf(args[1]) === 'None'
    if (name === 'which') return callee === 'shutil.which'
    if (name === 'select_one') return /\bbs4\b/.test(text)
    return !/^(?:match|search|fullmatch)$/.test(name) || regexName.test(from)
  },
}

const jvm =
  /(?:^|\.)(?:getParameter|listFiles|getResourceAsStream|getenv|getTimestamp|ceilingEntry|floorEntry|lowerEntry|higherEntry|firstEntry|lastEntry|pollFirst|get|find)$/

const tables: Readonly<Record<string, Lookups>> = {
  javascript,
  typescript: javascript,
  tsx: javascript,
  python,
  go: { calls: /\.(?:FindStringSubmatch|FindSubmatch)$/ },
  java: {
    calls: new RegExp(`${jvm.source}|(?:^|\\.)findBy[A-Z]\\w*$`),
    when({ name, args, receiver }, call, file) {
      if (name === 'get')
        return args.length === 1 && isMap(receiver, file) && !isLocal(receiver, call)
      if (name === 'find') return /\.class$/.test(args[0]?.text ?? '')
      if (!name.startsWith('findBy')) return name !== 'getenv' || args.length > 0
      return isEntityType(call)
    },
  },
  'c-sharp': {
    calls:
      /(?:^|\.)(?:(?:First|Single|Last|ElementAt)OrDefault(?:Async)?|Find(?:Async)?|GetEnvironmentVariable|GetManifestResourceStream|FindLast)$/,
    when: ({ name, args, receiver }) =>
      !/^Find(?:Last)?$/.test(name) ||
      (receiver !== undefined && args.length === 1 && !/Path|File|Regex/.test(receiver.text)),
  },
  php: {
    calls:
      /(?:^|\.)(?:first|find|findOneBy\w*|getOneOrNullResult|fetch|fetch_assoc|fetch_object|fetch_array|fetchAssociative|firstWhere|DateTime(?:Immutable)?\.createFromFormat|simplexml_load_(?:string|file)|mysqli_fetch_assoc)$/,
    when: ({ name, args, receiver }) =>
      name !== 'find' ||
      (/^\\?[A-Z]\w*$|[rR]epository|Repo\b|manager|query|Query/.test(receiver?.text ?? '') &&
        args.length > 0),
  },
  ruby: {
    calls:
      /(?:^|\.)(?:find_by|find_by_[a-z_]+|detect|at_css|at_xpath|match|min_by|max_by|first|last|find)$/,
    when({ name, args, receiver }, call) {
      if (name === 'find') return field(call, 'block') !== undefined && args.length === 0
      if (name === 'match') return args.length === 1 && receiver !== undefined
      if (/^(?:first|last)$/.test(name))
        return (
          args.length === 0 &&
          /\.(?:where|order|joins|select|reject|includes)\b/.test(receiver?.text ?? '')
        )
      return receiver !== undefined
    },
  },
}

/** Returns the call or index in a value that may find nothing. */
export function lookupIn(value: Node, file: ParsedFile): Node | undefined {
  const inner = awaitedValue(value)
  if (file.language === 'go' && inner.type === 'index_expression')
    return isPointerMap(field(inner, 'operand'), file) ? inner : undefined
  if (file.language === 'c-sharp' && inner.type === 'as_expression')
    return knownTypes.test(inner.text) ? undefined : inner
  return isCall(inner) && isLookup(inner, file) ? inner : undefined
}

/** C#: a copy has the type of the object, and what a form stores the type that it was given. */
const knownTypes =
  /\b(?:sender|\w+\.(?:Clone\(\)|Content|DataContext|Owner|OwnerItem|Parent|SelectedItem|Tag)) as\b/

export function isLookup(call: Node, file: ParsedFile): boolean {
  const table = tables[file.language]
  if (!table) return false
  const parts = readCall(call)
  if (!table.calls.test(parts.callee.slice(-200)) || alwaysFinds.test(call.text.slice(0, 2_000)))
    return false
  return (table.when?.(parts, call, file) ?? true) && isChosenByCaller(call)
}

/**
 * Whether what is looked up depends on what the function is called with, so that it may not exist.
 * Much other code knows that it does, such as the first row of a table that is never empty.
 */
function isChosenByCaller(call: Node): boolean {
  const text = call.text.slice(0, 1_000)
  const isSearch = /match|exec|search|Submatch/.test(text)
  const code = isSearch ? text : text.slice(text.search(/[([]/))
  if (/request|params|input|payload|body|event|argv|context|ctx\b/i.test(code)) return true
  const fn = outermostFunction(call)
  const body = fn && field(fn, 'body')
  if (!fn || !body) return true
  const header = fn.text.slice(0, body.startIndex - fn.startIndex)
  const names = header.slice(header.indexOf('(')).match(/(?<![\w.])[a-z_]\w*/g) ?? []
  return names.some((name) => name.length > 1 && new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(code))
}

/** Statements that give one row in any case. */
const alwaysFinds = /\b(?:count|sum|max|min|avg|exists|coalesce)\s*\(|\breturning\b/i

/** Go: whether a map with pointers is read. */
function isPointerMap(map: Node | undefined, { text }: ParsedFile): boolean {
  const name = /\w+$/.exec(map?.text ?? '')?.[0]
  return (
    name !== undefined &&
    new RegExp(`\\b${name}\\b\\s*(?::?=\\s*(?:make\\()?)?:?\\s*map\\[[^\\]]+\\]\\*`).test(text)
  )
}
