// Rules about texts for another interpreter (SQL, a shell, code) that are put together with variables.
import type { Node } from 'web-tree-sitter'
import { isConstant } from './literals.ts'
import {
  allRuleLanguages,
  grammarFamilyOf,
  type Hit,
  javascriptFamily,
  type ParsedFile,
  type Rule,
} from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  callTypes,
  fieldText,
  firstLine,
  lineOf,
  quoteCode,
} from './syntax-nodes.ts'
import { type BuiltText, builtTextOf, type Insertion, isSafeInsertion } from './text-building.ts'
import { isRequestInput } from './value-origins.ts'

/** Programs that developers run once or by hand: what they insert comes from themselves. */
const developerTool =
  /(?:^|\/)(?:(?:scripts?|tools?|build|bench\w*|ci|hack|migrations?|seeds?)\/|(?:build|release|deploy|gulpfile|[\w-]+\.config)\.[cm]?[jt]s$)/

const sqlStart =
  /^\s*(?:select\b[^;]{0,2000}?\bfrom\b|insert\s+(?:or\s+\w+\s+)?into\b|update\b[^;]{0,500}?\bset\b|delete\s+from\b|with\s+\w+\s+as\s*\(|create\s+(?:table|user|database)|drop\s+|alter\s+|call\s+\w+\()/i

const sqlSinks: Readonly<Record<string, RegExp>> = {
  javascript:
    /^(?:query|execute|raw|exec|run|all|get|each|prepare|unsafe|literal|whereRaw|orderByRaw|selectRaw|queryRaw|executeSql|\$queryRawUnsafe|\$executeRawUnsafe)$/,
  python:
    /^(?:execute|executemany|executescript|raw|text|read_sql|read_sql_query|fetch|fetchrow|fetchval|extra)$/,
  go: /^(?:Query|QueryContext|QueryRow|QueryRowContext|Exec|ExecContext|Prepare|PrepareContext|Raw|Queryx|QueryRowx|Select|Get|MustExec)$/,
  java: /^(?:executeQuery|executeUpdate|execute|addBatch|prepareStatement|prepareCall|createQuery|createNativeQuery|createSQLQuery|query|queryForObject|queryForList|update|nativeQuery)$/,
}

/** The names of columns. */
const columnPosition = /\binto\s+\S{1,200}\s*\($/i

/** Statements about tables hold no values. */
const definition = /^\s*(?:create|drop|alter)\b/i

/** A place where SQL takes a value, or a value is being quoted by hand. */
const valuePosition =
  /(?:=|<|>|\blike|\bilike|\bin\s*\(|\bvalues\s*\((?:[^()]{0,500},)?|\blimit|\boffset|\bbetween|\bthen|\breturning\s+'|\bin\s*\([^()]{0,500},|,\s*'|\()\s*['"%]{0,3}$/i

function checkSql(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (
    !sqlSinks[grammarFamilyOf(file.language)]!.test(name) ||
    (!receiver && name !== 'text' && name !== 'query')
  )
    return undefined
  for (const argument of argumentsOf(call).slice(0, 2)) {
    const built = builtTextOf(argument, file)
    if (!built || !sqlStart.test(built.text.slice(0, 4_000))) continue
    const insertion = worstInsertion(
      built,
      file,
      (candidate) =>
        !developerTool.test(file.path) &&
        !definition.test(built.text) &&
        !columnPosition.test(candidate.before.slice(-800)) &&
        valuePosition.test(candidate.before.slice(-800)),
    )
    if (insertion)
      return injection(call, insertion, file, 'SQL', 'Pass it as a parameter of the query.')
  }
  return undefined
}

/** The insertion that matters most: one from a request anywhere, else the first in a place that takes a value. */
function worstInsertion(
  built: BuiltText,
  file: ParsedFile,
  counts: (insertion: Insertion) => boolean,
): Insertion | undefined {
  return (
    built.insertions.find((insertion) => isRequestInput(insertion.value, file)) ??
    built.insertions.find(counts)
  )
}

function injection(
  call: Node,
  insertion: Insertion,
  file: ParsedFile,
  kind: string,
  remedy: string,
): Hit {
  const value = quoteCode(insertion.value.text)
  const fromRequest = isRequestInput(insertion.value, file)
  return {
    // Where the text is put together is the place to change; the call may stand further down.
    at: firstLine(insertion.value),
    fallback: firstLine(call),
    title: `${value} is put into ${kind} text, so whoever controls it controls the ${kind === 'SQL' ? 'statement' : 'command'}`,
    body: `When ${value} holds ${kind === 'SQL' ? 'a quote or more SQL' : 'a `;`, a `$(…)` or a quote'}, it is executed with the rights of this program.${fromRequest ? ' It comes from a request.' : ''} ${remedy}`,
    severity: fromRequest ? 'critical' : 'moderate',
    confidence: fromRequest ? 0.95 : 0.8,
    evidence:
      lineOf(insertion.value) === lineOf(call)
        ? []
        : [{ line: lineOf(call), note: 'and executed here' }],
  }
}

const shellRemedy = 'Pass the arguments as a list, without a shell.'

function checkShell(call: Node, file: ParsedFile): Hit | undefined {
  const command = shellCommandOf(call, file)
  if (!command) return undefined
  const built = builtTextOf(command, file)
  if (built) {
    const insertion = worstInsertion(built, file, () => !developerTool.test(file.path))
    return insertion && injection(call, insertion, file, 'shell', shellRemedy)
  }
  const isBare = isRequestInput(command, file) && !isSafeInsertion(command, file)
  return isBare
    ? injection(call, { value: command, before: '', after: '' }, file, 'shell', shellRemedy)
    : undefined
}

/** The argument of a call that a shell interprets, or undefined when no shell is started. */
function shellCommandOf(call: Node, file: ParsedFile): Node | undefined {
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  const owner = receiver?.text ?? ''
  if (file.language === 'python') {
    if (owner === 'os' && /^(?:system|popen)$/.test(name)) return args[0]
    const isShell = args.some(
      (argument) =>
        argument.type === 'keyword_argument' && /^shell\s*=\s*True$/.test(argument.text),
    )
    return owner === 'subprocess' && isShell ? args[0] : undefined
  }
  if (file.language === 'go') {
    const texts = args.map((argument) => argument.text)
    const shell = texts.findIndex((text) => /^"(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh"$/.test(text))
    const isShell =
      owner === 'exec' && /^Command/.test(name) && shell >= 0 && texts[shell + 1] === '"-c"'
    return isShell ? args[shell + 2] : undefined
  }
  if (file.language === 'java') return name === 'exec' && /untime/.test(owner) ? args[0] : undefined
  if (!file.text.includes('child_process')) return undefined
  if (/^(?:exec|execSync|execAsync|execPromise)$/.test(name)) {
    return !receiver || /^(?:child_process|childProcess|cp)$/.test(owner) ? args[0] : undefined
  }
  const usesShell = args.some(
    (argument) => argument.type === 'object' && /\bshell:\s*true\b/.test(argument.text),
  )
  return /^(?:spawn|spawnSync|execFile|execFileSync)$/.test(name) && usesShell ? args[0] : undefined
}

function checkEval(node: Node, file: ParsedFile): Hit | undefined {
  const isNew = node.type === 'new_expression'
  const callee = isNew ? fieldText(node, 'constructor') : fieldText(node, 'function')
  const names =
    file.language === 'python'
      ? /^(?:eval|exec)$/
      : isNew
        ? /^Function$/
        : /^(?:eval|window\.eval|globalThis\.eval)$/
  if (!names.test(callee)) return undefined
  const argument = isNew ? argumentsOf(node).at(-1) : argumentsOf(node)[0]
  if (!argument || isConstant(argument)) return undefined
  const built = builtTextOf(argument, file)
  if (built && built.insertions.length === 0) return undefined
  const fromRequest = isRequestInput(argument, file)
  // Given its own namespace, or compiled before: made for running code.
  if (
    !fromRequest &&
    file.language === 'python' &&
    (argumentsOf(node).length > 1 || /^compile\(/.test(argument.text))
  )
    return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(argument.text)} is run as code`,
    body: `When someone else has a say in ${quoteCode(argument.text)}, they run what they like with the rights of this program. Parse the data, or choose from a fixed set of functions.`,
    severity: fromRequest ? 'critical' : 'moderate',
    confidence: fromRequest ? 0.95 : 0.7,
  }
}

export const injectionRules: readonly Rule[] = [
  {
    id: 'sql-injection',
    summary:
      'A variable is put into the text of an SQL statement. Critical when it comes from a request.',
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
      'A variable is put into the text of a shell command. Critical when it comes from a request.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.8,
    syntax: [
      { languages: allRuleLanguages, nodes: callTypes, wholeFunction: true, check: checkShell },
    ],
  },
  {
    id: 'code-injection',
    summary: 'A value is run as code. Critical when it comes from a request.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.7,
    syntax: [
      {
        languages: [...javascriptFamily, 'python'],
        nodes: [...callTypes, 'new_expression'],
        check: checkEval,
      },
    ],
  },
]
