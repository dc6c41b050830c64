// Rules about values that aren't what they look like: shared defaults, keys given twice.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from './literals.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
  replaceInLine,
} from './syntax-nodes.ts'

const mutators =
  /^(?:append|extend|insert|add|update|pop|remove|clear|setdefault|popitem|discard|sort|reverse)$/

function checkMutableDefault(parameter: Node, file: ParsedFile): Hit | undefined {
  const value = field(parameter, 'value')
  const name = fieldText(parameter, 'name')
  const fn = enclosingNode(parameter, new Set(['function_definition', 'lambda']))
  const body = fn && field(fn, 'body')
  if (!value || !fn || !body || fn.type === 'lambda' || !isMutable(value)) return undefined
  if (/cache|memo|seen|registry|^_/i.test(name)) return undefined
  const use = findNodes(body, 'identifier').find(
    (node) => node.text === name && escapesOrMutates(node),
  )
  if (!use) return undefined
  return {
    at: firstLine(parameter),
    title: `The default ${quoteCode(value.text)} of ${quoteCode(name)} is one object that all calls share`,
    body: `When a call without ${quoteCode(name)} changes it, the next call starts with what the last one left. Use \`None\` as the default and make the object inside.`,
    suggestion: noneDefault(fn, body, parameter, file),
    evidence: [{ line: lineOf(use), note: 'it is changed or handed out here' }],
  }
}

/** An empty collection: one with contents is mostly meant as a private store. */
function isMutable(value: Node): boolean {
  if (/^(?:list|dictionary|set)$/.test(value.type)) return value.namedChildCount === 0
  return value.type === 'call' && /^(?:list|dict|set)\(\)$/.test(value.text)
}

/** Whether this use of the parameter changes it, returns it, or stores it somewhere. */
function escapesOrMutates(use: Node): boolean {
  const parent = use.parent
  if (!parent) return false
  if (parent.type === 'attribute') {
    return parent.parent?.type === 'call' && mutators.test(fieldText(parent, 'attribute'))
  }
  if (parent.type === 'subscript') {
    const owner = parent.parent
    return (
      field(parent, 'value')?.id === use.id &&
      /assignment$/.test(owner?.type ?? '') &&
      field(owner!, 'left')?.id === parent.id
    )
  }
  if (parent.type === 'augmented_assignment') return field(parent, 'left')?.id === use.id
  if (parent.type === 'assignment')
    return field(parent, 'right')?.id === use.id && field(parent, 'left')?.type === 'attribute'
  return parent.type === 'return_statement'
}

/** The signature with `None` and the line that makes the object; only for signatures of one line. */
function noneDefault(fn: Node, body: Node, parameter: Node, file: ParsedFile): string | undefined {
  const first = body.namedChild(0)
  const isOneLine = lineOf(fn) === lineOf(parameter) && first && lineOf(first) === lineOf(fn) + 1
  const hasDocstring =
    first?.type === 'expression_statement' && first.namedChild(0)?.type === 'string'
  if (
    !isOneLine ||
    hasDocstring ||
    findNodes(field(fn, 'parameters')!, 'list', 'dictionary', 'set').length > 1
  )
    return undefined
  const type = fieldText(parameter, 'type')
  const name = fieldText(parameter, 'name')
  const optional =
    type && !/None|Optional/.test(type)
      ? `${name}: ${type} | None = None`
      : type
        ? `${name}: ${type} = None`
        : `${name}=None`
  const indent = ' '.repeat(first!.startPosition.column)
  const value = fieldText(parameter, 'value')
  const signature = replaceInLine(parameter, file, optional)
  return (
    signature &&
    `${signature}\n${indent}if ${name} is None:\n${indent}${indentStep(fn, first!)}${name} = ${value}`
  )
}

function indentStep(fn: Node, first: Node): string {
  return ' '.repeat(Math.max(1, first.startPosition.column - fn.startPosition.column))
}

function checkDuplicateKey(node: Node): Hit | undefined {
  const seen = new Map<string, Node>()
  for (const pair of node.namedChildren) {
    if (/splat|spread/.test(pair.type)) seen.clear()
    const key = pair.type === 'pair' ? field(pair, 'key') : undefined
    const name = key && keyName(key)
    if (name === undefined || name === '__proto__') continue
    const first = seen.get(name)
    if (first) {
      return {
        at: firstLine(pair),
        title: `The key ${quoteCode(name)} is given twice`,
        body: `When this is built, the value in line ${lineOf(first)} is overwritten by this one without a word.`,
        evidence: [{ line: lineOf(first), note: 'the same key' }],
      }
    }
    seen.set(name, pair)
  }
  return undefined
}

function keyName(key: Node): string | undefined {
  if (key.type === 'property_identifier') return key.text
  return isPlainString(key) &&
    key.type === 'string' &&
    findNodes(key, 'escape_sequence').length === 0
    ? stringText(key)
    : undefined
}

function checkRaise(statement: Node): Hit | undefined {
  return statement.namedChild(0)?.text === 'NotImplemented'
    ? {
        at: firstLine(statement),
        title: '`NotImplemented` is not an exception, so raising it fails',
        body: 'When this is reached, Python raises `TypeError` instead. Raise `NotImplementedError`.',
      }
    : undefined
}

export const valueRules: readonly Rule[] = [
  {
    id: 'mutable-default',
    summary:
      'Python: a list, dict or set as a default is changed or handed out, so calls share it.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      {
        languages: ['python'],
        nodes: ['default_parameter', 'typed_default_parameter'],
        check: checkMutableDefault,
      },
    ],
  },
  {
    id: 'duplicate-key',
    summary: 'A key stands twice in an object or dict literal.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: [...javascriptFamily, 'python'],
        nodes: ['object', 'dictionary'],
        check: checkDuplicateKey,
      },
    ],
  },
  {
    id: 'raised-not-implemented',
    summary: 'Python: `NotImplemented` is raised instead of `NotImplementedError`.',
    severity: 'minor',
    category: 'correctness',
    confidence: 0.98,
    syntax: [{ languages: ['python'], nodes: ['raise_statement'], check: checkRaise }],
  },
]
