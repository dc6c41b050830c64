// Rules about mistakes that only Go allows: errors left in the air, nil maps, fields that JSON can't see.
import type { Node } from 'web-tree-sitter'
import { originOf } from './origins.ts'
import type { Hit, Rule, SourceFile } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  code,
  enclosingFunction,
  field,
  fieldText,
  find,
  findHere,
  firstLine,
  isExplained,
  lineOf,
  mentions,
  parts,
} from './syntax.ts'

/** Functions whose error is the only sign that nothing was read or written. */
const telling =
  /^(?:json|yaml|xml|toml|proto|bson|gob)\.Unmarshal$|^(?:json|yaml|xml|gob)\.NewDecoder\([\s\S]*\)\.Decode$|^os\.(?:WriteFile|Rename|Symlink|Truncate)$|^(?:rows?|\w+Rows?)\.Scan$|^tx\.Commit$|^db\.(?:Exec|ExecContext)$/

function checkIgnored(statement: Node, file: SourceFile): Hit | undefined {
  const call = statement.namedChild(0)
  const callee = call?.type === 'call_expression' ? fieldText(call, 'function') : ''
  if (!telling.test(callee) || isExplained(statement, file, /\w/) || isOwnOutput(call!, file)) return undefined
  return {
    at: firstLine(call!),
    title: `The error of ${code(callee)} is ignored`,
    body: `When ${code(callee)} fails, nobody learns of it, and the code goes on with what was there before. Check the error, or assign it to \`_\` with a word about why.`,
  }
}

