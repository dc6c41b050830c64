// Rules about errors of Go that are ignored, dropped or overwritten.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { isLoggedOnly, listNextCode } from '../../languages/rules/logged-only.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  codeChildren,
  containsIdentifier,
  field,
  fieldText,
  findNodes,
  firstLine,
  hasComment,
  isExplained,
  lineOf,
  nextCodeSibling,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { ignoredOutcomes } from '../../languages/rules/unwaited-work.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { originOf } from './value-origins.ts'

const isNotNil = /^\(?(\w+) != nil\)?$/

/** Go: `if err != nil {}`, or `if err != nil { return nil }` where an error can be returned. */
function checkNilError(statement: Node, file: ParsedFile): Hit | undefined {
  const name = isNotNil.exec(fieldText(statement, 'condition').slice(0, 100))?.[1]
  const block = field(statement, 'consequence')
  if (!name || !/^err|Err$/.test(name) || !block || hasComment(statement)) return undefined
  const isEmpty = codeChildren(block).length === 0 && !field(statement, 'alternative')
  return isEmpty
    ? reportDroppedError(statement, name)
    : checkNilReturn(statement, block, name, file)
}

function reportDroppedError(statement: Node, name: string): Hit {
  return {
    at: firstLine(statement),
    title: `Dropped error: ${quoteCode(name)} is checked and then dropped`,
    body:
      `When ${quoteCode(name)} isn't nil, nothing happens, and the code below runs as if the ` +
      'call had succeeded.',
  }
}

function checkNilReturn(
  statement: Node,
  block: Node,
  name: string,
  file: ParsedFile,
): Hit | undefined {
  const fn = functionAround(statement)
  if (!fn || !/\berror\)?$/.test(fieldText(fn, 'result'))) return undefined
  const returned = listReturnedValues(block)
  if (!returned || !areEmptyValues(returned) || containsIdentifier(block, name)) return undefined
  if (isWalkCallback(fn) || isLookup(statement, name, file)) return undefined
  return {
    at: firstLine(returned[0]!),
    title: `The function returns \`nil\` although ${quoteCode(name)} isn't nil`,
    body:
      `When ${quoteCode(name)} isn't nil, the caller sees success. Return the error, or ` +
      'explain in a comment why it may be dropped.',
    confidence: 0.7,
    evidence: [{ line: lineOf(statement), note: `${quoteCode(name)} isn't nil here` }],
  }
}

/** Whether a result is empty and ends in `nil`. Any other value may be a deliberate default. */
function areEmptyValues(values: readonly Node[]): boolean {
  const areEmpty = values.every((value) => /^(?:nil|false|0|"")$/.test(value.text))
  return areEmpty && values.at(-1)?.type === 'nil'
}

/** A callback of `filepath.WalkDir` returns nil to skip one file. */
function isWalkCallback(fn: Node): boolean {
  return fn.type === 'func_literal' && /DirEntry|FileInfo/.test(fieldText(fn, 'parameters'))
}

/** Calls that fail when they don't find or can't parse something, which is often no error. */
const lookupNames =
  /^(?:L?[sS]tat|Look\w*|Atoi|Parse|Exist|Find|[gG]et|Load|Match|Evaluate|Resolve|Rel$|Err$)/

function isLookup(statement: Node, name: string, file: ParsedFile): boolean {
  const initializer = field(statement, 'initializer')
  const source = initializer ? field(initializer, 'right') : originOf(name, statement, file)?.value
  if (!source) return false
  const call = findNodes(source, 'call_expression')[0] ?? source
  return lookupNames.test(readCall(call).name)
}

/** The values that a block returns which does nothing else; undefined for other blocks. */
function listReturnedValues(block: Node): Node[] | undefined {
  const list = block.namedChild(0)
  const [statement, ...others] = codeChildren(list?.type === 'statement_list' ? list : block)
  if (statement?.type !== 'return_statement' || others.length > 0) return undefined
  const values = statement.namedChild(0)
  return values ? codeChildren(values) : undefined
}

/** Statements that can't leave the block, so that they may stand between two assignments. */
const simpleStatement =
  /^(?:var_declaration|const_declaration|short_var_declaration|assignment_statement|expression_statement)$/

/** Go: `a, err := f()` followed by `b, err := g()` without a test of `err` between them. */
function checkOverwrittenError(statement: Node): Hit | undefined {
  if (!assignsErrorOfCall(statement) || statement.parent?.type !== 'statement_list') {
    return undefined
  }
  const next = findNextStatement(statement)
  if (!next || !assignsErrorOfCall(next) || containsIdentifier(field(next, 'right')!, 'err')) {
    return undefined
  }
  const call = quoteCode(fieldText(statement, 'right').split('(')[0]!)
  return {
    at: firstLine(statement),
    title: `The error of ${call} is overwritten before it is checked`,
    body:
      `When ${call} fails, line ${lineOf(next)} replaces \`err\`, and the code continues ` +
      'with an invalid result.',
    evidence: [{ line: lineOf(next), note: '`err` is assigned again here' }],
  }
}

