// Rules about SQL, shell commands and code that are built from variables.
import type { Node } from 'web-tree-sitter'
import { callTypes } from '../../languages/rules/calls.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { isConstant, isPlainString, stringText } from '../../languages/rules/literals.ts'
import { ownFunctionOf, passesOn } from '../../languages/rules/own-functions.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  appendedValue,
  listCode,
  mayQuoteValue,
  quotedValuesHit,
} from '../../languages/rules/sql-fragments.ts'
import { expectsSqlValue, isSqlStatement } from '../../languages/rules/sql-text.ts'
import {
  argumentsOf,
  calleeOf,
  codeChildren,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
} from '../../languages/rules/syntax-nodes.ts'
import { matchesFile } from '../../languages/rules/word-index.ts'
import { allRuleLanguages, grammarFamilyOf, type Hit, type ParsedFile, type Rule } from './rule.ts'
import { families, requestChecksOf, shellLists } from './shared-code.ts'
import { type BuiltText, builtTextOf, type Insertion, isSafeInsertion } from './text-building.ts'
import { isRequestInput, parameterOf } from './value-origins.ts'

/** Programs that developers run by hand: the values that they insert are the developers' own. */
const developerTool =
  /(?:^|\/)(?:(?:scripts?|tools?|build|bench\w*|ci|hack|migrations?|seeds?)\/|(?:build|release|deploy|gulpfile|[\w-]+\.config)\.[cm]?[jt]s$)/

const sqlSinks: Readonly<Record<string, RegExp>> = {
  javascript:
    /^(?:query|execute|raw|exec|run|all|get|each|prepare|unsafe|literal|whereRaw|orderByRaw|selectRaw|queryRaw|executeSql|\$queryRawUnsafe|\$executeRawUnsafe)$/,
  python:
    /^(?:execute|executemany|executescript|raw|text|read_sql|read_sql_query|fetch|fetchrow|fetchval|extra)$/,
  go: /^(?:(?:Named|Must)?(?:Query|QueryRow|Exec|Prepare)x?(?:Context)?|Raw|(?:Select|Get)(?:Context)?|Where|Order|Having)$/,
  java: /^(?:executeQuery|executeUpdate|execute|addBatch|prepareStatement|prepareCall|createQuery|createNativeQuery|createSQLQuery|query|queryForObject|queryForList|update|nativeQuery)$/,
}

function checkSql(call: Node, file: ParsedFile): Hit | undefined {
  const family = grammarFamilyOf(file.language)
  const runs = (each: Node) => {
    const { receiver, name } = calleeOf(each)
    return sqlSinks[family]!.test(name) && (receiver !== undefined || /^(?:text|query)$/.test(name))
  }
  const takes = (inner: Node) => (runs(inner) ? argumentsOf(inner) : [])
  const isSink = runs(call)
  if (!isSink && !ownFunctionOf(call, families[family])) return undefined
  for (const argument of argumentsOf(call).slice(0, 3)) {
    if (!isSink && !passesOn(call, argument, families[family], takes)) continue
    const built = builtTextOf(argument, file)
    if (!built || !isSqlStatement(built.text)) continue
    const risky = findRiskyInsertions(built, file, ({ before }) => {
      return !developerTool.test(file.path) && expectsSqlValue(built.text, before)
    })
    if (risky.length > 0) return injectionHit(call, risky, file, sqlInjection)
  }
  return undefined
}

/** The types of nodes that build a text, also by formatting it. */
const textTypes: readonly string[] = [
  'template_string',
  'string',
  'string_literal',
  'interpreted_string_literal',
  'raw_string_literal',
  'concatenated_string',
  'binary_expression',
  'binary_operator',
  ...callTypes,
]

