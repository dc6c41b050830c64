// Makes checks for dangers that are the same in many languages: injection, weak hashes, random.
import type { Node } from 'web-tree-sitter'
import {
  boundValueOf,
  builtTextOf,
  type CodeSyntax,
  contentOf,
  type InsertedValue,
  isFromRequest,
} from './code-syntax.ts'
import { isDeveloperTool } from './developer-tools.ts'
import { ownFunctionOf, passesOn } from './own-functions.ts'
import { isNamedLikeSecret, passwordName, separateWords } from './secret-names.ts'
import { hasNoHostCheck, hasNoPathCheck, isSentInsertion } from './sent-values.ts'
import {
  appendedValue,
  type FragmentValue,
  mayQuoteValue,
  quotedValuesHit,
  sqlInjectionOf,
} from './sql-fragments.ts'
import { checkSqlPieces } from './sql-pieces.ts'
import { expectsSqlValue, isSqlStatement } from './sql-text.ts'
import {
  isBroadException,
  isCleanupFunction,
  isExpectedError,
  isHarmlessFunction,
  swallowedError,
} from './swallowed-errors.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  findNodes,
  firstLine,
  quoteCode,
} from './syntax-nodes.ts'

type Describe = (call: Node, args: readonly Node[], file: ParsedFile) => Partial<Hit> | boolean

interface CallCheck {
  /** Tests the callee as it is written. */
  readonly callee: RegExp
  readonly title: string
  readonly body: string
  /** Decides what the callee doesn't show, and returns what differs from the wording. */
  readonly when?: Describe
}

/** Reports calls of a function. In the title, `$CALL` is the code of the call. */
export function checkCalls(
  syntax: CodeSyntax,
  { callee, when, title, body }: CallCheck,
): SyntaxCheck {
  return {
    nodes: syntax.calls,
    check(call, file) {
      if (!callee.test(syntax.calleeOf(call).slice(-200))) return undefined
      const described = when?.(call, syntax.argumentsOf(call), file) ?? true
      if (described === false) return undefined
      const wording = { title: title.replace('$CALL', () => quoteCode(call.text)), body }
      return { at: firstLine(call), ...wording, ...(described === true ? {} : described) }
    },
  }
}

/** Types whose values hold no quotation marks. */
const harmlessTypes =
  '(?:u?int(?:8|16|32|64)?|u?long|short|byte|bool(?:ean)?|float|double|decimal|size_t|[iuf](?:8|16|32|64)|[iu]size|Int|Long|Short|Boolean|Float|Double|Guid|Uuid|UUID|DateTime|uint\\d+_t|int\\d+_t)'

const constantName = /^[A-Z][A-Z0-9_]+$|::[A-Z][A-Z0-9_]+$|^[A-Z]\w*\.[A-Z]\w*$/

