// Finds the rules in a document: what it says of how things are to be done here, apart from how to install, run and ask.
import { type MarkdownBlock, type MarkdownSection, readSections } from './markdown.ts'
import { firstSentence, isReadable, truncateText } from './plain-text.ts'

/** A rule as it stands there. */
export interface FoundRule {
  /** Under which heading; empty where that says nothing. */
  readonly heading: string
  readonly text: string
  /** Where it begins, from 1. */
  readonly line: number
}

const maxRuleLength = 400
const maxIntroductionLength = 160
/** What is beyond is not looked at. */
const maxScanLength = 2_000

/** Sections of the world around the code. */
const nonCodeSection =
  /\b(install\w*|set ?-?up|prerequisites?|getting started|quick ?(start|reference)|requirements to run|dev(elopment)? environment|table of contents|contents|commands?|running|debugging|troubleshoot\w*|(project|repository|directory|folder|file|code) (structure|layout|overview)|overview|architecture overview|tech(nology)? stack|current stack|key (files|paths|directories)|layout|get(ting)? involved|finding|ways? to (help|contribute)|issues?|bugs?|report\w*|questions?|support|help|feature requests?|code of conduct|conduct|faq|licen[cs]\w*|cla|copyright|translat\w*|meetings?|roadmap|prioriti[sz]ation|triag\w*|maintainers?|releas\w*|further reading|see also|references?|resources|links|community|funding|backers|thanks|pledge|use of ai|skill guides?)\b/i

/** Sections in which an item is a rule, however it is worded. */
const rulesSection =
  /\b(rules?|conventions?|guidelines?|standards?|principles?|style|styling|polic(y|ies)|best practices|constraints?|stance|do'?s|don'?ts|naming|invariants?|requirements|checklist|boundaries)\b/i