/** Reports values that a part of a statement quotes by hand, also where another file runs it. */
function checkSqlFragment(node: Node, file: ParsedFile): Hit | undefined {
  if (!buildsText(node) || !mayQuoteValue(node.text)) return undefined
  const isText = isPlainString(node)
  const appended = isText ? appendedValue(node, stringText(node), file) : undefined
  if (appended)
    return quotedValuesHit([appended], node, file, () => isSafeInsertion(appended.node, file))
  const insertions = isText ? [] : (builtTextOf(node, file)?.insertions ?? [])
  const values = insertions.map(({ value, before, after }) => {
    return { code: value.text, before, after, node: value }
  })
  return quotedValuesHit(values, node, file, () => false)
}

/** Whether a node builds a text of its own. In a tagged template, the values are parameters. */
function buildsText(node: Node): boolean {
  const parentType = node.parent?.type ?? ''
  if (node.type.startsWith('binary')) return parentType !== node.type
  if (callTypes.includes(node.type)) return formatNames.test(calleeOf(node).name)
  return node.type !== 'template_string' || !callTypes.includes(parentType)
}

const formatNames = /^(?:Sprintf|format|formatted)$/

/** Lists the values from a request at any position, then others at a risky position. */
function findRiskyInsertions(
  built: BuiltText,
  file: ParsedFile,
  isRiskyPosition: (insertion: Insertion) => boolean,
): Insertion[] {
  const sent = built.insertions.filter((insertion) => isRequestInput(insertion.value, file))
  const others = built.insertions.filter((each) => !sent.includes(each) && isRiskyPosition(each))
  return [...sent, ...others]
}

/** The words of a finding that differ by the language of the built text. */
interface InjectionWording {
  /** The name of the class of bugs, before the word injection. */
  readonly name: string
  /** What the value is concatenated into. */
  readonly target: string
  readonly payload: string
  readonly remedy: string
}

const sqlInjection: InjectionWording = {
  name: 'SQL',
  target: 'query',
  payload: 'a quote or more SQL',
  remedy: 'Pass values as parameters of the query; choose names from a fixed list.',
}

const shellInjection: InjectionWording = {
  name: 'Command',
  target: 'shell command',
  payload: 'a `;`, a `$(…)` or a quote',
  remedy: 'Pass the arguments as a list, without a shell.',
}

function injectionHit(
  call: Node,
  insertions: readonly Insertion[],
  file: ParsedFile,
  { name, target, payload, remedy }: InjectionWording,
): Hit {
  const insertion = insertions[0]!
  const { list, isOne } = listCode(insertions.map(({ value }) => value.text))
  const isFromRequest = isRequestInput(insertion.value, file)
  const source = isFromRequest ? ' It comes from a request.' : ''
  const isOnCallLine = lineOf(insertion.value) === lineOf(call)
  return {
    // The text has to change where it is built; the call may be further down.
    at: firstLine(insertion.value),
    fallback: firstLine(call),
    title: `${name} injection: ${list} ${isOne ? 'is' : 'are'} concatenated into the ${target}`,
    body:
      `When ${isOne ? list : 'one of them'} contains ${payload}, that text is executed with the ` +
      `rights of this program.${source} ${remedy}`,
    severity: isFromRequest ? 'critical' : 'moderate',
    confidence: isFromRequest ? 0.95 : 0.8,
    evidence: isOnCallLine ? [] : [{ line: lineOf(call), note: 'and executed here' }],
  }
}

function checkShell(call: Node, file: ParsedFile): Hit | undefined {
  const command = shellCommandOf(call, file)
  if (!command) return undefined
  const built = builtTextOf(command, file)
  if (built) {
    const risky = findRiskyInsertions(built, file, () => !developerTool.test(file.path))
    return risky.length > 0 ? injectionHit(call, risky, file, shellInjection) : undefined
  }
  if (!isRequestInput(command, file) || isSafeInsertion(command, file)) return undefined
  return injectionHit(call, [{ value: command, before: '', after: '' }], file, shellInjection)
}

