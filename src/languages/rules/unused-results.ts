// Finds calls that only compute a new value, and whose result is thrown away.
import type { Node } from 'web-tree-sitter'
import { type Call, callAndNewTypes, isCall, readCall } from './calls.ts'
import { functionAround } from './functions.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { enclosingNode, field, firstLine, quoteCode, typeOf } from './syntax-nodes.ts'
import { kindsOf, type ValueKind } from './value-kinds.ts'

interface PureMethods {
  /** Names of methods that have no effects in any well-known class. */
  readonly sure?: RegExp
  /** Names that have no effects if their receiver is of a kind. */
  readonly byKind?: Readonly<Partial<Record<ValueKind, RegExp>>>
  /** Functions and static methods, as they are written. */
  readonly functions?: RegExp
  /** What must hold of the arguments of a method, by its name. */
  readonly when?: (parts: Call, call: Node, file: ParsedFile) => boolean
}

const javaDates =
  /^(?:(?:plus|minus)(?:Days|Hours|Minutes|Seconds|Months|Years|Weeks|Millis|Nanos)|truncatedTo|atStartOfDay|atZone)$/

const javascript: PureMethods = {
  sure: /^(?:trim|trimStart|trimEnd|toUpperCase|toLowerCase|padStart|padEnd|toSorted|toReversed|toSpliced|concat|replaceAll|substring|toLocaleLowerCase|toLocaleUpperCase|toFixed)$/,
  byKind: {
    text: /^(?:replace|slice|split|normalize|repeat|substr)$/,
    list: /^(?:filter|slice|flat|toString|join)$/,
    moment: /^(?:plus|minus|add|subtract|startOf|endOf|setZone|set|utc)$/,
  },
  functions: /^(?:Object\.(?:keys|values|entries)|structuredClone|Array\.from|Math\.\w+)$/,
  when: ({ name, args }, call) =>
    (name !== 'concat' || args.length > 0) &&
    (name !== 'replaceAll' || args.length === 2) &&
    !/\b(?:cy|page|expect)\b/.test(call.text.slice(0, 40)),
}

const pandas =
  /^(?:drop|dropna|fillna|drop_duplicates|rename|reset_index|set_index|sort_values|sort_index|astype|assign|reindex|merge|replace|round|query)$/

