// The rule about changed parameters whose callers were left as they are; it rests on the code graph.
import { extname } from 'node:path'
import { type CallSite, type ChangedSymbol, minSureConfidence } from '../../domain/change-graph.ts'
import { type ArgumentMismatch, findArgumentMismatch } from './argument-binding.ts'
import { type CallingConvention, conventionOf } from './calling-conventions.ts'
import { describeArgumentCount, describeArguments } from './describe-arguments.ts'
import { findDefinitionLine, isFixture, quoteName } from './graph-locations.ts'
import {
  type Argument,
  type Parameter,
  readArguments,
  readParameters,
  takesNames,
} from './parameter-lists.ts'
import type { GraphedChange, GraphHit, Rule } from './rule.ts'

/** Findings of the rule in one review. */
const maxFindingsPerRule = 10
/** Calls that a finding shows. */
const maxShownCalls = 5
/** Of a call's line so much is looked at. */
const maxLineChars = 400
/** Lines that a call may take. */
const maxCallLines = 30
/** From so much confidence on in a call that is no test's it is certain to fail. */
const minCertainConfidence = 0.9

async function checkSignatures(change: GraphedChange): Promise<GraphHit[]> {
  const hits: GraphHit[] = []
  for (const [index, symbol] of change.graph.symbols.entries()) {
    if (hits.length === maxFindingsPerRule) break
    const hit = symbol.change === 'signature' ? await checkSymbol(change, symbol, index) : undefined
    if (hit) hits.push(hit)
  }
  return hits
}

/** A call that fitted and doesn't any more. */
interface BrokenCall extends ArgumentMismatch {
  readonly call: CallSite
}

async function checkSymbol(
  change: GraphedChange,
  symbol: ChangedSymbol,
  index: number,
): Promise<GraphHit | undefined> {
  const convention = conventionOf(symbol.path)
  const calls = convention === undefined ? [] : listCalls(change, symbol, index)
  const place = calls.length === 0 ? undefined : findDefinitionLine(change, symbol.path, symbol)
  const lines = place && (await change.head(symbol.path))
  if (!convention || !place || !lines || convention.hidesParameters?.(symbol, lines))
    return undefined
  const broken: BrokenCall[] = []
  for (const call of calls) {
    const misfit =
      findMiscount(call, symbol, convention) ?? (await findMisplaced(change, call, symbol))
    if (misfit !== undefined) broken.push({ ...misfit, call })
  }
  return broken.length === 0
    ? undefined
    : { ...place, ...describeBrokenCalls(symbol, broken, convention) }
}

/** The calls that can be counted and fitted before. */
function listCalls({ graph }: GraphedChange, symbol: ChangedSymbol, index: number): CallSite[] {
  const { parametersBefore: before, parameters: now } = symbol
  const convention = conventionOf(symbol.path)
  if (before === null || now === null) return []
  const name = RegExp.escape(bareName(symbol.name))
  return graph.callers.filter((call) => {
    const { arguments: count, path, kind, confidence } = call
    if (
      call.symbol !== index ||
      confidence < minSureConfidence ||
      (kind !== 'call' && kind !== 'new')
    )
      return false
    // Another language may call what it was translated to.
    if (count === null || conventionOf(path) !== convention || isFixture(path)) return false
    const didFit = count >= before.least && count <= (before.most ?? Infinity)
    return (
      didFit &&
      !convention?.hidesArguments?.({ ...call, text: call.text.slice(0, maxLineChars) }, name)
    )
  })
}

function findMiscount(
  { arguments: count }: CallSite,
  { parameters }: ChangedSymbol,
  convention: CallingConvention,
) {
  const { least, most } = parameters!
  const isWrong =
    (convention.tooFew && count! < least) || (convention.tooMany && count! > (most ?? Infinity))
  if (!isWrong) return undefined
  const now = `${describeArguments(parameters!)} must be passed now`
  return { passes: `passes ${describeArgumentCount(count!)}`, problem: now, stillRuns: false }
}

