// Shows where the names on shown lines are defined: what the code graph knows first, then what a search finds.
import type { UsedDefinition } from '../../domain/change-graph.ts'
import { createLineReader } from '../../git/line-reader.ts'
import type { Change, ContextSpan } from '../../reviewers/reviewer.ts'
import type { CountTokens } from './count-tokens.ts'
import type { ShownCode } from './describe-impact.ts'
import { type Entry, fillSpan } from './fill-span.ts'
import { findDefinitions } from './find-definitions.ts'
import type { UsedName } from './used-names.ts'

/** Of a definition's first lines so much is shown. */
const longestSignature = 180
const mostSignatureLines = 6
/** A definition of no more lines is shown whole where there is room. */
const mostWholeLines = 12
/** Definitions of the graph that one round may show, and the files that are read for them. */
const mostKnown = 80
const mostRead = 24
/** From so much confidence on the graph's answer stands for all guesses at a name. */
const leastConfidence = 0.5

/** What definitions may take of a round. */
export interface DefinitionBudget {
  readonly tokens: number
  /** Nothing else waits for the room, so that short definitions may be shown whole. */
  readonly hasSpareTokens: boolean
}

/**
 * The span of definitions; undefined where nothing is known or fits. First a line of each, the graph's before those that
 * were guessed; then more of the graph's.
 *
 * @param used names on the lines that are shown and around them, most wanted first
 */
export async function showDefinitions(
  change: Change,
  shown: ShownCode,
  used: readonly UsedName[],
  room: DefinitionBudget,
  measure: CountTokens,
): Promise<ContextSpan | undefined> {
  const known = await readKnown(change, shown)
  const names = new Set(known.map(({ name }) => name))
  const guessed = await findDefinitions(
    change,
    used.filter(({ name }) => !names.has(name)),
  )
  const isNew = ({ lines }: Entry) =>
    lines === undefined || !shown.showsLine(lines.path, lines.start)
  const short = [
    ...known.map((definition) => definition.short),
    ...guessed.map(({ path, line, text }) => toEntry(path, line, text)),
  ].filter(isNew)
  const span = fillSpan(definitions, [{ entries: short }], room.tokens, measure)
  if (span === undefined || !room.hasSpareTokens) return span
  const whole = widen(short, known, room.tokens - span.tokens, measure)
  return fillSpan(definitions, [{ entries: whole }], room.tokens, measure)
}

const definitions = { origin: 'definitions', trust: 'untrusted' } as const

function toEntry(path: string, line: number, text: string): Entry {
  return {
    text: `${path}:${line}: ${text.slice(0, longestSignature)}`,
    lines: { path, side: 'RIGHT', start: line, end: line },
  }
}

/** A definition of the graph, in a line and whole. */
interface KnownDefinition {
  readonly name: string
  readonly short: Entry
  readonly whole: Entry | undefined
}

/** The definitions that shown lines use, the surest first, as they stand in their files. */
async function readKnown(
  { graph, head }: Change,
  { showsLine }: ShownCode,
): Promise<KnownDefinition[]> {
  const wanted = (graph?.definitions ?? [])
    .filter(
      ({ usedAt, confidence }) =>
        confidence >= leastConfidence && showsLine(usedAt.path, usedAt.line),
    )
    .toSorted((one, other) => other.confidence - one.confidence)
    .slice(0, mostKnown)
  const read = createLineReader(head)
  const byPath = [...Map.groupBy(wanted, ({ path }) => path)]
  const known = await Promise.all(
    byPath.map(async ([path, own], index) => {
      const lines = index < mostRead ? await read(path) : null
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
  // A file that wasn't read is told by what the graph noted of it.
  if (lines.length === 0)
    return { name: bare, short: { text: `${path}:${line}: ${signature}` }, whole: undefined }
  const isShort = lines.length > 1 && lines.length <= mostWholeLines
  return {
    name: bare,
    short: toEntry(path, line, readSignature(lines)),
    whole: isShort ? showWhole(path, line, lines) : undefined,
  }
}

/** The first line, and the next ones as far as a bracket is open, on one line. */
function readSignature(lines: readonly string[]): string {
  let signature = ''
  for (const line of lines.slice(0, mostSignatureLines)) {
    signature = `${signature} ${line.slice(0, longestSignature).trim()}`.trim()
    const isOpen = signature.split(/[([]/).length > signature.split(/[)\]]/).length
    if (!isOpen || signature.length > longestSignature) break
  }
  return signature
}

function showWhole(path: string, start: number, lines: readonly string[]): Entry {
  const end = start + lines.length - 1
  const text = lines.map((line) => `  ${line.slice(0, longestSignature)}`).join('\n')
  return { text: `${path}:${start}-${end}:\n${text}`, lines: { path, side: 'RIGHT', start, end } }
}

/** The entries again, those that can be with all of their lines, as far as the room goes. */
function widen(
  short: readonly Entry[],
  known: readonly KnownDefinition[],
  room: number,
  measure: CountTokens,
): readonly Entry[] {
  const whole = new Map(known.map((definition) => [definition.short, definition.whole]))
  let left = room
  return short.map((entry) => {
    const wide = whole.get(entry)
    const cost = wide === undefined ? 0 : measure(wide.text) - measure(entry.text)
    if (wide === undefined || cost > left) return entry
    left -= cost
    return wide
  })
}
