// Finds values that are used although a test shows that they may be missing, or lets that by.
import type { Node } from 'web-tree-sitter'
import { bindingTypes, mentionsName, readVariable } from './bindings.ts'
import { callAndNewTypes, readCall } from './calls.ts'
import { outermostFunction } from './functions.ts'
import { textBefore } from './local-values.ts'
import { isLogStatement } from './logged-only.ts'
import { negatedOperand, operandsOf, unwrap } from './operations.ts'
import { mayLeave, statementAround, statementsOf, surelyLeaves } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import {
  codeChildren,
  field,
  findNodes,
  firstField,
  firstLine,
  isWithin,
  lineOf,
  quoteCode,
  textOf,
} from './syntax-nodes.ts'
import { accessOf, firstFailingUse, firstUseAfter, textAround } from './value-uses.ts'

/** A value that may be missing where a condition holds, or where it doesn't. */
interface Absence {
  readonly name: string
  /** The part of the condition that shows it. */
  readonly test: Node
  /** Whether the test is the value itself, so that empty texts and lists count as missing, too. */
  readonly isBare: boolean
}

const maxOperands = 6

/** Lists the values that may be missing where a condition holds, or where it doesn't. */
function absencesIf(condition: Node, holds: boolean, file: ParsedFile): Absence[] {
  const inner = unwrap(condition)
  const negated = negatedOperand(inner)
  if (negated) return absencesIf(negated, !holds, file)
  const operator = field(inner, 'operator')?.type ?? ''
  if (!/^(?:&&|\|\||and|or)$/.test(operator)) return absencesOfTest(inner, holds, file)
  const operands = operandsOf(inner, operator)
    .slice(0, maxOperands)
    .filter((operand) => !isAlwaysTrue(operand))
  if (operands.length === 1) return absencesIf(operands[0]!, holds, file)
  const all = operands.flatMap((operand) => absencesIf(operand, holds, file))
  if (/&&|and/.test(operator) === holds) {
    // Another operand may show that there is a value.
    const known = operands.flatMap((operand) => absencesIf(operand, !holds, file))
    return all.filter(({ name }) => !known.some((other) => other.name === name))
  }
  // One operand decides: a value that another one reads was tested for it alone.
  const read = all.filter((one) => isReadElsewhere(one, operands))
  const explicit = holds ? presentTest : missingTest
  // With a second test, as in `(x != null && x.size > 0) || y`, the value mostly always exists.
  const other = operands
    .filter((operand) => !/&&|\band\b/.test(operand.text))
    .flatMap((operand) => absencesIf(operand, !holds, file))
    .filter(({ test }) => explicit.test(test.text.slice(0, 120)))
  return [...read, ...other]
}

/** Whether a test finds a value of which the code before it has read a member. */
function isAlwaysTrue(test: Node): boolean {
  const name = presentTest.exec(test.text.slice(0, 120))?.[1]
  return (
    name !== undefined &&
    new RegExp(`(?<![\\w.])${RegExp.escape(name)}(?:\\.|->)\\w`).test(textBefore(test))
  )
}

function isReadElsewhere({ name, test }: Absence, all: readonly Node[]): boolean {
  const member = new RegExp(`(?<!\\w)${RegExp.escape(name)}[!)]*(?:\\.|->|\\[|\\?\\.)`)
  return all.some((one) => !isWithin(test, one) && member.test(one.text))
}

const nothing = '(?:null|nil|None|undefined)'
const variable = '(\\$?[A-Za-z_]\\w*(?:(?:\\.|->)[A-Za-z_]\\w*){0,2})'
const missingTest = new RegExp(
  `^(?:${variable} (?:===?|is) ${nothing}|${nothing} ===? ${variable}|${variable}\\.nil\\?|${variable}\\.is_none\\(\\)|is_null\\(${variable}\\))$`,
)
const presentTest = new RegExp(
  `^(?:${variable} (?:!==?|is not) ${nothing}|${nothing} !==? ${variable}|${variable}\\.present\\?|${variable}\\.is_some\\(\\))$`,
)

/** Languages in which a bare name as a condition tests whether it has a value. */
const testsByName = /^(?:javascript|typescript|tsx|python|php|ruby)$/