/** What binds, whoever reads it. */
const obligation =
  /\b(must|shall|should(?! then| now| see)|never|always|(?<!\b(we|you|they|it|that|which|who|tests?) )(do not|don['’]t)|(?<!\bto )avoid|prefer(red|ably)?|make sure|be sure|(is|are) (required|expected|mandatory|forbidden|prohibited)|not (be )?allowed|may only|only (use|add|when|if|through))\b/i

/** A sentence that tells what to do begins so, after what it is a matter of. */
const subject = String.raw`((when|whenever|if|before|after|for|in|on|with|where|unless|once|until)\b[^.:;]{2,90}[,:]\s+|[\p{L}\p{N}\x60'’ -]{2,40}[:–—]\s+|please\s+)?`
const verbs =
  'no|ensure|use|keep|write|put|place|prefix|suffix|return|throw|raise|add|include|describe|follow|treat|remove|delete|reduce|validate|check|handle|update|define|declare|export|import|inject|pass|take|limit|wrap|guard|indent|split|separate|extract|reuse|inline|annotate|assert|squash|rebase|bump|pin|regenerate|escape|sanitize|encode|await|catch|preserve|favou?r|stick|strive|choose|rely|explain|expose|hide|make|align|omit|skip|collapse|centrali[sz]e|fix|round|count|compute|convert|emit|register|initiali[sz]e|save|store|invoke|implement|extend|inherit|override|organi[sz]e|minimi[sz]e|simplify|refactor|restrict|allow|deny|reject|accept|respond|apply|set|maintain|adhere|comply|migrate|deprecate|verify|confirm'
/** Nouns as well: verbs where what they are about follows. */
const nouns =
  'test|name|type|log|order|sort|group|mock|format|document|cover|cache|mark|tag|lock|match|mirror|link|model|design|structure|support|report|call|load|review|target|measure|version'
const imperative = new RegExp(
  `^${subject}(only\\s+)?((${verbs})|(${nouns})\\s+(the|a|an|all|every|each|any|new|your|only|it|them|with|for|in|by))\\b`,
  'iu',
)

/** To be typed, looked at or followed: no rule, unless it says when. */
const procedureStep =
  /^(please\s+)?(run|open|click|install|clone|fork|start|create (a|your) (branch|fork)|checkout|check out|see|read|refer|visit|take a look|look (at|through)|go to|navigate|download|copy|learn|join|ask|consult|head over|build|consider (using|checking))\b/i
const condition =
  /\b(before|after|whenever|every time|in the same (change|commit|pull request)|always|never|must)\b/i

/** What people say to each other, and examples. */
const chatter =
  /\b(discord|slack|gitter|forums?|mailing list|sponsor|fork (of )?(the|this|your)|feel free|reach out|ping (us|me|a)|thank(s| you)|welcome|happy to|we['’]d love|contributor license|cla\b|video|tutorial|good first issue|assigned to|maintainer will|stale|code of conduct|covenant|this (file|document|guide)|claude\.md|agents\.md|contributing\.md)\b/i
const example =
  /^(e\.?g\.?|for example|examples?|good|bad|desired|note|example|correct|wrong|yes|no)\s*[:(]/i

/**
 * The rules of a document, each an item or a short paragraph, with what introduces it.
 *
 * @param options `isForCode`: all of it is for those who change code; else only what binds, where it is about code
 */
export function findRules(document: string, { isForCode }: { isForCode: boolean }): FoundRule[] {
  const above: MarkdownSection[] = []
  return readSections(document).flatMap((section) => {
    while ((above.at(-1)?.level ?? 0) >= Math.max(section.level, 1)) above.pop()
    above.push(section)
    const headings = above.filter(({ level }) => level > 1).map(({ heading }) => heading)
    const own = section.level > 1 || !isTitle(section.heading) ? section.heading : ''
    const setting = {
      heading: truncateText(own, 60).replace(/[\s:.]+$/, ''),
      isBeside: headings.some(
        (heading) => nonCodeSection.test(heading) && !rulesSection.test(heading),
      ),
      isAboutRules: [...headings, own].some((heading) => rulesSection.test(heading)),
      isForCode,
    }
    return listRules(section.blocks, setting)
  })
}

/** Of a document: what it is called says nothing of its rules. */
function isTitle(heading: string): boolean {
  return /agents?\b|claude|gemini|copilot|cursor|contribut|guide|instructions|readme/i.test(heading)
}

interface RuleContext {
  readonly heading: string
  readonly isBeside: boolean
  readonly isAboutRules: boolean
  readonly isForCode: boolean
}

function listRules(blocks: readonly MarkdownBlock[], setting: RuleContext): FoundRule[] {
  const rules: FoundRule[] = []
  // What ends with a colon introduces the items below it.
  let introductions: MarkdownBlock[] = []
  for (const block of blocks) {
    introductions = block.isItem
      ? introductions.filter((one) => !one.isItem || one.indent < block.indent)
      : introductions.filter((one) => !one.isItem && block.indent > one.indent)
    if (block.text.endsWith(':') && block.text.length <= maxIntroductionLength) {
      introductions.push(block)
      continue
    }
    const introduction = introductions.map(({ text }) => text).join(' ')
    if (!isRule(block, introduction, setting)) continue
    const said = shorten(block.text, block.isItem)
    const text =
      introduction.length <= maxIntroductionLength * 2 ? `${introduction} ${said}`.trim() : said
    rules.push({ heading: setting.heading, text, line: block.line })
  }
  return rules
}

function isRule(
  { text: whole, isItem }: MarkdownBlock,
  introduction: string,
  setting: RuleContext,
): boolean {
  const text = whole.slice(0, maxScanLength)
  const { isBeside, isAboutRules, isForCode } = setting
  if (
    text.length < 15 ||
    !(isReadable(text) || (isItem && /\p{L}{3}.*\s/u.test(text))) ||
    example.test(text)
  )
    return false
  if (procedureStep.test(text) && !condition.test(text)) return false
  if (/:\/\/\S+$/.test(text) && text.length < 60) return false
  const isBinding = obligation.test(text)
  if (chatter.test(text) || text.endsWith(':')) return false
  if (isBeside) return isForCode && /\b(must|never|always|do not|don['’]t|avoid)\b/i.test(text)
  if (isBinding) return true
  if (isItem && isReadable(text) && (isAboutRules || obligation.test(introduction))) return true
  return imperative.test(text) && (isForCode || isAboutRules)
}

/** An item as it is; of a paragraph the sentences that bind, where it is long. */
function shorten(text: string, isItem: boolean): string {
  if (text.length <= maxRuleLength) return text
  if (isItem) return truncateText(text, maxRuleLength)
  const sentences: string[] = []
  for (let rest = text; rest !== '' && sentences.length < 30; ) {
    const sentence = firstSentence(rest, maxRuleLength)
    sentences.push(sentence)
    rest = rest.slice(sentence.length).trim()
    if (sentence.endsWith('…')) break
  }
  const bound = sentences.filter((sentence) => obligation.test(sentence))
  return truncateText((bound.length > 0 ? bound : sentences).join(' '), maxRuleLength)
}
