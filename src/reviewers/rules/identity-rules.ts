// Rules about values that are compared by identity.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { functionTypes } from '../../languages/rules/functions.ts'
import { identityHit } from '../../languages/rules/identity-hit.ts'
import { isConstant, isLiteral } from '../../languages/rules/literals.ts'
import { valueTextOf } from '../../languages/rules/local-values.ts'
import { outerParent, unwrap } from '../../languages/rules/operations.ts'
import {
  enclosingNode,
  field,
  fieldText,
  firstLine,
  lineOf,
  nextCodeSibling,
  quoteCode,
  replaceInLine,
} from '../../languages/rules/syntax-nodes.ts'
import { commonValueType } from '../../languages/rules/typed-comparisons.ts'
import { describeConstantResult, equalityOf, readComparison } from './equality.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { originOf, typeOf } from './value-origins.ts'

/** The line that shows that an expression is a `Date`; undefined where none does. */
function findDateLine(node: Node, file: ParsedFile): number | undefined {
  switch (node.type) {
    case 'new_expression':
      return isNewDate(node) ? lineOf(node) : undefined
    case 'identifier':
      return findDateLineOfName(node, file)
    case 'member_expression':
      return findDateLineOfProperty(node, file)
    default:
      return undefined
  }
}

function isNewDate(node: Node): boolean {
  return node.type === 'new_expression' && fieldText(node, 'constructor') === 'Date'
}

function findDateLineOfName(identifier: Node, file: ParsedFile): number | undefined {
  if (typeOf(identifier.text, identifier, file) === 'Date') return lineOf(identifier)
  const origin = originOf(identifier.text, identifier, file)
  if (!origin || !isNewDate(unwrap(origin.value))) return undefined
  const isPlainDeclaration = field(origin.node, 'name')?.type === 'identifier'
  return isPlainDeclaration ? lineOf(origin.node) : undefined
}

/** A property is a `Date` when all declarations with its name in the file have that type. */
function findDateLineOfProperty(member: Node, file: ParsedFile): number | undefined {
  const declarations = file.declarations.properties(fieldText(member, 'property'))
  const areDates = declarations.every((declaration) =>
    /^:\s*(?:readonly )?Date$/.test(fieldText(declaration, 'type')),
  )
  return declarations.length > 0 && areDates ? lineOf(declarations[0]!) : undefined
}

function checkDateIdentity(node: Node, file: ParsedFile): Hit | undefined {
  const equality = equalityOf(node)
  if (!equality) return undefined
  const { left, right, operator } = equality
  if (isConstant(left) || isConstant(right) || left.text === right.text) return undefined
  const leftLine = findDateLine(left, file)
  const rightLine = leftLine === undefined ? undefined : findDateLine(right, file)
  if (leftLine === undefined || rightLine === undefined) return undefined
  const lines = new Set([leftLine, rightLine].filter((line) => line !== lineOf(node)))
  return {
    at: firstLine(node),
    title:
      `The dates ${quoteCode(left.text)} and ${quoteCode(right.text)} are compared by ` +
      'identity',
    body:
      `When both are the same moment in two \`Date\` objects, \`${operator}\` treats them as ` +
      'different, because it compares object identity. Compare their `getTime()` for the same ' +
      'moment, or year, month and day for the same day.',
    evidence: [...lines].map((line) => ({ line, note: 'a `Date` by this line' })),
  }
}

/** Literals that make a new object each time. */
const objectLiterals = new Set([
  'array',
  'object',
  'regex',
  'arrow_function',
  'function_expression',
  'class',
])

