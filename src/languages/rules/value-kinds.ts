// Recognizes what kind of value a variable holds, from its declaration and what it is set to.
import type { Node } from 'web-tree-sitter'
import { functionAround } from './functions.ts'
import type { ParsedFile } from './syntax-check.ts'
import { textOf } from './syntax-nodes.ts'
import { matchesFile } from './word-index.ts'

export type ValueKind =
  | 'text'
  | 'list'
  | 'map'
  | 'set'
  | 'query'
  | 'moment'
  | 'decimal'
  | 'path'
  | 'frame'
  | 'builder'
  | 'message'
  | 'immutable'

/** Matches the declared type of a variable, or the code of a value. */
const kinds: readonly (readonly [ValueKind, RegExp])[] = [
  [
    'text',
    /^(?:[fFrRbB$@]{0,2}["'`])|\b(?:[sS]tring|str|&str)\b(?!\.)|\.(?:trim|strip|lower|upper|toLowerCase|toUpperCase|to_string|toString|replace|format|downcase|to_s|getText|text|decode|Trim|ToLower)\([^()]*\)$/,
  ],
  [
    'list',
    /^\[|\b(?:List|Array|Set|Sequence|Iterable|IEnumerable|Vec)\b|\[\]$|^(?:mutable)?(?:listOf|setOf|collect)\(|\.(?:filter|map|iter|toList|to_a|split|ToList|sort_by|select|flatMap|into_iter|keyBy)\b[^=]*[)}]$|->(?:get|all|pluck|map|filter)\([^()]*\)$|::all\(\)$|\bCollection\b/,
  ],
  [
    'map',
    /^\{|\bHash\b|\.(?:dup|to_h|permit|with_indifferent_access|merge)\b|^[A-Z][A-Z_]+$|\bparams\b/,
  ],
  ['set', /^set\(|\bset\b|^\{[^:]*\}$|frozenset/],
  [
    'query',
    /\b(?:IQueryable|QuerySet|Relation|Select)\b|\.objects\b|(?:^|[.\s(])(?:select|query|where|filter|exclude|includes|joins|order_by|OrderBy|Where|AsQueryable|get_queryset|scoped?)\(|^[A-Z]\w*\.(?:where|all|order|joins|includes|left_joins|active)\b|_query$|^@?relation$|_context\.\w+/,
  ],
  [
    'moment',
    /\b(?:Local(?:Date|Time|DateTime)|Instant|ZonedDateTime|OffsetDateTime|DateTime(?:Immutable|Offset)?|DateOnly|TimeSpan|CarbonImmutable|Duration|time\.Time)\b|\btime\.Now\(|\bdayjs\(|\bmoment\.utc\(|\.(?:UTC|plus\w+|minus\w+|toLocalDate|atStartOfDay|AddDays)\(|\bdatetime\b|Time\.(?:current|zone|now)|Date\.(?:current|today)/,
  ],
  ['decimal', /\bBig(?:Decimal|Integer)\b/],
  ['immutable', /\b(?:I?Immutable|Persistent|persistent)(?!\w*Builder)[A-Z]\w*\b(?!\.\w*Builder)/],
  ['path', /\bPaths?\b(?!\w)/],
  ['frame', /\b(?:pd\.|DataFrame|read_csv)\b/],
  ['builder', /^(?:sq|squirrel|psql|qb|builder|sqlbuilder)\.\w+\(/],
  [
    'message',
    /\b(?:ResponseInterface|ServerRequestInterface|RequestInterface|Response|UriInterface)\b|\$handler->handle\(/,
  ],
]

/** Objects that change when their methods are called, unlike others of the same kind. */
const mutable =
  /\bString(?:Builder|Buffer)\b|\bnew \\?(?:DateTime|Carbon)\b|\b(?:DateTime|Carbon)::(?!Immutable)|\bmoment\(\)/

const namedLike: readonly (readonly [ValueKind, RegExp])[] = [
  ['frame', /^(?:df|frame|\w+_df|data_?frame)$/],
  ['query', /^(?:\w*_?(?:query|queryset|qs|scope|relation|stmt|statement))$/i],
  ['map', /(?:opts|options|params|headers|attrs|attributes|hash|config|settings|defaults)$/],
  ['message', /^\$(?:response|request|uri)$/],
]

/** How much of a function is searched for what a variable is set to. */
const maxLength = 20_000

/** Returns all kinds that a variable or field may be of, as far as the file shows. */
export function kindsOf(variable: Node, file: ParsedFile): ReadonlySet<ValueKind> {
  const name = /[$@]?\w+$/.exec(variable.text)?.[0] ?? ''
  const isField = name !== variable.text || /^[_@]/.test(name)
  const code = isField ? file.text.slice(0, 100_000) : textOf(functionAround(variable))
  const described = name === '' ? [] : describeVariable(name, code.slice(0, maxLength))
  if (described.some((text) => mutable.test(text))) return new Set()
  const shown = kinds.filter(([, pattern]) => described.some((text) => pattern.test(text)))
  const named = namedLike.filter(([kind, pattern]) => isNamedKind(kind, file) && pattern.test(name))
  return new Set([...shown, ...named].map(([kind]) => kind))
}

/** Whether the file uses the library whose objects have such names. */
function isNamedKind(kind: ValueKind, file: ParsedFile): boolean {
  const { language } = file
  if (kind === 'frame') return matchesFile(file, frames)
  if (kind === 'map') return language === 'ruby'
  if (kind === 'query') return /^(?:python|ruby|c-sharp)$/.test(language)
  return kind === 'message' && matchesFile(file, messages)
}

const frames = /\bimport (?:pandas|polars)\b/
const messages = /\bPsr\\Http\b/

/** The declared types of a variable, and the values that it is set to. */
function describeVariable(name: string, code: string): string[] {
  const own = `(?<![\\w$@.>])${RegExp.escape(name)}`
  const set = new RegExp(`${own}\\s{0,3}:?=(?![=>~])\\s{0,20}([^\\n;]{1,200})`, 'g')
  const annotated = new RegExp(
    `${own}\\??\\s{0,2}:\\s{0,2}(?:&?(?:mut )?)([\\w.<>?\\[\\]]{1,60})`,
    'g',
  )
  const typed = new RegExp(
    `([\\w.<>?\\\\\\[\\]]{2,60}) {1,2}${RegExp.escape(name)}(?=\\s*[,;)=])`,
    'g',
  )
  const goTyped = new RegExp(`${own}(?:, \\w+)* (\\*?[\\w.\\[\\]]{2,40})(?=[,)\\n])`, 'g')
  return [set, annotated, typed, goTyped]
    .flatMap((pattern) => [...code.matchAll(pattern)].slice(0, 20))
    .map((match) => withoutTypeArguments(match[1]!.trim()))
    .filter((text) => !/^(?:return|new|const|let|var|val|in|case|else|throw|await)$/.test(text))
}

/** `List<DateTime>` is a list, whatever is in it. */
function withoutTypeArguments(text: string): string {
  return text.replace(/<[^<>]*>/g, '').replace(/<[^<>]*>/g, '')
}
