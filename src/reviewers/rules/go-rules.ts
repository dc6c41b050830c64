// Rules about mistakes that only Go allows: nil maps, results used too early, fields that JSON can't see.
import type { Node } from 'web-tree-sitter'
import type { Hit, Rule } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  codeChildren,
  containsIdentifier,
  enclosingFunction,
  field,
  fieldText,
  findNodes,
  findOwnNodes,
  firstLine,
  lineOf,
  nextCodeSibling,
  quoteCode,
} from './syntax-nodes.ts'

/** `var m map[string]int` and then `m["a"] = 1`. */
function checkNilMap(declaration: Node): Hit | undefined {
  if (!/^map\[/.test(fieldText(declaration, 'type')) || field(declaration, 'value'))
    return undefined
  const name = fieldText(declaration, 'name')
  const fn = enclosingFunction(declaration)
  const uses = fn
    ? findNodes(fn, 'identifier').filter(
        (use) => use.text === name && use.startIndex > declaration.endIndex,
      )
    : []
  const [first] = uses
  const target = first?.parent
  if (target?.type !== 'index_expression' || field(target, 'operand')?.id !== first!.id)
    return undefined
  const isStep = /^(?:inc|dec)_statement$/.test(target.parent?.type ?? '')
  const statement = isStep ? target.parent : target.parent?.parent
  if (!statement || (!isStep && statement.type !== 'assignment_statement')) return undefined
  if (!isStep && target.parent?.id !== field(statement, 'left')?.id) return undefined
  return {
    at: firstLine(statement),
    fallback: firstLine(declaration),
    title: `${quoteCode(name)} is nil here, and writing to a nil map panics`,
    body:
      `When this line is reached, ${quoteCode(name)} was declared but never made. Make it with ` +
      '`make`.',
    evidence: [{ line: lineOf(declaration), note: 'declared without a value' }],
  }
}

/** `resp, err := f()`, `defer resp.Body.Close()`, and only then `if err != nil`. */
function checkEarlyUse(statement: Node): Hit | undefined {
  const left = field(statement, 'left')
  const names = left ? codeChildren(left).map((part) => part.text) : []
  const error = names.at(-1)
  const value = names[0]
  if (names.length !== 2 || !error || !value || !/^err$|Err$/.test(error) || value === '_')
    return undefined
  const next = nextCodeSibling(statement)
  const test = next && nextCodeSibling(next)
  if (!next || !test || /^if|^return|^switch/.test(next.type) || containsIdentifier(next, error))
    return undefined
  if (
    test.type !== 'if_statement' ||
    !new RegExp(`^${error} != nil`).test(fieldText(test, 'condition'))
  )
    return undefined
  const isUsed = findNodes(next, 'selector_expression').some(
    (node) => field(node, 'operand')?.text === value && node.parent?.type === 'selector_expression',
  )
  if (!isUsed) return undefined
  return {
    at: firstLine(next),
    title: `${quoteCode(value)} is used before ${quoteCode(error)} is checked`,
    body:
      `When ${quoteCode((field(statement, 'right')?.text ?? '').split('(')[0]!)} fails, ` +
      `${quoteCode(value)} is nil, and this line panics before the error is seen. Move it below ` +
      'the check.',
    evidence: [{ line: lineOf(test), note: 'the error is checked only here' }],
  }
}

function checkHiddenField(declaration: Node): Hit | undefined {
  const tag = fieldText(declaration, 'tag')
  const name = fieldText(declaration, 'name')
  if (!/^[a-z]/.test(name) || !/\b(?:json|yaml|xml|bson|toml|form|mapstructure):"(?!-")/.test(tag))
    return undefined
  return {
    at: firstLine(declaration),
    title: `The field ${quoteCode(name)} has a tag, but is invisible to the package that would read it`,
    body:
      `When the struct is encoded or decoded, ${quoteCode(name)} is left out without a word, ` +
      'because its name begins with a small letter.',
  }
}

