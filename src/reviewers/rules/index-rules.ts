// Rules about loops and indexes that go past the end.
import type { Node } from 'web-tree-sitter'
import { allRuleLanguages, type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  containsIdentifier,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  outerParent,
  quoteCode,
  replaceInLine,
  unwrap,
} from './syntax-nodes.ts'
import { declaredTypeOf } from './value-origins.ts'

/** The collection whose length an expression is: `a.length`, `a.size()`, `len(a)`. */
function measured(node: Node): string | undefined {
  if (node.type === 'member_expression' || node.type === 'field_access') {
    const property = fieldText(node, 'property') || fieldText(node, 'field')
    return property === 'length' ? fieldText(node, 'object') : undefined
  }
  if (node.type === 'method_invocation') {
    return /^(?:size|length)$/.test(fieldText(node, 'name')) ? fieldText(node, 'object') : undefined
  }
  return fieldText(node, 'function') === 'len' ? argumentsOf(node)[0]?.text : undefined
}

function checkLoopBound(loop: Node, file: ParsedFile): Hit | undefined {
  const clause = loop.namedChildren.find((child) => child.type === 'for_clause') ?? loop
  const condition = field(clause, 'condition')
  const body = field(loop, 'body')
  const bound =
    condition &&
    unwrap(condition.type === 'expression_statement' ? condition.namedChild(0)! : condition)
  const [left, right] = bound ? [field(bound, 'left'), field(bound, 'right')] : []
  if (!bound || !body || !left || !right || field(bound, 'operator')?.type !== '<=')
    return undefined
  const collection = measured(right)
  if (!collection || left.type !== 'identifier' || !isIndexed(body, collection, left.text, file))
    return undefined
  return {
    at: firstLine(bound),
    title: `This loop goes one step past the end of ${quoteCode(collection)}`,
    body: `When ${quoteCode(left.text)} reaches ${quoteCode(right.text)}, ${quoteCode(`${collection}[${left.text}]`)} is outside: ${file.language === 'go' || file.language === 'java' ? 'the program stops with an index error' : 'it is `undefined`'}.`,
    severity: file.language === 'go' || file.language === 'java' ? 'critical' : 'moderate',
    suggestion: replaceInLine(bound, file, `${left.text} < ${right.text}`),
  }
}

