// Reads a record of a decision, of whatever template: its status, and the words that say what was decided.
import type { MarkdownBlock, MarkdownSection } from './markdown.ts'
import { firstSentence, isReadable, toPlainText, truncateText } from './plain-text.ts'

const maxStatusLength = 80
/** What was decided, in characters. */
const maxDecisionLength = 420

const inForceTerms = [
  'accepted|approved|adopted|decided|active|final|agreed|implemented|in force|done',
  'aceptad[oa]|aceit[oa]|accepté|akzeptiert|angenommen',
].join('|')
const inForce = new RegExp(String.raw`\b(${inForceTerms})\b`, 'i')
const notInForceTerms = [
  'superse?c?e?ded|replaced|deprecated|rejected|declined|withdrawn|obsolete',
  'abandoned|retired|revoked|proposed|proposal|draft|pending|on hold|deferred',
  'in review|under (review|discussion)|open|rfc|not implemented|rechazad[oa]',
  'rejeitad[oa]|obsolet[oa]|substituíd[oa]|reemplazad[oa]|proposto|propuest[oa]',
].join('|')
const notInForce = new RegExp(String.raw`(?<!not )\b(${notInForceTerms})\b`, 'i')

/**
 * As it stands in the front matter, on a line or in a table of its own, or below a heading of its own; undefined where
 * none is told, or all that there can be.
 */
export function statusOf(
  sections: readonly MarkdownSection[],
  front: string | undefined,
  text: string,
): string | undefined {
  const start = text.slice(0, 3000)
  const told = [
    front,
    ...(sections
      .find(({ heading }) => isNamed(heading, statusNames))
      ?.blocks.slice(0, 4)
      .map((block) => block.text) ?? []),
    /^[\s>*_-]{0,6}(?:status|estado)[*_]{0,2}\s*:[*_]{0,2}\s*([^\n]{2,160})/im.exec(start)?.[1],
    /^\|\s*\**(?:status|estado)\**\s*\|\s*([^|\n]{2,160})/im.exec(start)?.[1],
  ].flatMap((one) => (one === undefined ? [] : toPlainText(one).replace(/^[^\p{L}]+/u, '')))
  // Where a section tells its history, the last state counts.
  const states = told.filter((one) => (inForce.test(one) || notInForce.test(one)) && !isChoice(one))
  const status = states.at(-1) ?? told.find((one) => one !== '' && !isChoice(one))
  return status === undefined
    ? undefined
    : truncateText(lowerFirst(status).replace(/\.$/, ''), maxStatusLength)
}

const statusNames = /^(status|estado|statut)$/i

/** `Proposed | Accepted | Deprecated`: nobody chose. */
function isChoice(status: string): boolean {
  return /\w\s*[|/]\s*\w+\s*[|/]/.test(status)
}

/** Whether the record says what holds now: accepted, or without a status. What comes first in a status counts. */
export function isInForce(
  status: string | undefined,
  sections: readonly MarkdownSection[],
): boolean {
  const title = sections.find(({ heading }) => heading !== '')?.heading ?? ''
  const opening = sections
    .slice(0, 2)
    .flatMap(({ blocks }) => blocks.slice(0, 3).map((block) => block.text))
  if (
    [title, ...opening].some((text) =>
      /^\W{0,4}(superse?c?eded|deprecated|rejected|withdrawn)\b/i.test(text),
    )
  )
    return false
  if (status === undefined) return true
  if (/\bimplemented\b/i.test(status) && !/\bnot implemented\b/i.test(status)) return true
  const bad = notInForce.exec(status)?.index ?? Number.POSITIVE_INFINITY
  const good = inForce.exec(status)?.index ?? Number.POSITIVE_INFINITY
  return bad === Number.POSITIVE_INFINITY || good < bad
}

/** Sections that say what was decided, in the words of the usual templates. */
const decisionNamesTerms = [
  '(the |our |final |architecture |proposed )?(decisions?|resolution|outcome)( outcome| made| statement| and rationale)?',
  'what (we|was|is) decided|we decided|decisión|decisão|décision|entscheidung|决定|決定',
  'decyzja',
].join('|')
const decisionNames = new RegExp(String.raw`^(\d+\.?\s*)?(${decisionNamesTerms})\s*[.:]?$`, 'i')
/** And those that say something else of it. */
const otherNamesTerms = [
  'context|background|problem|status|consequences?|options?|alternatives?|drivers?',
  'motivation|references?|links?|date|deciders?|authors?|rationale|pros|cons',
  'implications?|related|notes?|compliance|confirmation|history|changelog',
  'summary of changes|contexto|consecuencias|kontext',
].join('|')
const otherNames = new RegExp(String.raw`\b(${otherNamesTerms})\b`, 'i')
/** Before what was decided, on its own line. */
const labelTerms = [
  'decision( outcome)?|decided|outcome|resolution|chosen( option| solution)?',
  'decisión|decisão|entscheidung',
].join('|')
const label = new RegExp(String.raw`^(the )?(${labelTerms})\s*[:.–—]\s*`, 'i')
const otherLabelTerms = [
  'status|date|context|consequences?|rationale|alternatives?|options?|deciders?',
  'decision[- ]?makers?|authors?|tags?|issue|reference|related|supersedes|owner',
  'reviewers?|milestone',
].join('|')
const otherLabel = new RegExp(String.raw`^(${otherLabelTerms})\b[^.]{0,20}[:|]`, 'i')