function checkLiteralIdentity(node: Node): Hit | undefined {
  const equality = equalityOf(node)
  if (!equality) return undefined
  const { left, right, operator } = equality
  const literal = [right, left].find((side) => objectLiterals.has(side.type))
  // Loose equality converts an array to a text, which may equal the other side.
  const isConverted = operator.length === 2 && literal?.type === 'array'
  if (!literal || isConverted) return undefined
  return {
    at: firstLine(node),
    title:
      `The comparison with the literal ${quoteCode(literal.text)} is ` +
      `${describeConstantResult(operator)}`,
    body:
      `When the other side has equal content, \`${operator}\` still compares object ` +
      'identity, and a literal is a new object each time. Compare the length, the keys or ' +
      'the elements.',
  }
}

const pythonLiterals = new Set([
  'string',
  'integer',
  'float',
  'tuple',
  'list',
  'dictionary',
  'set',
  'concatenated_string',
])

function checkPythonIdentity(node: Node, file: ParsedFile): Hit | undefined {
  const operators = node.childrenForFieldName('operators')
  if (node.namedChildCount !== 2 || operators.length !== 1) return undefined
  const operator = operators[0]!.text.replace(/\s+/g, ' ')
  const [left, right] = [node.namedChild(0)!, node.namedChild(1)!]
  const literal = [right, left].find((side) => pythonLiterals.has(side.type))
  if (!literal || (operator !== 'is' && operator !== 'is not')) return undefined
  const equality = operator === 'is' ? '==' : '!='
  return {
    at: firstLine(node),
    title: `${quoteCode(node.text)} compares identity, not values`,
    body:
      `When both sides are equal but different objects, \`${operator}\` gives the wrong ` +
      `result; which literals are shared depends on the interpreter. Use \`${equality}\`.`,
    suggestion: replaceInLine(node, file, `${left.text} ${equality} ${right.text}`),
  }
}

function checkJavaIdentity(node: Node, file: ParsedFile): Hit | undefined {
  const equality = equalityOf(node)
  if (!equality) return undefined
  const { left, right, operator } = equality
  if (!haveValueType(left, right, file) || left.text === right.text) return undefined
  if (isShortcut(node, operator)) return undefined
  const type = commonValueType(left, right, file) ?? 'String'
  const [first, second] = right.type === 'string_literal' ? [right, left] : [left, right]
  const call = `${operator === '!=' ? '!' : ''}${first.text}.equals(${second.text})`
  return {
    ...identityHit(node, left, right, operator, 'equals'),
    body:
      `When both hold the same ${type} but are different objects, \`${operator}\` treats ` +
      'them as different. Use `equals`.',
    suggestion: first.type === 'string_literal' ? replaceInLine(node, file, call) : undefined,
  }
}

/** Whether one side is a text and the other may be one, or both have the same value type. */
function haveValueType(left: Node, right: Node, file: ParsedFile): boolean {
  if (left.type === 'null_literal' || right.type === 'null_literal') return false
  const texts = [left, right].filter(({ type }) => type === 'string_literal')
  if (texts.length > 0)
    return texts.length === 1 && ![left, right].some((side) => interned.test(valueTextOf(side)))
  return commonValueType(left, right, file) !== undefined
}

/** Parsers of JSON return the same object for the same name. */
const interned = /\b(?:getC|c)urrentName\(\)|\b(?:getF|nextF)ieldName\(\)|\.intern\(\)/