function absencesOfTest(test: Node, holds: boolean, file: ParsedFile): Absence[] {
  const text = test.text.slice(0, 120)
  const isBare = /^\$?[A-Za-z_]\w*$/.test(text)
  if (isBare && !testsByName.test(file.language)) return []
  const missing = missingTest.exec(text)
  const match = missing ?? presentTest.exec(text)
  const tested = isBare ? text : match?.slice(1).find((group) => group !== undefined)
  const name = tested ?? (isChecked(file) ? undefined : safelyReadIn(test, holds))
  const isMissing = tested === undefined || (missing !== null) === holds
  return name && isMissing ? [{ name, test, isBare }] : []
}

/** Whether a compiler rejects `x.name` where `x?.name` is needed. */
function isChecked({ language }: ParsedFile): boolean {
  return /^(?:typescript|tsx)$/.test(language)
}

const safeRead = /^(\$?[A-Za-z]\w*)(?:\?\.|&\.|\?->)/

/** The value of a test such as `x?.isDone`, if the test can end so without a value. */
function safelyReadIn(test: Node, holds: boolean): string | undefined {
  const name = safeRead.exec(test.text)?.[1]
  return name !== undefined && isMissingIf(test) === holds ? name : undefined
}

/** Whether a test of `x?.isDone` holds without a value; undefined if that isn't known. */
function isMissingIf(test: Node): boolean | undefined {
  // The grammar of C# takes `x is not null || y` for one pattern.
  if (/&&|\|\|/.test(test.text)) return undefined
  const pattern = /\sis (not )?(null\b)?/.exec(test.text)
  if (pattern) return Boolean(pattern[1]) !== Boolean(pattern[2])
  if (!field(test, 'left'))
    return /access|call|member|invocation|navig/.test(test.type) ? false : undefined
  const compared = textOf(field(test, 'right'))
  const operator = (field(test, 'operator') ?? test.child(1))?.type ?? ''
  const isNothing = new RegExp(`^${nothing}$`).test(compared)
  if (!isNothing && !/^(?:["'`\d]|true|True|false|False|[A-Z]\w*(?:\.|::)\w+$|:\w)/.test(compared))
    return undefined
  const isEqual = /^(?:===?|[<>]=?)$/.test(operator)
  if (!isEqual && !/^!==?$/.test(operator)) return undefined
  return isEqual === isNothing
}

function checkTest(statement: Node, file: ParsedFile): Hit | undefined {
  const condition = field(statement, 'condition')
  const branch = firstField(statement, ['consequence', 'body']) ?? kotlinBranch(statement)
  if (!condition || !branch || hasLoopOwner(statement)) return undefined
  const holds = !statement.type.startsWith('unless')
  const otherwise = elseOf(statement)
  return (
    findInBranch(branch, absencesIf(condition, holds, file), file) ??
    (otherwise
      ? findInBranch(otherwise, absencesIf(condition, !holds, file), file)
      : findAfter(statement, condition, branch, file))
  )
}

/** Whether `body` is that of a loop. */
function hasLoopOwner({ type }: Node): boolean {
  return /^(?:while|for)/.test(type)
}

function kotlinBranch(statement: Node): Node | undefined {
  const { namedChildren } = statement
  return namedChildren.find(({ type }) => type === 'block') ?? namedChildren[1]
}

/** The code that runs where the condition doesn't hold. */
function elseOf(statement: Node): Node | undefined {
  const found = field(statement, 'alternative') ?? elseInKotlin(statement)
  if (!found || !/^else/.test(found.type)) return found
  return field(found, 'body') ?? (found.type === 'else' ? found : codeChildren(found).at(-1))
}

function elseInKotlin({ type, children }: Node): Node | undefined {
  const index = children.findIndex((child) => child.type === 'else' && !child.isNamed)
  return type === 'if_expression' && index > 0 ? children.slice(index + 1)[0] : undefined
}

function findInBranch(
  branch: Node,
  absences: readonly Absence[],
  file: ParsedFile,
): Hit | undefined {
  for (const absence of absences) {
    const use = firstFailingUse(absence.name, statementsOf(branch), file)
    if (!use || isOfEmptyValue(use, absence, file) || /!!$/.test(textAround(use))) continue
    const isFirst = statementAround(use).id === statementsOf(branch)[0]?.id
    if (!isFirst && !isSettled(absence.name, absence.test)) continue
    const value = quoteCode(absence.name)
    return {
      at: firstLine(use),
      fallback: firstLine(absence.test),
      title:
        `Null dereference: ${quoteCode(textAround(use))} is used where ${value} may have no ` +
        'value',
      body:
        `When ${value} has no value, the check ${quoteCode(absence.test.text)} leads here, and ` +
        'this fails. Handle that case by itself.',
      confidence: 0.85,
      evidence: [{ line: lineOf(absence.test), note: 'this check lets a missing value by' }],
    }
  }
  return undefined
}

/** Members of texts, numbers and lists, which `!x` and `not x` also hold for if they are empty. */
const valueMembers = new RegExp(
  `^(?:${[
    ...[
      'trim\\w*',
      'split\\w*',
      'to[A-Z]\\w*',
      'map',
      'filter',
      'forEach',
      'length',
      'size',
      'add',
    ],
    ...['includes', 'startsWith', 'endsWith', 'slice', 'replace\\w*', 'push', 'join', 'match'],
    ...['l?r?strip', 'lower', 'upper', 'format', 'append', 'extend', 'items', 'keys', 'values'],
    ...['get', 'update', 'startswith', 'endswith', 'find', 'some', 'every', 'set', 'has', 'sort'],
  ].join('|')})$`,
)

/** Whether a value that counts as missing may have the member that is read. */
function isOfEmptyValue(use: Node, { isBare }: Absence, { language }: ParsedFile): boolean {
  const access = accessOf(use)!
  if (language === 'go') return access.type === 'index_expression'
  if (!isBare || !/^(?:javascript|typescript|tsx|python)$/.test(language)) return false
  const member = textOf(firstField(access, ['property', 'attribute']))
  return member === '' || valueMembers.test(member)
}

/** The code after a branch, which runs although a value may be missing. */
function findAfter(
  statement: Node,
  condition: Node,
  branch: Node,
  file: ParsedFile,
): Hit | undefined {
  if (isElse(statement)) return undefined
  const leaves = surelyLeaves(branch)
  if (!leaves && (mayLeave(branch) || callsThrowing(branch, file))) return undefined
  const holds = statement.type.startsWith('unless') === leaves
  for (const absence of absencesIf(condition, holds, file)) {
    const { name } = absence
    if (mayGetValue(name, branch) || (!leaves && !isKnownAfter(name, branch, statement))) continue
    const use = firstUseAfter(name, statementAround(statement), file)
    if (use && fails(use, absence, condition, file))
      return afterHit(use, absence, condition, leaves ? undefined : statementsOf(branch).at(-1))
  }
  return undefined
}

function fails(use: Node, absence: Absence, condition: Node, file: ParsedFile): boolean {
  if (isCorrelated(use, condition, absence.test) || isOfEmptyValue(use, absence, file)) return false
  return !isKnownBefore(absence.name, condition)
}

function mayGetValue(name: string, branch: Node): boolean {
  return isAssigned(branch, name) || /^_?err|Err$/.test(name)
}

/** Whether the code before a check fails or leaves where there is no value. */
function isKnownBefore(name: string, check: Node): boolean {
  const own = `${RegExp.escape(name)}(?![\\w.])`
  const guard = '\\b(?:assert|require|ensure|check|abort_unless|throw_unless)\\w*!?\\(\\s*'
  const known = [
    `${own}\\s*=(?!=)[^;]{1,400}?(?:OrFail|OrThrow|OrCreate)\\w*\\(`,
    `${guard}${own}`,
    `\\b(?:abort|throw)_if\\(\\s*(?:!\\s*|is_null\\()${own}`,
  ]
  return new RegExp(known.join('|')).test(textBefore(check))
}

/** Whether a branch can't give a value to a variable that it doesn't name. */
function isKnownAfter(name: string, branch: Node, statement: Node): boolean {
  return isHarmlessBranch(branch, name) || isSettled(name, statement)
}

/** Whether a statement is the `else if` of another one. */
function isElse({ parent, previousSibling }: Node): boolean {
  return /^(?:else|elif|elsif)/.test(parent?.type ?? '') || previousSibling?.type === 'else'
}

/** Whether a branch calls functions of the file that throw. */
function callsThrowing(branch: Node, { declarations }: ParsedFile): boolean {
  return findNodes(branch, ...callAndNewTypes).some((call) => {
    const { name } = readCall(call)
    const functions = [...declarations.functions(name), ...declarations.methods(name)]
    return functions.some(({ text }) => /\b(?:throw|raise|exit|panic|never|abort)\b/i.test(text))
  })
}

function isAssigned(branch: Node, name: string): boolean {
  return new RegExp(
    `(?<![\\w.])${RegExp.escape(name)}(?:, ?\\w+)?\\s*[:|?]*=(?!=)|&${RegExp.escape(name)}\\b`,
  ).test(branch.text)
}

/** Whether a branch only writes messages and counts, so that the code goes on. */
function isHarmlessBranch(branch: Node, name: string): boolean {
  const statements = statementsOf(branch)
  return (
    statements.length > 0 &&
    statements.length <= 4 &&
    statements.every((statement) => isLogStatement(statement) || isNote(statement, name))
  )
}

const notes =
  /(?:metrics?|counters?|stats|errors?|warnings?|messages?|problems|issues|failures?|skipped|audit|alerts?|log(?:ger)?)\w*(?:\(\))?(?:\.|->|::)\w+[(!]|\.(?:inc|increment|incr)\(|^\$?[\w.>-]*(?:errors?|fail\w*|skipped|missing|count\w*)\s*(?:\+\+|\+= 1)|^(?:http\.Error|(?:w|res|response|c|ctx)\.(?:WriteHeader|status|send\w*|json|JSON|String|end))\(/i

function isNote({ text }: Node, name: string): boolean {
  return notes.test(text.slice(0, 300)) && !mentionsName(text, `${name} =`)
}

/** Whether a variable is local, and gets no value but before a statement. */
function isSettled(name: string, statement: Node): boolean {
  const outer = outermostFunction(statement)
  if (!outer) return false
  const bindings = findNodes(outer, ...bindingTypes).filter((node) =>
    readVariable(node)?.targets.some(({ text }) => text === name),
  )
  return bindings.length > 0 && bindings.every(({ endIndex }) => endIndex < statement.startIndex)
}

/** Whether the use only runs where the other operands of the test can't hold. */
function isCorrelated(use: Node, condition: Node, test: Node): boolean {
  const statement = statementAround(use)
  if (!/^if/.test(statement.type) || unwrap(condition).id === test.id) return false
  const operator = field(unwrap(condition), 'operator')?.type ?? ''
  return operandsOf(condition, operator).some(
    (other) => !isWithin(test, other) && statement.text.includes(other.text),
  )
}

function afterHit(use: Node, { name }: Absence, condition: Node, last: Node | undefined): Hit {
  const value = quoteCode(name)
  const used = quoteCode(textAround(use))
  const check = quoteCode(condition.text)
  const evidence = [
    { line: lineOf(condition), note: 'the check lets a missing value by' },
    { line: lineOf(use), note: 'this fails without a value' },
  ]
  return {
    at: firstLine(last ?? use),
    fallback: firstLine(last ? use : condition),
    title: last
      ? `Null dereference: ${used} follows, although ${value} may have no value here`
      : `Null dereference: ${used} is used where ${value} may have no value`,
    body: last
      ? `When ${check} leads here, ${value} may have no value, and the code goes on to ${used}, ` +
        'which fails. Leave here.'
      : `When ${value} has no value, the check ${check} doesn't always leave, and this fails. ` +
        'Leave in every case without a value.',
    confidence: 0.85,
    evidence: evidence.filter(({ line }) => line !== lineOf(last ?? use)),
  }
}

/** Checks uses in the branches of tests, and after them. */
export const weakTests: readonly SyntaxCheck[] = [
  {
    nodes: ['if_statement', 'if_expression', 'if', 'unless', 'if_modifier', 'unless_modifier'],
    wholeFunction: true,
    check: checkTest,
  },
]
