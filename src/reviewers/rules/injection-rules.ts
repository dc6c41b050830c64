// Rules about SQL, shell commands and code that are built from variables.

import type { Node } from 'web-tree-sitter'
import { isConstant } from '../../languages/rules/literals.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import { expectsSqlValue, isSqlStatement } from '../../languages/rules/sql-text.ts'
import {
  argumentsOf,
  calleeOf,
  callTypes,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { allRuleLanguages, grammarFamilyOf, type Hit, type ParsedFile, type Rule } from './rule.ts'
import { type BuiltText, builtTextOf, type Insertion, isSafeInsertion } from './text-building.ts'
import { isRequestInput } from './value-origins.ts'

/** Programs that developers run by hand: the values that they insert are the developers' own. */
const developerTool =
  /(?:^|\/)(?:(?:scripts?|tools?|build|bench\w*|ci|hack|migrations?|seeds?)\/|(?:build|release|deploy|gulpfile|[\w-]+\.config)\.[cm]?[jt]s$)/

const sqlSinks: Readonly<Record<string, RegExp>> = {
  javascript:
    /^(?:query|execute|raw|exec|run|all|get|each|prepare|unsafe|literal|whereRaw|orderByRaw|selectRaw|queryRaw|executeSql|\$queryRawUnsafe|\$executeRawUnsafe)$/,
  python:
    /^(?:execute|executemany|executescript|raw|text|read_sql|read_sql_query|fetch|fetchrow|fetchval|extra)$/,
  go: /^(?:Query|QueryContext|QueryRow|QueryRowContext|Exec|ExecContext|Prepare|PrepareContext|Raw|Queryx|QueryRowx|Select|Get|MustExec)$/,
  java: /^(?:executeQuery|executeUpdate|execute|addBatch|prepareStatement|prepareCall|createQuery|createNativeQuery|createSQLQuery|query|queryForObject|queryForList|update|nativeQuery)$/,
}

function checkSql(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (!sqlSinks[grammarFamilyOf(file.language)]!.test(name)) return undefined
  if (!receiver && name !== 'text' && name !== 'query') return undefined
  for (const argument of argumentsOf(call).slice(0, 2)) {
    const built = builtTextOf(argument, file)
    if (!built || !isSqlStatement(built.text)) continue
    const insertion = findRiskyInsertion(built, file, ({ before }) => {
      return !developerTool.test(file.path) && expectsSqlValue(built.text, before)
    })
    if (insertion) return injectionHit(call, insertion, file, sqlInjection)
  }
  return undefined
}

/** Prefers a value from a request at any position, then the first value at a risky position. */
function findRiskyInsertion(
  built: BuiltText,
  file: ParsedFile,
  isRiskyPosition: (insertion: Insertion) => boolean,
): Insertion | undefined {
  return (
    built.insertions.find((insertion) => isRequestInput(insertion.value, file)) ??
    built.insertions.find(isRiskyPosition)
  )
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
  remedy: 'Pass it as a parameter of the query.',
}

const shellInjection: InjectionWording = {
  name: 'Command',
  target: 'shell command',
  payload: 'a `;`, a `$(…)` or a quote',
  remedy: 'Pass the arguments as a list, without a shell.',
}

function injectionHit(
  call: Node,
  insertion: Insertion,
  file: ParsedFile,
  { name, target, payload, remedy }: InjectionWording,
): Hit {
  const value = quoteCode(insertion.value.text)
  const isFromRequest = isRequestInput(insertion.value, file)
  const source = isFromRequest ? ' It comes from a request.' : ''
  const isOnCallLine = lineOf(insertion.value) === lineOf(call)
  return {
    // The text has to change where it is built; the call may be further down.
    at: firstLine(insertion.value),
    fallback: firstLine(call),
    title: `${name} injection: ${value} is concatenated into the ${target}`,
    body:
      `When ${value} contains ${payload}, that text is executed with the rights of this ` +
      `program.${source} ${remedy}`,
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
    const insertion = findRiskyInsertion(built, file, () => !developerTool.test(file.path))
    return insertion && injectionHit(call, insertion, file, shellInjection)
  }
  if (!isRequestInput(command, file) || isSafeInsertion(command, file)) return undefined
  return injectionHit(call, { value: command, before: '', after: '' }, file, shellInjection)
}

/** The argument of a call that a shell interprets; undefined when the call starts no shell. */
function shellCommandOf(call: Node, file: ParsedFile): Node | undefined {
  return shellCommandReaders[grammarFamilyOf(file.language)]!(call, file)
}

const shellCommandReaders: Readonly<
  Record<string, (call: Node, file: ParsedFile) => Node | undefined>
> = {
  javascript: shellCommandInScript,
  python: shellCommandInPython,
  go: shellCommandInGo,
  java: shellCommandInJava,
}

/** JavaScript: `exec(command)`, `spawn(command, { shell: true })`. */
function shellCommandInScript(call: Node, file: ParsedFile): Node | undefined {
  if (!file.text.includes('child_process')) return undefined
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  if (/^(?:exec|execSync|execAsync|execPromise)$/.test(name)) {
    const isModule = !receiver || /^(?:child_process|childProcess|cp)$/.test(receiver.text)
    return isModule ? args[0] : undefined
  }
  if (!/^(?:spawn|spawnSync|execFile|execFileSync)$/.test(name)) return undefined
  const usesShell = args.some(
    (argument) => argument.type === 'object' && /\bshell:\s*true\b/.test(argument.text),
  )
  return usesShell ? args[0] : undefined
}

/** Python: `os.system(command)`, `subprocess.run(command, shell=True)`. */
function shellCommandInPython(call: Node): Node | undefined {
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  if (receiver?.text === 'os') return /^(?:system|popen)$/.test(name) ? args[0] : undefined
  if (receiver?.text !== 'subprocess') return undefined
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
  return argumentsOf(call).length > 1 || /^compile\(/.test(argument.text)
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
      { languages: allRuleLanguages, nodes: callTypes, wholeFunction: true, check: checkShell },
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
  },
]