/** What was decided, where the record says it; its first words where it has no parts at all; else undefined. */
export function findDecision(sections: readonly MarkdownSection[]): string | undefined {
  const blocks = sections.flatMap((section) => section.blocks)
  const whole = blocks.find(({ text }) => /\bin the context of\b.{3,600}\bdecided\b/i.test(text))
  if (whole)
    return truncateText(
      whole.text.slice(whole.text.search(/\bin the context of\b/i)),
      maxDecisionLength,
    )
  return (
    summarizeDecision(belowHeading(sections)) ??
    summarizeDecision(afterLabel(blocks)) ??
    summarizeDecision(listPlainBlocks(sections))
  )
}

/** With what stands below headings of its own. */
function belowHeading(sections: readonly MarkdownSection[]): MarkdownBlock[] {
  const at = sections.findIndex(({ heading }) => isNamed(heading, decisionNames))
  const named = sections[at]
  if (named === undefined) return []
  const after = sections.slice(at + 1)
  const end = after.findIndex(({ level }) => level <= named.level)
  const below = end === -1 ? after : after.slice(0, end)
  return [named, ...below.filter(({ heading }) => !otherNames.test(heading))].flatMap(
    ({ blocks }) => blocks,
  )
}

/** From a paragraph or an item that begins with its label, or is nothing else. */
function afterLabel(blocks: readonly MarkdownBlock[]): MarkdownBlock[] {
  const at = blocks.findIndex(
    ({ text }) => label.test(`${text}:`) && !/^decision (drivers|makers)/i.test(text),
  )
  const labelled = blocks[at]
  if (labelled === undefined) return []
  const after = blocks.slice(at + 1)
  const end = after.findIndex(
    ({ text }) => otherNames.test(text.slice(0, 20)) && (otherLabel.test(text) || text.length < 25),
  )
  const below = end === -1 ? after : after.slice(0, end)
  const said = withoutLabel(labelled.text)
  return said === ''
    ? below
    : [{ ...labelled, text: said }, ...below.filter(({ isItem }) => isItem)]
}

function listPlainBlocks(sections: readonly MarkdownSection[]): MarkdownBlock[] {
  return sections
    .filter(({ heading, level }) => level <= 1 || !otherNames.test(heading))
    .flatMap(({ blocks }) => blocks)
    .filter(({ text, isItem }) => !isItem && !otherLabel.test(text) && isReadable(text))
}

/** Two sentences, or what a sentence announces, in one line. */
function summarizeDecision(blocks: readonly MarkdownBlock[]): string | undefined {
  const told = blocks.filter(({ text }) => !otherLabel.test(text) && /\p{L}{2}/u.test(text))
  const [first, ...rest] = told.map((block) => ({ ...block, text: withoutLabel(block.text) }))
  if (first === undefined || first.text === '') return undefined
  const isOpen =
    first.isItem || /(:|,|\b(because|since|as|that))$/i.test(first.text) || first.text.length < 40
  if (!isOpen) return truncateText(takeSentences(first.text), maxDecisionLength)
  const items = rest
    .filter(({ isItem }, index) => isItem || (!first.isItem && index === 0))
    .map(({ text }) => text)
  const joint = /[:,]$|\b(because|since|as|that)$/i.test(first.text) ? ' ' : '; '
  const [head = '', ...tail] = [first.text, ...items].map((text) => text.replace(/[.;]$/, ''))
  return truncateText(
    tail.length === 0 ? first.text : `${head}${joint}${tail.join('; ')}.`,
    maxDecisionLength,
  )
}

function takeSentences(text: string): string {
  const first = firstSentence(text, 300)
  const next = text.slice(first.length).trim()
  return next === '' || first.endsWith('…') || first.length > 200
    ? first
    : `${first} ${firstSentence(next, 240)}`
}

function withoutLabel(text: string): string {
  return `${text}:`.replace(label, '').replace(/:$/, '').trim()
}

function isNamed(heading: string, names: RegExp): boolean {
  return names.test(heading.replace(/^[^\p{L}\p{N}]+/u, '').trim())
}

/** Only the first letter, and none of a name in capitals. */
function lowerFirst(text: string): string {
  const [word = ''] = /^\S+/.exec(text) ?? []
  const isShouted = /^[\p{Lu}\W]+$/u.test(word) && inForce.test(word)
  const isName = /^\p{Lu}{2}/u.test(word) && !isShouted
  return isName ? text : word.toLowerCase() + text.slice(word.length)
}