/** Whether the test of identity only saves the comparison of values that follows. */
function isShortcut(equality: Node, operator: string): boolean {
  const outer = outerParent(equality)
  if (!outer) return false
  const shortcutOperator = operator === '==' ? '||' : '&&'
  if (field(outer, 'operator')?.type === shortcutOperator) {
    return /\b(?:equals|compare)\w*\(/.test(outer.text.slice(0, 1_000))
  }
  return operator === '==' && isEarlyReturn(outer)
}

/** Whether a statement is `if (s == t) return true;` before code that compares the values. */
function isEarlyReturn(statement: Node): boolean {
  if (statement.type !== 'if_statement' || field(statement, 'alternative')) return false
  const branch = fieldText(statement, 'consequence').slice(0, 200)
  const next = nextCodeSibling(statement)
  if (!next || !/^\{?\s*return (?:true|0);\s*\}?$/.test(branch)) return false
  return !/^return (?:true|false|-?\d+);$/.test(next.text.slice(0, 200))
}

/** The last word of names whose values are equal without being the same object. */
const valueName =
  /(?:^|[._>(]|[a-z](?=[A-Z]))(?:id|uuid|name|code|email|username|key|token|slug|hash|url|path|title|amount|price|total|quantity)(?:\(\))?$/i

function isValue(node: Node): boolean {
  return isLiteral(node) || valueName.test(node.text.slice(-60))
}

/** How languages other than JavaScript and Java compare objects by identity. */
const identityOperators: Readonly<Record<string, RegExp>> = {
  python: /^(?:is|is not)$/,
  kotlin: /^[=!]==$/,
}

/** Kotlin: `order.ownerId === user.id`; Python: `order.owner_id is user.id`. */
function checkValueIdentity(node: Node, file: ParsedFile): Hit | undefined {
  const operators = identityOperators[file.language]
  const comparison = operators && readComparison(node)
  const operator = node
    .childrenForFieldName('operators')
    .map((each) => each?.type)
    .join(' ')
  if (!comparison || !operators.test(operator || comparison.operator)) return undefined
  const [left, right] = [unwrap(comparison.left), unwrap(comparison.right)]
  const literals = [left, right].filter(isLiteral)
  // Python's literals have a check of their own.
  if (literals.length > 1 || (literals.length > 0 && file.language === 'python')) return undefined
  if (literals.some(({ text }) => /^(?:null|true|false|\d+)$/.test(text))) return undefined
  if (!areValues(left, right, file) || isInEquals(node)) return undefined
  return identityHit(node, left, right, file.language === 'python' ? 'is' : '===', '==')
}

function areValues(left: Node, right: Node, file: ParsedFile): boolean {
  if (isValue(left) && isValue(right)) return true
  return file.language === 'kotlin' && commonValueType(left, right, file) !== undefined
}

/** `this === other` only saves the comparison of members. */
function isInEquals(node: Node): boolean {
  const owner = enclosingNode(node, functionTypes)
  return owner !== undefined && fieldText(owner, 'name') === 'equals'
}

/** Ruby: `left.equal?(right)`. */
function checkEqualMethod(call: Node): Hit | undefined {
  const receiver = field(call, 'receiver')
  const [other, ...others] = readCall(call).args
  if (fieldText(call, 'method') !== 'equal?' || !receiver || !other || others.length > 0)
    return undefined
  return isValue(receiver) && isValue(other) && receiver.text !== 'self'
    ? identityHit(call, receiver, other, 'equal?', '==')
    : undefined
}

/** C#: `==` of two values that are declared as `object` compares references. */
function checkObjectIdentity(node: Node, file: ParsedFile): Hit | undefined {
  const equality = file.language === 'c-sharp' ? equalityOf(node) : undefined
  if (!equality || !/\bobject\b/.test(file.text)) return undefined
  const { left, right, operator } = equality
  const areObjects = [left, right].every(({ text }) => {
    const name = /(\w+)$/.exec(text)?.[1]
    const declarations = [
      ...file.text.matchAll(new RegExp(`\\b([\\w<>?[\\]]+)\\s+${name}\\s*[;=,){]`, 'g')),
    ]
    const types = declarations.map(([, type]) => type!).filter((type) => type !== 'return')
    return types.length > 0 && types.every((type) => /^object\??$/.test(type))
  })
  return areObjects ? identityHit(node, left, right, operator, 'Equals(…)') : undefined
}

/** Java and Kotlin: `2.50` and `2.5` aren't equal as `BigDecimal`. */
function checkDecimalEquality(node: Node): Hit | undefined {
  const text = node.text.slice(0, 300)
  const [, left, right] =
    /^([\w.()]+)\.equals\((BigDecimal\.(?:ZERO|ONE|TEN|valueOf\([^()]*\))|new BigDecimal\([^()]*\))\)$/.exec(
      text,
    ) ??
    /^([\w.()]+) [=!]= (BigDecimal\.(?:ZERO|ONE|TEN|valueOf\([^()]*\)))$/.exec(text) ??
    []
  if (!left || !right) return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(left)} is compared with ${quoteCode(right)} including its scale`,
    body:
      'When the number of decimals differs, as for `0.00` and `0`, equal numbers count as ' +
      'different. Use `compareTo(…) == 0`.',
  }
}

/** Go: `==` also compares the zone and the monotonic clock of a time. */
function checkTimeEquality(node: Node, file: ParsedFile): Hit | undefined {
  const equality = file.language === 'go' ? equalityOf(node) : undefined
  if (!equality || /^(?:nil|time\.Time\{\})$/.test(equality.right.text)) return undefined
  const { left, right, operator } = equality
  if (![left, right].some((side) => isGoTime(side, file))) return undefined
  if (/^\W?\d|^"/.test(right.text)) return undefined
  return {
    at: firstLine(node),
    title:
      `The times ${quoteCode(left.text)} and ${quoteCode(right.text)} are compared with ` +
      `\`${operator}\``,
    body:
      'When both are the same moment in another zone, or one has a monotonic clock, they count ' +
      'as different. Use `Equal`.',
  }
}

