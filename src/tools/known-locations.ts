// What the code graph knows of a name around the change: who calls it, and where it is defined.
import { type CallSite, type ChangeGraph, minSureConfidence } from '../domain/change-graph.ts'
import { truncateLine } from './tool-input.ts'

/** Places that are shown before what a search finds. */
const maxLocations = 40

/** Lines as tools show them, and the places that stand in them, as `path:line`. */
export interface KnownLocations {
  readonly lines: readonly string[]
  readonly locations: ReadonlySet<string>
}

const noLocations: KnownLocations = { lines: [], locations: new Set() }

/** Uses of changed definitions of a name outside of the changed lines, the surest first. */
export function listKnownCallers(
  graph: ChangeGraph | null | undefined,
  name: string,
  prefix: string | undefined,
): KnownLocations {
  if (!graph) return noLocations
  const meant = new Set(
    graph.symbols.flatMap((symbol, index) => (bareName(symbol.name) === name ? [index] : [])),
  )
  const uses = graph.callers
    .filter(({ symbol, path }) => meant.has(symbol) && isInFolder(path, prefix))
    .toSorted((one, other) => other.confidence - one.confidence)
    .slice(0, maxLocations)
  return {
    lines: uses.map((use) => `${locationKey(use)}: ${describeUse(use, graph)}`),
    locations: new Set(uses.map(locationKey)),
  }
}

function describeUse(
  { within, text, symbol, confidence }: CallSite,
  { symbols }: ChangeGraph,
): string {
  const where = within === null ? '' : `in ${truncateLine(within)}: `
  const { name, path } = symbols[symbol]!
  return `${where}${truncateLine(text.trim())} [${confidence >= minSureConfidence ? 'means' : 'may mean'} ${truncateLine(name)} of ${path}]`
}

/** Definitions of a name that changed lines use, with their signatures. */
export function listKnownDefinitions(
  graph: ChangeGraph | null | undefined,
  name: string,
): KnownLocations {
  if (!graph) return noLocations
  const known = graph.definitions
    .filter(
      (definition) =>
        bareName(definition.name) === name && definition.confidence >= minSureConfidence,
    )
    .slice(0, maxLocations)
  return {
    lines: known.map(({ path, line, signature, usedAt }) => {
      const used = `used at ${usedAt.path}:${usedAt.line}`
      return `${path}:${line}: ${truncateLine(signature)} [${used}]`
    }),
    locations: new Set(known.map(locationKey)),
  }
}

function bareName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

function isInFolder(path: string, prefix: string | undefined): boolean {
  return prefix === undefined || path === prefix || path.startsWith(`${prefix}/`)
}

function locationKey({ path, line }: { readonly path: string; readonly line: number }): string {
  return `${path}:${line}`
}