const tables: Readonly<Record<string, PureMethods>> = {
  javascript,
  typescript: javascript,
  tsx: javascript,
  python: {
    sure: /^(?:strip|lstrip|rstrip|lower|upper|title|capitalize|casefold|zfill|removeprefix|removesuffix|swapcase|with_suffix|with_name|splitlines|astimezone|exclude|order_by|select_related|prefetch_related|filter_by|values_list)$/,
    byKind: {
      text: /^(?:replace|split|join|format|ljust|rjust|center|translate|expandtabs)$/,
      query:
        /^(?:filter|exclude|order_by|select_related|prefetch_related|distinct|annotate|values|values_list|only|defer|where|limit|offset|join|outerjoin|options|group_by|having|filter_by|with_for_update)$/,
      moment: /^(?:replace)$/,
      frame: pandas,
      set: /^(?:union|intersection|difference|symmetric_difference)$/,
    },
    functions:
      /^(?:sorted|reversed|re\.sub|copy\.(?:deep)?copy|deepcopy|dataclasses\.replace|os\.path\.(?:join|normpath|abspath|realpath)|html\.escape|str\.\w+|textwrap\.dedent)$/,
    when: ({ name, args }, call) =>
      !(pandas.test(name) && /inplace\s*=|\bcopy=False/.test(call.text)) &&
      !(name === 'replace' && args.length < 2 && !/=/.test(call.text)),
  },
  go: {
    byKind: {
      moment: /^(?:Add|AddDate|Sub|Truncate|Round|UTC|In|Local)$/,
      builder:
        /^(?:Where|OrderBy|Limit|Offset|GroupBy|Having|Join|LeftJoin|Set|Columns|Values|Suffix)$/,
    },
    functions:
      /^(?:strings\.(?:Trim\w*|To[A-Z]\w*|Replace\w*|Title|Join|Repeat|Split\w*|Fields|Map)|filepath\.(?:Join|Clean|Base|Dir|Ext)|path\.(?:Join|Clean|Base|Dir)|fmt\.(?:Sprint\w*|Errorf)|errors\.(?:New|Join|Wrap\w*)|slices\.(?:Insert|Delete|Compact\w*|Clone|Sorted|Concat|Grow)|context\.With\w+|html\.EscapeString|url\.\w+Escape|bytes\.(?:Trim\w*|To[A-Z]\w*|Replace\w*)|(?:\w+\.)*(?:log|logger|zap|slog)\w*\.(?:With|WithField|WithFields|WithError|Named)|r(?:eq(?:uest)?)?\.WithContext|strconv\.(?:Itoa|Quote|Format\w+))$/i,
  },
  java: {
    sure: new RegExp(
      `${javaDates.source}|^(?:trim|strip|stripLeading|stripTrailing|toLowerCase|toUpperCase|substring|replaceFirst|toAbsolutePath)$`,
    ),
    byKind: {
      text: /^(?:replace|replaceAll|concat|repeat|split|formatted|intern)$/,
      decimal:
        /^(?:add|subtract|multiply|divide|setScale|negate|abs|pow|remainder|max|min|movePointLeft|stripTrailingZeros)$/,
      moment: /^(?:plus|minus|with[A-Z]?\w*|toInstant|toLocalDate)$/,
      path: /^(?:resolve|normalize|relativize|resolveSibling)$/,
    },
    functions:
      /^(?:String\.(?:format|join|valueOf)|Collections\.unmodifiable\w+|(?:List|Set|Map)\.(?:of|copyOf)|Math\.\w+|Paths\.get|Path\.of)$|\.stream\(\)(?:.*\))?\.(?:filter|map|sorted|distinct|limit|peek|flatMap|mapTo\w+|skip)$/s,
  },
  kotlin: {
    sure: new RegExp(
      `${javaDates.source}|^(?:sorted\\w*|filter(?:Not|NotNull|IsInstance|Indexed)?|distinct\\w*|reversed|uppercase|lowercase|substring\\w*|removePrefix|removeSuffix|removeSurround(?:ing)?|padStart|padEnd|trim(?!To)\\w*|takeLast|dropLast|chunked|coerce\\w+|plus|minus|toSortedMap|toSortedSet|associate\\w*|groupBy|partition)$`,
    ),
    byKind: {
      text: /^(?:replace\w*|split|format|take|drop|repeat)$/,
      decimal: /^(?:add|subtract|multiply|divide|setScale|negate|abs|pow)$/,
      moment: /^(?:with[A-Z]\w*)$/,
      path: /^(?:resolve|normalize|relativize)$/,
      immutable: /^(?:add|addAll|remove|removeAll|put|putAll|set)$/,
      list: /^(?:take|drop|union|intersect|subtract|zip|shuffled|flatten)$/,
    },
    functions: /^[a-z]\w*\.copy$/,
    when: ({ name }, call) => name !== 'copy' || /\(\s*\w+ = /.test(call.text),
  },
  'c-sharp': {
    sure: /^(?:Trim|TrimStart|TrimEnd|ToUpper|ToLower|ToUpperInvariant|ToLowerInvariant|Substring|PadLeft|PadRight|Add(?:Days|Hours|Minutes|Seconds|Months|Years|Milliseconds|Ticks)|OrderBy\w*|ThenBy\w*|AsNoTracking)$/,
    byKind: {
      text: /^(?:Replace|Split|Normalize)$/,
      moment: /^(?:Add|Subtract|ToUniversalTime|ToLocalTime)$/,
      query:
        /^(?:Where|Select|SelectMany|Distinct|Union|Except|Intersect|Skip|Take|Concat|Include|ThenInclude|GroupBy)$/,
      immutable: /^(?:Add|AddRange|Remove\w*|Insert\w*|SetItem|Push|Enqueue|Replace|Clear|Sort)$/,
      list: /^(?:Where|Select|SelectMany|Distinct|Union|Except|Concat|Append|Prepend)$/,
    },
    functions:
      /^(?:[sS]tring\.(?:Format|Join|Concat)|Regex\.Replace|Path\.(?:Combine|Join|GetFullPath)|Math\.\w+)$/,
    when: ({ name, args, receiver }, _call, file) =>
      (!/^Order|^Then/.test(name) || /=>/.test(args[0]?.text ?? '')) &&
      (!/^(?:Add|Subtract)$/.test(name) ||
        /TimeSpan|span|duration|interval|timeout/i.test(args[0]?.text ?? '') ||
        (receiver !== undefined && kindsOf(receiver, file).has('immutable'))),
  },
  php: {
    byKind: {
      moment: /^(?:modify|add|sub|setTime|setDate|setTimezone|setTimestamp|(?:add|sub)[A-Z]\w*)$/,
      list: /^(?:filter|reject|sortBy\w*|sort|unique|values|merge|only|except|pluck|reverse|take|skip|concat|diff|intersect|flatten|keyBy|groupBy|slice|collapse)$/,
      message: /^with(?:Header|Status|AddedHeader|Attribute|Body|QueryParams|Uri|ParsedBody)$/,
    },
    // Most types of dates change.
    when: ({ name }, _call, { text }) =>
      !/^(?:modify|add|sub|set)/.test(name) ||
      (/Immutable/.test(text) && !/\bDateTime(?:Interface)?\b(?!Zone)/.test(text)),
    functions:
      /^\\?(?:str_replace|str_ireplace|preg_replace|trim|ltrim|rtrim|strtolower|strtoupper|ucfirst|ucwords|lcfirst|substr|sprintf|implode|explode|array_(?:merge\w*|filter|values|keys|unique|reverse|slice|diff\w*|intersect\w*|combine|flip|column|pad|replace)|htmlspecialchars|htmlentities|strip_tags|nl2br|number_format|json_encode|urlencode|rawurlencode|round|floor|ceil|abs|intval|floatval|str_pad|wordwrap|mb_(?:substr|strtolower|strtoupper|convert_case)|addslashes|escapeshellarg)$/,
  },
  ruby: {
    sure: /^(?:gsub|strip|lstrip|rstrip|downcase|upcase|capitalize|swapcase|squeeze|squish|titleize|camelize|underscore|parameterize|sort_by|uniq|compact|flatten|reject|transform_keys|transform_values|symbolize_keys|stringify_keys|deep_merge|delete_prefix|delete_suffix|beginning_of_\w+|end_of_\w+|in_time_zone|chomp|reverse|tr)$/,
    byKind: {
      text: /^(?:sub|ljust|rjust|center|split)$/,
      list: /^(?:sort|select|filter|take|drop|rotate|shuffle|zip|join)$/,
      map: /^(?:merge|except|slice|select|filter|sort|compact)$/,
      query:
        /^(?:where|order|limit|offset|joins|left_joins|includes|preload|eager_load|distinct|group|having|reorder|unscope|merge|not|references)$/,
      moment: /^(?:advance|change|since|ago)$/,
    },
  },
  rust: {
    sure: /^(?:trim|trim_start|trim_end|trim_matches|to_uppercase|to_lowercase|to_ascii_lowercase|to_ascii_uppercase|(?:saturating|wrapping|checked|overflowing)_\w+|strip_prefix|strip_suffix|with_extension|with_file_name|replacen|rev|filter_map)$/,
    byKind: { list: /^(?:map|filter|chain|skip|zip)$/ },
    when: ({ name, args }) => name !== 'replacen' || args.length === 3,
  },
}