/** What names and places of parameters tell, where the number of arguments fits. */
async function findMisplaced(
  change: GraphedChange,
  call: CallSite,
  symbol: ChangedSymbol,
): Promise<ArgumentMismatch | undefined> {
  const { parametersBefore: before, parameters: now, signatureBefore, signature, path } = symbol
  const name = bareName(symbol.name)
  const [least, most] = [now!.least, now!.most ?? Infinity]
  if (
    signatureBefore === null ||
    signature === null ||
    call.arguments! < least ||
    call.arguments! > most
  )
    return undefined
  // On the class the object is passed too.
  if (
    extname(path) === '.py' &&
    new RegExp(`\\b_*\\p{Lu}\\w*\\.${RegExp.escape(name)}\\s*\\(`, 'u').test(call.text)
  )
    return undefined
  const was = readParameters(path, signatureBefore, name)
  const is = readParameters(path, signature, name)
  if (
    was === undefined ||
    is === undefined ||
    !hasExpectedLength(was, before!) ||
    !hasExpectedLength(is, now!)
  )
    return undefined
  const passed = await readCall(change, call, name)
  return passed && findArgumentMismatch(passed, was, is, takesNames(path))
}

/** Whether what was read from the text is what the syntax says. */
function hasExpectedLength(
  parameters: readonly Parameter[],
  { most }: { readonly most: number | null },
): boolean {
  const counted = parameters.filter(({ by }) => by !== 'rest' && by !== 'namedRest').length
  return most === null
    ? counted < parameters.length
    : counted === most && counted === parameters.length
}

async function readCall(
  { head }: GraphedChange,
  call: CallSite,
  name: string,
): Promise<Argument[] | undefined> {
  const lines = (await head(call.path))?.slice(call.line - 1, call.line - 1 + maxCallLines)
  if (lines?.[0] === undefined || lines[0].length > maxLineChars) return undefined
  const passed = readArguments(call.path, lines.join('\n'), lines[0].length, name)
  return passed?.length === call.arguments ? passed : undefined
}

function bareName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/** The surest first, those of tests last, and what can still run after what can't. */
function compareCalls(one: BrokenCall, other: BrokenCall): number {
  const order = [one, other].map(
    ({ stillRuns: isTaken, call }) =>
      Number(call.isTest) * 4 + Number(isTaken) * 2 - call.confidence,
  )
  return order[0]! - order[1]!
}

function describeBrokenCalls(
  { name }: ChangedSymbol,
  all: readonly BrokenCall[],
  { outcome }: CallingConvention,
) {
  const broken = all.toSorted(compareCalls)
  const [{ call, passes, problem: now, stillRuns: isTaken }] = broken as [
    BrokenCall,
    ...BrokenCall[],
  ]
  const others = broken.length === 1 ? '' : ` ${countCalls(broken.length)} were left as they are.`
  const where =
    call.within === null
      ? quoteName(call.path)
      : `${quoteName(call.within)} in ${quoteName(call.path)}`
  // What a variable holds is guessed; what an imported name means isn't.
  const fails = broken.some(
    (each) => !each.stillRuns && !each.call.isTest && each.call.confidence >= minCertainConfidence,
  )
  const result = isTaken ? 'it does something else, if it can be run at all' : `it ${outcome}`
  return {
    title: `The parameters of ${quoteName(name)} changed, and ${countCalls(broken.length)} outside of the changed lines ${broken.length === 1 ? 'does' : 'do'} not fit any more`,
    body: `When ${where} calls ${quoteName(name)}, it ${passes}, and ${now}: ${result}.${others}`,
    ...(fails && !name.includes('.') && { severity: 'critical' as const }),
    evidence: broken.slice(0, maxShownCalls).map((each) => ({
      path: each.call.path,
      line: each.call.line,
      note: each.passes,
    })),
  }
}

function countCalls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`
}

export const signatureRules: readonly Rule[] = [
  {
    id: 'changed-signature',
    summary:
      'The parameters of a function changed, and a call that was left as it is passes too few or too many arguments, names one that is gone, or gives it to another parameter. Critical when the call is certain to mean it and to fail.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    graph: checkSignatures,
  },
]
