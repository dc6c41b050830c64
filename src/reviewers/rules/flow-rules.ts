// Rules about statements that run where they shouldn't, or never.
import type { Node } from 'web-tree-sitter'
import { hasCall } from '../../languages/rules/calls.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  isExplained,
  lineOf,
  nextCodeSibling,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { type Hit, inAllLanguages, type ParsedFile, type Rule } from './rule.ts'

const exitNodes = [
  ...['break_statement', 'continue_statement', 'break_expression', 'continue_expression'],
  ...['return_statement', 'return_expression', 'return', 'next', 'break'],
  ...['throw_statement', 'throw_expression', 'raise_statement'],
]

const exitTypes = new Set([...exitNodes, 'yield_statement'])

/** Statements that may never end, or leave in ways that their own node doesn't show. */
const unclearTypes =
  /^(?:switch|while|for|do|labeled|try|synchronized|with)_\w*statement$|^switch_expression$|^ERROR$/

/** Whether a statement doesn't go on to the next one, certainly or possibly. */
function mayExit(statement: Node | undefined): boolean {
  if (!statement) return false
  if (exitTypes.has(statement.type) || unclearTypes.test(statement.type)) return true
  if (statement.type === 'statement_block' || statement.type === 'block')
    return mayExit(codeChildren(statement).at(-1))
  if (statement.type === 'if_statement') {
    const other = field(statement, 'alternative')
    const last = other?.type === 'else_clause' ? codeChildren(other).at(-1) : other
    return other !== undefined && mayExit(field(statement, 'consequence')) && mayExit(last)
  }
  return /exit|never|unreachable|fail|throw|abort|panic|assert/i.test(statement.text.slice(0, 200))
}

/** Reports a case with statements of its own that falls through to the next one. */
function checkMissingBreak(node: Node, file: ParsedFile): Hit | undefined {
  const statements =
    node.type === 'switch_case'
      ? node.childrenForFieldName('body')
      : codeChildren(node).filter((part) => !isLabel(part))
  const next = nextCodeSibling(node)
  if (statements.length === 0 || !next || isLabel(node)) return undefined
  const last = codeChildren(node).at(-1)
  const text = file.text.slice(node.startIndex, next.startIndex)
  const isCommented = /fall|through|no.?break/i.test(text)
  if (isCommented || mayExit(last) || onlyLeaves(next) || mayBreak(node.parent!)) return undefined
  if (isPreparation(statements, next)) return undefined
  const label = quoteCode(file.lines[lineOf(next) - 1] ?? '')
  return {
    at: firstLine(node),
    fallback: firstLine(last!),
    title: 'This case falls through into the next one, because a `break` is missing',
    body:
      `When this case is taken, the statements of ${label} run as well. End it with ` +
      '`break` or `return`, or state in a comment that it falls through.',
    evidence: [{ line: lineOf(next), note: 'these statements run too' }],
  }
}

/** Whether a case only sets what the next one doesn't, and so shares the rest with it. */
function isPreparation(statements: readonly Node[], next: Node): boolean {
  const set = statements.map(({ text }) => /^([\w.$]+)\s*=(?!=)/.exec(text)?.[1])
  return set.every(
    (name) => name && !new RegExp(`(?<![\\w.])${RegExp.escape(name)}\\s*=(?!=)`).test(next.text),
  )
}

/** Whether a case of a switch breaks under a condition, and so falls through on purpose. */
function mayBreak(body: Node): boolean {
  return findNodes(body, 'break_statement').some(({ parent }) => {
    const branch = parent?.type === 'if_statement' ? parent : parent?.parent
    return branch?.type === 'if_statement' && branch.parent?.parent?.id === body.id
  })
}

/** Whether a case has no statement but `break`, so that falling through to it does no harm. */
function onlyLeaves(group: Node): boolean {
  const statements = codeChildren(group).filter((part) => /_statement$/.test(part.type))
  return statements.length > 0 && statements[0]!.type === 'break_statement'
}

function isLabel(node: Node): boolean {
  return node.type === 'switch_label'
}

