// Finds shell commands with values in them.
import type { Node } from 'web-tree-sitter'
import { valuesOf } from './bindings.ts'
import { builtTextOf } from './built-text.ts'
import { callAndNewTypes, readCall, valuesPassedTo } from './calls.ts'
import { injectionHit, riskyValues, shellInjection, textOrValue } from './injection-hit.ts'
import { ownFunctionOf, passesOn } from './own-functions.ts'
import { type ShellSink, sinksOf } from './sinks.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { codeChildren, field } from './syntax-nodes.ts'
import { matchesFile } from './word-index.ts'

function checkCall(call: Node, file: ParsedFile): Hit | undefined {
  const command = commandOf(call, file)
  return command && shellHit(command, call, file)
}

/** Reports `startInfo.Arguments = "/c " + command`. */
function checkArguments(assignment: Node, file: ParsedFile): Hit | undefined {
  const value = field(assignment, 'right')
  const isArguments = /(?:^|\.)Arguments$/.test(field(assignment, 'left')?.text ?? '')
  const isCommand = value && isArguments && startsCommand(value, file)
  return isCommand ? shellHit(value, assignment, file) : undefined
}

/** The argument that a shell interprets, also by a function of the file. */
function commandOf(call: Node, file: ParsedFile): Node | undefined {
  const direct = shellArgument(call, file)
  if (direct || !ownFunctionOf(call)) return direct
  const takes = (inner: Node) => [shellArgument(inner, file) ?? []].flat()
  return valuesPassedTo(call).find((argument) => {
    const isPassed = passesOn(call, argument, takes)
    return isPassed && (builtTextOf(argument, file)?.values.length ?? 0) > 0
  })
}

function shellArgument(call: Node, file: ParsedFile): Node | undefined {
  if (isChained(call, file)) return valuesPassedTo(call)[0]
  const name = originalName(call)
  const sink = sinksOf(file)?.shell.find(
    (each) => each.callees(name) && matchesFile(file, each.file ?? /^/),
  )
  if (!sink) return undefined
  const texts = valuesPassedTo(call).filter(({ type }) => !optionTypes.test(type))
  const [first] = texts
  if (!first || !startsShellWith(first, call, sink) || (sink.isAlone && texts.length !== 1))
    return undefined
  if (!isList(first)) return first
  // With an option for a shell, the elements are parts of its command, too.
  return sink.option ? first.namedChildren.find(({ type }) => !/string/.test(type)) : undefined
}

const optionTypes = /^(?:pair|hash|object|keyword_argument)$/

/** Whether the code of a call has what its sink requires. */
function startsShellWith(command: Node, call: Node, { option, quoted }: ShellSink): boolean {
  const quotes = /(?:^.|\s|=)(["'])\$\{/
  return (
    (!option || option.test(call.text.slice(-1_000))) &&
    (!quoted || quotes.test(command.text.slice(0, 2_000)))
  )
}

/** The name of the function that a call runs; `exec` for `run` after `run = promisify(exec)`. */
function originalName(call: Node): string {
  const name = readCall(call).plain
  const value = /^\w+$/.test(name) ? valuesOf(call, name).at(-1) : undefined
  return /promisify\(([\w.]+)\)$/.exec(value?.text.slice(0, 100) ?? '')?.[1] ?? name
}

/** `Command::new("sh").arg("-c").arg(command)`. */
function isChained(call: Node, file: ParsedFile): boolean {
  if (!/^args?$/.test(readCall(call).name)) return false
  const callee = readCall(call).written.slice(-200)
  return (
    /\.args?\(\s*(?:&?\[)?\s*"-l?c"\s*\]?\s*\)\s*\.args?$/.test(callee) && startsShell(call, file)
  )
}

/** The name of a shell, and the option that makes it run a text. */
const shellProgram =
  /^[@&$]?["'`](?:[\w:\\/.]{0,30}[\\/])?(?:(?:ba|z|da|k)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh)["'`]/i
const shellOption = /^&?["'`](?:-l?c|\/c|-Command)["'`]/i
const anyOption = /["'`](?:-l?c|\/[ck]|-Command)["'`\s]/i

const listTypes = [
  ...['argument_list', 'arguments', 'value_arguments', 'array', 'list', 'array_initializer'],
  ...['array_expression', 'literal_value', 'array_creation_expression', 'token_tree'],
  ...['initializer_expression', 'collection_expression', 'collection_literal'],
]

function isList({ type }: Node): boolean {
  return listTypes.includes(type)
}

/** Calls that start a shell, lists such as `"sh", "-c"`, and backticks. */
export const shellChecks: readonly SyntaxCheck[] = [
  { nodes: callAndNewTypes, wholeFunction: true, check: checkCall },
  { nodes: listTypes, check: checkList },
  {
    nodes: ['subshell', 'shell_command_expression'],
    check: (node, file) => shellHit(node, node, file),
  },
  { nodes: ['assignment_expression'], check: checkArguments },
]

/** Reports a list such as `"sh", "-c", command`, wherever it is passed. */
function checkList(list: Node, file: ParsedFile): Hit | undefined {
  if (!anyOption.test(list.text.slice(0, 300))) return undefined
  const items = itemsOf(list).flatMap((item) => (isList(item) ? itemsOf(item) : [item]))
  const program = items.findIndex(({ text }) => shellProgram.test(text))
  const next = items[program + 1]
  if (program >= 0 && next && startsCommand(next, file)) return shellHit(next, list, file)
  const option = items.findIndex(({ text }) => shellOption.test(text))
  const isShell = option > 0 && shellProgram.test(items[option - 1]!.text)
  const isRest = option === 0 && startsShell(list, file)
  const command = items[option + 1]
  return command && (isShell || isRest) ? shellHit(command, list, file) : undefined
}

/** Whether a text is the option of a shell with the command: `"/c " + command`. */
function startsCommand(node: Node, file: ParsedFile): boolean {
  return /^\s*(?:-l?c|\/[ck]|-Command)\s/i.test(builtTextOf(node, file)?.text.slice(0, 40) ?? '')
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

/** Reports a value in the shell command that an expression builds, or that a client sent. */
export function shellHit(expression: Node, use: Node, file: ParsedFile): Hit | undefined {
  const { text, values } = textOrValue(expression, file)
  const risky = riskyValues(values, file).filter(
    ({ before, code, isSent }) =>
      isSent || (text !== '\0' && (before.trim() !== '' || !programName.test(code))),
  )
  return injectionHit(risky, use, shellInjection)
}