const goTime =
  /^time\.(?:Now|Date|Unix\w*)\(.*\)$|\.(?:ModTime|UTC|Local)\(\)$|\.(?:Truncate|Round|AddDate|In)\([^()]*(?:\([^()]*\))?[^()]*\)$/

function isGoTime(node: Node, { text }: ParsedFile): boolean {
  if (!/\btime\./.test(text)) return false
  if (goTime.test(valueTextOf(node))) return true
  const name = /^(?:\w+\.)*(\w+)$/.exec(node.text)?.[1]
  if (name === undefined) return false
  const types = [...text.matchAll(new RegExp(`\\b${name}(?:, \\w+)*\\s+([*\\w.[\\]]+)`, 'g'))]
  return types.length > 0 && types.every(([, type]) => type === 'time.Time')
}

export const identityRules: readonly Rule[] = [
  {
    id: 'date-identity',
    summary: 'Two `Date` objects are compared with `==` or `===`, which compares object identity.',
    seeAlso: ['CWE-595'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [{ languages: ['javascript'], nodes: ['binary_expression'], check: checkDateIdentity }],
  },
  {
    id: 'literal-identity',
    summary:
      'A value is compared by identity with a literal, such as `x === []` or `x is "admin"`.',
    seeAlso: ['ESLint `no-constant-binary-expression`', 'Ruff `F632`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      { languages: ['javascript'], nodes: ['binary_expression'], check: checkLiteralIdentity },
      { languages: ['python'], nodes: ['comparison_operator'], check: checkPythonIdentity },
      { languages: ['python'], nodes: ['comparison_operator'], check: checkValueIdentity },
    ],
  },
  {
    id: 'boxed-identity',
    summary:
      'Strings, boxed numbers, decimals or times are compared by identity or representation, ' +
      'not by value.',
    seeAlso: ['CWE-597', 'SpotBugs `ES_COMPARING_STRINGS_WITH_EQ`', 'SpotBugs `RC_REF_COMPARISON`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      { languages: ['java'], nodes: ['binary_expression'], check: checkJavaIdentity },
      { nodes: ['binary_expression'], check: checkValueIdentity },
      { nodes: ['call'], check: checkEqualMethod },
      { nodes: ['binary_expression'], check: checkObjectIdentity },
      { languages: ['go'], nodes: ['binary_expression'], check: checkTimeEquality },
      {
        nodes: ['method_invocation', 'binary_expression', 'call_expression'],
        check: checkDecimalEquality,
      },
    ],
  },
]