const blocks = new Set([
  ...['statement_block', 'block', 'statement_list', 'compound_statement'],
  ...['lambda_literal', 'body_statement', 'then', 'block_body'],
])

/** Nodes that have an effect without being reached, such as declarations, or do no harm. */
const harmlessUnreachable = new RegExp(
  [
    'declaration$|definition$|_item$|alias|^preproc',
    '^(?:(?:empty|labeled|case|local_function)_statement|rescue|ensure|else|method)$',
  ].join('|'),
)

function isHarmlessUnreachable(node: Node): boolean {
  if (node.text === ';') return true
  const isVariable = /^(?:lexical|var|short_var)/.test(node.type)
  if (harmlessUnreachable.test(node.type) && !isVariable) return true
  // `return` followed by `yield` makes an empty generator; a second `break` is a common habit.
  return exitTypes.has(node.type) || findNodes(node, 'yield', 'yield_expression').length > 0
}

function checkUnreachable(exit: Node, file: ParsedFile): Hit | undefined {
  const isInner = exit.parent?.type === 'expression_statement'
  const statement = isInner ? exit.parent! : exit
  if (isExplained(statement, file, /disabled|temporar|\buntil\b|for now/i)) return undefined
  const next = nextCodeSibling(statement)
  if (!next || !blocks.has(statement.parent?.type ?? '') || next.hasError || statement.hasError)
    return undefined
  // Kotlin's grammar takes some results for statements of their own: `return` and `total`.
  if (next.startPosition.row === statement.endPosition.row || isHarmlessUnreachable(next))
    return undefined
  return {
    at: firstLine(next),
    fallback: firstLine(statement),
    title: `Unreachable code: ${quoteCode(next.text)} never runs`,
    body:
      `When line ${lineOf(statement)} is reached, control leaves the block, so nothing after ` +
      'it runs. Remove this code, or move it before that line.',
    evidence: [{ line: lineOf(statement), note: 'control leaves the block here' }],
  }
}

/** Properties of page elements with an effect even when their value stays the same. */
const activeProperties =
  /^(?:href|src|srcObject|location|innerHTML|outerHTML|value|scroll\w*|selected\w*|currentTime|className|\w*[hH]ash)$/

function isUseless({ node, get }: Match, file: ParsedFile): boolean {
  const target = get('TARGET')
  return !hasCall(target) && !hasEffect(node, target) && !isExplained(node, file, /\w/)
}

/** Whether assigning a value to itself has an effect on the page, or declares a name. */
function hasEffect(assignment: Node, target: Node): boolean {
  if (activeProperties.test(fieldText(target, 'property')) || field(assignment, 'type')) return true
  return assignment.type === 'assignment' && isOutsideOfFunction(assignment)
}

/** In Python, `name = name` outside of functions may export a name or copy it into a class. */
function isOutsideOfFunction(assignment: Node): boolean {
  const owner = enclosingNode(assignment, new Set(['function_definition', 'class_definition']))
  return owner?.type !== 'function_definition'
}

export const flowRules: readonly Rule[] = [
  {
    id: 'missing-break',
    summary: 'A `case` falls through into the next one without a comment that says so.',
    seeAlso: ['CWE-484', 'ESLint `no-fallthrough`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.8,
    syntax: [
      { languages: ['javascript'], nodes: ['switch_case'], check: checkMissingBreak },
      { languages: ['java'], nodes: ['switch_block_statement_group'], check: checkMissingBreak },
    ],
  },
  {
    id: 'unreachable-code',
    summary: 'A statement after `return`, `throw`, `break` or `continue` never runs.',
    seeAlso: ['CWE-561', 'ESLint `no-unreachable`', 'go vet `unreachable`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ nodes: exitNodes, check: checkUnreachable }],
  },
  {
    id: 'self-assignment',
    summary: 'A variable or property is assigned to itself.',
    seeAlso: ['ESLint `no-self-assign`', 'Ruff `PLW0127`', 'Staticcheck `SA4018`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    title: '$TARGET is assigned to itself',
    body: 'When this runs, nothing changes; a different name was probably intended on one side.',
    patterns: inAllLanguages(['$TARGET = $TARGET']),
    refine: isUseless,
  },
]
