// Rules about mistakes in Go: nil maps, early uses of results, hidden fields, bare durations.
import type { Node } from 'web-tree-sitter'
import { findOwnNodes, functionAround } from '../../languages/rules/functions.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  codeChildren,
  containsIdentifier,
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  nextCodeSibling,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, Rule } from './rule.ts'

/** `var m map[string]int` followed by `m["a"] = 1`. */
function checkNilMap(declaration: Node): Hit | undefined {
  if (!/^map\[/.test(fieldText(declaration, 'type')) || field(declaration, 'value'))
    return undefined
  const name = fieldText(declaration, 'name')
  const fn = functionAround(declaration)
  if (!fn) return undefined
  const firstUse = findNodes(fn, 'identifier').find(
    (use) => use.text === name && use.startIndex > declaration.endIndex,
  )
  const statement = firstUse && findElementWrite(firstUse)
  if (!statement) return undefined
  return {
    at: firstLine(statement),
    fallback: firstLine(declaration),
    title: `${quoteCode(name)} is nil here, and writing to a nil map panics`,
    body:
      `When this line runs, ${quoteCode(name)} is declared but not initialized. Initialize ` +
      'it with `make`.',
    evidence: [{ line: lineOf(declaration), note: 'declared without a value' }],
  }
}

/** The statement that writes to an element of a map: `m["a"]++` or `m["a"] = 1`. */
function findElementWrite(map: Node): Node | undefined {
  const element = map.parent
  if (element?.type !== 'index_expression' || field(element, 'operand')?.id !== map.id) {
    return undefined
  }
  const outer = element.parent
  if (!outer) return undefined
  if (/^(?:inc|dec)_statement$/.test(outer.type)) return outer
  const assignment = outer.parent
  if (assignment?.type !== 'assignment_statement') return undefined
  return field(assignment, 'left')?.id === outer.id ? assignment : undefined
}

/** `resp, err := f()`, then `defer resp.Body.Close()`, and only then `if err != nil`. */
function checkEarlyUse(statement: Node): Hit | undefined {
  const names = readResultAndError(statement)
  if (!names) return undefined
  const { value, error } = names
  const next = nextCodeSibling(statement)
  const test = next && nextCodeSibling(next)
  if (!test || !isErrorTest(test, error) || !usesField(next, value, error)) return undefined
  const call = quoteCode(fieldText(statement, 'right').split('(')[0]!)
  return {
    at: firstLine(next),
    title: `${quoteCode(value)} is used before ${quoteCode(error)} is checked`,
    body:
      `When ${call} fails, ${quoteCode(value)} is nil, and this line panics before the error ` +
      'is checked. Move it below the check.',
    evidence: [{ line: lineOf(test), note: 'the error is checked only here' }],
  }
}

/** The names in `value, err := f()`; undefined for other assignments. */
function readResultAndError(statement: Node): { value: string; error: string } | undefined {
  const left = field(statement, 'left')
  const names = left ? codeChildren(left).map((part) => part.text) : []
  const [value, error] = names
  if (names.length !== 2 || !value || !error) return undefined
  return /^err$|Err$/.test(error) && value !== '_' ? { value, error } : undefined
}

function isErrorTest(statement: Node, error: string): boolean {
  if (statement.type !== 'if_statement') return false
  return fieldText(statement, 'condition').startsWith(`${error} != nil`)
}

/** Whether a plain statement uses a field of a field of the value, such as `resp.Body.Close()`. */
function usesField(statement: Node, value: string, error: string): boolean {
  if (/^if|^return|^switch/.test(statement.type) || containsIdentifier(statement, error)) {
    return false
  }
  return findNodes(statement, 'selector_expression').some(
    (node) => field(node, 'operand')?.text === value && node.parent?.type === 'selector_expression',
  )
}

/** Tags of packages that read and write only exported fields; `-` excludes a field on purpose. */
const encodingTag = /\b(?:json|yaml|xml|bson|toml|form|mapstructure):"(?!-")/