/** What was encoded a moment ago can be decoded. */
function isOwnOutput(call: Node, file: SourceFile): boolean {
  const [data] = argumentsOf(call)
  const origin = data?.type === 'identifier' ? originOf(data.text, call, file) : undefined
  return origin !== undefined && /\.Marshal\(/.test(origin.value.text)
}

/** `var m map[string]int` and then `m["a"] = 1`. */
function checkNilMap(declaration: Node): Hit | undefined {
  if (!/^map\[/.test(fieldText(declaration, 'type')) || field(declaration, 'value')) return undefined
  const name = fieldText(declaration, 'name')
  const fn = enclosingFunction(declaration)
  const uses = fn
    ? find(fn, 'identifier').filter((use) => use.text === name && use.startIndex > declaration.endIndex)
    : []
  const [first] = uses
  const target = first?.parent
  if (target?.type !== 'index_expression' || field(target, 'operand')?.id !== first!.id) return undefined
  const statement = target.parent?.parent
  if (statement?.type !== 'assignment_statement' || target.parent?.id !== field(statement, 'left')?.id) return undefined
  return {
    at: firstLine(statement),
    or: firstLine(declaration),
    title: `${code(name)} is nil here, and writing to a nil map panics`,
    body: `When this line is reached, ${code(name)} was declared but never made. Make it with \`make\`.`,
    evidence: [{ line: lineOf(declaration), note: 'declared without a value' }],
  }
}

/** `resp, err := f()`, `defer resp.Body.Close()`, and only then `if err != nil`. */
function checkEarlyUse(statement: Node): Hit | undefined {
  const left = field(statement, 'left')
  const names = left ? parts(left).map((part) => part.text) : []
  const error = names.at(-1)
  const value = names[0]
  if (names.length !== 2 || !error || !value || !/^err$|Err$/.test(error) || value === '_') return undefined
  const next = nextStatement(statement)
  const test = next && nextStatement(next)
  if (!next || !test || /^if|^return|^switch/.test(next.type) || mentions(next, error)) return undefined
  if (test.type !== 'if_statement' || !new RegExp(`^${error} != nil`).test(fieldText(test, 'condition')))
    return undefined
  const isUsed = find(next, 'selector_expression').some(
    (node) => field(node, 'operand')?.text === value && node.parent?.type === 'selector_expression',
  )
  if (!isUsed) return undefined
  return {
    at: firstLine(next),
    title: `${code(value)} is used before ${code(error)} is checked`,
    body: `When ${code((field(statement, 'right')?.text ?? '').split('(')[0]!)} fails, ${code(value)} is nil, and this line panics before the error is seen. Move it below the check.`,
    evidence: [{ line: lineOf(test), note: 'the error is checked only here' }],
  }
}

function nextStatement(statement: Node): Node | undefined {
  let next = statement.nextNamedSibling
  while (next?.type === 'comment') next = next.nextNamedSibling
  return next ?? undefined
}

function checkHiddenField(declaration: Node): Hit | undefined {
  const tag = fieldText(declaration, 'tag')
  const name = fieldText(declaration, 'name')
  if (!/^[a-z]/.test(name) || !/\b(?:json|yaml|xml|bson|toml|form|mapstructure):"(?!-")/.test(tag)) return undefined
  return {
    at: firstLine(declaration),
    title: `The field ${code(name)} has a tag, but is invisible to the package that would read it`,
    body: `When the struct is encoded or decoded, ${code(name)} is left out without a word, because its name begins with a small letter.`,
  }
}

/** `ctx, _ := context.WithTimeout(…)`. */
function checkLostCancel(statement: Node): Hit | undefined {
  const left = field(statement, 'left')
  const call = field(statement, 'right')?.namedChild(0)
  if (!left || call?.type !== 'call_expression' || parts(left)[1]?.text !== '_') return undefined
  if (!/^context\.With(?:Cancel|Timeout|Deadline)(?:Cause)?$/.test(fieldText(call, 'function'))) return undefined
  return {
    at: firstLine(statement),
    title: `The function that ends this context is thrown away`,
    body: 'When the work is done early, the context and its timer live on until the parent ends; with `WithCancel` for ever. Keep the function and `defer` it.',
  }
}

/** `for rows.Next() {}` without a look at `rows.Err()`. */
function checkRows(loop: Node): Hit | undefined {
  const condition = loop.namedChild(0)
  const { receiver, name } =
    condition?.type === 'call_expression' ? calleeOf(condition) : { receiver: undefined, name: '' }
  const fn = enclosingFunction(loop)
  if (!receiver || name !== 'Next' || !fn || !/\.Scan\(/.test(fieldText(loop, 'body'))) return undefined
  const isMade = findHere(fn, 'short_var_declaration', 'assignment_statement').some(
    (node) => parts(field(node, 'left')!)[0]?.text === receiver.text && /\bQuery\w*\(/.test(fieldText(node, 'right')),
  )
  if (!isMade || fn.text.includes(`${receiver.text}.Err(`) || enclosingFunction(fn)) return undefined
  return {
    at: firstLine(loop),
    title: `Nobody asks ${code(`${receiver.text}.Err`)} why the loop ended`,
    body: `When the connection breaks half-way, \`Next\` says no as if these had been all rows, and the rest is missing without a word. Check ${code(`${receiver.text}.Err()`)} after the loop.`,
  }
}

export const goRules: readonly Rule[] = [
  {
    id: 'ignored-error',
    summary: 'Go: the error of a call that reads, writes or commits is not even assigned.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['go'], nodes: ['expression_statement'], check: checkIgnored }],
  },
  {
    id: 'nil-map-write',
    summary: 'Go: a map that was declared and not made is written to.',
    severity: 'critical',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['go'], nodes: ['var_spec'], wide: true, check: checkNilMap }],
  },
  {
    id: 'used-before-check',
    summary: 'Go: a result is used in the line before its error is checked.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      { languages: ['go'], nodes: ['short_var_declaration', 'assignment_statement'], wide: true, check: checkEarlyUse },
    ],
  },
  {
    id: 'hidden-field',
    summary: 'Go: a field with a tag for JSON and the like has a name that begins with a small letter.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['go'], nodes: ['field_declaration'], check: checkHiddenField }],
  },
  {
    id: 'lost-cancel',
    summary: 'Go: the function that ends a context is thrown away.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['go'], nodes: ['short_var_declaration', 'assignment_statement'], check: checkLostCancel }],
  },
  {
    id: 'rows-error-unchecked',
    summary: 'Go: rows of a database are read in a loop, and nobody asks why it ended.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: ['go'], nodes: ['for_statement'], check: checkRows }],
  },
]
