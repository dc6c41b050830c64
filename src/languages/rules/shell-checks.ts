// Makes checks for shell commands with values in them.
import type { Node } from 'web-tree-sitter'
import { builtTextOf } from './built-text.ts'
import { type CodeSyntax, calleeName, methodName } from './code-syntax.ts'
import { injectionHit, riskyValues, shellInjection, textOrValue } from './injection-hit.ts'
import { valuesOf } from './local-bindings.ts'
import { ownFunctionOf, passesOn } from './own-functions.ts'
import type { ShellSink } from './sinks.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { codeChildren, field } from './syntax-nodes.ts'
import { matchesFile } from './word-index.ts'

/** Makes the checks of calls that start a shell, of lists such as `"sh", "-c"`, and backticks. */
export function checkShell(syntax: CodeSyntax, sinks: readonly ShellSink[]): SyntaxCheck[] {
  return [
    {
      nodes: syntax.calls,
      wholeFunction: true,
      check(call, file) {
        const command = commandOf(call, sinks, syntax, file)
        return command && shellHit(command, call, syntax, file)
      },
    },
    { nodes: listTypes, check: (list, file) => checkList(list, syntax, file) },
    {
      nodes: ['subshell', 'shell_command_expression'],
      check: (node, file) => shellHit(node, node, syntax, file),
    },
    {
      nodes: ['assignment_expression'],
      check(node, file) {
        const value = field(node, 'right')
        const isArguments = /(?:^|\.)Arguments$/.test(field(node, 'left')?.text ?? '')
        const isCommand = value && isArguments && startsCommand(value, syntax)
        return isCommand ? shellHit(value, node, syntax, file) : undefined
      },
    },
  ]
}

/** The argument that a shell interprets, also by a function of the file. */
function commandOf(
  call: Node,
  sinks: readonly ShellSink[],
  syntax: CodeSyntax,
  file: ParsedFile,
): Node | undefined {
  const direct = shellArgument(call, sinks, syntax, file)
  if (direct || !ownFunctionOf(call, syntax)) return direct
  const takes = (inner: Node) => [shellArgument(inner, sinks, syntax, file) ?? []].flat()
  return syntax.argumentsOf(call).find((argument) => {
    const isPassed = passesOn(call, argument, syntax, takes)
    return isPassed && (builtTextOf(argument, syntax)?.values.length ?? 0) > 0
  })
}

function shellArgument(
  call: Node,
  sinks: readonly ShellSink[],
  syntax: CodeSyntax,
  file: ParsedFile,
): Node | undefined {
  if (isChained(call, syntax, file)) return syntax.argumentsOf(call)[0]
  const name = originalName(call, syntax)
  const sink = sinks.find((each) => each.callees(name) && matchesFile(file, each.file ?? /^/))
  if (!sink) return undefined
  const texts = syntax.argumentsOf(call).filter(({ type }) => !optionTypes.test(type))
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
function originalName(call: Node, syntax: CodeSyntax): string {
  const name = calleeName(call, syntax)
  const value = /^\w+$/.test(name) ? valuesOf(call, syntax, name).at(-1) : undefined
  return /promisify\(([\w.]+)\)$/.exec(value?.text.slice(0, 100) ?? '')?.[1] ?? name
}

/** `Command::new("sh").arg("-c").arg(command)`. */
function isChained(call: Node, syntax: CodeSyntax, file: ParsedFile): boolean {
  if (!/^args?$/.test(methodName(call, syntax))) return false
  const callee = syntax.calleeOf(call).slice(-200)
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

/** Reports a list such as `"sh", "-c", command`, wherever it is passed. */
function checkList(list: Node, syntax: CodeSyntax, file: ParsedFile): Hit | undefined {
  if (!anyOption.test(list.text.slice(0, 300))) return undefined
  const items = itemsOf(list).flatMap((item) => (isList(item) ? itemsOf(item) : [item]))
  const program = items.findIndex(({ text }) => shellProgram.test(text))
  const next = items[program + 1]
  if (program >= 0 && next && startsCommand(next, syntax)) return shellHit(next, list, syntax, file)
  const option = items.findIndex(({ text }) => shellOption.test(text))
  const isShell = option > 0 && shellProgram.test(items[option - 1]!.text)
  const isRest = option === 0 && startsShell(list, file)
  const command = items[option + 1]
  return command && (isShell || isRest) ? shellHit(command, list, syntax, file) : undefined
}

/** Whether a text is the option of a shell with the command: `"/c " + command`. */
function startsCommand(node: Node, syntax: CodeSyntax): boolean {
  return /^\s*(?:-l?c|\/[ck]|-Command)\s/i.test(builtTextOf(node, syntax)?.text.slice(0, 40) ?? '')
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
export function shellHit(
  expression: Node,
  use: Node,
  syntax: CodeSyntax,
  file: ParsedFile,
): Hit | undefined {
  const { text, values } = textOrValue(expression, syntax)
  const risky = riskyValues(values, syntax, file).filter(
    ({ before, code, isSent }) =>
      isSent || (text !== '\0' && (before.trim() !== '' || !programName.test(code))),
  )
  return injectionHit(risky, use, shellInjection)
}
