// Shows the definitions of names on shown lines, from the code graph first and then from a search.

import type { Change } from '../../domain/change.ts'
import type { UsedDefinition } from '../../domain/change-graph.ts'
import { createLineReader } from '../../git/line-reader.ts'
import type { ContextSpan } from '../../reviewers/packed-context.ts'
import type { CountTokens } from './count-tokens.ts'
import type { ShownCode } from './describe-impact.ts'
import { type Entry, fillSpan } from './fill-span.ts'
import { findDefinitions } from './find-definitions.ts'
import type { HeadReader } from './read-head.ts'
import type { UsedName } from './used-names.ts'

/** Signatures are cut at this many characters and lines. */
const maxSignatureLength = 180
const maxSignatureLines = 6
/** Definitions of up to this many lines may be shown whole. */
const maxWholeLines = 12
/** Limits per round: the definitions of the graph, and the files that are read for them. */
const maxKnown = 80
const maxFilesRead = 24
/** No definition takes fewer tokens. */
const minTokensPerDefinition = 10
/** Minimum confidence at which a definition of the graph replaces the search for its name. */
const minConfidence = 0.5

interface DefinitionTask {
  readonly change: Change
  readonly head: HeadReader
  readonly measure: CountTokens
}

interface DefinitionBudget {
  readonly tokens: number
  /** Nothing else needs the tokens, so that short definitions can be shown whole. */
  readonly hasSpareTokens: boolean
}

/**
 * Returns the span of definitions, undefined without any. First each definition gets a line, those
 * of the graph before those that were searched for; then definitions of the graph are expanded.
 *
 * @param used names on the shown lines and around them, the most important first
 */
export async function showDefinitions(
  { change, head, measure }: DefinitionTask,
  shown: ShownCode,
  used: readonly UsedName[],
  budget: DefinitionBudget,
): Promise<ContextSpan | undefined> {
  const known = await readKnown(change, shown)
  const names = new Set(known.map(({ name }) => name))
  const found = await findDefinitions(
    change,
    head,
    used.filter(({ name }) => !names.has(name)),
    Math.ceil(budget.tokens / minTokensPerDefinition),
  )
  const isNew = ({ lines }: Entry) =>
    lines === undefined || !shown.showsLine(lines.path, lines.start)
  const short = [
    ...known.map((definition) => definition.short),
    ...found.map(({ path, line, text }) => toEntry(path, line, text)),
  ].filter(isNew)
  const span = fillSpan(definitions, [{ entries: short }], budget.tokens, measure)
  if (span === undefined || !budget.hasSpareTokens) return span
  const whole = expandEntries(short, known, budget.tokens - span.tokens, measure)
  return fillSpan(definitions, [{ entries: whole }], budget.tokens, measure)
}

const definitions = { origin: 'definitions', trust: 'untrusted' } as const

function toEntry(path: string, line: number, text: string): Entry {
  return {
    text: `${path}:${line}: ${text.slice(0, maxSignatureLength)}`,
    lines: { path, side: 'RIGHT', start: line, end: line },
  }
}

interface KnownDefinition {
  readonly name: string
  readonly short: Entry
  readonly whole: Entry | undefined
}

/** Reads the definitions of the graph that shown lines use, the surest first. */
async function readKnown(
  { graph, head }: Change,
  { showsLine }: ShownCode,
): Promise<KnownDefinition[]> {
  const wanted = (graph?.definitions ?? [])
    .filter(
      ({ usedAt, confidence }) =>
        confidence >= minConfidence && showsLine(usedAt.path, usedAt.line),
    )
    .toSorted((one, other) => other.confidence - one.confidence)
    .slice(0, maxKnown)
  const read = createLineReader(head)
  const byPath = [...Map.groupBy(wanted, ({ path }) => path)]
  const known = await Promise.all(
    byPath.map(async ([path, own], index) => {
      const lines = index < maxFilesRead ? await read(path) : null
      return own.map((definition) => [definition, describeKnown(definition, lines ?? [])] as const)
    }),
  )
  const described = new Map(known.flat())
  return wanted.map((definition) => described.get(definition)!)
}

function describeKnown(
  { name, path, line, endLine, signature }: UsedDefinition,
  file: readonly string[],
): KnownDefinition {
  const bare = name.slice(name.lastIndexOf('.') + 1)
  const lines = file.slice(line - 1, Math.max(line, endLine))
  // The graph has the signature of a definition whose file wasn't read.
  if (lines.length === 0)
    return { name: bare, short: { text: `${path}:${line}: ${signature}` }, whole: undefined }
  const isShort = lines.length > 1 && lines.length <= maxWholeLines
  return {
    name: bare,
    short: toEntry(path, line, readSignature(lines)),
    whole: isShort ? showWhole(path, line, lines) : undefined,
  }
}

/** Joins the first line and the next ones until all brackets are closed. */
function readSignature(lines: readonly string[]): string {
  let signature = ''
  for (const line of lines.slice(0, maxSignatureLines)) {
    signature = `${signature} ${line.slice(0, maxSignatureLength).trim()}`.trim()
    const isOpen = signature.split(/[([]/).length > signature.split(/[)\]]/).length
    if (!isOpen || signature.length > maxSignatureLength) break
  }
  return signature
}

function showWhole(path: string, start: number, lines: readonly string[]): Entry {
  const end = start + lines.length - 1
  const text = lines.map((line) => `  ${line.slice(0, maxSignatureLength)}`).join('\n')
  return { text: `${path}:${start}-${end}:\n${text}`, lines: { path, side: 'RIGHT', start, end } }
}

/** Replaces entries by whole definitions while there are tokens left. */
function expandEntries(
  short: readonly Entry[],
  known: readonly KnownDefinition[],
  maxTokens: number,
  measure: CountTokens,
): readonly Entry[] {
  const whole = new Map(known.map((definition) => [definition.short, definition.whole]))
  let left = maxTokens
  return short.map((entry) => {
    const expanded = whole.get(entry)
    if (expanded === undefined) return entry
    const cost = measure(expanded.text) - measure(entry.text)
    if (cost > left) return entry
    left -= cost
    return expanded
  })
}
