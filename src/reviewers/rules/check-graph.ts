// Runs the rules that rest on what the code graph knows about a change.
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import { createLineReader } from '../../git/line-reader.ts'
import type { Change } from '../reviewer.ts'
import { exportRules } from './export-rules.ts'
import { toProposedFinding } from './propose-finding.ts'
import { type GraphedChange, type GraphHit, type Rule, toRuleFinding } from './rule.ts'
import { signatureRules } from './signature-rules.ts'
import { untestedRules } from './untested-rules.ts'

export const graphRules: readonly Rule[] = [...signatureRules, ...exportRules, ...untestedRules]

/**
 * What the rules find in the files that are reviewed, those that are switched off left out.
 *
 * @param graph of the change
 */
export async function checkGraph(
  { files, head, base }: Change,
  graph: ChangeGraph,
  disabled: ReadonlySet<string>,
): Promise<ProposedFinding[]> {
  const change: GraphedChange = {
    graph,
    files,
    head: createLineReader(head),
    base: createLineReader(base),
  }
  const found: ProposedFinding[] = []
  for (const rule of graphRules) {
    if (disabled.has(rule.id)) continue
    for (const hit of (await rule.graph?.(change)) ?? []) {
      const { path, side } = hit
      found.push(
        toProposedFinding(toRuleFinding(rule, hit), {
          path,
          side,
          texts: await readLine(change, hit),
        }),
      )
    }
  }
  return found
}

/** The line that a hit stands on, as the diff shows it or else as it stands in the file. */
async function readLine(
  { files, head, base }: GraphedChange,
  { path, side, at }: GraphHit,
): Promise<Map<number, string>> {
  const number = at.startLine
  const file = files.find((each) => each.path === path)
  const lines = file?.hunks.flatMap((hunk) => hunk.lines) ?? []
  const shown = lines.find(
    ({ oldLine, newLine }) => (side === 'RIGHT' ? newLine : oldLine) === number,
  )
  if (shown) return new Map([[number, shown.text.replace(/\r$/, '')]])
  const whole = side === 'RIGHT' ? await head(path) : await base(file?.oldPath ?? path)
  return new Map([[number, whole?.[number - 1] ?? '']])
}
