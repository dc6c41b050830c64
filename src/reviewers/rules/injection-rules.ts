// Rules about texts for another interpreter (SQL, a shell, code) that are put together with variables.
import type { Node } from 'web-tree-sitter'
import type { Hit, Language, Rule, SourceFile } from './rule.ts'
import { javascriptFamily } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  code,
  field,
  fieldText,
  find,
  firstLine,
  isConstant,
  isRequestInput,
  lineOf,
  unwrap,
} from './syntax.ts'
import { type BuiltText, builtText, type Insertion, isHarmless } from './text-building.ts'

const sqlStart =
  /^\s*(?:select\b[^;]{0,2000}?\bfrom\b|insert\s+(?:or\s+\w+\s+)?into\b|update\b[^;]{0,500}?\bset\b|delete\s+from\b|with\s+\w+\s+as\s*\(|create\s+(?:table|user|database)|drop\s+|alter\s+|call\s+\w+\()/i
const sqlSinks: Readonly<Record<string, RegExp>> = {
  javascript:
    /^(?:query|execute|raw|exec|run|all|get|each|prepare|unsafe|literal|whereRaw|orderByRaw|selectRaw|queryRaw|executeSql|\$queryRawUnsafe|\$executeRawUnsafe)$/,
  python: /^(?:execute|executemany|executescript|raw|text|read_sql|read_sql_query|fetch|fetchrow|fetchval|extra)$/,
  go: /^(?:Query|QueryContext|QueryRow|QueryRowContext|Exec|ExecContext|Prepare|PrepareContext|Raw|Queryx|QueryRowx|Select|Get|MustExec)$/,
  java: /^(?:executeQuery|executeUpdate|execute|addBatch|prepareStatement|prepareCall|createQuery|createNativeQuery|createSQLQuery|query|queryForObject|queryForList|update|nativeQuery)$/,
}
/** A place where SQL takes a value, or a value is being quoted by hand. */
const valuePlace =
  /(?:=|<|>|\blike|\bilike|\bin\s*\(|\bvalues\s*\((?:[^()]{0,500},)?|\blimit|\boffset|\bbetween|\bthen|\breturning\s+'|\bin\s*\([^()]{0,500},|,\s*'|\()\s*['"%]{0,3}$/i

function checkSql(call: Node, file: SourceFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (!sqlSinks[familyOf(file.language)]!.test(name) || (!receiver && name !== 'text' && name !== 'query'))
    return undefined
  for (const argument of argumentsOf(call).slice(0, 2)) {
    const built = builtText(argument, file)
    if (!built || !sqlStart.test(built.text.slice(0, 4_000))) continue
    const insertion = worst(built, file, (candidate) => valuePlace.test(candidate.before.slice(-800)))
    if (insertion) return injection(call, insertion, file, 'SQL', 'Pass it as a parameter of the query.')
  }
  return undefined
}

/** The insertion that matters most: one from a request anywhere, else the first in a place that takes a value. */
function worst(built: BuiltText, file: SourceFile, counts: (insertion: Insertion) => boolean): Insertion | undefined {
  return built.insertions.find((insertion) => isRequestInput(insertion.value, file)) ?? built.insertions.find(counts)
}

function injection(call: Node, insertion: Insertion, file: SourceFile, kind: string, remedy: string): Hit {
  const value = code(insertion.value.text)
  const fromRequest = isRequestInput(insertion.value, file)
  return {
    // Where the text is put together is the place to change; the call may stand further down.
    at: firstLine(insertion.value),
    or: firstLine(call),
    title: `${value} is put into ${kind} text, so whoever controls it controls the ${kind === 'SQL' ? 'statement' : 'command'}`,
    body: `When ${value} holds ${kind === 'SQL' ? 'a quote or more SQL' : 'a `;`, a `$(…)` or a quote'}, it is executed with the rights of this program.${fromRequest ? ' It comes from a request.' : ''} ${remedy}`,
    severity: fromRequest ? 'critical' : 'moderate',
    confidence: fromRequest ? 0.95 : 0.8,
    evidence: lineOf(insertion.value) === lineOf(call) ? [] : [{ line: lineOf(call), note: 'and executed here' }],
  }
}

function familyOf(language: Language): string {
  return javascriptFamily.includes(language) ? 'javascript' : language
}

/** Programs that developers run: what they insert comes from themselves. */
const developerTool = /(?:^|\/)(?:scripts?|tools?|build|bench\w*|ci|hack)\//

const shellRemedy = 'Pass the arguments as a list, without a shell.'

function checkShell(call: Node, file: SourceFile): Hit | undefined {
  const command = shellCommandOf(call, file)
  if (!command) return undefined
  const built = builtText(command, file)
  if (built) {
    const insertion = worst(built, file, () => !developerTool.test(file.path))
    return insertion && injection(call, insertion, file, 'shell', shellRemedy)
  }
  const isBare = isRequestInput(command, file) && !isHarmless(command, file)
  return isBare ? injection(call, { value: command, before: '', after: '' }, file, 'shell', shellRemedy) : undefined
}

/** The argument of a call that a shell interprets, or undefined when no shell is started. */
function shellCommandOf(call: Node, file: SourceFile): Node | undefined {
  const { receiver, name } = calleeOf(call)
  const args = argumentsOf(call)
  const owner = receiver?.text ?? ''
  if (file.language === 'python') {
    if (owner === 'os' && /^(?:system|popen)$/.test(name)) return args[0]
    const isShell = args.some(
      (argument) => argument.type === 'keyword_argument' && /^shell\s*=\s*True$/.test(argument.text),
    )
    return owner === 'subprocess' && isShell ? args[0] : undefined
  }
  if (file.language === 'go') {
    const texts = args.map((argument) => argument.text)
    const shell = texts.findIndex((text) => /^"(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh"$/.test(text))
    const isShell = owner === 'exec' && /^Command/.test(name) && shell >= 0 && texts[shell + 1] === '"-c"'
    return isShell ? args[shell + 2] : undefined
  }
  if (file.language === 'java') return name === 'exec' && /untime/.test(owner) ? args[0] : undefined
  if (!file.text.includes('child_process')) return undefined
  if (/^(?:exec|execSync|execAsync|execPromise)$/.test(name)) {
    return !receiver || /^(?:child_process|childProcess|cp)$/.test(owner) ? args[0] : undefined
  }
  const usesShell = args.some((argument) => argument.type === 'object' && /\bshell:\s*true\b/.test(argument.text))
  return /^(?:spawn|spawnSync|execFile|execFileSync)$/.test(name) && usesShell ? args[0] : undefined
}

function checkEval(node: Node, file: SourceFile): Hit | undefined {
  const isNew = node.type === 'new_expression'
  const callee = isNew ? fieldText(node, 'constructor') : fieldText(node, 'function')
  const names =
    file.language === 'python' ? /^(?:eval|exec)$/ : isNew ? /^Function$/ : /^(?:eval|window\.eval|globalThis\.eval)$/
  if (!names.test(callee)) return undefined
  const argument = isNew ? argumentsOf(node).at(-1) : argumentsOf(node)[0]
  if (!argument || isConstant(argument)) return undefined
  const built = builtText(argument, file)
  if (built && built.insertions.length === 0) return undefined
  const fromRequest = isRequestInput(argument, file)
  // Given its own namespace, or compiled before: made for running code.
  if (!fromRequest && file.language === 'python' && (argumentsOf(node).length > 1 || /^compile\(/.test(argument.text)))
    return undefined
  return {
    at: firstLine(node),
    title: `${code(argument.text)} is run as code`,
    body: `When someone else has a say in ${code(argument.text)}, they run what they like with the rights of this program. Parse the data, or choose from a fixed set of functions.`,
    severity: fromRequest ? 'critical' : 'moderate',
    confidence: fromRequest ? 0.95 : 0.7,
  }
}

const cleanHtml = /sanitiz|purify|escape|encode|\bxss\b|trusted|safe|highlight|katex|translate|\bt\(/i

function checkHtml(node: Node, file: SourceFile): Hit | undefined {
  const value = htmlValueOf(node)
  if (!value || isConstant(value) || cleanHtml.test(value.text.slice(0, 2_000))) return undefined
  const built = builtText(value, file)
  const origin = built ? built.insertions.map((insertion) => insertion.value) : [value]
  const fromRequest = origin.find((candidate) => isRequestInput(candidate, file))
  const named = origin.find((candidate) => looksLikeText(candidate))
  const source = fromRequest ?? named
  if (!source || isHarmless(source, file)) return undefined
  return {
    at: firstLine(source),
    title: `${code(source.text)} is put into the page as HTML`,
    body: `When ${code(source.text)} holds a tag with a script, it runs in the page of whoever looks at it. Set \`textContent\`, or sanitise the value first.`,
    severity: fromRequest ? 'critical' : 'moderate',
    confidence: fromRequest ? 0.95 : 0.7,
  }
}

/** What is written as HTML: `x.innerHTML = …`, `__html: …`, `document.write(…)`. */
function htmlValueOf(node: Node): Node | undefined {
  if (node.type === 'pair') return fieldText(node, 'key') === '__html' ? unwrapped(node, 'value') : undefined
  if (node.type === 'call_expression') {
    const { receiver, name } = calleeOf(node)
    if (receiver?.text === 'document' && /^writeln?$/.test(name)) return argumentsOf(node)[0]
    return name === 'insertAdjacentHTML' ? argumentsOf(node)[1] : undefined
  }
  const left = field(node, 'left')
  if (left?.type !== 'member_expression' || !/^(?:innerHTML|outerHTML)$/.test(fieldText(left, 'property')))
    return undefined
  return unwrapped(node, 'right')
}

function unwrapped(node: Node, name: string): Node | undefined {
  const value = field(node, name)
  return value && unwrap(value)
}

/** Whether a value is named like something people write: without that, `innerHTML` is mostly the page's own markup. */
function looksLikeText(node: Node): boolean {
  const last = /(\w+)\W*$/.exec(node.text.slice(0, 300))?.[1] ?? ''
  if (last === '__html') return false
  return /name|title|body|comment|message|content|description|text|bio|query|search|input|value|html|label|email|url/i.test(
    last,
  )
}

const pathSinks: Readonly<Record<string, RegExp>> = {
  javascript:
    /^(?:path\.)?(?:join|resolve)$|^(?:fs\.|fsp\.|fs\.promises\.|res\.)?(?:readFile|readFileSync|writeFile|writeFileSync|createReadStream|createWriteStream|unlink|unlinkSync|rm|sendFile|download)$/,
  python: /^(?:os\.path\.join|open|send_file|os\.remove|os\.unlink|shutil\.rmtree|FileResponse)$/,
  go: /^(?:filepath\.Join|path\.Join|os\.(?:Open|ReadFile|Remove|Create|WriteFile)|http\.ServeFile)$/,
  java: /^(?:Paths\.get|Path\.of|Files\.\w+)$/,
}
const confined =
  /startsWith\(|\.startswith\(|basename|\brelative\(|secure_filename|safe_join|is_relative_to|HasPrefix|filepath\.Base|commonpath|isLocal|IsLocal|normalize\(\)|root:|\bwhitelist|\ballowed|sanitiz|\btest\(/i

function checkPath(call: Node, file: SourceFile): Hit | undefined {
  const callee = fieldText(call, 'function') || `${fieldText(call, 'object')}.${fieldText(call, 'name')}`
  if (!pathSinks[familyOf(file.language)]!.test(callee)) return undefined
  const tainted = argumentsOf(call).find((argument) => carriesPath(argument, file))
  if (!tainted) return undefined
  let scope: Node = call
  while (scope.parent?.parent && !/function|method|lambda|func_literal/.test(scope.type)) scope = scope.parent
  if (confined.test(scope.text.slice(0, 20_000))) return undefined
  const value = code(tainted.text)
  return {
    at: firstLine(call),
    title: `${value} comes from a request and is used as a path without a check`,
    body: `When ${value} holds \`../\`, the path leaves its folder, and any file that this program can reach is within reach of the client. Resolve the path and check that it is still inside.`,
  }
}

function carriesPath(argument: Node, file: SourceFile): boolean {
  const inner = unwrap(argument)
  if (
    !/^(?:identifier|member_expression|attribute|subscript|subscript_expression|call|call_expression|method_invocation|selector_expression|index_expression|template_string|binary_expression|string)$/.test(
      inner.type,
    )
  ) {
    return false
  }
  if (isHarmless(inner, file) || isConstant(inner)) return false
  // Not a whole body, a handle on the request, or its fixed parts.
  return (
    isRequestInput(inner, file) &&
    !/\b(?:body|request|req|values|json|headers)\)?$/.test(inner.text) &&
    find(inner, 'arrow_function').length === 0
  )
}

function checkDeserialize(call: Node, file: SourceFile): Hit | undefined {
  const callee = fieldText(call, 'function')
  const args = argumentsOf(call)
  const isYaml = callee === 'yaml.load' && args.length === 1 && !isConstant(args[0]!)
  const isPickle =
    /^(?:pickle|cPickle|dill|marshal)\.loads$/.test(callee) && args[0] !== undefined && isRequestInput(args[0], file)
  if (!isYaml && !isPickle) return undefined
  return {
    at: firstLine(call),
    title: `${code(callee)} can run code that the data names`,
    body: `When someone else wrote the data, loading it calls functions of their choice. Use ${isYaml ? '`yaml.safe_load`' : 'a format without code, such as JSON'}.`,
    severity: isPickle ? 'critical' : 'moderate',
  }
}

const calls = ['call_expression', 'call', 'method_invocation']
const everyLanguage: readonly Language[] = [...javascriptFamily, 'python', 'go', 'java']

export const injectionRules: readonly Rule[] = [
  {
    id: 'sql-injection',
    summary: 'A variable is put into the text of an SQL statement. Critical when it comes from a request.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.8,
    syntax: [{ languages: everyLanguage, nodes: calls, wide: true, check: checkSql }],
  },
  {
    id: 'command-injection',
    summary: 'A variable is put into the text of a shell command. Critical when it comes from a request.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.8,
    syntax: [{ languages: everyLanguage, nodes: calls, wide: true, check: checkShell }],
  },
  {
    id: 'code-injection',
    summary: 'A value is run as code. Critical when it comes from a request.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.7,
    syntax: [{ languages: [...javascriptFamily, 'python'], nodes: [...calls, 'new_expression'], check: checkEval }],
  },
  {
    id: 'html-injection',
    summary: 'A text is put into a page as HTML. Critical when it comes from a request.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.7,
    syntax: [
      { languages: javascriptFamily, nodes: ['assignment_expression', 'pair', 'call_expression'], check: checkHtml },
    ],
  },
  {
    id: 'path-traversal',
    summary: 'A value from a request is used as a path without a check that it stays in its folder.',
    severity: 'critical',
    category: 'security',
    confidence: 0.8,
    syntax: [{ languages: everyLanguage, nodes: calls, check: checkPath }],
  },
  {
    id: 'unsafe-deserialization',
    summary: 'Python: data is loaded in a way that can run code (`yaml.load` without a loader, `pickle` of a request).',
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    syntax: [{ languages: ['python'], nodes: ['call'], check: checkDeserialize }],
  },
]