/** Limits the statements between two assignments of an error. */
const maxStatementsBetween = 5

/** The next statement that isn't a simple one, or that contains `err`. */
function findNextStatement(statement: Node): Node | undefined {
  let next = nextCodeSibling(statement)
  for (let skipped = 0; skipped < maxStatementsBetween; skipped++) {
    if (!next || !simpleStatement.test(next.type) || containsIdentifier(next, 'err')) return next
    next = nextCodeSibling(next)
  }
  return next
}

function assignsErrorOfCall(statement: Node): boolean {
  if (!/^(?:short_var_declaration|assignment_statement)$/.test(statement.type)) return false
  return assignsError(statement) && fieldText(statement, 'right').includes('(')
}

function assignsError(statement: Node): boolean {
  const left = field(statement, 'left')
  return left !== undefined && codeChildren(left).some((target) => target.text === 'err')
}

/** Functions whose error alone shows that nothing was read or written. */
const mustCheckError = new RegExp(
  [
    String.raw`^(?:json|yaml|xml|toml|proto|bson|gob)\.Unmarshal$`,
    String.raw`^(?:json|yaml|xml|gob)\.NewDecoder\([\s\S]*\)\.Decode$`,
    String.raw`^os\.(?:WriteFile|Rename|Symlink|Truncate)$`,
    String.raw`^(?:rows?|\w+Rows?)\.Scan$`,
    String.raw`^tx\.Commit$`,
    String.raw`^db\.(?:Exec|ExecContext)$`,
  ].join('|'),
)