/** Rust's `replace` of texts takes two arguments, other ones store something. */
function isPureReplace({ name, args, receiver }: Call, { language }: ParsedFile): boolean {
  const [found] = args
  if (!/^replace$/i.test(name) || args.length !== 2 || !found || !receiver) return false
  if (language === 'rust') return receiver.type === 'identifier'
  return /^(?:regex|string|"|'|`|template|new RegExp|interpolated|encapsed)/.test(
    `${found.type} ${found.text}`,
  )
}

function checkUnused(node: Node, file: ParsedFile): Hit | undefined {
  const call = droppedCall(node, file)
  const table = tables[file.language]
  if (!call || !table) return undefined
  const parts = readCall(call)
  if (isTrial(node)) return undefined
  if (!isPure(parts, call, file, table) || table.when?.(parts, call, file) === false)
    return undefined
  const { receiver, name, callee, written } = parts
  const isFunction = table.functions?.test(callee) || !receiver
  const value = isFunction ? (parts.args[0] ?? call) : receiver!
  return {
    at: firstLine(call),
    title: `The result of ${quoteCode(written)} is ignored`,
    body: isFunction
      ? `When this runs, nothing changes: ${quoteCode(name)} returns a new value. Use the result.`
      : `When this runs, ${quoteCode(value.text)} doesn't change: ${quoteCode(name)} returns a ` +
        'new value.',
  }
}

