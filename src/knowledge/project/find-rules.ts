// Finds the rules for contributors in a document, without instructions to install, run or ask.
import { longPattern } from '../../lib/long-pattern.ts'
import { type MarkdownBlock, type MarkdownSection, readSections } from './markdown.ts'
import { firstSentence, isReadable, truncateText } from './plain-text.ts'

interface FoundRule {
  /** The section's heading; empty if it is only the document's title. */
  readonly heading: string
  readonly text: string
  /** The rule's first line, 1-based. */
  readonly line: number
}

const maxRuleLength = 400
const maxIntroductionLength = 160
/** Patterns are applied only to this many characters of a block. */
const maxScanLength = 2_000

/** Headings of sections that aren't about the code. */
const nonCodeSection = longPattern('i')`
  \b(install\w*|set ?-?up|prerequisites?|getting started|quick ?(start|reference)
  |requirements to run|dev(elopment)? environment|table of contents|contents
  |commands?|running|debugging|troubleshoot\w*
  |(project|repository|directory|folder|file|code) (structure|layout|overview)
  |overview|architecture overview|tech(nology)? stack|current stack
  |key (files|paths|directories)|layout|get(ting)? involved|finding
  |ways? to (help|contribute)|issues?|bugs?|report\w*|questions?|support|help
  |feature requests?|code of conduct|conduct|faq|licen[cs]\w*|cla|copyright
  |translat\w*|meetings?|roadmap|prioriti[sz]ation|triag\w*|maintainers?|releas\w*
  |further reading|see also|references?|resources|links|community|funding|backers
  |thanks|pledge|use of ai|skill guides?)\b`

/** Headings of sections in which every list item is a rule. */
const rulesSection = longPattern('i')`
  \b(rules?|conventions?|guidelines?|standards?|principles?|style|styling|polic(y|ies)
  |best practices|constraints?|stance|do'?s|don'?ts|naming|invariants?|requirements
  |checklist|boundaries)\b`

/** A sentence with one of these terms is a rule in any section. */
const obligation = longPattern('i')`
  \b(must|shall|should(?! then| now| see)|never|always
  |(?<!\b(we|you|they|it|that|which|who|tests?) )(do not|don['’]t)|(?<!\bto )avoid
  |prefer(red|ably)?|make sure|be sure
  |(is|are) (required|expected|mandatory|forbidden|prohibited)|not (be )?allowed
  |may only|only (use|add|when|if|through))\b`

/**
 * An imperative sentence, which may begin with a condition, a topic and a colon, or `please`. The
 * last words are verbs only if an object or a preposition follows.
 */
const imperative = longPattern('iu')`
  ^((when|whenever|if|before|after|for|in|on|with|where|unless|once|until)\b[^.:;]{2,90}[,:]\s+
  |[\p{L}\p{N}\x60'’ -]{2,40}[:–—]\s+
  |please\s+)?(only\s+)?
  ((no|ensure|use|keep|write|put|place|prefix|suffix|return|throw|raise|add|include|describe
  |follow|treat|remove|delete|reduce|validate|check|handle|update|define|declare|export
  |import|inject|pass|take|limit|wrap|guard|indent|split|separate|extract|reuse|inline
  |annotate|assert|squash|rebase|bump|pin|regenerate|escape|sanitize|encode|await|catch
  |preserve|favou?r|stick|strive|choose|rely|explain|expose|hide|make|align|omit|skip
  |collapse|centrali[sz]e|fix|round|count|compute|convert|emit|register|initiali[sz]e|save
  |store|invoke|implement|extend|inherit|override|organi[sz]e|minimi[sz]e|simplify|refactor
  |restrict|allow|deny|reject|accept|respond|apply|set|maintain|adhere|comply|migrate
  |deprecate|verify|confirm)
  |(test|name|type|log|order|sort|group|mock|format|document|cover|cache|mark|tag|lock|match
  |mirror|link|model|design|structure|support|report|call|load|review|target|measure|version)\s+
  (the|a|an|all|every|each|any|new|your|only|it|them|with|for|in|by))\b`

/** A step of a procedure is a rule only if it has a condition. */
const procedureStep = longPattern('i')`
  ^(please\s+)?(run|open|click|install|clone|fork|start|create (a|your) (branch|fork)|checkout
  |check out|see|read|refer|visit|take a look|look (at|through)|go to|navigate
  |download|copy|learn|join|ask|consult|head over|build|consider (using|checking))\b`
const condition = longPattern('i')`
  \b(before|after|whenever|every time|in the same (change|commit|pull request)|always
  |never|must)\b`

/** Terms of blocks about the community, which are never rules. */
const chatter = longPattern('i')`
  \b(discord|slack|gitter|forums?|mailing list|sponsor|fork (of )?(the|this|your)
  |feel free|reach out|ping (us|me|a)|thank(s| you)|welcome|happy to|we['’]d love
  |contributor license|cla\b|video|tutorial|good first issue|assigned to
  |maintainer will|stale|code of conduct|covenant|this (file|document|guide)
  |claude\.md|agents\.md|contributing\.md)\b`