/** Decoding what the same code has just encoded can't fail. */
function isOwnOutput(data: Node | undefined, statement: Node, file: ParsedFile): boolean {
  const origin = data?.type === 'identifier' ? originOf(data.text, statement, file) : undefined
  return origin !== undefined && /\.Marshal\(/.test(origin.value.text)
}

/** Functions whose first result is nil or unusable if they return an error. */
const nilOnError = new RegExp(
  [
    String.raw`^http\.(?:Get|Post|PostForm|Head)$`,
    String.raw`(?:[cC]lient|http\.DefaultClient)\.(?:Do|Get|Head|Post|PostForm)$`,
    String.raw`^(?:\w+\.)*(?:db|tx|conn|DB|pool)\.(?:Query|QueryContext|Queryx)$`,
    String.raw`^os\.(?:Open|Create|OpenFile|Stat|Lstat|CreateTemp)$`,
    String.raw`^net\.(?:Dial|DialTimeout|Listen)$`,
    String.raw`^sql\.Open$`,
  ].join('|'),
)

/** `value, name := call()` where the value is nil if the call fails. */
interface FallibleCall {
  readonly value: string
  readonly error: string
  readonly callee: string
}

function fallibleCallOf(statement: Node): FallibleCall | undefined {
  const call = calledIn(statement)
  const [value, error, ...others] = codeChildren(field(statement, 'left') ?? statement)
  if (!call || !value || !error || others.length > 0) return undefined
  const callee = fieldText(call, 'function')
  const isNamed = value.type === 'identifier' && value.text !== '_'
  if (!isNamed || !nilOnError.test(callee)) return undefined
  return { value: value.text, error: error.text, callee }
}

/** The call that an assignment contains. */
function calledIn(statement: Node): Node | undefined {
  if (!/^(?:short_var_declaration|assignment_statement)$/.test(statement.type)) return undefined
  const call = field(statement, 'right')?.namedChild(0)
  return call?.type === 'call_expression' ? call : undefined
}

/** Whether code reads a member of the value, and the function never compares the value to nil. */
function isMemberUsed(code: readonly Node[], { value, callee }: FallibleCall, fn: Node): boolean {
  if (new RegExp(`\\b${value} [!=]= nil`).test(fn.text)) return false
  // A file that is nil may be closed.
  const isHarmless = (member: string) => member === 'Close' && callee.startsWith('os.')
  return code.some((node) =>
    findNodes(node, 'selector_expression').some(
      (selector) =>
        fieldText(selector, 'operand') === value && !isHarmless(fieldText(selector, 'field')),
    ),
  )
}

/** `response, _ := http.Get(url)`, and then `response.Body`. */
function checkBlankError(statement: Node, file: ParsedFile): Hit | undefined {
  const call = fallibleCallOf(statement)
  const fn = functionAround(statement)
  if (call?.error !== '_' || !fn || isExplained(statement, file, /\w/)) return undefined
  const rest = codeChildren(statement.parent!).filter(
    (node) => node.startIndex > statement.endIndex,
  )
  if (!isMemberUsed(rest, call, fn)) return undefined
  return {
    at: firstLine(statement),
    title: `The error of ${quoteCode(call.callee)} is ignored, and its result is used`,
    body: unusableResult(call),
  }
}

/** `if err != nil { log.Println(err) }`, and then `response.Body`. */
function checkLoggedError(statement: Node): Hit | undefined {
  const name = isNotNil.exec(fieldText(statement, 'condition').slice(0, 100))?.[1]
  const branch = field(statement, 'consequence')
  const before = statement.previousNamedSibling
  const fn = functionAround(statement)
  if (!before || !fn || !branch || field(statement, 'alternative')) return undefined
  const call = fallibleCallOf(before)
  if (!call || call.error !== name || !isLoggedOnly(branch)) return undefined
  if (!isMemberUsed(listNextCode(statement), call, fn)) return undefined
  return {
    at: firstLine(statement),
    title: `The error of ${quoteCode(call.callee)} is only logged, and its result is used`,
    body: unusableResult(call),
    evidence: [{ line: lineOf(before), note: `${quoteCode(call.value)} is nil if this fails` }],
  }
}

function unusableResult({ callee, value }: FallibleCall): string {
  return (
    `When ${quoteCode(callee)} fails, ${quoteCode(value)} is nil, and the code below panics or ` +
    'works with nothing. Return when the error is not nil.'
  )
}

/** `err == ErrNotFound`, where the file wraps `ErrNotFound` with `%w`. */
function isWrapped({ text }: Match, file: ParsedFile): boolean {
  const wraps = new RegExp(
    `Errorf\\([^\\n]{0,200}%w[^\\n]{0,200}\\b${text('SENTINEL').replaceAll('.', '\\.')}\\b[^\\n]{0,100}\\)`,
  )
  return wraps.test(file.text)
}

/** Whether a name is a group of goroutines whose `Wait` returns their first error. */
function isErrorGroup({ node, text }: Match): boolean {
  const fn = functionAround(node)
  return new RegExp(
    `\\b${text('GROUP')}\\b[^\\n]{0,60}\\berrgroup\\.(?:WithContext|Group)\\b`,
  ).test(fn?.text.slice(0, 20_000) ?? '')
}

export const goErrorRules: readonly Rule[] = [
  {
    id: 'dropped-error',
    summary: 'An error is checked and then dropped, or overwritten before it is checked.',
    seeAlso: ['CWE-390', '`nilerr`', 'Staticcheck `SA4006`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      { languages: ['go'], nodes: ['if_statement'], check: checkNilError },
      {
        languages: ['go'],
        nodes: ['short_var_declaration', 'assignment_statement'],
        check: checkOverwrittenError,
      },
      {
        languages: ['go'],
        nodes: ['if_statement'],
        wholeFunction: true,
        check: checkLoggedError,
      },
    ],
  },
  {
    id: 'ignored-error',
    summary:
      'The error of a call that reads, writes or commits is not assigned, or assigned to `_` ' +
      'although the other result is used.',
    seeAlso: ['CWE-252', '`errcheck`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    title: 'The error of $CALLEE is ignored',
    body:
      'When $CALLEE fails, the error goes unnoticed, and the code continues as if it had ' +
      'succeeded. Check the error, or assign it to `_` with a comment that gives the reason.',
    syntax: [
      ignoredOutcomes,
      {
        languages: ['go'],
        nodes: ['short_var_declaration', 'assignment_statement'],
        check: checkBlankError,
      },
      {
        patterns: { go: ['$GROUP.Wait();'] },
        where: { GROUP: ({ type }) => type === 'identifier' },
        title: 'The error of `$GROUP.Wait` is ignored',
        body:
          'When one of the goroutines fails, the code continues with what the others have left, ' +
          'as if all had succeeded. Return the error.',
        refine: isErrorGroup,
      },
    ],
    patterns: { go: ['$CALLEE($$$DATA);'] },
    where: { CALLEE: mustCheckError },
    refine: ({ node, list }, file) =>
      !isExplained(node, file, /\w/) && !isOwnOutput(list('DATA')[0], node, file),
  },
  {
    id: 'wrapped-error-identity',
    summary: 'An error that the file wraps is compared with `==`, which never finds it.',
    seeAlso: ['CWE-697', '`errorlint`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    title: '$MATCH never finds $SENTINEL where it is wrapped',
    body:
      'When the error is wrapped with `%w`, as this file does, it is another value. Use ' +
      '`errors.Is`.',
    patterns: { go: ['$ERROR == $SENTINEL', '$ERROR != $SENTINEL'] },
    where: { ERROR: /^(?:err|\w+Err)$/, SENTINEL: /^(?:\w+\.)?Err[A-Z]\w*$/ },
    refine: isWrapped,
  },
]
