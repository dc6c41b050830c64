// Rules about errors of Go that are dropped on the way.
import type { Node } from 'web-tree-sitter'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  codeChildren,
  containsIdentifier,
  enclosingFunction,
  field,
  fieldText,
  findNodes,
  firstLine,
  hasComment,
  isExplained,
  lineOf,
  nextCodeSibling,
  quoteCode,
} from './syntax-nodes.ts'
import { originOf } from './value-origins.ts'

const isNotNil = /^\(?(\w+) != nil\)?$/

/** `if err != nil {}` and `if err != nil { return nil }` in a function that returns an error. */
function checkNilError(statement: Node, file: ParsedFile): Hit | undefined {
  const name = isNotNil.exec(fieldText(statement, 'condition').slice(0, 100))?.[1]
  const block = field(statement, 'consequence')
  if (!name || !/^err|Err$/.test(name) || !block || hasComment(statement)) return undefined
  if (codeChildren(block).length === 0 && !field(statement, 'alternative')) {
    return {
      at: firstLine(statement),
      title: `The error ${quoteCode(name)} is tested and then dropped`,
      body:
        `When ${quoteCode(name)} is set, nothing happens, and the code below runs as if it had ` +
        'worked.',
    }
  }
  const returned = soleReturn(block)
  const result = enclosingFunction(statement) && fieldText(enclosingFunction(statement)!, 'result')
  if (!returned || !result || !/\berror\)?$/.test(result) || containsIdentifier(block, name))
    return undefined
  // With a value to go on with, it is a fallback; and "there is none" may be the answer to a question.
  const isEmpty =
    returned.every((value) => /^(?:nil|false|0|"")$/.test(value.text)) &&
    returned.at(-1)?.type === 'nil'
  const fn = enclosingFunction(statement)!
  // A walk over files is told by nil to go on without this one.
  const isWalk = fn.type === 'func_literal' && /DirEntry|FileInfo/.test(fieldText(fn, 'parameters'))
  if (!isEmpty || isWalk || isLookup(statement, name, file)) return undefined
  return {
    at: firstLine(returned[0]!),
    title: `The function returns \`nil\` although ${quoteCode(name)} is set`,
    body:
      `When ${quoteCode(name)} isn't nil, the caller is told that all went well. Return the ` +
      'error, or say in a comment why it may be dropped.',
    confidence: 0.7,
    evidence: [{ line: lineOf(statement), note: `${quoteCode(name)} is known to be set here` }],
  }
}

/** Whether the error comes from a call that finds out whether there is something. */
function isLookup(statement: Node, name: string, file: ParsedFile): boolean {
  const initializer = field(statement, 'initializer')
  const source = initializer ? field(initializer, 'right') : originOf(name, statement, file)?.value
  const call = source && (findNodes(source, 'call_expression')[0] ?? source)
  return (
    call !== undefined &&
    /^(?:L?[sS]tat|Look\w*|Atoi|Parse|Exist|Find|[gG]et|Load|Match|Evaluate|Resolve|Rel$|Err$)/.test(
      calleeOf(call).name,
    )
  )
}

function soleReturn(block: Node): Node[] | undefined {
  const list = block.namedChild(0)
  const statements = list?.type === 'statement_list' ? codeChildren(list) : codeChildren(block)
  const values =
    statements.length === 1 && statements[0]!.type === 'return_statement'
      ? statements[0]!.namedChild(0)
      : null
  return values ? codeChildren(values) : undefined
}

const simpleStatement =
  /^(?:var_declaration|const_declaration|short_var_declaration|assignment_statement|expression_statement)$/

/** Go: `a, err := f()` followed by `b, err := g()` with no look at `err` in between. */
function checkOverwrittenError(statement: Node): Hit | undefined {
  if (!assignsError(statement) || !field(statement, 'right')?.text.includes('(')) return undefined
  let next = statement.parent?.type === 'statement_list' ? nextCodeSibling(statement) : undefined
  // Plain statements that have nothing to do with the error may stand between.
  for (
    let skipped = 0;
    next && skipped < 5 && simpleStatement.test(next.type) && !containsIdentifier(next, 'err');
    skipped++
  )
    next = nextCodeSibling(next)
  if (
    !next ||
    !/^(?:short_var_declaration|assignment_statement)$/.test(next.type) ||
    !assignsError(next)
  )
    return undefined
  const right = field(next, 'right')
  if (!right || containsIdentifier(right, 'err') || !right.text.includes('(')) return undefined
  const call = quoteCode((field(statement, 'right')?.text ?? '').split('(')[0]!)
  return {
    at: firstLine(statement),
    title: `The error of ${call} is overwritten before anyone looks at it`,
    body:
      `When ${call} fails, line ${lineOf(next)} replaces \`err\`, and the code goes on with a ` +
      "result that isn't there.",
    evidence: [{ line: lineOf(next), note: '`err` is assigned again here' }],
  }
}

function assignsError(statement: Node): boolean {
  const left = field(statement, 'left')
  return left !== undefined && codeChildren(left).some((target) => target.text === 'err')
}

/** Functions whose error is the only sign that nothing was read or written. */
const mustCheckError =
  /^(?:json|yaml|xml|toml|proto|bson|gob)\.Unmarshal$|^(?:json|yaml|xml|gob)\.NewDecoder\([\s\S]*\)\.Decode$|^os\.(?:WriteFile|Rename|Symlink|Truncate)$|^(?:rows?|\w+Rows?)\.Scan$|^tx\.Commit$|^db\.(?:Exec|ExecContext)$/

function checkIgnored(statement: Node, file: ParsedFile): Hit | undefined {
  const call = statement.namedChild(0)
  const callee = call?.type === 'call_expression' ? fieldText(call, 'function') : ''
  if (
    !mustCheckError.test(callee) ||
    isExplained(statement, file, /\w/) ||
    isOwnOutput(call!, file)
  )
    return undefined
  return {
    at: firstLine(call!),
    title: `The error of ${quoteCode(callee)} is ignored`,
    body:
      `When ${quoteCode(callee)} fails, nobody learns of it, and the code goes on with what was ` +
      'there before. Check the error, or assign it to `_` with a word about why.',
  }
}

/** What was encoded a moment ago can be decoded. */
function isOwnOutput(call: Node, file: ParsedFile): boolean {
  const [data] = argumentsOf(call)
  const origin = data?.type === 'identifier' ? originOf(data.text, call, file) : undefined
  return origin !== undefined && /\.Marshal\(/.test(origin.value.text)
}

export const goErrorRules: readonly Rule[] = [
  {
    id: 'dropped-error',
    summary: 'Go: an error is found and then dropped, or overwritten before anyone looked at it.',
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
    ],
  },
  {
    id: 'ignored-error',
    summary: 'Go: the error of a call that reads, writes or commits is not even assigned.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [{ languages: ['go'], nodes: ['expression_statement'], check: checkIgnored }],
  },
]
