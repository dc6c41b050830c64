// The rule about functions whose parameters changed, but not all their calls. Uses the code graph.
import { extname } from 'node:path'
import { describeArgumentCount, describeArguments } from '../../code/describe-arguments.ts'
import { type CallSite, type ChangedSymbol, minSureConfidence } from '../../domain/change-graph.ts'
import type { CallingConvention } from '../../languages/common/calling-convention.ts'
import { parsedLanguageOfPath } from '../../languages/index.ts'
import { type ArgumentMismatch, findArgumentMismatch } from './argument-binding.ts'
import { withoutSpaces } from './call-shapes.ts'
import { findDefinitionLine, isFixture, quoteName } from './graph-locations.ts'
import type { GraphedChange, GraphHit, Rule } from './rule.ts'
import type { Argument, Parameter } from './shapes.ts'

/** Findings that the rule reports per review; further ones are left out. */
const maxFindings = 10
/** Calls that a finding lists as evidence. */
const maxShownCalls = 5
/** Characters of a call's line that are read. */
const maxLineChars = 400
/** Minimum confidence at which a mismatched call outside of tests is reported as certain. */
const minCertainConfidence = 0.9

async function checkSignatures(change: GraphedChange): Promise<GraphHit[]> {
  const hits: GraphHit[] = []
  for (const [index, symbol] of change.graph.symbols.entries()) {
    if (hits.length === maxFindings) break
    const hit = symbol.change === 'signature' ? await checkSymbol(change, symbol, index) : undefined
    if (hit) hits.push(hit)
  }
  return hits
}

/** A call that matched the parameters before the change, and doesn't match them any more. */
interface BrokenCall extends ArgumentMismatch {
  readonly call: CallSite
}

async function checkSymbol(
  change: GraphedChange,
  symbol: ChangedSymbol,
  index: number,
): Promise<GraphHit | undefined> {
  const convention = await loadConvention(symbol.path)
  if (!convention) return undefined
  const calls = listCalls(change, symbol, index, convention)
  const location = calls.length > 0 && findDefinitionLine(change, symbol.path, symbol)
  const lines = location && (await change.head(symbol.path))
  if (!location || !lines || convention.hidesParameters?.(symbol, lines)) return undefined
  const broken: BrokenCall[] = []
  for (const call of calls) {
    const mismatch =
      findCountMismatch(call, symbol, convention) ??
      (await findNameMismatch(change, call, symbol, convention))
    if (mismatch) broken.push({ ...mismatch, call })
  }
  if (broken.length === 0) return undefined
  return { ...location, ...describeBrokenCalls(symbol, broken, convention) }
}

/** Returns undefined for languages where every call is legal, or whose calls aren't checked. */
function loadConvention(path: string): Promise<CallingConvention> | undefined {
  return parsedLanguageOfPath(path)?.language.loadCalls?.()
}

/** Lists the calls whose arguments are counted and matched the parameters before the change. */
function listCalls(
  { graph }: GraphedChange,
  symbol: ChangedSymbol,
  index: number,
  convention: CallingConvention,
): CallSite[] {
  const { parametersBefore: before, parameters } = symbol
  if (before === null || parameters === null) return []
  const name = RegExp.escape(bareName(symbol.name))
  return graph.callers.filter((call) => {
    if (call.symbol !== index || !isCountedCall(call, symbol.path)) return false
    const count = call.arguments!
    if (count < before.least || count > (before.most ?? Infinity)) return false
    const text = call.text.slice(0, maxLineChars)
    return !convention.hidesArguments?.({ ...call, text }, name)
  })
}

/** Whether the arguments of a call are known, and the call is in the language of the function. */
function isCountedCall(call: CallSite, path: string): boolean {
  if (call.confidence < minSureConfidence || call.arguments === null) return false
  if (call.kind !== 'call' && call.kind !== 'new') return false
  // A call in another language may pass other arguments to generated bindings.
  const isSameLanguage =
    parsedLanguageOfPath(call.path)?.language === parsedLanguageOfPath(path)?.language
  return isSameLanguage && !isFixture(call.path)
}

function findCountMismatch(
  { arguments: count }: CallSite,
  { parameters }: ChangedSymbol,
  convention: CallingConvention,
): ArgumentMismatch | undefined {
  const { least, most } = parameters!
  const hasTooFew = convention.tooFew && count! < least
  const hasTooMany = convention.tooMany && count! > (most ?? Infinity)
  if (!hasTooFew && !hasTooMany) return undefined
  const problem = `${describeArguments(parameters!)} must be passed now`
  return { passes: `passes ${describeArgumentCount(count!)}`, problem, stillRuns: false }
}

