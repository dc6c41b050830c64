// Reads the status and the decision of a decision record, independent of its template.
import { longPattern } from '../../lib/long-pattern.ts'
import type { MarkdownBlock, MarkdownSection } from './markdown.ts'
import { firstSentence, isReadable, toPlainText, truncateText } from './plain-text.ts'

const maxStatusLength = 80
const maxDecisionLength = 420

const inForce = longPattern('i')`
  \b(accepted|approved|adopted|decided|active|final|agreed|implemented|in force|done
  |aceptad[oa]|aceit[oa]|accepté|akzeptiert|angenommen)\b`
const notInForce = longPattern('i')`
  (?<!not )\b(superse?c?e?ded|replaced|deprecated|rejected|declined|withdrawn|obsolete
  |abandoned|retired|revoked|proposed|proposal|draft|pending|on hold|deferred
  |in review|under (review|discussion)|open|rfc|not implemented|rechazad[oa]
  |rejeitad[oa]|obsolet[oa]|substituíd[oa]|reemplazad[oa]|proposto|propuest[oa])\b`

/**
 * Finds the status in the front matter, on a labelled line, in a table, or in a section of its own.
 * Undefined if there is none, or only the list of possible ones.
 */
export function statusOf(
  sections: readonly MarkdownSection[],
  front: string | undefined,
  text: string,
): string | undefined {
  const start = text.slice(0, 3000)
  const statusSection = sections.find(({ heading }) => isNamed(heading, statusNames))
  const sectionTexts = statusSection?.blocks.slice(0, 4).map((block) => block.text) ?? []
  const candidates = [
    front,
    ...sectionTexts,
    statusLine.exec(start)?.[1],
    statusRow.exec(start)?.[1],
  ]
    .filter((candidate) => candidate !== undefined)
    .map((candidate) => toPlainText(candidate).replace(/^[^\p{L}]+/u, ''))
    .filter((candidate) => !isChoice(candidate))
  const states = candidates.filter(
    (candidate) => inForce.test(candidate) || notInForce.test(candidate),
  )
  // If a section lists the history of states, the last one is valid.
  const status = states.at(-1) ?? candidates.find((candidate) => candidate !== '')
  if (status === undefined) return undefined
  return truncateText(lowerFirst(status).replace(/\.$/, ''), maxStatusLength)
}

const statusLine = /^[\s>*_-]{0,6}(?:status|estado)[*_]{0,2}\s*:[*_]{0,2}\s*([^\n]{2,160})/im
const statusRow = /^\|\s*\**(?:status|estado)\**\s*\|\s*([^|\n]{2,160})/im
const statusNames = /^(status|estado|statut)$/i

/** Whether a template's list, such as `Proposed | Accepted | Deprecated`, was left unchanged. */
function isChoice(status: string): boolean {
  return /\w\s*[|/]\s*\w+\s*[|/]/.test(status)
}

/** Whether a record is valid: it has no status, or the first state in its status is valid. */
export function isInForce(
  status: string | undefined,
  sections: readonly MarkdownSection[],
): boolean {
  if (isMarkedObsolete(sections)) return false
  if (status === undefined) return true
  const isImplemented = /\bimplemented\b/i.test(status) && !/\bnot implemented\b/i.test(status)
  if (isImplemented) return true
  const invalidAt = notInForce.exec(status)?.index ?? Number.POSITIVE_INFINITY
  const validAt = inForce.exec(status)?.index ?? Number.POSITIVE_INFINITY
  return invalidAt === Number.POSITIVE_INFINITY || validAt < invalidAt
}

/** Whether the title or one of the first blocks begins with a word for an obsolete record. */
function isMarkedObsolete(sections: readonly MarkdownSection[]): boolean {
  const title = sections.find(({ heading }) => heading !== '')?.heading ?? ''
  const opening = sections
    .slice(0, 2)
    .flatMap(({ blocks }) => blocks.slice(0, 3).map((block) => block.text))
  return [title, ...opening].some((text) =>
    /^\W{0,4}(superse?c?eded|deprecated|rejected|withdrawn)\b/i.test(text),
  )
}

/** The usual templates have the decision below one of these headings. */
const decisionNames = longPattern('i')`
  ^(\d+\.?\s*)?((the |our |final |architecture |proposed )?(decisions?|resolution|outcome)
  ( outcome| made| statement| and rationale)?
  |what (we|was|is) decided|we decided|decisión|decisão|décision|entscheidung|决定|決定
  |decyzja)\s*[.:]?$`
/** The usual templates have other sections with these headings. */
const otherNames = longPattern('i')`
  \b(context|background|problem|status|consequences?|options?|alternatives?|drivers?
  |motivation|references?|links?|date|deciders?|authors?|rationale|pros|cons
  |implications?|related|notes?|compliance|confirmation|history|changelog
  |summary of changes|contexto|consecuencias|kontext)\b`
