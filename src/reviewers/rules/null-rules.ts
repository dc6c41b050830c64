// Rules about values that are used where the code has just found that they are missing.
import type { Node } from 'web-tree-sitter'
import { isCondition, isOperandOf } from './condition-nodes.ts'
import { isPlainString } from './literals.ts'
import { allRuleLanguages, type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  binaryTypes,
  calleeOf,
  callTypes,
  enclosingFunction,
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  operandsOf,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'

/** A test whether something is missing: `x == null`, `x is not None`, `!x`. */
interface NullTest {
  readonly name: string
  readonly isMissing: boolean
}

const nullLiteral = /^(?:null|undefined|nil|None)$/

const simpleName = /^[\w$]+(?:\.[\w$]+){0,3}$/

function nullTestOf(node: Node, file: ParsedFile): NullTest | undefined {
  const inner = unwrap(node)
  if (inner.type === 'unary_expression' && javascriptFamily.includes(file.language)) {
    const operand = fieldText(inner, 'argument')
    return field(inner, 'operator')?.type === '!' && simpleName.test(operand)
      ? { name: operand, isMissing: true }
      : undefined
  }
  const isPython = inner.type === 'comparison_operator'
  if (isPython && inner.namedChildCount !== 2) return undefined
  const [left, right] = isPython
    ? inner.namedChildren
    : [field(inner, 'left'), field(inner, 'right')]
  const operator = isPython
    ? inner
        .childrenForFieldName('operators')
        .map((part) => part.text)
        .join(' ')
    : (field(inner, 'operator')?.type ?? '')
  if (!left || !right || !nullLiteral.test(right.text) || !simpleName.test(left.text))
    return undefined
  if (/^(?:===?|is)$/.test(operator)) return { name: left.text, isMissing: true }
  return /^(?:!==?|is not)$/.test(operator) ? { name: left.text, isMissing: false } : undefined
}

const accessTypes = [
  'member_expression',
  'attribute',
  'selector_expression',
  'field_access',
  'method_invocation',
]

/** What may give the name a value, or decide that the code isn't reached. */
const changes = [
  ...callTypes,
  'assignment_expression',
  'assignment',
  'assignment_statement',
  'augmented_assignment',
  'short_var_declaration',
  'var_declaration',
  'new_expression',
  'await_expression',
  'if_statement',
]

/** Where a member of the name is read under the node, before anything could have given it a value. */
function accessIn(
  node: Node,
  name: string,
  counts: (access: Node) => boolean = () => true,
): Node | undefined {
  const fn = enclosingFunction(node)?.id
  const access = findNodes(node, ...accessTypes).find(
    (found) => isAccess(found, name) && counts(found) && enclosingFunction(found)?.id === fn,
  )
  const isChanged = (other: Node) => {
    if (other.startIndex >= access!.startIndex) return false
    const isAround = other.endIndex >= access!.endIndex
    return (
      !isAround || !(/call|invocation|new_|await/.test(other.type) || isInRightSide(other, access!))
    )
  }
  return access && !findNodes(node, ...changes).some(isChanged) ? access : undefined
}

function isInRightSide(statement: Node, access: Node): boolean {
  const right = field(statement, 'right') ?? field(statement, 'value')
  return (
    right !== undefined &&
    right.startIndex <= access.startIndex &&
    right.endIndex >= access.endIndex
  )
}

function nullAccessHit(access: Node, name: string, test: Node, file: ParsedFile): Hit {
  const isScript = javascriptFamily.includes(file.language)
  const outcome = isScript
    ? 'this throws a `TypeError`'
    : file.language === 'python'
      ? 'this raises `AttributeError`'
      : file.language === 'go'
        ? 'this panics'
        : 'this throws a `NullPointerException`'
  return {
    at: firstLine(access),
    title: `${quoteCode(access.text)} is used where ${quoteCode(name)} is known to be missing`,
    body: `When the test ${quoteCode(test.text)} lets the code come here, ${quoteCode(name)} is missing, and ${outcome}.`,
    evidence:
      lineOf(test) === lineOf(access) ? [] : [{ line: lineOf(test), note: 'known by this test' }],
  }
}

/** `x == null && x.y`, `x != null || x.y`. */
function checkChain(node: Node, file: ParsedFile): Hit | undefined {
  const operator = field(node, 'operator')?.type ?? ''
  const isAnd = operator === '&&' || operator === 'and'
  if ((!isAnd && operator !== '||' && operator !== 'or') || isOperandOf(node, operator))
    return undefined
  const operands = operandsOf(node, operator)
  for (const [index, operand] of operands.slice(0, 20).entries()) {
    const test = nullTestOf(operand, file)
    if (!test || test.isMissing !== isAnd) continue
    const access = operands
      .slice(index + 1, index + 20)
      .map(
        (later) => accessIn(later, test.name) ?? (isAccess(later, test.name) ? later : undefined),
      )
      .find((found) => found)
    if (access) return nullAccessHit(access, test.name, operand, file)
  }
  return undefined
}

function isAccess(node: Node, name: string): boolean {
  return (
    accessTypes.includes(node.type) &&
    (field(node, 'object') ?? field(node, 'operand'))?.text === name &&
    !field(node, 'optional_chain')
  )
}

/** `if (x == null) { use(x.y) }`. */
function checkBranch(statement: Node, file: ParsedFile): Hit | undefined {
  const condition = field(statement, 'condition')
  const branch = field(statement, 'consequence')
  if (!condition || !branch) return undefined
  const inner = unwrap(condition)
  const operator = field(inner, 'operator')?.type ?? ''
  const operands = operator === '&&' || operator === 'and' ? operandsOf(inner, operator) : [inner]
  for (const operand of operands.slice(0, 20)) {
    const test = nullTestOf(operand, file)
    if (!test?.isMissing) continue
    // In Go a method may take a nil receiver, but for errors; the fields of nil can't be read.
    const isField = (found: Node) => fieldText(found.parent ?? found, 'function') !== found.text
    const mayBeCalled = file.language === 'go' && !/^err|Err$/.test(test.name)
    const access = accessIn(branch, test.name, mayBeCalled ? isField : undefined)
    // An empty text is as good as false, and has a length.
    if (
      access &&
      !(
        operand.type === 'unary_expression' &&
        /^(?:length|size)$/.test(fieldText(access, 'property'))
      )
    )
      return nullAccessHit(access, test.name, operand, file)
  }
  return undefined
}

const nonStringFind = /bs4|BeautifulSoup|etree|lxml|selenium|pymongo|minidom|mongo/i

/** `if (text.indexOf('x'))`: -1 counts as true, 0 as false. */
function checkIndexAsTruth(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [first] = argumentsOf(call)
  const isPython = file.language === 'python'
  const isSearch = isPython
    ? /^r?find$/.test(name) &&
      first !== undefined &&
      isPlainString(first) &&
      !nonStringFind.test(file.text)
    : /^(?:indexOf|lastIndexOf|findIndex|findLastIndex)$/.test(name)
  if (!receiver || !isSearch || !isCondition(call)) return undefined
  return {
    at: firstLine(call),
    title: `The condition tests the index that ${quoteCode(`${receiver.text}.${name}`)} gives as if it were an answer`,
    body: 'When nothing is found, the index is -1, which counts as true; when it is found at the very start, the index is 0, which counts as false. Compare it with -1, or ask whether it is contained.',
  }
}

export const nullRules: readonly Rule[] = [
  {
    id: 'null-access',
    summary: 'A member of a value is used where a test has just shown that there is no value.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.92,
    syntax: [
      { languages: allRuleLanguages, nodes: binaryTypes, check: checkChain },
      { languages: allRuleLanguages, nodes: ['if_statement'], check: checkBranch },
    ],
  },
  {
    id: 'index-as-truth',
    summary: 'The index from a search is used as a condition: -1 counts as true, 0 as false.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: [...javascriptFamily, 'python'],
        nodes: ['call_expression', 'call'],
        check: checkIndexAsTruth,
      },
    ],
  },
]
