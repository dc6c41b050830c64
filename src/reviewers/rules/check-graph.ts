// Runs the rules that use the code graph of a change.

import type { Change } from '../../domain/change.ts'
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import { createLineReader } from '../../git/line-reader.ts'
import { exportRules } from './export-rules.ts'
import { toProposedFinding } from './propose-finding.ts'
import { type GraphedChange, type GraphHit, type Rule, toRuleFinding } from './rule.ts'
import { signatureRules } from './signature-rules.ts'
import { untestedRules } from './untested-rules.ts'

export const graphRules: readonly Rule[] = [...signatureRules, ...exportRules, ...untestedRules]

/** Returns what the enabled rules find in a change, given its code graph. */
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
    const hits = (await rule.graph?.(change)) ?? []
    for (const hit of hits) {
      const { path, side } = hit
      const texts = await readLine(change, hit)
      found.push(toProposedFinding(toRuleFinding(rule, hit), { path, side, texts }))
    }
  }
  return found
}

/** Reads the line of a hit from the diff, or from the file where the diff lacks it. */
async function readLine(
  { files, head, base }: GraphedChange,
  { path, side, at }: GraphHit,
): Promise<Map<number, string>> {
  const number = at.startLine
  const file = files.find((each) => each.path === path)
  const lines = file?.hunks.flatMap((hunk) => hunk.lines) ?? []
  const lineInDiff = lines.find(
    ({ oldLine, newLine }) => (side === 'RIGHT' ? newLine : oldLine) === number,
  )
  if (lineInDiff) return new Map([[number, lineInDiff.text.replace(/\r$/, '')]])
  const fileLines = side === 'RIGHT' ? await head(path) : await base(file?.oldPath ?? path)
  return new Map([[number, fileLines?.[number - 1] ?? '']])
}
