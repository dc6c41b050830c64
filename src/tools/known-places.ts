// What the code graph knows of a name around the change: who calls it, and where it is defined.
import { type Caller, type ChangeGraph, sureConfidence } from '../domain/change-graph.ts'
import { cutLine } from './tool-input.ts'

/** Places that are shown before what a search finds. */
const mostPlaces = 40

/** Lines as tools show them, and the places that stand in them, as `path:line`. */
export interface KnownPlaces {
  readonly lines: readonly string[]
  readonly places: ReadonlySet<string>
}

const nothing: KnownPlaces = { lines: [], places: new Set() }

/** Uses of changed definitions of a name outside of the changed lines, the surest first. */
export function listKnownCallers(
  graph: ChangeGraph | null | undefined,
  name: string,
  prefix: string | undefined,
): KnownPlaces {
  if (!graph) return nothing
  const meant = new Set(
    graph.symbols.flatMap((symbol, index) => (bareName(symbol.name) === name ? [index] : [])),
  )
  const uses = graph.callers
    .filter(({ symbol, path }) => meant.has(symbol) && liesIn(path, prefix))
    .toSorted((one, other) => other.confidence - one.confidence)
    .slice(0, mostPlaces)
  return {
    lines: uses.map((use) => `${placeOf(use)}: ${describeUse(use, graph)}`),
    places: new Set(uses.map(placeOf)),
  }
}

function describeUse(
  { within, text, symbol, confidence }: Caller,
  { symbols }: ChangeGraph,
): string {
  const where = within === null ? '' : `in ${cutLine(within)}: `
  const { name, path } = symbols[symbol]!
  return `${where}${cutLine(text.trim())} [${confidence >= sureConfidence ? 'means' : 'may mean'} ${cutLine(name)} of ${path}]`
}

/** Definitions of a name that changed lines use, with their signatures. */
export function listKnownDefinitions(
  graph: ChangeGraph | null | undefined,
  name: string,
): KnownPlaces {
  if (!graph) return nothing
  const known = graph.definitions
    .filter(
      (definition) => bareName(definition.name) === name && definition.confidence >= sureConfidence,
    )
    .slice(0, mostPlaces)
  return {
    lines: known.map(({ path, line, signature, usedAt }) => {
      const used = `used at ${usedAt.path}:${usedAt.line}`
      return `${path}:${line}: ${cutLine(signature)} [${used}]`
    }),
    places: new Set(known.map(placeOf)),
  }
}

function bareName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

function liesIn(path: string, prefix: string | undefined): boolean {
  return prefix === undefined || path === prefix || path.startsWith(`${prefix}/`)
}

function placeOf({ path, line }: { readonly path: string; readonly line: number }): string {
  return `${path}:${line}`
}
