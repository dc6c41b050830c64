// Runs the rules that use the code graph of a change.

import { sourceKindOf } from '../../code/indexing/source-kind.ts'
import type { SyntaxParser } from '../../code/syntax-parser.ts'
import type { Change } from '../../domain/change.ts'
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { createLineReader } from '../../git/line-reader.ts'
import { bindsName } from '../../knowledge/change/exported-names.ts'
import { exportRules } from './export-rules.ts'
import type { ShapesInspection } from './inspect-file.ts'
import { toProposedFinding } from './propose-finding.ts'
import {
  type GraphedChange,
  type GraphHit,
  type IsDisabled,
  type Rule,
  toRuleFinding,
} from './rule.ts'
import type { Shapes } from './shapes.ts'
import { signatureRules } from './signature-rules.ts'
import { untestedRules } from './untested-rules.ts'

/** Larger files are usually generated. */
const maxFileBytes = 512 * 1024

export const graphRules: readonly Rule[] = [...signatureRules, ...exportRules, ...untestedRules]

/** Returns what the enabled rules find in a change, given its code graph. */
export async function checkGraph(
  { files, head, base }: Change,
  graph: ChangeGraph,
  syntax: SyntaxParser,
  isDisabled: IsDisabled,
): Promise<ProposedFinding[]> {
  const change: GraphedChange = {
    graph,
    files,
    head: createLineReader(head),
    base: createLineReader(base),
    readShapes: createShapeReader({ head, base }, graph, syntax),
    async bindsName(path, name) {
      const text = await readText(head, path)
      const fileIndex = text === undefined ? undefined : await syntax.indexFile(path, text)
      return fileIndex !== undefined && bindsName(path, fileIndex, name)
    },
  }
  const found: ProposedFinding[] = []
  for (const rule of graphRules) {
    const hits = (await rule.graph?.(change)) ?? []
    for (const hit of hits) {
      const { path, side } = hit
      if (isDisabled(rule.id, path)) continue
      const texts = await readLine(change, hit)
      found.push(toProposedFinding(toRuleFinding(rule, hit), { path, side, texts }))
    }
  }
  return found
}

/** Creates a reader that has each file parsed once for all functions with changed parameters. */
function createShapeReader(
  snapshots: { readonly head: Snapshot; readonly base: Snapshot },
  { symbols }: ChangeGraph,
  syntax: SyntaxParser,
): GraphedChange['readShapes'] {
  const changed = symbols.filter(({ change }) => change === 'signature')
  const names = new Set(changed.map(({ name }) => name.slice(name.lastIndexOf('.') + 1)))
  const inspection: ShapesInspection = { want: 'shapes', names: [...names] }
  const known = new Map<string, Promise<Shapes | undefined>>()
  const read = async (side: 'base' | 'head', path: string): Promise<Shapes | undefined> => {
    const kind = sourceKindOf(path)
    const text = kind && (await readText(snapshots[side], path))
    if (!kind || text === undefined) return undefined
    const inspected = await syntax.inspect({ path, text, kind }, inspection)
    return inspected.outcome === 'done' ? (inspected.result as Shapes) : undefined
  }
  return (side, path) => {
    const shapes = known.get(`${side} ${path}`) ?? read(side, path)
    known.set(`${side} ${path}`, shapes)
    return shapes
  }
}

/** Returns undefined if there is no file, or it can't be read. */
async function readText(snapshot: Snapshot, path: string): Promise<string | undefined> {
  const bytes = await snapshot.readFile(path, { maxBytes: maxFileBytes }).catch(() => undefined)
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
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
