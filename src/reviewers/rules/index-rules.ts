// Rules about loops and indexes that go past the end.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import {
  checkDayRange,
  checkMonth,
  checkNextElement,
  checkRandom,
  checkSizeGuard,
} from '../../languages/rules/index-bounds.ts'
import { checkLoop, loopNodes } from '../../languages/rules/loop-bounds.ts'
import { outerParent, unwrap } from '../../languages/rules/operations.ts'
import {
  accessTypes,
  checkClampedEnd,
  checkCount,
  checkCutBefore,
  checkGuardedIndex,
  checkIndexAtSize,
  checkMinimumEnd,
  checkPageOffset,
  checkPageRequest,
  checkPrefixLength,
  checkPrefixName,
  checkSliceLength,
  countTypes,
} from '../../languages/rules/slice-bounds.ts'
import {
  containsIdentifier,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
  replaceInLine,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { declaredTypeOf } from './value-origins.ts'

/** Languages in which an index past the end stops the program. JavaScript gives `undefined`. */
const failsPastEnd: ReadonlySet<string> = new Set(['go', 'java'])

/** Finds the collection that is measured: `a` in `a.length`, `a.size()` and `len(a)`. */
function measuredCollection(node: Node): string | undefined {
  if (node.type === 'member_expression' || node.type === 'field_access') {
    const property = fieldText(node, 'property') || fieldText(node, 'field')
    return property === 'length' ? fieldText(node, 'object') : undefined
  }
  if (node.type === 'method_invocation') {
    return /^(?:size|length)$/.test(fieldText(node, 'name')) ? fieldText(node, 'object') : undefined
  }
  return fieldText(node, 'function') === 'len' ? readCall(node).args[0]?.text : undefined
}

/** `for (let i = 0; i <= list.length; i++)` with `list[i]`. */
function checkLoopBound(loop: Node, file: ParsedFile): Hit | undefined {
  const condition = conditionOf(loop)
  const body = field(loop, 'body')
  if (!condition || !body || field(condition, 'operator')?.type !== '<=') return undefined
  const left = field(condition, 'left')
  const right = field(condition, 'right')
  if (left?.type !== 'identifier' || !right) return undefined
  const collection = measuredCollection(right)
  if (!collection || !isIndexed(body, collection, left.text, file)) return undefined
  const index = quoteCode(left.text)
  const access = quoteCode(`${collection}[${left.text}]`)
  const outcome = failsPastEnd.has(file.language)
    ? 'the program stops with an index error'
    : 'it is `undefined`'
  return {
    at: firstLine(condition),
    title: `Off-by-one: this loop goes one past the end of ${quoteCode(collection)}`,
    body:
      `When ${index} reaches ${quoteCode(right.text)}, ${access} is out of bounds: ` +
      `${outcome}.`,
    severity: pastEndSeverity(file),
    suggestion: replaceInLine(condition, file, `${left.text} < ${right.text}`),
  }
}

function pastEndSeverity(file: ParsedFile): Hit['severity'] {
  return failsPastEnd.has(file.language) ? 'critical' : 'moderate'
}

/** Go has a node of its own for the start, condition and step of a `for` statement. */
function clauseOf(loop: Node): Node {
  return loop.namedChildren.find((child) => child.type === 'for_clause') ?? loop
}

function conditionOf(loop: Node): Node | undefined {
  const condition = field(clauseOf(loop), 'condition')
  if (!condition) return undefined
  return unwrap(condition.type === 'expression_statement' ? condition.namedChild(0)! : condition)
}

/** Whether the body reads the collection at the index without testing for the end. */
function isIndexed(body: Node, collection: string, index: string, file: ParsedFile): boolean {
  // If the loop tests for the end, its last step is deliberate.
  const comparisons = findNodes(body, 'binary_expression').filter(
    (node) => node.text.includes(index) && /[=<>]/.test(fieldText(node, 'operator')),
  )
  if (comparisons.some((node) => /length|len\(|size\(/.test(node.text))) return false
  const type = declaredTypeOf(collection, body, file)
  // A map accepts any number as a key.
  if (file.language === 'go' && /^(?:map\[|make\(map\[)/.test(type)) return false
  const accesses = findNodes(body, 'subscript_expression', 'index_expression', 'array_access')
  const hasAccess = accesses.some((node) => {
    const owner = field(node, 'object') ?? field(node, 'operand') ?? field(node, 'array')
    return owner?.text === collection && fieldText(node, 'index') === index && !hasFallback(node)
  })
  if (hasAccess) return true
  return (
    zeroBasedJavaTypes.test(type) &&
    findNodes(body, 'method_invocation').some(
      (call) =>
        fieldText(call, 'object') === collection &&
        /^(?:get|charAt)$/.test(fieldText(call, 'name')) &&
        readCall(call).args[0]?.text === index,
    )
  )
}

/** Types of the Java library whose first index is 0. Classes of the project may start elsewhere. */
const zeroBasedJavaTypes =
  /^(?:\w+\.)*(?:\w*List|Vector|Stack|String|StringBuilder|StringBuffer|CharSequence)\b(?!\.)|^new (?:\w+\.)*\w*(?:List|Vector|Stack)\b/

/** Whether the code handles a missing element: `list[i] ?? …`, `list[i]?.name`. */
function hasFallback(access: Node): boolean {
  const outer = outerParent(access)
  return (
    outer !== undefined &&
    (/^(?:\?\?|\|\|)$/.test(field(outer, 'operator')?.type ?? '') ||
      field(outer, 'optional_chain') !== undefined)
  )
}

/** Python: `for i in range(len(xs) + 1)` with `xs[i]`. */
function checkLongRange(loop: Node, file: ParsedFile): Hit | undefined {
  const range = field(loop, 'right')
  const name = fieldText(loop, 'left')
  const body = field(loop, 'body')
  const bound = range && rangeEndOf(range)
  const length = bound && operandOfIncrement(bound)
  if (!range || !body || !bound || !length) return undefined
  const collection = measuredCollection(length)
  if (!collection || /^(?:\{|dict\(|defaultdict)/.test(declaredTypeOf(collection, loop, file)))
    return undefined
  const access = findNodes(body, 'subscript').find(
    (node) =>
      fieldText(node, 'value') === collection &&
      fieldText(node, 'subscript') === name &&
      !isTarget(node),
  )
  if (!access || handlesEnd(body, name)) return undefined
  return {
    at: firstLine(range),
    title: `Off-by-one: this loop goes one past the end of ${quoteCode(collection)}`,
    body:
      `When ${quoteCode(name)} reaches ${quoteCode(length.text)}, ${quoteCode(access.text)} ` +
      'is out of bounds, and this raises `IndexError`.',
    suggestion: replaceInLine(bound, file, length.text),
  }
}

/** Finds the exclusive end of a `range` that has no step. */
function rangeEndOf(call: Node): Node | undefined {
  if (fieldText(call, 'function') !== 'range') return undefined
  const { args } = readCall(call)
  return args.length <= 2 ? args.at(-1) : undefined
}

/** Finds `a` in an expression that is `a + 1`. */
function operandOfIncrement(bound: Node): Node | undefined {
  if (fieldText(bound, 'operator') !== '+' || fieldText(bound, 'right') !== '1') return undefined
  return field(bound, 'left')
}

/** Whether the body of a loop tests its index, catches errors or ends the loop. */
function handlesEnd(body: Node, name: string): boolean {
  return findNodes(body, 'comparison_operator', 'try_statement', 'break_statement').some(
    (node) => node.type !== 'comparison_operator' || containsIdentifier(node, name),
  )
}

/** Whether a value is assigned to the element. */
function isTarget(access: Node): boolean {
  const outer = outerParent(access)
  return outer !== undefined && field(outer, 'left')?.id === access.id
}

/** Whether an access is written to, so that it appends an element. */
function isWritten(access: Node): boolean {
  const outer = outerParent(access)
  const target = outer && field(outer, 'left')
  return (
    outer?.type === 'update_expression' ||
    (target !== undefined &&
      target.startIndex <= access.startIndex &&
      target.endIndex >= access.endIndex)
  )
}

/** Checks of indexes and slices. */
const accessChecks = [
  ...[checkIndexAtSize, checkPageRequest, checkPrefixLength, checkPrefixName, checkCutBefore],
  ...[checkSliceLength, checkMinimumEnd, checkNextElement, checkRandom],
]

export const indexRules: readonly Rule[] = [
  {
    id: 'off-by-one',
    summary:
      'A loop, index, slice, page or count is off by one: it goes past the end, or leaves out ' +
      'the last element, chunk or page.',
    seeAlso: ['CWE-193'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.92,
    patterns: {
      javascript: ['$_ = «$LIST[$LIST.length]»'],
      python: ['$_ = «$LIST[len($LIST)]»'],
      go: ['$_ = «$LIST[len($LIST)]»'],
      java: ['$_ = «$LIST[$LIST.length]»', '$_ = «$LIST[$LIST.$SIZE()]»'],
    },
    where: { SIZE: /^(?:size|length)$/ },
    refine: ({ node }) => !isWritten(node),
    title: 'Off-by-one: $MATCH is one past the last element',
    body:
      'When this is read, there is no element at that index: the last element of $LIST is one ' +
      'before.',
    syntax: [
      {
        languages: ['javascript', 'go', 'java'],
        nodes: ['for_statement'],
        check: checkLoopBound,
      },
      { languages: ['python'], nodes: ['for_statement'], check: checkLongRange },
      { nodes: loopNodes, check: checkLoop },
      ...accessChecks.map((check) => ({ nodes: accessTypes, check })),
      {
        languages: ['javascript'],
        nodes: ['new_expression', 'call_expression', 'template_string'],
        check: checkMonth,
      },
      { languages: ['ruby'], nodes: ['range'], check: checkDayRange },
      { nodes: countTypes, check: checkCount },
      {
        nodes: ['binary_expression', 'binary_operator', 'binary'],
        check: checkPageOffset,
      },
      ...[checkGuardedIndex, checkClampedEnd, checkSizeGuard].map((check) => ({
        nodes: ['if_statement', 'if_expression', 'if', 'if_modifier'],
        check,
      })),
    ],
  },
]