/** Whether a `try` holds nothing else, so that the call is made to see whether it fails. */
function isTrial(statement: Node): boolean {
  const { parent } = statement
  return /^try/.test(typeOf(parent?.parent)) && parent!.namedChildCount === 1
}

const calledOnVariable =
  /^(?:identifier|variable_name|instance_variable|member_expression|attribute|field_access|selector_expression|field_expression|member_access_expression|navigation_expression)$/

function isPure(parts: Call, call: Node, file: ParsedFile, table: PureMethods): boolean {
  const { receiver, name, callee } = parts
  if (table.functions?.test(callee.slice(0, 500)) || isBuilt(parts, file)) return true
  if (!receiver || !isVariable(receiver) || isOwnMethod(receiver)) return false
  if (selecting.test(name) && isPureClosure(parts, call, table)) return true
  if (table.sure?.test(name) || isReassignedElsewhere(receiver, name, call)) return true
  return isPureCall(parts, receiver, file, table)
}

function isPureCall(parts: Call, receiver: Node, file: ParsedFile, table: PureMethods): boolean {
  if (isPureReplace(parts, file) && !/StringBuil|StringBuff/.test(file.text)) return true
  return isDuration(parts) || isPureOfKind(receiver, parts.name, file, table)
}

/** `request.newBuilder().header(a, b).build()`. */
function isBuilt({ receiver, name }: Call, { language }: ParsedFile): boolean {
  // Python's builders write what they build.
  if (!receiver || language === 'python') return false
  return /^[bB]uild$/.test(name) && builtFrom.test(receiver.text)
}

/** Chains that make a copy which `build` returns. */
const builtFrom = /\b(?:\w*[bB]uilder|mutate|buildUpon)\b[\s\S]*\)$/

/** Methods that return a part of a collection, whose closure only looks at an element. */
const selecting =
  /^(?:filter|some|every|find(?:Index|Last)?|flatMap|map|select|reject|partition|any\??|all\??|none\??|Where|Select|Any|All|sortedBy|min_by|max_by)$/