/** The argument of a call that a shell interprets; undefined when the call starts no shell. */
function shellCommandOf(call: Node, file: ParsedFile): Node | undefined {
  const family = grammarFamilyOf(file.language)
  const read = shellCommandReaders[family]!
  const takes = (inner: Node) => [read(inner, file) ?? []].flat()
  const passed = () =>
    ownFunctionOf(call, families[family]) &&
    families[family].argumentsOf(call).find((argument) => {
      return passesOn(call, argument, families[family], takes) && builtTextOf(argument, file)
    })
  return read(call, file) ?? passed()
}

const shellName = /^"(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da)?sh|cmd(?:\.exe)?)"$/

const shellCommandReaders: Readonly<
  Record<string, (call: Node, file: ParsedFile) => Node | undefined>
> = {
  javascript: shellCommandInScript,
  python: shellCommandInPython,
  go: shellCommandInGo,
  java: shellCommandInJava,
}

/** Names of functions that are mostly aliases of `exec`. */
const shellAlias = /^(?:\w{0,20}[sS]hell|sh|execCommand)$/

/** Whether a function is `promisify(exec)`. */
function isPromisedExec(name: string, file: ParsedFile): boolean {
  const [variable] = file.declarations.variables(name)
  return /promisify\((?:\w+\.)?exec\)$/.test(fieldText(variable ?? file.root, 'value'))
}

