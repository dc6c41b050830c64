// Rules about shared default values, duplicate keys and raised values that aren't exceptions.
import type { Node } from 'web-tree-sitter'
import { isPlainString, stringText } from '../../languages/rules/literals.ts'
import {
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
  replaceInLine,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'

const mutators =
  /^(?:append|extend|insert|add|update|pop|remove|clear|setdefault|popitem|discard|sort|reverse)$/

/** Python: `def add(item, items=[])`. */
function checkMutableDefault(parameter: Node, file: ParsedFile): Hit | undefined {
  const value = field(parameter, 'value')
  const name = fieldText(parameter, 'name')
  const fn = enclosingNode(parameter, new Set(['function_definition', 'lambda']))
  const body = fn && field(fn, 'body')
  if (!value || !fn || !body || fn.type === 'lambda' || !isEmptyCollection(value)) return undefined
  // A default with such a name is shared on purpose.
  if (/cache|memo|seen|registry|^_/i.test(name)) return undefined
  const use = findNodes(body, 'identifier').find(
    (node) => node.text === name && escapesOrMutates(node),
  )
  if (!use) return undefined
  return {
    at: firstLine(parameter),
    title:
      `The mutable default ${quoteCode(value.text)} of ${quoteCode(name)} is shared by all ` +
      'calls',
    body:
      `When a call without ${quoteCode(name)} modifies it, the next call starts with the ` +
      'modified object. Use `None` as the default and create the object inside the function.',
    suggestion: noneDefault(fn, body, parameter, file),
    evidence: [{ line: lineOf(use), note: 'it is modified or passed on here' }],
  }
}

/** A default collection with elements is mostly constant on purpose. */
function isEmptyCollection(value: Node): boolean {
  if (/^(?:list|dictionary|set)$/.test(value.type)) return value.namedChildCount === 0
  return value.type === 'call' && /^(?:list|dict|set)\(\)$/.test(value.text)
}

/** Whether a use of the parameter changes it, returns it or stores it in a field. */
function escapesOrMutates(use: Node): boolean {
  const parent = use.parent
  return parent ? (escapingUses[parent.type]?.(use, parent) ?? false) : false
}

/** Tests of a use by the type of its parent: whether it changes or hands out the object. */
const escapingUses: Readonly<Record<string, (use: Node, parent: Node) => boolean>> = {
  attribute: (_, parent) =>
    parent.parent?.type === 'call' && mutators.test(fieldText(parent, 'attribute')),
  subscript: (use, parent) => isSameNode(field(parent, 'value'), use) && isAssigned(parent),
  augmented_assignment: (use, parent) => isSameNode(field(parent, 'left'), use),
  assignment: (use, parent) =>
    isSameNode(field(parent, 'right'), use) && field(parent, 'left')?.type === 'attribute',
  return_statement: () => true,
}

function isAssigned(target: Node): boolean {
  const owner = target.parent
  return (
    owner !== null && /assignment$/.test(owner.type) && isSameNode(field(owner, 'left'), target)
  )
}

function isSameNode(one: Node | undefined, other: Node): boolean {
  return one?.id === other.id
}

/** The signature with `None` and a line that creates the object; undefined for long signatures. */
function noneDefault(fn: Node, body: Node, parameter: Node, file: ParsedFile): string | undefined {
  const first = body.namedChild(0)
  if (!first || !isOneLineSignature(fn, parameter, first) || isDocstring(first)) return undefined
  const collections = findNodes(field(fn, 'parameters')!, 'list', 'dictionary', 'set')
  if (collections.length > 1) return undefined
  const signature = replaceInLine(parameter, file, optionalParameter(parameter))
  if (!signature) return undefined
  const name = fieldText(parameter, 'name')
  const indent = ' '.repeat(first.startPosition.column)
  const assignment = `${indentStep(fn, first)}${name} = ${fieldText(parameter, 'value')}`
  return `${signature}\n${indent}if ${name} is None:\n${indent}${assignment}`
}

function isOneLineSignature(fn: Node, parameter: Node, first: Node): boolean {
  return lineOf(fn) === lineOf(parameter) && lineOf(first) === lineOf(fn) + 1
}

function isDocstring(statement: Node): boolean {
  return statement.type === 'expression_statement' && statement.namedChild(0)?.type === 'string'
}

/** The parameter with the default `None`, which its type allows. */
function optionalParameter(parameter: Node): string {
  const name = fieldText(parameter, 'name')
  const type = fieldText(parameter, 'type')
  if (!type) return `${name}=None`
  const isOptional = /None|Optional/.test(type)
  return isOptional ? `${name}: ${type} = None` : `${name}: ${type} | None = None`
}

/** The indentation of the file, taken from the first statement of the function. */
function indentStep(fn: Node, first: Node): string {
  return ' '.repeat(Math.max(1, first.startPosition.column - fn.startPosition.column))
}

/** `{ a: 1, a: 2 }`. */
function checkDuplicateKey(node: Node): Hit | undefined {
  const seen = new Map<string, Node>()
  for (const pair of node.namedChildren) {
    // After a spread, a key may be given again on purpose.
    if (/splat|spread/.test(pair.type)) seen.clear()
    const key = pair.type === 'pair' ? field(pair, 'key') : undefined
    const name = key && keyName(key)
    if (name === undefined || name === '__proto__') continue
    const first = seen.get(name)
    if (first) return duplicateKeyHit(name, pair, lineOf(first))
    seen.set(name, pair)
  }
  return undefined
}

function duplicateKeyHit(name: string, pair: Node, line: number): Hit {
  return {
    at: firstLine(pair),
    title: `Duplicate key ${quoteCode(name)}`,
    body: `When this is built, this value silently overwrites the one in line ${line}.`,
    evidence: [{ line, note: 'the same key' }],
  }
}

/** The name of a key; undefined if it is computed or has escapes. */
function keyName(key: Node): string | undefined {
  if (key.type === 'property_identifier') return key.text
  if (key.type !== 'string' || !isPlainString(key)) return undefined
  return findNodes(key, 'escape_sequence').length === 0 ? stringText(key) : undefined
}

export const valueRules: readonly Rule[] = [
  {
    id: 'mutable-default',
    summary:
      'A mutable default argument (list, dict or set) is modified or escapes the function, so ' +
      'calls share it.',
    seeAlso: ['Ruff `B006`'],
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
    summary: 'An object or dict literal has the same key twice.',
    seeAlso: ['ESLint `no-dupe-keys`', 'Ruff `F601`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: ['javascript', 'python'],
        nodes: ['object', 'dictionary'],
        check: checkDuplicateKey,
      },
    ],
  },
  {
    id: 'raised-not-implemented',
    summary: '`NotImplemented` is raised instead of `NotImplementedError`.',
    seeAlso: ['Ruff `F901`'],
    severity: 'minor',
    category: 'correctness',
    confidence: 0.98,
    title: '`NotImplemented` is not an exception, so raising it fails',
    body: 'When this is reached, Python raises `TypeError` instead. Raise `NotImplementedError`.',
    patterns: { python: ['raise NotImplemented', 'raise NotImplemented from $_'] },
  },
]