/** Compares names and positions of parameters, if the number of arguments still matches. */
async function findNameMismatch(
  change: GraphedChange,
  call: CallSite,
  symbol: ChangedSymbol,
  { takesNames = false }: CallingConvention,
): Promise<ArgumentMismatch | undefined> {
  const { least, most } = symbol.parameters!
  const count = call.arguments!
  if (count < least || count > (most ?? Infinity)) return undefined
  const name = bareName(symbol.name)
  if (passesObject(call, symbol.path, name)) return undefined
  const before = await readParametersBefore(change, symbol, name)
  const after = before && (await readParameters(change, 'head', symbol, name))
  const passed = after && (await readCall(change, call, name))
  return passed && findArgumentMismatch(passed, before, after, takesNames)
}

/** Python: a call on the class, such as `Box.open(box)`, passes the object as an argument too. */
function passesObject(call: CallSite, path: string, name: string): boolean {
  if (extname(path) !== '.py') return false
  return new RegExp(`\\b_*\\p{Lu}\\w*\\.${RegExp.escape(name)}\\s*\\(`, 'u').test(call.text)
}

function readParametersBefore(
  change: GraphedChange,
  symbol: ChangedSymbol,
  name: string,
): Promise<readonly Parameter[] | undefined> {
  const file = change.files.find(({ path }) => path === symbol.path)
  const { signatureBefore: signature, parametersBefore: parameters } = symbol
  const before = { path: file?.oldPath ?? symbol.path, signature, parameters }
  return readParameters(change, 'base', before, name)
}

/** Reads the parameters of a definition; undefined if it can't be found for certain. */
async function readParameters(
  change: GraphedChange,
  side: 'base' | 'head',
  { path, signature, parameters }: Pick<ChangedSymbol, 'path' | 'signature' | 'parameters'>,
  name: string,
): Promise<readonly Parameter[] | undefined> {
  const shapes = await change.readShapes(side, path)
  const named = shapes?.definitions.filter((definition) => definition.name === name) ?? []
  // Of several definitions, such as methods of several classes, the parameters decide which it is.
  const text = withoutSpaces(signature ?? '')
  const found = named.length === 1 ? named[0] : named.find((each) => text.includes(each.text))
  const read = found?.parameters
  return read && hasExpectedLength(read, parameters!) ? read : undefined
}

/** Whether there are as many parameters as the code index counted. */
function hasExpectedLength(
  parameters: readonly Parameter[],
  { most }: { readonly most: number | null },
): boolean {
  const counted = parameters.filter(({ by }) => by !== 'rest' && by !== 'namedRest').length
  return most === null
    ? counted < parameters.length
    : counted === most && counted === parameters.length
}

/** Reads the arguments of a call; undefined if its line has several calls of the name. */
async function readCall(
  change: GraphedChange,
  { path, line, arguments: count }: CallSite,
  name: string,
): Promise<readonly Argument[] | undefined> {
  const shapes = await change.readShapes('head', path)
  const [found, ...others] =
    shapes?.calls.filter((each) => each.name === name && each.line === line) ?? []
  return others.length === 0 && found?.arguments.length === count ? found.arguments : undefined
}

function bareName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/** Sorts calls of tests last, then calls that still run, then by falling confidence. */
function compareCalls(one: BrokenCall, other: BrokenCall): number {
  return rankOf(one) - rankOf(other)
}

function rankOf({ stillRuns, call }: BrokenCall): number {
  return Number(call.isTest) * 4 + Number(stillRuns) * 2 - call.confidence
}

function describeBrokenCalls(
  { name }: ChangedSymbol,
  unsorted: readonly BrokenCall[],
  { outcome }: CallingConvention,
): Omit<GraphHit, 'path' | 'side' | 'at'> {
  const broken = unsorted.toSorted(compareCalls)
  const { call, passes, problem, stillRuns } = broken[0]!
  const total = countCalls(broken.length)
  const isOne = broken.length === 1
  const path = quoteName(call.path)
  const where = call.within === null ? path : `${quoteName(call.within)} in ${path}`
  const result = stillRuns ? 'it does something else, if it can be run at all' : `it ${outcome}`
  const others = isOne ? '' : ` ${total} were left as they are.`
  // The type of a variable is a guess, so only calls of functions are certain.
  const isCritical = !name.includes('.') && broken.some(isCertainToFail)
  return {
    title:
      `The parameters of ${quoteName(name)} changed, and ${total} outside of the changed lines ` +
      `no longer ${isOne ? 'matches' : 'match'}`,
    body:
      `When ${where} calls ${quoteName(name)}, it ${passes}, and ` +
      `${problem}: ${result}.${others}`,
    ...(isCritical && { severity: 'critical' as const }),
    evidence: broken.slice(0, maxShownCalls).map((each) => ({
      path: each.call.path,
      line: each.call.line,
      note: each.passes,
    })),
  }
}

function isCertainToFail({ stillRuns, call }: BrokenCall): boolean {
  return !stillRuns && !call.isTest && call.confidence >= minCertainConfidence
}

function countCalls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}

export const signatureRules: readonly Rule[] = [
  {
    id: 'changed-signature',
    summary:
      'The parameters of a function changed, and a call outside of the change no longer ' +
      'matches: wrong number of arguments, unknown name, or wrong parameter. Critical if the ' +
      'call is certain to fail.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    graph: checkSignatures,
  },
]
