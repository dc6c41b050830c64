// Looks up callers and definitions of a name in the change's code graph.
import { type CallSite, type ChangeGraph, minSureConfidence } from '../domain/change-graph.ts'
import { truncateLine } from './tool-input.ts'

const maxLocations = 40

/** Formatted lines for tool output, and their locations as `path:line`. */
export interface KnownLocations {
  readonly lines: readonly string[]
  readonly locations: ReadonlySet<string>
}

const noLocations: KnownLocations = { lines: [], locations: new Set() }

/** Lists uses of changed definitions outside of the changed lines, the most confident first. */
export function listKnownCallers(
  graph: ChangeGraph | null | undefined,
  name: string,
  prefix: string | undefined,
): KnownLocations {
  if (!graph) return noLocations
  const matchingSymbols = new Set(
    graph.symbols.flatMap((symbol, index) => (bareName(symbol.name) === name ? [index] : [])),
  )
  const uses = graph.callers
    .filter(({ symbol, path }) => matchingSymbols.has(symbol) && isInFolder(path, prefix))
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
  const location = within === null ? '' : `in ${truncateLine(within)}: `
  const { name, path } = symbols[symbol]!
  const relation = confidence >= minSureConfidence ? 'means' : 'may mean'
  const target = `[${relation} ${truncateLine(name)} of ${path}]`
  return `${location}${truncateLine(text.trim())} ${target}`
}

/** Lists definitions of a name that the changed lines use, with their signatures. */
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