function isIndexed(body: Node, collection: string, index: string, file: ParsedFile): boolean {
  // A test for the end inside the loop makes the last step a deliberate one.
  const lengths = findNodes(body, 'binary_expression').filter(
    (node) => node.text.includes(index) && /[=<>]/.test(fieldText(node, 'operator')),
  )
  if (lengths.some((node) => /length|len\(|size\(/.test(node.text))) return false
  const type = declaredTypeOf(collection, body, file)
  // A map takes any number for a key.
  if (file.language === 'go' && /^(?:map\[|make\(map\[)/.test(type)) return false
  const accesses = findNodes(body, 'subscript_expression', 'index_expression', 'array_access').some(
    (node) => {
      const owner = field(node, 'object') ?? field(node, 'operand') ?? field(node, 'array')
      return owner?.text === collection && fieldText(node, 'index') === index && !hasFallback(node)
    },
  )
  const getters = findNodes(body, 'method_invocation').some(
    (call) =>
      fieldText(call, 'object') === collection &&
      /^(?:get|charAt)$/.test(fieldText(call, 'name')) &&
      argumentsOf(call)[0]?.text === index &&
      zeroBased.test(type),
  )
  return accesses || getters
}

/** Types of Java whose elements are counted from zero; a class of one's own may count from where it likes. */
const zeroBased =
  /^(?:\w+\.)*(?:\w*List|Vector|Stack|String|StringBuilder|StringBuffer|CharSequence)\b(?!\.)|^new (?:\w+\.)*\w*(?:List|Vector|Stack)\b/

/** `list[i] ?? …`, `list[i]?.name`: what isn't there was thought of. */
function hasFallback(access: Node): boolean {
  const outer = outerParent(access)
  return (
    outer !== undefined &&
    (/^(?:\?\?|\|\|)$/.test(field(outer, 'operator')?.type ?? '') ||
      field(outer, 'optional_chain') !== undefined)
  )
}

/** The indexed collection and the index of an access, in any of the languages. */
function accessOf(node: Node): { owner: Node | undefined; index: Node | undefined } {
  const owner =
    field(node, 'object') ?? field(node, 'operand') ?? field(node, 'array') ?? field(node, 'value')
  return { owner, index: field(node, 'index') ?? field(node, 'subscript') }
}

/** A loop over all indexes that also looks at the next element, and tests nothing before it does. */
function checkNextElement(access: Node, file: ParsedFile): Hit | undefined {
  const { owner, index } = accessOf(access)
  const name = index && /^(\w{1,40}) ?\+ ?1$/.exec(index.text)?.[1]
  const loop = enclosingNode(access, new Set(['for_statement']))
  const body = loop && field(loop, 'body')
  if (!owner || !name || !loop || !body || !runsToEnd(loop, name, owner.text)) return undefined
  // In JavaScript the element is `undefined`, which only hurts where something of it is read.
  const reader =
    access.parent?.type === 'member_expression' && !field(access.parent, 'optional_chain')
  if (javascriptFamily.includes(file.language) && !reader) return undefined
  const before = body.text.slice(0, 20_000)
  const isTested = new RegExp(
    `\\b${name}\\b[^;\\n]{0,40}[<>=!]=|\\b${name}\\b[^;\\n]{0,40}[<>]|[<>=]\\s*[^;\\n]{0,40}\\b${name}\\b *[)&|:{?]`,
  ).test(before)
  if (isTested || /\b(?:break|return|continue|try|goto)\b/.test(before)) return undefined
  return {
    at: firstLine(access),
    title: `${quoteCode(access.text)} goes past the end in the last turn of the loop`,
    body: `When ${quoteCode(name)} is the last index, there is no next element. Let the loop end one earlier.`,
    evidence: [{ line: loop.startPosition.row + 1, note: 'the loop goes over all indexes' }],
  }
}

/** Python: `for i in range(len(xs) + 1)` with `xs[i]`. */
function checkLongRange(loop: Node, file: ParsedFile): Hit | undefined {
  const range = field(loop, 'right')
  const name = fieldText(loop, 'left')
  const body = field(loop, 'body')
  if (!range || !body || fieldText(range, 'function') !== 'range') return undefined
  const args = argumentsOf(range)
  const bound = args.length === 1 ? args[0]! : args[1]
  const length =
    bound && args.length <= 2 && fieldText(bound, 'operator') === '+'
      ? field(bound, 'left')
      : undefined
  const collection = length && fieldText(bound!, 'right') === '1' ? measured(length) : undefined
  if (!collection || /^(?:\{|dict\(|defaultdict)/.test(declaredTypeOf(collection, loop, file)))
    return undefined
  // A test of the index inside the loop makes the last step a deliberate one.
  const isTested = findNodes(body, 'comparison_operator', 'try_statement', 'break_statement').some(
    (node) => node.type !== 'comparison_operator' || containsIdentifier(node, name),
  )
  const access = findNodes(body, 'subscript').find(
    (node) =>
      fieldText(node, 'value') === collection &&
      fieldText(node, 'subscript') === name &&
      !isTarget(node),
  )
  if (isTested || !access) return undefined
  return {
    at: firstLine(range),
    title: `This loop goes one step past the end of ${quoteCode(collection)}`,
    body: `When ${quoteCode(name)} reaches ${quoteCode(length!.text)}, ${quoteCode(access.text)} is outside, and this raises \`IndexError\`.`,
    suggestion: replaceInLine(bound!, file, length!.text),
  }
}

function isTarget(access: Node): boolean {
  const outer = outerParent(access)
  return outer !== undefined && field(outer, 'left')?.id === access.id
}

/** Whether a loop takes the name over all indexes of the collection. */
function runsToEnd(loop: Node, name: string, collection: string): boolean {
  if (fieldText(loop, 'left') === name)
    return fieldText(loop, 'right') === `range(len(${collection}))`
  const clause = loop.namedChildren.find((child) => child.type === 'for_clause') ?? loop
  const condition = field(clause, 'condition')
  const bound =
    condition &&
    unwrap(condition.type === 'expression_statement' ? condition.namedChild(0)! : condition)
  const right = bound && field(bound, 'right')
  const step = fieldText(clause, 'increment') || fieldText(clause, 'update')
  return (
    /^(?:\w+\+\+|\+\+\w+)$/.test(step) &&
    right !== undefined &&
    field(bound!, 'operator')?.type === '<' &&
    fieldText(bound!, 'left') === name &&
    measured(right) === collection
  )
}

/** `for (let i = list.length; i >= 0; i--)` with `list[i]`. */
function checkReverseLoop(loop: Node, file: ParsedFile): Hit | undefined {
  const clause = loop.namedChildren.find((child) => child.type === 'for_clause') ?? loop
  const start = field(clause, 'initializer') ?? field(clause, 'init')
  const declared = start && (findNodes(start, 'variable_declarator')[0] ?? start)
  const name = declared && (fieldText(declared, 'name') || fieldText(declared, 'left'))
  const value = declared && (field(declared, 'value') ?? field(declared, 'right'))
  const body = field(loop, 'body')
  const first = value?.type === 'expression_list' ? value.namedChild(0) : value
  const collection = first && measured(first)
  const steps = fieldText(clause, 'increment') || fieldText(clause, 'update')
  if (!name || !first || !collection || !body || !/^(?:\w+--|--\w+)$/.test(steps)) return undefined
  if (
    !new RegExp(`\\b${name} (?:>=|>) `).test(
      loop.text.slice(0, body.startIndex - loop.startIndex),
    ) ||
    !isIndexed(body, collection, name, file)
  )
    return undefined
  return {
    at: firstLine(first),
    title: `This loop begins one past the end of ${quoteCode(collection)}`,
    body: `When the loop starts, ${quoteCode(`${collection}[${name}]`)} is outside. Begin at ${quoteCode(`${first.text} - 1`)}.`,
    severity: file.language === 'go' || file.language === 'java' ? 'critical' : 'moderate',
    suggestion: replaceInLine(first, file, `${first.text} - 1`),
  }
}

/** `a[a.length]` as a value. */
function checkLastIndex(node: Node): Hit | undefined {
  const { owner, index } = accessOf(node)
  if (!owner || !index || measured(index) !== owner.text) return undefined
  const outer = outerParent(node)
  const target = outer && field(outer, 'left')
  const isWritten =
    target !== undefined && target.startIndex <= node.startIndex && target.endIndex >= node.endIndex
  if (isWritten || outer?.type === 'update_expression') return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(node.text)} is one past the last element`,
    body: `When this is read, there is nothing at that index: the last element of ${quoteCode(owner.text)} stands one before.`,
  }
}

export const indexRules: readonly Rule[] = [
  {
    id: 'off-by-one',
    summary: 'A loop or index goes one past the end of what it indexes.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.92,
    syntax: [
      {
        languages: [...javascriptFamily, 'go', 'java'],
        nodes: ['for_statement'],
        check: checkLoopBound,
      },
      {
        languages: allRuleLanguages,
        nodes: ['subscript_expression', 'index_expression', 'array_access', 'subscript'],
        check: checkLastIndex,
      },
      {
        languages: allRuleLanguages,
        nodes: ['subscript_expression', 'index_expression', 'array_access', 'subscript'],
        check: checkNextElement,
      },
      {
        languages: [...javascriptFamily, 'go', 'java'],
        nodes: ['for_statement'],
        check: checkReverseLoop,
      },
      { languages: ['python'], nodes: ['for_statement'], check: checkLongRange },
    ],
  },
]