const example =
  /^(e\.?g\.?|for example|examples?|good|bad|desired|note|example|correct|wrong|yes|no)\s*[:(]/i

/**
 * Finds the rules of a document. Each is a list item or a short paragraph, after its introduction.
 *
 * @param options `isForCode`: the document is only for people who change code. In other documents
 *   a block is a rule only if it is binding or in a section about rules.
 */
export function findRules(document: string, { isForCode }: { isForCode: boolean }): FoundRule[] {
  const openSections: MarkdownSection[] = []
  return readSections(document).flatMap((section) => {
    const level = Math.max(section.level, 1)
    while ((openSections.at(-1)?.level ?? 0) >= level) openSections.pop()
    openSections.push(section)
    const headings = openSections
      .filter((openSection) => openSection.level > 1)
      .map(({ heading }) => heading)
    const isDocumentTitle = section.level <= 1 && isTitle(section.heading)
    const heading = isDocumentTitle ? '' : section.heading
    return listRules(section.blocks, {
      heading: truncateText(heading, 60).replace(/[\s:.]+$/, ''),
      isAboutOtherTopic: headings.some(isNonCodeHeading),
      isAboutRules: [...headings, heading].some((text) => rulesSection.test(text)),
      isForCode,
    })
  })
}

/** Whether a heading only names the document, not a topic of its rules. */
function isTitle(heading: string): boolean {
  return /agents?\b|claude|gemini|copilot|cursor|contribut|guide|instructions|readme/i.test(heading)
}

function isNonCodeHeading(heading: string): boolean {
  return nonCodeSection.test(heading) && !rulesSection.test(heading)
}

interface RuleContext {
  readonly heading: string
  readonly isAboutOtherTopic: boolean
  readonly isAboutRules: boolean
  readonly isForCode: boolean
}

function listRules(blocks: readonly MarkdownBlock[], context: RuleContext): FoundRule[] {
  const rules: FoundRule[] = []
  let introductions: MarkdownBlock[] = []
  for (const block of blocks) {
    introductions = introductions.filter((introduction) => isIntroducedBy(block, introduction))
    // A block that ends with a colon introduces the items below it.
    if (block.text.endsWith(':') && block.text.length <= maxIntroductionLength) {
      introductions.push(block)
      continue
    }
    const introduction = introductions.map(({ text }) => text).join(' ')
    if (!isRule(block, introduction, context)) continue
    const isShortIntroduction = introduction.length <= maxIntroductionLength * 2
    const ruleText = shorten(block.text, block.isItem)
    const text = isShortIntroduction ? `${introduction} ${ruleText}`.trim() : ruleText
    rules.push({ heading: context.heading, text, line: block.line })
  }
  return rules
}

/** A paragraph introduces following items and indented paragraphs; an item only nested items. */
function isIntroducedBy(block: MarkdownBlock, introduction: MarkdownBlock): boolean {
  const isDeeper = introduction.indent < block.indent
  if (block.isItem) return !introduction.isItem || isDeeper
  return !introduction.isItem && isDeeper
}

function isRule(block: MarkdownBlock, introduction: string, context: RuleContext): boolean {
  const text = block.text.slice(0, maxScanLength)
  if (!isSentence(text, block.isItem) || isNoRule(text)) return false
  const { isAboutOtherTopic, isAboutRules, isForCode } = context
  if (isAboutOtherTopic) return isForCode && strictObligation.test(text)
  if (obligation.test(text)) return true
  const isListed = block.isItem && isReadable(text)
  if (isListed && (isAboutRules || obligation.test(introduction))) return true
  return imperative.test(text) && (isForCode || isAboutRules)
}

const strictObligation = /\b(must|never|always|do not|don['’]t|avoid)\b/i

/** Whether a text has enough words. Items may be shorter than other readable texts. */
function isSentence(text: string, isItem: boolean): boolean {
  if (text.length < 15) return false
  return isReadable(text) || (isItem && /\p{L}{3}.*\s/u.test(text))
}

/** Whether a text is an example, a step, a link, small talk or an introduction. */
function isNoRule(text: string): boolean {
  const isStep = procedureStep.test(text) && !condition.test(text)
  const isLink = /:\/\/\S+$/.test(text) && text.length < 60
  return isStep || isLink || example.test(text) || chatter.test(text) || text.endsWith(':')
}

/** Cuts an item; keeps of a long paragraph the sentences with an obligation, if it has any. */
function shorten(text: string, isItem: boolean): string {
  if (text.length <= maxRuleLength) return text
  if (isItem) return truncateText(text, maxRuleLength)
  const sentences = splitSentences(text)
  const binding = sentences.filter((sentence) => obligation.test(sentence))
  const selected = binding.length > 0 ? binding : sentences
  return truncateText(selected.join(' '), maxRuleLength)
}

function splitSentences(text: string): string[] {
  const sentences: string[] = []
  let rest = text
  while (rest !== '' && sentences.length < 30) {
    const sentence = firstSentence(rest, maxRuleLength)
    sentences.push(sentence)
    if (sentence.endsWith('…')) break
    rest = rest.slice(sentence.length).trim()
  }
  return sentences
}
