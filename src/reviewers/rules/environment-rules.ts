// Rules about environment variables, and about processes that are started.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import {
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { originOf } from './value-origins.ts'

/** A variable of the environment that is empty text where it isn't set, with its name. */
const emptyDefaults: readonly RegExp[] = [
  /^process\.env\.(\w+) (?:\?\?|\|\|) ['"`]{2}$/,
  /^process\.env\[['"](\w+)['"]\] (?:\?\?|\|\|) ['"`]{2}$/,
  /^(?:os\.)?(?:getenv|environ\.get)\(\s*['"](\w+)['"],\s*['"]{2}\s*\)$/,
  /^os\.Getenv\("(\w+)"\)$/,
  /^System\.getenv\(\)\.getOrDefault\("(\w+)",\s*""\)$/,
]

/** Pages may be served below any path, also an empty one. */
const mayBeEmpty = /PUBLIC|VITE|REACT_APP|BASE_?PATH|PREFIX|SUFFIX|ASSET|ROOT/

const isAddress = /URL|URI|HOST|ENDPOINT|ADDR|ORIGIN|SERVER|DOMAIN|API/

/** `${process.env.API_URL ?? ''}/users`. */
function checkAddress(node: Node, file: ParsedFile): Hit | undefined {
  const first = firstInserted(node)
  if (!first) return undefined
  const origin = first.type === 'identifier' ? originOf(first.text, node, file) : undefined
  const source = unwrap(origin?.value ?? first)
  const name = variableWithEmptyDefault(source.text.slice(0, 200))
  if (!name || !isAddress.test(name) || mayBeEmpty.test(name)) return undefined
  if (origin && isTested(first.text, origin.node, file)) return undefined
  return {
    at: firstLine(source),
    fallback: firstLine(node),
    title: `The address is incomplete where ${quoteCode(name)} isn't set`,
    body:
      `When ${quoteCode(name)} isn't set, it is empty here, so ${quoteCode(node.text)} leads ` +
      'nowhere, or to another host. Require the variable when the program starts.',
    evidence: origin ? [{ line: lineOf(node), note: 'the address' }] : [],
  }
}

/** The value that an address begins with, or that follows `https://`, before a path or port. */
function firstInserted(node: Node): Node | undefined {
  if (/^binary_/.test(node.type)) return readConcatenation(node)
  const hole = findNodes(node, 'template_substitution', 'interpolation')[0]
  const before = hole && node.text.slice(0, hole.startIndex - node.startIndex)
  const after = hole && node.text.slice(hole.endIndex - node.startIndex)
  if (!hole || !/^[fF]?["'`](?:https?:\/\/)?$/.test(before!) || !/^[/:]\w/.test(after!))
    return undefined
  return field(hole, 'expression') ?? hole.namedChild(0) ?? undefined
}

function readConcatenation(node: Node): Node | undefined {
  const [left, right] = [field(node, 'left'), field(node, 'right')]
  const isPath = fieldText(node, 'operator') === '+' && /^["'`]\/\w/.test(right?.text ?? '')
  return isPath && left ? unwrap(left) : undefined
}

function variableWithEmptyDefault(text: string): string | undefined {
  for (const pattern of emptyDefaults) {
    const name = pattern.exec(text)?.[1]
    if (name) return name
  }
  return undefined
}

/** Whether the code around a declaration looks at the value: `if base == "" {`. */
function isTested(name: string, declaration: Node, file: ParsedFile): boolean {
  const scope = functionAround(declaration)?.text ?? file.text
  return new RegExp(
    `!${name}\\b|\\b${name}\\)? (?:[!=]==?|\\|\\||\\?\\?|or|\\?) |\\bnot ${name}\\b|` +
      `\\bif \\(?${name}\\b|len\\(${name}\\)|\\b${name}\\.(?:isEmpty|isBlank|length)`,
  ).test(scope)
}

/** `const child = spawn(…)` without `child.on('error', …)`. */
function checkChild(declarator: Node, file: ParsedFile): Hit | undefined {
  const call = field(declarator, 'value')
  const name = field(declarator, 'name')
  const fn = functionAround(declarator)
  if (call?.type !== 'call_expression' || name?.type !== 'identifier' || !fn) return undefined
  if (!isSpawn(call, file) || developerTool.test(file.path)) return undefined
  if (!isUsedHereOnly(name, fn) || listensForErrors(name.text, fn)) return undefined
  return {
    at: firstLine(declarator),
    title: `The process ${quoteCode(name.text)} has no listener for errors`,
    body:
      `When ${quoteCode(readCall(call).args[0]?.text ?? 'the program')} can't be started, the ` +
      'event `error` has no listener, and Node.js ends this program. Add a listener.',
  }
}

const developerTool = /(?:^|\/)(?:scripts?|tools?|build|bench\w*|ci|examples?|fixtures?)\//

function isSpawn(call: Node, { text }: ParsedFile): boolean {
  const { receiver, name } = readCall(call)
  if (name !== 'spawn' || !/['"](?:node:)?child_process['"]/.test(text)) return false
  // The shell and Node.js exist.
  if (/\bshell: ?true\b|^\w+(?:\.\w+)?\(process\.execPath\b/.test(call.text)) return false
  return !receiver || /^(?:child_process|childProcess|cp)$/.test(receiver.text)
}

/** Whether a process is used, and no other code gets it, which may listen. */
function isUsedHereOnly(name: Node, fn: Node): boolean {
  const uses = findNodes(fn, 'identifier').filter(
    ({ text, id }) => text === name.text && id !== name.id,
  )
  return uses.length > 0 && uses.every(isOwnUse)
}

function listensForErrors(name: string, fn: Node): boolean {
  const listening = `\\.(?:on|once|addListener)\\(\\s*`
  // The listener can be anywhere in a chain, or be added in a loop over names of events.
  if (new RegExp(`\\b${name}\\s*${listening}[\\w$]`).test(fn.text)) return true
  return new RegExp(`${listening}['"]error`).test(fn.text)
}

/** Whether a use calls a method of the process or of one of its streams. */
function isOwnUse(use: Node): boolean {
  const member = use.parent
  return member?.type === 'member_expression' && field(member, 'object')?.id === use.id
}

export const environmentRules: readonly Rule[] = [
  {
    id: 'empty-address',
    summary: 'An address begins with an environment variable that is empty if it is not set.',
    seeAlso: ['CWE-1188'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.8,
    syntax: [
      {
        nodes: ['template_string', 'string', 'binary_expression', 'binary_operator'],
        check: checkAddress,
      },
    ],
  },
  {
    id: 'process-without-listener',
    summary: 'A process is started without a listener for its event `error`.',
    seeAlso: ['CWE-248'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['javascript'], nodes: ['variable_declarator'], check: checkChild }],
  },
]