/** Returns a template that quotes a value by hand, which only a command for a shell does. */
function quotingTemplate(command: Node | undefined): Node | undefined {
  const isQuoted = /(?:^|\s|=)(["'])\$\{/.test(command?.text.slice(1, 2_000) ?? '')
  return command?.type === 'template_string' && isQuoted ? command : undefined
}

const shellLibraries = /child_process|\bexeca\b|shelljs/

/** JavaScript: `exec(command)`, `spawn(command, { shell: true })`. */
function shellCommandInScript(call: Node, file: ParsedFile): Node | undefined {
  if (!matchesFile(file, shellLibraries)) return undefined
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  if (/^(?:exec|execSync|execAsync|execPromise|execaCommand|execaCommandSync)$/.test(name)) {
    const isModule =
      !receiver || /^(?:child_process|childProcess|cp|shell|shelljs)$/.test(receiver.text)
    return isModule ? args[0] : undefined
  }
  if (!receiver && isPromisedExec(name, file)) return args[0]
  if (shellAlias.test(name)) return quotingTemplate(args[0])
  if (!/^(?:spawn|spawnSync|execFile|execFileSync)$/.test(name)) return undefined
  return shellPartOf(args)
}

/** With the option `shell`, the arguments are parts of a shell's command, too. */
function shellPartOf(args: readonly Node[]): Node | undefined {
  const usesShell = args.some(
    (argument) => argument.type === 'object' && /\bshell:\s*true\b/.test(argument.text),
  )
  if (!usesShell) return undefined
  const list = args[1]?.type === 'array' ? codeChildren(args[1]) : []
  return list.find((item) => !isConstant(item)) ?? args[0]
}

/** Python: `os.system(command)`, `subprocess.run(command, shell=True)`. */
function shellCommandInPython(call: Node): Node | undefined {
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  if (receiver?.text === 'os') return /^(?:system|popen)$/.test(name) ? args[0] : undefined
  if (name === 'create_subprocess_shell') return args[0]
  if (receiver?.text !== 'subprocess') return undefined
  const list = args[0]?.type === 'list' ? codeChildren(args[0]) : []
  const shell = list
    .slice(0, 2)
    .map(({ text }) => text)
    .join()
  if (/^["'](?:\/bin\/)?(?:ba|z|da)?sh["'],["']-l?c["']$/.test(shell)) return list[2]
  const usesShell = args.some(
    (argument) => argument.type === 'keyword_argument' && /^shell\s*=\s*True$/.test(argument.text),
  )
  return usesShell ? args[0] : undefined
}

/** Go: `exec.Command("sh", "-c", command)`. */
function shellCommandInGo(call: Node): Node | undefined {
  const { receiver, name } = calleeOf(call)
  if (receiver?.text !== 'exec' || !/^Command/.test(name)) return undefined
  const args = argumentsOf(call)
  const shell = args.findIndex(({ text }) => /^"(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh"$/.test(text))
  return shell >= 0 && args[shell + 1]?.text === '"-c"' ? args[shell + 2] : undefined
}

/** Java: `Runtime.getRuntime().exec(command)`. */
function shellCommandInJava(call: Node): Node | undefined {
  const { receiver, name } = calleeOf(call)
  const isRuntime = receiver !== undefined && /untime/.test(receiver.text)
  const isBuilder = name === 'command' || fieldText(call, 'type') === 'ProcessBuilder'
  if (name !== 'exec' && !isBuilder) return undefined
  const shell = findNodes(call, 'string_literal').findIndex(({ text }) => shellName.test(text))
  if (shell >= 0) {
    const list = findNodes(call, 'argument_list', 'array_initializer')
    const items = list.map(codeChildren).find((each) => shellName.test(each[0]?.text ?? ''))
    return items?.[1] && /^"(?:-l?c|\/c)"$/.test(items[1].text) ? items[2] : undefined
  }
  return name === 'exec' && isRuntime ? argumentsOf(call)[0] : undefined
}

/** Describes code that isn't fixed; undefined for code that is. */
function describeEval({ node, get }: Match, file: ParsedFile): Partial<Hit> | undefined {
  const code = get('CODE')
  if (isConstant(code) || builtTextOf(code, file)?.insertions.length === 0) return undefined
  const isFromRequest = isRequestInput(code, file)
  if (!isFromRequest && file.language === 'python' && isIntendedExec(node, code)) return undefined
  return isFromRequest ? { severity: 'critical', confidence: 0.95 } : {}
}

/** Whether Python code is meant to be run: it has its own namespace, or was compiled before. */
function isIntendedExec(call: Node, argument: Node): boolean {
  // What is computed from data needs no statements, and a namespace doesn't contain it.
  const isData =
    calleeOf(call).name === 'eval' && parameterOf(functionAround(call) ?? call, argument.text)
  return !isData && (argumentsOf(call).length > 1 || /^compile\(/.test(argument.text))
}

export const injectionRules: readonly Rule[] = [
  {
    id: 'sql-injection',
    summary:
      'SQL injection: a variable is concatenated into an SQL statement. Critical if it comes ' +
      'from a request.',
    seeAlso: ['CWE-89', 'Ruff `S608`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.8,
    syntax: [
      { languages: allRuleLanguages, nodes: callTypes, wholeFunction: true, check: checkSql },
      { languages: allRuleLanguages, nodes: textTypes, check: checkSqlFragment },
      ...requestChecksOf('sql-injection'),
    ],
  },
  {
    id: 'command-injection',
    summary:
      'Command injection: a variable is concatenated into a shell command. Critical if it ' +
      'comes from a request.',
    seeAlso: ['CWE-78', 'Ruff `S602`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.8,
    syntax: [
      {
        languages: allRuleLanguages,
        nodes: [...callTypes, 'object_creation_expression'],
        wholeFunction: true,
        check: checkShell,
      },
      ...shellLists,
    ],
  },
  {
    id: 'code-injection',
    summary:
      'Code injection: a value is executed as code, as with `eval`. Critical if it comes from ' +
      'a request.',
    seeAlso: ['CWE-95', 'ESLint `no-eval`', 'Ruff `S307`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.7,
    title: 'Code injection: $CODE is executed as code',
    body:
      'When an attacker controls $CODE, they can run any code with the rights of this ' +
      'program. Parse the data, or choose from a fixed set of functions.',
    patterns: {
      javascript: [
        'eval($CODE, $$$)',
        'window.eval($CODE, $$$)',
        'globalThis.eval($CODE, $$$)',
        'new Function($$$, $CODE)',
      ],
      python: ['eval($CODE, $$$)', 'exec($CODE, $$$)'],
    },
    refine: describeEval,
    syntax: requestChecksOf('code-injection'),
  },
]