/** Whether the rows of a loop come from a query of the function, and it never tests the error. */
function isErrorUnchecked({ node, text }: Match): boolean {
  const rows = text('ROWS')
  const fn = functionAround(node)
  if (!fn || !/\.Scan\(/.test(fieldText(node, 'body'))) return false
  const isHandled = fn.text.includes(`${rows}.Err(`) || functionAround(fn) !== undefined
  return !isHandled && isQueryResult(rows, fn)
}

/** Whether the function itself gets the rows from a query. */
function isQueryResult(rows: string, fn: Node): boolean {
  return findOwnNodes(fn, 'short_var_declaration', 'assignment_statement').some(
    (node) =>
      codeChildren(field(node, 'left')!)[0]?.text === rows &&
      /\bQuery\w*\(/.test(fieldText(node, 'right')),
  )
}

/** Above this, a number may well be meant as nanoseconds: it is a millisecond. */
const minPlausibleNanoseconds = 1_000_000

function isNanoseconds({ type, text }: Node): boolean {
  const number = Number(text)
  return type === 'int_literal' && number !== 0 && number < minPlausibleNanoseconds
}

export const goRules: readonly Rule[] = [
  {
    id: 'nil-map-write',
    summary: 'A value is assigned to an entry of a nil map, which panics.',
    seeAlso: ['Staticcheck `SA5000`'],
    severity: 'critical',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['go'], nodes: ['var_spec'], wholeFunction: true, check: checkNilMap }],
  },
  {
    id: 'used-before-check',
    summary: 'A result is used before its error is checked.',
    seeAlso: ['go vet `httpresponse`', 'Staticcheck `SA5001`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      {
        languages: ['go'],
        nodes: ['short_var_declaration', 'assignment_statement'],
        wholeFunction: true,
        check: checkEarlyUse,
      },
    ],
  },
  {
    id: 'hidden-field',
    summary: 'An unexported struct field has a `json` or similar tag, so encoders skip it.',
    seeAlso: ['go vet `structtag`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: 'The field $NAME has a tag, but is unexported, so encoders ignore it',
    body:
      'When the struct is encoded or decoded, $NAME is silently skipped. Start its name with an ' +
      'uppercase letter to export it.',
    patterns: { go: ['type T struct { «$NAME $_ "$TAG"» }'] },
    where: { NAME: /^[a-z]/, TAG: encodingTag },
  },
  {
    id: 'lost-cancel',
    summary: 'The cancel function of a context is discarded.',
    seeAlso: ['go vet `lostcancel`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.95,
    title: 'The cancel function of this context is discarded',
    body:
      'When the work finishes early, the context and its timer stay alive until the parent ' +
      'ends; with `WithCancel`, forever. Keep the function and `defer` it.',
    patterns: { go: ['$_, _ := context.$WITH($$$)', '$_, _ = context.$WITH($$$)'] },
    where: { WITH: /^With(?:Cancel|Timeout|Deadline)(?:Cause)?$/ },
  },
  {
    id: 'rows-error-unchecked',
    summary: '`rows.Err()` is not checked after a loop over database rows.',
    seeAlso: ['`rowserrcheck`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    title: '`$ROWS.Err` is not checked after the loop',
    body:
      'When the connection breaks halfway, `Next` returns false as if all rows had been read, ' +
      'and the rest is silently missing. Check `$ROWS.Err()` after the loop.',
    patterns: { go: ['for $ROWS.Next() { $$$ }'] },
    refine: isErrorUnchecked,
  },
  {
    id: 'duration-without-unit',
    summary: 'A `time.Duration` is a bare number, which means nanoseconds.',
    seeAlso: ['Staticcheck `SA1004`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    title: '$MATCH means $$VALUE nanoseconds',
    body:
      'When this is reached, the time has already passed, because a bare number means ' +
      'nanoseconds. Multiply it by a unit, such as `time.Second`.',
    patterns: {
      go: [
        'time.$FUNCTION($VALUE)',
        'time.AfterFunc($VALUE, $_)',
        'context.WithTimeout($_, $VALUE)',
        'context.WithTimeoutCause($_, $VALUE, $_)',
      ],
    },
    where: {
      FUNCTION: /^(?:Sleep|After|NewTimer|NewTicker|Tick)$/,
      FIELD: /^(?:\w+)?Timeout$/,
      VALUE: isNanoseconds,
    },
    at: 'VALUE',
    syntax: [
      {
        patterns: { go: ['T{«$FIELD: $VALUE»}'] },
        refine: ({ node }) =>
          /^&?(?:http|net|tls|redis)\.\w+$/.test(fieldText(node.parent?.parent ?? node, 'type')),
      },
    ],
  },
]
