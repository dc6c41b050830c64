// The rule about changed parameters whose callers were left as they are; it rests on the code graph.
import { type Caller, type ChangedSymbol, sureConfidence } from '../../domain/change-graph.ts'
import { conventionOf } from './calling-conventions.ts'
import { countArguments, describeArguments } from './describe-arguments.ts'
import { findLine, isFixture, quoteName } from './graph-places.ts'
import type { GraphedChange, GraphHit, Rule } from './rule.ts'

/** Findings of the rule in one review. */
const mostFindings = 10
/** Calls that a finding shows. */
const mostShown = 5
/** Of a call's line so much is looked at. */
const longestText = 400
/** From so much confidence on in a call that is no test's it is certain to fail. */
const certain = 0.9

async function checkSignatures(change: GraphedChange): Promise<GraphHit[]> {
  const hits: GraphHit[] = []
  for (const [index, symbol] of change.graph.symbols.entries()) {
    if (hits.length === mostFindings) break
    const hit = symbol.change === 'signature' ? await checkSymbol(change, symbol, index) : undefined
    if (hit) hits.push(hit)
  }
  return hits
}

async function checkSymbol(change: GraphedChange, symbol: ChangedSymbol, index: number): Promise<GraphHit | undefined> {
  const convention = conventionOf(symbol.path)
  const broken = listBroken(change, symbol, index)
  if (convention === undefined || broken.length === 0) return undefined
  const place = findLine(change, symbol.path, symbol)
  const lines = place && (await change.head(symbol.path))
  if (!place || !lines || convention.hidden?.(symbol, lines)) return undefined
  return { ...place, ...describe(symbol, broken, convention.outcome) }
}

/** The calls that fitted and don't any more, the surest first, those of tests last. */
function listBroken({ graph }: GraphedChange, symbol: ChangedSymbol, index: number): Caller[] {
  const { parametersBefore: before, parameters: now } = symbol
  const convention = conventionOf(symbol.path)
  if (before === null || now === null || convention === undefined) return []
  const name = RegExp.escape(bareName(symbol.name))
  return graph.callers
    .filter(({ symbol: of, kind, confidence }) => of === index && confidence >= sureConfidence && isCall(kind))
    .filter((call) => {
      const { arguments: count, path } = call
      // Another language may call what it was translated to.
      if (count === null || conventionOf(path) !== convention || isFixture(path)) return false
      const isWrong = (convention.tooFew && count < now.least) || (convention.tooMany && count > (now.most ?? Infinity))
      const didFit = count >= before.least && count <= (before.most ?? Infinity)
      return isWrong && didFit && !convention.uncounted?.({ ...call, text: call.text.slice(0, longestText) }, name)
    })
    .sort((one, other) => Number(one.isTest) - Number(other.isTest) || other.confidence - one.confidence)
}

function isCall(kind: Caller['kind']): boolean {
  return kind === 'call' || kind === 'new'
}

function bareName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

function describe(symbol: ChangedSymbol, broken: readonly Caller[], outcome: string) {
  const { name, parameters } = symbol
  const [first] = broken as [Caller, ...Caller[]]
  const passes = countArguments(first.arguments!)
  const others = broken.length === 1 ? '' : ` ${countCalls(broken.length)} were left as they are.`
  const where = first.within === null ? quoteName(first.path) : `${quoteName(first.within)} in ${quoteName(first.path)}`
  // What a variable holds is guessed; what an imported name means isn't.
  const isCertain = broken.some(({ isTest, confidence }) => !isTest && confidence >= certain) && !name.includes('.')
  return {
    title: `The parameters of ${quoteName(name)} changed, and ${countCalls(broken.length)} outside of the changed lines ${broken.length === 1 ? 'does' : 'do'} not fit any more`,
    body: `When ${where} calls ${quoteName(name)}, it passes ${passes}, and ${describeArguments(parameters!)} must be passed now: it ${outcome}.${others}`,
    ...(isCertain && { severity: 'critical' as const }),
    evidence: broken.slice(0, mostShown).map(({ path, line, arguments: count }) => ({
      path,
      line,
      note: `passes ${countArguments(count!)}`,
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
      'The parameters of a function changed, and a call that was left as it is passes too few or too many arguments. Critical when the call is certain to mean it.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    graph: checkSignatures,
  },
]