/** `ctx, _ := context.WithTimeout(…)`. */
function checkLostCancel(statement: Node): Hit | undefined {
  const left = field(statement, 'left')
  const call = field(statement, 'right')?.namedChild(0)
  if (!left || call?.type !== 'call_expression' || codeChildren(left)[1]?.text !== '_')
    return undefined
  if (!/^context\.With(?:Cancel|Timeout|Deadline)(?:Cause)?$/.test(fieldText(call, 'function')))
    return undefined
  return {
    at: firstLine(statement),
    title: `The function that ends this context is thrown away`,
    body:
      'When the work is done early, the context and its timer live on until the parent ends; ' +
      'with `WithCancel` for ever. Keep the function and `defer` it.',
  }
}

/** `for rows.Next() {}` without a look at `rows.Err()`. */
function checkRows(loop: Node): Hit | undefined {
  const condition = loop.namedChild(0)
  const { receiver, name } =
    condition?.type === 'call_expression' ? calleeOf(condition) : { receiver: undefined, name: '' }
  const fn = enclosingFunction(loop)
  if (!receiver || name !== 'Next' || !fn || !/\.Scan\(/.test(fieldText(loop, 'body')))
    return undefined
  const isMade = findOwnNodes(fn, 'short_var_declaration', 'assignment_statement').some(
    (node) =>
      codeChildren(field(node, 'left')!)[0]?.text === receiver.text &&
      /\bQuery\w*\(/.test(fieldText(node, 'right')),
  )
  if (!isMade || fn.text.includes(`${receiver.text}.Err(`) || enclosingFunction(fn))
    return undefined
  return {
    at: firstLine(loop),
    title: `Nobody asks ${quoteCode(`${receiver.text}.Err`)} why the loop ended`,
    body:
      'When the connection breaks half-way, `Next` says no as if these had been all rows, and ' +
      `the rest is missing without a word. Check ${quoteCode(`${receiver.text}.Err()`)} after ` +
      'the loop.',
  }
}

const goDurations =
  /^(?:time\.Sleep|time\.After|time\.NewTimer|time\.NewTicker|time\.Tick|time\.AfterFunc)$/

/** Go: `time.Sleep(10)` sleeps for ten nanoseconds. */
function checkDuration(node: Node): Hit | undefined {
  const isCall = node.type === 'call_expression'
  const callee = fieldText(node, 'function')
  const index = /^context\.WithTimeout(?:Cause)?$/.test(callee) ? 1 : 0
  const value = isCall ? argumentsOf(node)[index] : node.namedChild(1)?.namedChild(0)
  if (value?.type !== 'int_literal' || Number(value.text) === 0 || Number(value.text) >= 1_000_000)
    return undefined
  const isTimeout =
    /^(?:Timeout|\w+Timeout)$/.test(node.namedChild(0)?.text ?? '') &&
    /^(?:http|net|tls|redis)\.\w+$/.test(
      fieldText(node.parent?.parent ?? node, 'type').replace('&', ''),
    )
  if (!(isCall ? index === 1 || goDurations.test(callee) : isTimeout)) return undefined
  return {
    at: firstLine(value),
    title: `${quoteCode(node.text)} means ${value.text} nanoseconds`,
    body:
      'When this is reached, the time is over at once, because a bare number is a number of ' +
      'nanoseconds. Multiply it with a unit, such as `time.Second`.',
  }
}

export const goRules: readonly Rule[] = [
  {
    id: 'nil-map-write',
    summary: 'Go: a map that was declared and not made is written to.',
    severity: 'critical',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['go'], nodes: ['var_spec'], wholeFunction: true, check: checkNilMap }],
  },
  {
    id: 'used-before-check',
    summary: 'Go: a result is used in the line before its error is checked.',
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
    summary:
      'Go: a field with a tag for JSON and the like has a name that begins with a small letter.',
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
    syntax: [
      {
        languages: ['go'],
        nodes: ['short_var_declaration', 'assignment_statement'],
        check: checkLostCancel,
      },
    ],
  },
  {
    id: 'rows-error-unchecked',
    summary: 'Go: rows of a database are read in a loop, and nobody asks why it ended.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: ['go'], nodes: ['for_statement'], check: checkRows }],
  },
  {
    id: 'duration-without-unit',
    summary: 'Go: a duration is given as a bare number, which means nanoseconds.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: ['go'], nodes: ['call_expression', 'keyed_element'], check: checkDuration },
    ],
  },
]