/** Whether a closure is an expression that calls nothing that may have an effect. */
function isPureClosure({ args }: Call, call: Node, table: PureMethods): boolean {
  const closure = args[0] ?? field(call, 'block') ?? call.namedChildren.at(-1)
  const text = closure?.text ?? ''
  if (!closure || !closureTypes.test(closure.type) || text.length > 120) return false
  if (/\n|=> ?\{|\bawait\b|\+\+|--|(?<![=!<>])=(?![=>~])|<</.test(text)) return false
  return closure
    .descendantsOfType([...callAndNewTypes])
    .map((each) => readCall(each).name)
    .every((name) => asking.test(name) || table.sure?.test(name))
}

const closureTypes =
  /^(?:arrow_function|lambda\w*|closure_expression|block|do_block|annotated_lambda)$/

/** Names of functions that only answer a question. */
const asking =
  /^(?:[iI]s|[hH]as|can|[iI]ncludes?|[cC]ontains?|[sS]tarts|[eE]nds|[eE]quals?|test|match|get|to_?)(?![a-z])|\?$/

function isPureOfKind(
  receiver: Node,
  name: string,
  file: ParsedFile,
  { byKind = {} }: PureMethods,
): boolean {
  const candidates = Object.entries(byKind).filter(([, names]) => names.test(name))
  if (candidates.length === 0) return false
  const kinds = kindsOf(receiver, file)
  return candidates.some(([kind]) => kinds.has(kind as ValueKind))
}

/** Whether a receiver is a variable or a field, and not a class or module. */
function isVariable({ type, text }: Node): boolean {
  return (
    calledOnVariable.test(type) && !/^[A-Z]/.test(text) && !/^(?:Cypress|cy|jest|vi)\b/.test(text)
  )
}

function isOwnMethod({ text }: Node): boolean {
  return /^(?:\$?this|self|super|window|location|history|router|navigation|navigate)$/.test(text)
}

/** `expires.Add(time.Hour)`. */
function isDuration({ name, args }: Call): boolean {
  return (
    name === 'Add' &&
    /\btime\.(?:Hour|Minute|Second|Millisecond|Duration)\b/.test(args[0]?.text ?? '')
  )
}

/** Whether the same function uses the result of the method elsewhere: `q = q.where(a)`. */
function isReassignedElsewhere(receiver: Node, name: string, call: Node): boolean {
  if (!/^\$?\w+$/.test(receiver.text)) return false
  const fn = functionAround(call)
  const own = RegExp.escape(receiver.text)
  return new RegExp(`(?<![\\w.])${own} :?= ?${own}(?:\\.|->)${RegExp.escape(name)}\\b`).test(
    fn?.text.slice(0, 20_000) ?? '',
  )
}

/** The call that is a statement of its own, and whose result nothing uses. */
export function droppedCall(node: Node, { language }: ParsedFile): Node | undefined {
  const isBare = /^(?:kotlin|ruby)$/.test(language)
  if (!isBare) {
    const inner = node.type === 'expression_statement' ? node.namedChild(0) : null
    if (!inner || !isCall(inner) || node.namedChildCount !== 1) return undefined
    return isValueOfSwitch(node) ? undefined : inner
  }
  const isStatement = node.type === (language === 'ruby' ? 'call' : 'call_expression')
  return isStatement && isDropped(node) ? node : undefined
}

/** Java: `return switch (x) { case 1 -> List.of(); … }`. */
function isValueOfSwitch({ parent }: Node): boolean {
  if (parent?.type !== 'switch_rule') return false
  const owner = enclosingNode(parent, new Set(['switch_expression']))
  return !/block|body|statement_group|^expression_statement$/.test(typeOf(owner?.parent))
}

const ownBlocks = /^(?:block|body_statement|block_body|then|else|do|begin|lambda_literal|program)$/

/** Whether nothing uses the value of an expression of Ruby or Kotlin. */
function isDropped(node: Node): boolean {
  const { parent } = node
  if (!parent) return false
  if (/^(?:if|unless)_modifier$/.test(parent.type))
    return parent.childForFieldName('body')?.id === node.id && isDropped(parent)
  const isBranch = /^(?:if|unless|if_expression)$/.test(parent.type) && ownBlocks.test(node.type)
  if (isBranch) return isDropped(parent)
  if (!ownBlocks.test(parent.type)) return false
  // In Ruby, handlers follow the value of what they protect.
  const last = parent.namedChildren.findLast(({ type }) => !/^(?:rescue|ensure)$/.test(type))
  if (last?.id !== node.id || isResultIgnored(parent)) return true
  return /^(?:then|else|block)$/.test(parent.type) && isDropped(parent)
}

/** Whether the value of a block is used by nothing. */
function isResultIgnored(block: Node): boolean {
  const owner = typeOf(block.parent)
  if (block.type === 'block' && owner === 'function_body') return true
  return /^(?:for|while|until)/.test(owner) || isEachBlock(block)
}

/** Whether a block is that of a loop such as `each`, which ignores its result. */
function isEachBlock(block: Node): boolean {
  const owner = /^(?:body_statement|block_body)$/.test(block.type)
    ? block.parent?.parent
    : undefined
  return owner?.type === 'call' && /^each\w*$/.test(readCall(owner).name)
}

/** Reports `text.trim()` and the like as statements of their own. */
export const unusedResults: SyntaxCheck = {
  nodes: ['expression_statement', 'call_expression', 'call'],
  check: checkUnused,
}