/** These labels stand before the decision on the same line. */
const label = longPattern('i')`
  ^(the )?(decision( outcome)?|decided|outcome|resolution|chosen( option| solution)?
  |decisión|decisão|entscheidung)\s*[:.–—]\s*`
const otherLabel = longPattern('i')`
  ^(status|date|context|consequences?|rationale|alternatives?|options?|deciders?
  |decision[- ]?makers?|authors?|tags?|issue|reference|related|supersedes|owner
  |reviewers?|milestone)\b[^.]{0,20}[:|]`

/**
 * Finds the decision of a record; if it has neither a heading nor a label for it, the first texts.
 * Undefined if there are none.
 */
export function findDecision(sections: readonly MarkdownSection[]): string | undefined {
  const blocks = sections.flatMap((section) => section.blocks)
  // The Y-statement template has the whole record in one sentence.
  const statement = blocks.find(({ text }) =>
    /\bin the context of\b.{3,600}\bdecided\b/i.test(text),
  )
  if (statement) {
    const start = statement.text.search(/\bin the context of\b/i)
    return truncateText(statement.text.slice(start), maxDecisionLength)
  }
  return (
    summarizeDecision(listBelowHeading(sections)) ??
    summarizeDecision(listAfterLabel(blocks)) ??
    summarizeDecision(listPlainBlocks(sections))
  )
}

/** Lists the blocks below a heading of the decision, with those of its subsections. */
function listBelowHeading(sections: readonly MarkdownSection[]): MarkdownBlock[] {
  const index = sections.findIndex(({ heading }) => isNamed(heading, decisionNames))
  const section = sections[index]
  if (section === undefined) return []
  const following = sections.slice(index + 1)
  const subsections = takeUntil(following, ({ level }) => level <= section.level)
  const decisionSections = subsections.filter(({ heading }) => !otherNames.test(heading))
  return [section, ...decisionSections].flatMap(({ blocks }) => blocks)
}

/** Lists the blocks from a paragraph or an item with a label of the decision. */
function listAfterLabel(blocks: readonly MarkdownBlock[]): MarkdownBlock[] {
  const index = blocks.findIndex(
    ({ text }) => label.test(`${text}:`) && !/^decision (drivers|makers)/i.test(text),
  )
  const labelled = blocks[index]
  if (labelled === undefined) return []
  const following = takeUntil(blocks.slice(index + 1), isOtherLabel)
  const text = withoutLabel(labelled.text)
  // A label without a text on its line stands above the decision.
  if (text === '') return following
  return [{ ...labelled, text }, ...following.filter(({ isItem }) => isItem)]
}

function isOtherLabel({ text }: MarkdownBlock): boolean {
  const isShort = text.length < 25
  return otherNames.test(text.slice(0, 20)) && (otherLabel.test(text) || isShort)
}

function takeUntil<Item>(items: readonly Item[], isEnd: (item: Item) => boolean): Item[] {
  const end = items.findIndex(isEnd)
  return items.slice(0, end === -1 ? items.length : end)
}

function listPlainBlocks(sections: readonly MarkdownSection[]): MarkdownBlock[] {
  return sections
    .filter(({ heading, level }) => level <= 1 || !otherNames.test(heading))
    .flatMap(({ blocks }) => blocks)
    .filter(({ text, isItem }) => !isItem && !otherLabel.test(text) && isReadable(text))
}

/** Returns two sentences, or a sentence with the items that it introduces. */
function summarizeDecision(blocks: readonly MarkdownBlock[]): string | undefined {
  const [first, ...following] = blocks
    .filter(({ text }) => !otherLabel.test(text) && /\p{L}{2}/u.test(text))
    .map((block) => ({ ...block, text: withoutLabel(block.text) }))
  if (first === undefined || first.text === '') return undefined
  const isIncomplete =
    first.isItem || /(:|,|\b(because|since|as|that))$/i.test(first.text) || first.text.length < 40
  if (!isIncomplete) return truncateText(takeSentences(first.text), maxDecisionLength)
  const items = following
    .filter(({ isItem }, index) => isItem || (!first.isItem && index === 0))
    .map(({ text }) => text.replace(/[.;]$/, ''))
  if (items.length === 0) return truncateText(first.text, maxDecisionLength)
  const introduction = first.text.replace(/[.;]$/, '')
  const separator = /[:,]$|\b(because|since|as|that)$/i.test(first.text) ? ' ' : '; '
  return truncateText(`${introduction}${separator}${items.join('; ')}.`, maxDecisionLength)
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

/** Lowers the first word unless it is an abbreviation; a state in capitals isn't one. */
function lowerFirst(text: string): string {
  const [word = ''] = /^\S+/.exec(text) ?? []
  const isStateInCapitals = /^[\p{Lu}\W]+$/u.test(word) && inForce.test(word)
  const isAbbreviation = /^\p{Lu}{2}/u.test(word) && !isStateInCapitals
  return isAbbreviation ? text : word.toLowerCase() + text.slice(word.length)
}