/** Shows that a value is a number, escaped, fixed, or the name of something. */
const harmlessWords =
  /^\(?(?:int|integer|float|bool|long)\)|\b(?:intval|floatval|count|strlen|nameof|len|size|length|pid|std::to_string)\b|\.(?:to_i|to_f|id|ordinal)\b|quote|escape|esc_|sanitiz|safe|toSql|placeholder|prefix|table|column|schema|database|^["'\d]/i

/** These paths belong to the program. */
const ownPath =
  /^(?:__DIR__|__FILE__|__dir__)$|Rails\.root|\bdirname\b|\btmpdir\b|\btempfile\b|\bTempfile\b/

/** How many variables are followed to a fixed value. */
const maxSteps = 3

/** Whether a value can't hold syntax of the text that it is inserted into, as far as is known. */
function isHarmless(
  { code, node }: Pick<InsertedValue, 'code' | 'node'>,
  syntax: CodeSyntax,
  file: ParsedFile,
  steps = maxSteps,
): boolean {
  if ([/^$/, harmlessWords, constantName, ownPath].some((words) => words.test(code))) return true
  const name = /^[$@]?(\w+)$/.exec(code)?.[1]
  if (name === undefined) return false
  const typed = String.raw`\b${harmlessTypes}\??\s+\$?${name}\b|\b${name}\s*:\s*&?${harmlessTypes}\b`
  const isCall = syntax.declares?.(code, node) === false
  if (isCall || new RegExp(typed).test(file.text)) return true
  const value = steps > 0 ? boundValueOf(node, syntax, code) : undefined
  if (!value) return false
  const built = builtTextOf(value, syntax)
  if (!built) return isHarmless({ code: value.text.slice(0, 500), node: value }, syntax, file, 0)
  return built.values.every((each) => isHarmless(each, syntax, file, steps - 1))
}

function findRisky(
  values: readonly InsertedValue[],
  syntax: CodeSyntax,
  file: ParsedFile,
  isRisky: (value: InsertedValue) => boolean,
): InsertedValue | undefined {
  return values.find((value) => isRisky(value) && !isHarmless(value, syntax, file))
}

interface SqlCheck {
  readonly callee: RegExp
  /** Functions that take the condition of a statement alone. */
  readonly condition?: RegExp
  /** Functions that take the names of columns, which a client must not choose. */
  readonly name?: RegExp
}

/** What stands before the text that a function takes, in its statement. */
function statementBefore(callee: string, { callee: whole, condition, name }: SqlCheck) {
  if (condition?.test(callee)) return 'select x from y where '
  if (name?.test(callee)) return 'select x from y order by '
  return whole.test(callee) ? '' : undefined
}

export function checkSql(syntax: CodeSyntax, sinks: SqlCheck): SyntaxCheck {
  return {
    nodes: syntax.calls,
    wholeFunction: true,
    check(call, file) {
      const before = statementBefore(syntax.calleeOf(call).slice(-200), sinks)
      if (before === undefined && !ownFunctionOf(call, syntax)) return undefined
      const takes = (inner: Node) =>
        sinks.callee.test(syntax.calleeOf(inner).slice(-200)) ? syntax.argumentsOf(inner) : []
      for (const argument of syntax.argumentsOf(call).slice(0, 3)) {
        if (before === undefined && !passesOn(call, argument, syntax, takes)) continue
        const hit = sqlHit(argument, call, before ?? '', syntax, file)
        if (hit) return hit
      }
      return undefined
    },
  }
}

/** Makes the checks of statements that are put together piece by piece. */
export function checkPieces(syntax: CodeSyntax): SyntaxCheck[] {
  return checkSqlPieces(
    syntax,
    (value, file) => joinedList.test(value.code) || isHarmless(value, syntax, file),
  )
}

/** Reports values that a part of a statement quotes by hand, also where another file runs it. */
export function checkSqlFragment(syntax: CodeSyntax): SyntaxCheck {
  return {
    nodes: [...syntax.literals, 'binary_expression', 'binary', 'macro_invocation', ...syntax.calls],
    check(node, file) {
      const { parent } = node
      if (parent?.type === node.type && /^binary/.test(node.type)) return undefined
      const isLiteral = syntax.literals.includes(node.type)
      if (!isLiteral && !/^binary/.test(node.type) && !syntax.formatOf?.(node)) return undefined
      if (!mayQuoteValue(node.text)) return undefined
      const appended = isLiteral && appendedValue(node, contentOf(node.text), file)
      const values = appended ? [appended] : fragmentValuesOf(node, syntax)
      return quotedValuesHit(
        values,
        node,
        file,
        (value) => joinedList.test(value.code) || isHarmless(value, syntax, file),
      )
    },
  }
}

function fragmentValuesOf(node: Node, syntax: CodeSyntax): FragmentValue[] {
  const built = builtTextOf(node, syntax)
  if (!built) return []
  return built.values.map((value) => ({
    ...value,
    after: built.text.slice(value.before.length + 1),
  }))
}

/** Lists in a statement are mostly those of placeholders. */
const joinedList = /\b(?:implode|[jJ]oin)\b/

/** Reports a value in the SQL statement that an expression builds. */
export function sqlHit(
  expression: Node,
  use: Node,
  start: string,
  syntax: CodeSyntax,
  file: ParsedFile,
): Hit | undefined {
  const built = builtTextOf(expression, syntax)
  if (!built) return undefined
  const statement = start + built.text
  if (!isSqlStatement(statement)) return undefined
  const risky = built.values.filter(
    (value) =>
      !joinedList.test(value.code) &&
      !isHarmless(value, syntax, file) &&
      !isFieldInCast(value) &&
      (expectsSqlValue(statement, start + value.before) || isChosenName(value, use, syntax)),
  )
  if (!risky[0]) return undefined
  return {
    at: firstLine(risky[0].node),
    fallback: firstLine(use),
    ...sqlInjectionOf(risky.map(({ code }) => code)),
  }
}

/** Whether a value is the name of a column that is converted: `CAST(%s AS %s)`. */
function isFieldInCast({ code, before }: InsertedValue): boolean {
  return (
    /\b(?:cast|convert|coalesce|lower|upper|sum|max|min)\($/i.test(before) && /field$/i.test(code)
  )
}

/** Whether a client chooses a name in a statement, and no code compares it with a list. */
function isChosenName(value: InsertedValue, use: Node, syntax: CodeSyntax): boolean {
  return isSentInsertion(value, syntax) && hasNoHostCheck(use, value.node, syntax)
}

/** Reports where the text is built, or the call that uses it. */
function placeOf(expression: Node, use: Node, syntax: CodeSyntax): Pick<Hit, 'at' | 'fallback'> {
  const inner = syntax.unwrap?.(expression) ?? expression
  return { at: firstLine(boundValueOf(inner, syntax) ?? expression), fallback: firstLine(use) }
}

interface ShellCheck {
  readonly callee: RegExp
  /** Returns the argument that a shell interprets. */
  readonly command: (args: readonly Node[], call: Node) => Node | undefined
}

export function checkShell(syntax: CodeSyntax, { callee, command }: ShellCheck): SyntaxCheck {
  return {
    nodes: syntax.calls,
    wholeFunction: true,
    check(call, file) {
      const takes = (inner: Node): Node[] => {
        if (!callee.test(syntax.calleeOf(inner).slice(-200))) return []
        return [command(syntax.argumentsOf(inner), inner) ?? []].flat()
      }
      const passed = () =>
        ownFunctionOf(call, syntax) &&
        syntax.argumentsOf(call).find((argument) => {
          const isPassed = passesOn(call, argument, syntax, takes)
          return isPassed && (builtTextOf(argument, syntax)?.values.length ?? 0) > 0
        })
      const argument = takes(call)[0] ?? passed()
      return argument && shellHit(argument, call, syntax, file)
    },
  }
}

/** The name of a shell, and the option that makes it run a text. */
const shellProgram =
  /^[@&$]?["'`](?:[\w:\\/.]{0,30}[\\/])?(?:(?:ba|z|da|k)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh)["'`]/i
const shellOption = /^&?["'`](?:-l?c|\/c|-Command)["'`]/i

const listTypes = [
  ...['argument_list', 'arguments', 'value_arguments', 'array', 'list', 'array_initializer'],
  ...['array_expression', 'literal_value', 'array_creation_expression', 'token_tree'],
  ...['initializer_expression', 'collection_expression', 'collection_literal'],
]

/** Reports a list such as `"sh", "-c", command`, wherever it is passed. */
export function checkShellList(syntax: CodeSyntax): SyntaxCheck {
  return {
    nodes: listTypes,
    check(list, file) {
      if (!/["'`](?:-l?c|\/c|-Command)["'`]/i.test(list.text.slice(0, 300))) return undefined
      const items = itemsOf(list).flatMap((item) =>
        listTypes.includes(item.type) ? itemsOf(item) : [item],
      )
      const option = items.findIndex(({ text }) => shellOption.test(text))
      const isShell = option > 0 && shellProgram.test(items[option - 1]!.text)
      const isRest = option === 0 && startsShell(list, file)
      const command = items[option + 1]
      return command && (isShell || isRest) ? shellHit(command, list, syntax, file) : undefined
    },
  }
}

/** The elements of a list, without what some languages wrap them in. */
function itemsOf(list: Node): Node[] {
  return codeChildren(list).map((item) =>
    /^(?:argument|value_argument|array_element_initializer|literal_element)$/.test(item.type)
      ? (item.namedChildren.at(-1) ?? item)
      : item,
  )
}

/** Whether the code near a list of arguments names a shell as the program. */
function startsShell(list: Node, { text }: ParsedFile): boolean {
  const around = text.slice(Math.max(0, list.startIndex - 300), list.endIndex + 300)
  return /["'`](?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh["'`]/.test(around)
}

/** Names of programs, which the installation chooses. */
const programName = /(?:binary|\bbin|executable|exe|program|command|cmd|path)\)?$/i

/** Reports a value in the shell command that an expression builds, or that a user sent. */
export function shellHit(
  expression: Node,
  use: Node,
  syntax: CodeSyntax,
  file: ParsedFile,
): Hit | undefined {
  const built = builtTextOf(expression, syntax)
  const isSent = !built && isFromRequest(expression, syntax)
  const isInserted = ({ code, before }: InsertedValue) =>
    before.trim() !== '' || !programName.test(code)
  const sent = built?.values.find(
    (each) =>
      isInserted(each) &&
      isSentInsertion(each, syntax) &&
      hasNoPathCheck(use, each.node, syntax, each.code),
  )
  const value = isSent
    ? expression.text
    : (sent?.code ?? findRisky(built?.values ?? [], syntax, file, isInserted)?.code)
  if (value === undefined || isDeveloperTool(file.path)) return undefined
  const code = quoteCode(value)
  return {
    ...placeOf(expression, use, syntax),
    title: `Command injection: ${code} is concatenated into the shell command`,
    body:
      `When ${code} contains a \`;\`, a \`$(…)\` or a quote, that text is executed with the ` +
      'rights of this program. Pass the arguments as a list, without a shell.',
  }
}

/** Reports a fast hash of what is named like a password. */
export function checkPasswordHash(syntax: CodeSyntax, callee: RegExp): SyntaxCheck {
  return checkCalls(syntax, {
    callee,
    title: '',
    body: passwordHashBody,
    when(call, args) {
      // Lists of leaked passwords, entity tags and Gravatar prescribe a fast hash.
      const around = enclosingNode(call, new Set(syntax.calls)) ?? call.parent
      // Old hashes have to be compared as they are.
      const isPrescribed = /breach|pwned|etag|gravatar|hash_equals/i.test(
        around?.text.slice(0, 500) ?? '',
      )
      const password = args.find((argument) => passwordName.test(argument.text.slice(0, 200)))
      if (!password || isPrescribed) return false
      const name = /[\w$]*(?:passw(?:or)?d|passphrase|pwd)\w*/i.exec(password.text)?.[0] ?? ''
      const title = `${quoteCode(name)} is hashed with a function that is too fast for passwords`
      return { title }
    },
  })
}

/** Reports a predictable random value whose variable or function is named like a secret. */
export function checkRandom(
  syntax: CodeSyntax,
  callee: RegExp,
  when: (call: Node, file: ParsedFile) => boolean = () => true,
): SyntaxCheck {
  return checkCalls(syntax, {
    callee,
    title: '$CALL generates a predictable secret',
    body:
      'When an attacker sees a few outputs of this generator, or knows its seed, they can ' +
      'compute the next ones. Use a cryptographically secure generator.',
    when: (call, _args, file) => isNamedLikeSecret(nameOfResult(call, syntax)) && when(call, file),
  })
}

/** Values that others know or can try. */
const guessable = /e?mail|time|\bnow\b|Now\b|\bdate|uniqid|user_?name|login/i
const unknown = /rand|secret|key|salt|pepper|nonce|bytes|uuid|guid|secure|token/i

/** Whether a text is made of values that others know or can try. */
export function isGuessable(code: string): boolean {
  return guessable.test(code) && !unknown.test(code)
}

/** Reports a secret that is the hash of values that others know or can try. */
export function checkPredictable(syntax: CodeSyntax, callee: RegExp): SyntaxCheck {
  return checkCalls(syntax, {
    callee,
    title: '$CALL generates a predictable secret',
    body:
      'When an attacker knows or tries the values that are hashed, they can compute the same ' +
      'secret. Use a cryptographically secure generator.',
    when: (call, args) =>
      isNamedLikeSecret(nameOfResult(call, syntax)) &&
      isGuessable(
        args
          .map(({ text }) => text)
          .join()
          .slice(0, 500),
      ),
  })
}

/** The variable that gets a value, or the function that returns it. */
function nameOfResult(node: Node, syntax: CodeSyntax): string {
  const functions = new Set(syntax.functions)
  const binding = enclosingNode(node, new Set([...syntax.bindings, 'pair', ...functions]))
  if (!binding) return ''
  const isFunction = functions.has(binding.type)
  const name = isFunction
    ? (field(binding, 'name') ?? field(binding, 'declarator'))?.text.replace(/\([\s\S]*$/, '')
    : (syntax.bindingOf(binding)?.name ?? binding.namedChild(0)?.text)
  return separateWords((name ?? '').replace(/^.*[.>:]/s, ''))
}

/** Reports code that a pattern finds in nodes of some types and that disables TLS verification. */
export function checkTls(
  syntax: CodeSyntax,
  nodes: readonly string[],
  pattern: RegExp,
): SyntaxCheck {
  return checkText(nodes, pattern, {
    title: 'TLS certificate verification is disabled',
    body: tlsBody,
    unless: (node) => isChosen(node, syntax),
  })
}

const optionNames = /verif|insecure|ssl|tls|skip|self.?signed|accept|cert|trust|dev|local|unsafe/i

/** Whether a condition or the name of the function shows that someone chooses to be insecure. */
export function isChosen(node: Node, syntax: CodeSyntax): boolean {
  const functions = new Set(syntax.functions)
  for (let around = node.parent; around; around = around.parent) {
    const isCondition = /^(?:if|unless|conditional|ternary|match|when|switch)/.test(around.type)
    const header = isCondition
      ? (field(around, 'condition') ?? around.namedChild(0))
      : functions.has(around.type) && field(around, 'name')
    const names = isCondition ? optionNames : /insecure|unsafe|trust_?all|accept_?all/i
    if (header && names.test(header.text.slice(0, 300))) return true
  }
  return false
}

interface TextCheck extends Pick<Hit, 'title' | 'body'> {
  readonly unless?: (node: Node) => boolean
}

/** Reports code that a pattern finds in nodes of some types. */
export function checkText(
  nodes: readonly string[],
  pattern: RegExp,
  { title, body, unless }: TextCheck,
): SyntaxCheck {
  return {
    nodes,
    check(node) {
      const text = node.text.slice(0, 500)
      const match = pattern.exec(text)
      if (!match || unless?.(node)) return undefined
      // A chain of calls ends on another line than it starts.
      const line = firstLine(node).startLine + text.slice(0, match.index).split('\n').length - 1
      const at = { startLine: line, endLine: line }
      return { at, title: title.replace('$CODE', () => quoteCode(text)), body }
    },
  }
}

export const passwordHashBody =
  'When the stored hashes leak, an attacker can try billions of passwords a second. Use a ' +
  'password hash: Argon2id, scrypt or bcrypt.'

export const tlsBody =
  'When an attacker intercepts the connection, they can present any certificate, and read and ' +
  'change everything. Trust the right certificate authority instead.'

export const deserializationBody =
  'When an attacker can change the data, creating the objects in it runs their code. Use a ' +
  'format that holds values only, such as JSON.'

/** Settings of libraries on the JVM with which data names the types of its objects. */
export const chosenTypes =
  /\.(?:enableDefaultTyping\(|activateDefaultTyping\(\s*LaissezFaire|setAutoTypeSupport\(\s*true|setRegistrationRequired\(\s*false)[^()]*(?:\([^()]*\)[^()]*)*\)$/

export const chosenTypesWording = {
  title: '$CODE lets the data choose which types are created',
  body: deserializationBody,
}

export const codeInjectionBody =
  'When an attacker controls the value, they can run any code with the rights of this program. ' +
  'Parse the data, or choose from a fixed set of functions.'

interface Handler {
  readonly body: Node | undefined
  /** The types of errors that it catches; empty if it names none. */
  readonly type: string
  readonly name: string
  readonly tried: Node | undefined
}

/** Reports handlers without code or comment for errors of many kinds. */
export function checkEmptyHandler(
  syntax: CodeSyntax,
  nodes: readonly string[],
  read: (node: Node) => Handler | undefined,
): SyntaxCheck {
  return {
    nodes,
    check(node) {
      const handler = read(node)
      if (!handler?.tried || (handler.body?.namedChildCount ?? 0) > 0) return undefined
      const { type, name, tried } = handler
      const isBroad = type === '' || isBroadException(type) || /StandardError/.test(type)
      if (!isBroad || isExpectedError(name.replace(/^\$/, ''))) return undefined
      return mayFailSilently(tried, syntax) ? undefined : { at: firstLine(node), ...swallowedError }
    },
  }
}

/** Whether the code handles the failure of a block in another way, or needn't handle it. */
function mayFailSilently(tried: Node, syntax: CodeSyntax): boolean {
  const fn = enclosingNode(tried, new Set(syntax.functions))
  const fnName = fn && (field(fn, 'name') ?? field(fn, 'declarator'))?.text
  if (fnName && isCleanupFunction(fnName)) return true
  if (/\b(?:return|break|yield)\b/.test(tried.text)) return true
  const calls = findNodes(tried, ...syntax.calls)
  return calls.every((call) =>
    isHarmlessFunction(/\w+[!?]?$/.exec(syntax.calleeOf(call))?.[0] ?? ''),
  )
}
