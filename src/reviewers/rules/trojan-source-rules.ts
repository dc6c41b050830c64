// Rules about deceptive text: direction controls, invisible characters and look-alike letters.

import type { Severity } from '../../domain/finding.ts'
import { languageOfPath } from '../../languages/linguist.ts'
import { isRuntimePath, withoutComment, withoutStrings } from './comments.ts'
import type { Hit, Rule, TextLine } from './rule.ts'

type LineHit = Omit<Hit, 'at'>

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** The directional embeddings and overrides, which U+202C ends. */
const embeddings = /[\u202a\u202b\u202d\u202e]/
/** The directional isolates, which U+2069 ends. */
const isolates = /[\u2066-\u2068]/
const directionControl = /[\u202a-\u202e\u2066-\u2069]/
/** Patterns in minified code list characters as they are, and ranges of them. */
const listedControls = /\[[^\]]*[\u202a-\u202e\u2066-\u2069]-[^\p{ASCII}]|\p{Cf}{4,}/gu
/** Nobody reads longer lines, so that their order can deceive nobody. */
const maxReadLength = 400
/** What starts or ends a string or comment. */
const delimiter = /["`]|(?<!\p{L})'|'(?!\p{L})|\/\*|\*\/|\/\/|#|<!--|-->/u

/** The effect of direction controls on a line. All of them end with the line. */
interface Direction {
  /** Whether they also move code outside of the string or comment in which they start. */
  readonly movesCode: boolean
  /** Whether left-to-right letters are shown from right to left. */
  readonly reversesLetters: boolean
}

function readDirection(text: string): Direction {
  const open: { character: string; from: number }[] = []
  let movesCode = false
  let reversesLetters = false
  for (const { 0: character, index } of text.matchAll(/[\u202a-\u202e\u2066-\u2069]/g)) {
    if (embeddings.test(character) || isolates.test(character)) {
      open.push({ character, from: index + 1 })
      continue
    }
    const openers = character === '\u202c' ? embeddings : isolates
    const position = open.findLastIndex((each) => openers.test(each.character))
    if (position === -1) continue
    const [ended] = open.splice(position)
    movesCode ||= delimiter.test(text.slice(ended!.from, index))
    reversesLetters ||= reverses(ended!.character, text)
  }
  return { movesCode: movesCode || open.length > 0, reversesLetters }
}

/** Whether a control reverses left-to-right letters. Embeddings are normal in Hebrew or Arabic. */
function reverses(control: string, text: string): boolean {
  if (/[\u202d\u202e]/.test(control)) return true
  return /[\u202b\u2067]/.test(control) && !rightToLeft.test(text)
}

function checkDirection(line: TextLine): LineHit | undefined {
  const { path } = line
  const isLong = line.text.length > maxReadLength
  const text = isLong ? line.text.replaceAll(listedControls, '') : line.text
  if (!directionControl.test(text)) return undefined
  const hasRightToLeft = rightToLeft.test(text)
  const names = namesOf(text, /[\u202a-\u202e\u2066-\u2069]/g)
  if (!isRuntimePath(path) || isTestData(line)) {
    if (hasRightToLeft || !/[\u202d\u202e]/.test(text)) return undefined
    return directionHit(`${names} shows this text in another order than it has`, 'moderate')
  }
  const { movesCode, reversesLetters } = readDirection(text)
  if (!movesCode && !reversesLetters) return undefined
  // Text in right-to-left languages often lacks the end of its controls, without bad intent.
  const severity = movesCode && !hasRightToLeft ? 'critical' : 'moderate'
  return directionHit(`${names} shows this code in another order than it runs`, severity)
}

function directionHit(title: string, severity: Severity): LineHit {
  return {
    title,
    body:
      'When somebody reads this line in an editor or a review, its parts appear elsewhere: code ' +
      'can look like a comment or a string, or the reverse (Trojan Source, CVE-2021-42574). ' +
      'Escape the character, or remove it.',
    severity,
  }
}

/** Names up to four characters that a text has, such as `U+202E`. */
function namesOf(text: string, characters: RegExp): string {
  const found = [...new Set(text.match(characters) ?? [])].slice(0, 4)
  const codes = found.map((each) => each.codePointAt(0)!.toString(16).toUpperCase())
  return codes.map((code) => `U+${code.padStart(4, '0')}`).join(', ')
}

const emojiStyle = String.raw`[\ufe0e\ufe0f]?[\u{1f3fb}-\u{1f3ff}]?`
const joiner = String.raw`[\u200b-\u200f\u034f\u061c]{1,2}`
const unjoinedLetter = String.raw`[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]`

/** Invisible characters that have a purpose: in emoji, in joined scripts and after ideographs. */
const legitimateInvisible = new RegExp(
  [
    String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,7}\u{e007f}`,
    String.raw`\p{Extended_Pictographic}${emojiStyle}(?:\u200d[\p{Extended_Pictographic}\p{S}]${emojiStyle})*`,
    String.raw`[\d#*\p{S}\p{P}][\ufe0e\ufe0f]`,
    String.raw`[\p{Script=Han}\p{Script=Mongolian}\p{Script=Myanmar}][\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u180b-\u180f]`,
    String.raw`[\p{Script=Hangul}][\u115f\u1160\u3164\uffa0]`,
    String.raw`(?<=[\p{L}\p{M}])(?<!${unjoinedLetter})${joiner}`,
    String.raw`${joiner}(?=[\p{L}\p{M}])(?!${unjoinedLetter})`,
  ].join('|'),
  'gu',
)

const invisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them is meant alone
  /[\u034f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2064\u206a-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0000}-\u{e01ef}]/u
const lineBreak = /[\u2028\u2029\u0085]|\r(?!$)/
/** What can encode a text: tags, variation selectors, or many zero-width characters. */
const hiddenText =
  /[\u{e0000}-\u{e007f}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3,}|[\u200b-\u200f\u2060-\u2064\ufeff]{8,}/u
/** Invisible characters that can be in names. */
const fillers = /[\u115f\u1160\u17b4\u17b5\u3164\uffa0]/u
const insideWord =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d_][\u061c\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff]+[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d_]/u
const softHyphen = /[\w$]\u00ad[\w$]/

/** What no text has, but recordings of terminals and networks do. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are meant
const recorded = /[\x00-\x08\x1b\ufffd]/

/** Whether a file of tests has an extension of no known language, such as `.recording`. */
function isTestData({ path, isTest }: TextLine): boolean {
  return isTest && /[^/]\.\w+$/.test(path) && languageOfPath(path) === undefined
}

function isRecording(line: TextLine): boolean {
  return recorded.test(line.text) && isTestData(line)
}

function checkInvisible(line: TextLine): LineHit | undefined {
  const { text, path } = line
  if (!invisible.test(text) && !lineBreak.test(text)) return undefined
  const rest = text.replace(legitimateInvisible, '\u0001')
  const isProgram = isRuntimePath(path)
  if (hiddenText.test(rest)) {
    return {
      title: 'Invisible characters hide a text here',
      body:
        "When a program or a language model reads this file, it reads what people can't see: " +
        'code that is decoded and run, or instructions. Remove it.',
      severity: isProgram ? 'critical' : 'moderate',
    }
  }
  if (!isProgram || isRecording(line)) return undefined
  if (lineBreak.test(text)) return checkLineBreak(text, path)
  const code = withoutComment(rest, path)
  const bare = withoutStrings(code)
  if (fillers.test(bare)) return invisibleNameHit(bare)
  // In markup, these characters control where a word may break.
  if (/\.(?:x?html?|xml|svg)$/i.test(path)) return undefined
  if (!insideWord.test(code) && !softHyphen.test(bare)) return undefined
  return {
    title: `A word contains an invisible character (${namesOf(code, new RegExp(invisible, 'gu'))})`,
    body:
      'When this is compared with the word that it looks like, they differ: two names that ' +
      'look the same are different. Remove the character, or escape it if it is intended.',
  }
}

function invisibleNameHit(code: string): LineHit {
  return {
    title: `An invisible character is used as a name (${namesOf(code, new RegExp(fillers, 'gu'))})`,
    body:
      'When this runs, the character is a variable like any other, which no reader notices: ' +
      'a way to bring in a value from outside. Give it a readable name.',
    severity: 'critical',
  }
}

/** Reports a character that compilers read as the end of a line, and editors often don't. */
function checkLineBreak(text: string, path: string): LineHit | undefined {
  if (text.length > maxReadLength) return undefined
  const index = text.search(lineBreak)
  const before = text.slice(0, index)
  const after = text.slice(index + 1)
  const endsComment = withoutComment(before, path).length < before.trimEnd().length
  if (!/\w/.test(after)) return undefined
  if (withoutStrings(text).search(lineBreak) === -1 && !endsComment) return undefined
  return {
    title:
      `${namesOf(text, new RegExp(lineBreak, 'g'))} starts a new line in the middle of this ` +
      'one',
    body:
      'When this is compiled or run, the rest is a line of its own: it runs although it ' +
      'seems to be in a comment or a string. Use a line feed, or escape the character.',
    severity: endsComment ? 'critical' : 'moderate',
  }
}

/** Letters that look like Latin ones, by script: a part of the confusables of UTS #39. */
const confusables: Readonly<Record<string, string>> = {
  Cyrillic: 'аесорухіјѕһԁԛԝӏѵАВЕКМНОРСТУХІЈЅӀԚԜЅ',
  Greek: 'οΟΑΒΕΖΗΙΚΜΝΡΤΥΧϲϳ',
  Armenian: 'օսոհզցքՕՍԼՏ',
}
const confusableLetters = Object.values(confusables).join('')
const onlyConfusables = new RegExp(
  `^[\\p{Script=Latin}\\p{Script=Common}\\p{Script=Cherokee}\\p{M}${confusableLetters}]+$`,
  'u',
)
const anyConfusable = new RegExp(`[${confusableLetters}\\p{Script=Cherokee}]`, 'u')
const whollyConfusable = new RegExp(`^[\\d_$${confusableLetters}]+$`, 'u')
const foreignLetters =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u
/** Other forms of letters, which Python and others read as the plain letters. */
const compatibilityForms = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/u
const word = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*/gu
/** Escapes, and character classes such as `[a-zа-я]`. */
const patternParts = /\\[A-Za-z]|\[[^\]"'`\s]{0,100}\p{L}-\p{L}[^\]"'`\s]{0,100}\]/gu
/** A word that is certain to be an identifier: it is declared, called, assigned or a member. */
const identifier = String.raw`[\p{L}_$][\p{L}\p{M}\p{N}_$]*`
const declarationKeyword =
  '(?:const|let|var|def|function|func|fn|class|type|interface|import|int|string)'
const identifierUse = new RegExp(
  [
    String.raw`(?<=\b${declarationKeyword}\s+|[\w)\]]\.)${identifier}`,
    String.raw`(?<![\p{L}\p{M}\p{N}_$\\^|/])${identifier}(?=\s?\(|\s?:?=(?!=)|\.[\p{L}_$])`,
  ].join('|'),
  'gu',
)
/** A URL. Its group is the host. */
const urlHost = /:\/\/(?:[^\s/@"'<>]{1,100}@)?([^\s/:"'<>()]{1,253})/gu

function checkLookAlike({ text, path, isTest }: TextLine): LineHit | undefined {
  if (!foreignLetters.test(text) && !compatibilityForms.test(text)) return undefined
  const hosts = [...text.matchAll(urlHost)].map(([, host]) => host!)
  const mixedHost = hosts.find(isMixed)
  if (mixedHost !== undefined) return lookAlikeHit(mixedHost, 'The address')
  if (!isRuntimePath(path) || text.length > maxReadLength) return undefined
  const code = withoutComment(text, path).replace(patternParts, ' ')
  const bare = withoutStrings(code)
  // Texts in tests are often about such letters.
  const read = isTest ? bare : withoutForeignSentences(code)
  const name =
    (read.match(word) ?? []).find((each) => isMixed(each) || isMixedStyle(each)) ??
    (bare.match(word) ?? []).find(isStyled) ??
    findForeignName(text, bare)
  return name === undefined ? undefined : lookAlikeHit(name, 'The name')
}

/** Finds a name that only has look-alike letters, in a line whose other names are Latin. */
function findForeignName(text: string, bare: string): string | undefined {
  // With other letters of that script in the line, the name is likely a short word of it.
  if (hasForeignWords(text) || !/[A-Za-z]{2}/.test(bare)) return undefined
  const names = bare.match(identifierUse) ?? []
  return names.find(
    (each) => each.length > 1 && whollyConfusable.test(each) && foreignLetters.test(each),
  )
}

/** Code without sentences of another script, where a Latin letter is a slip of the keyboard. */
function withoutForeignSentences(code: string): string {
  return code.replace(/(["'`])(?:\\.|(?!\1).)*\1/g, (text) =>
    /\s/.test(text) && hasForeignWords(text) ? '""' : text,
  )
}

/** Whether a text has letters of other scripts that nobody takes for Latin ones. */
function hasForeignWords(text: string): boolean {
  return foreignLetters.test(text.replace(new RegExp(`[${confusableLetters}]`, 'gu'), ''))
}

/** Whether a name has Latin letters, and all its other letters look like Latin ones. */
function isMixed(name: string): boolean {
  return (
    /[A-Za-z]/.test(name) &&
    anyConfusable.test(name) &&
    onlyConfusables.test(name) &&
    !isFormula(name)
  )
}

/** Whether parts of a name are Greek symbols, as in the formula names `Δ_x` and `N_Α`. */
function isFormula(name: string): boolean {
  const parts = name.split(/[_\d$]+/).filter((part) => part !== '')
  const isSymbol = (part: string) => /^\p{Script=Greek}+$/u.test(part)
  return parts.some(isSymbol) && parts.every((part) => isSymbol(part) || /^[A-Za-z]+$/.test(part))
}

function isMixedStyle(name: string): boolean {
  return /[A-Za-z]/.test(name) && isStyled(name)
}

/** Whether a name has other forms of letters, and equals a Latin name in plain letters. */
function isStyled(name: string): boolean {
  return compatibilityForms.test(name) && /^[\w$]+$/.test(name.normalize('NFKC'))
}

function lookAlikeHit(name: string, what: string): LineHit {
  const letters = namesOf(
    name,
    new RegExp(`[${confusableLetters}]|\\p{Script=Cherokee}|${compatibilityForms.source}`, 'gu'),
  )
  const quoted = `\`${name.replaceAll('`', '').slice(0, 60)}\``
  return {
    title:
      `${what} ${quoted} contains letters of another script that look like Latin ones ` +
      `(${letters})`,
    body:
      'When somebody reads this, they take it for the name in Latin letters, but it is a ' +
      'different function, user or host. Write it with Latin letters.',
  }
}

export const trojanSourceRules: readonly Rule[] = [
  {
    id: 'bidirectional-text',
    summary:
      'Trojan Source: bidirectional control characters display code in another order than it ' +
      'runs. Critical where they reach beyond their string or comment.',
    seeAlso: ['CVE-2021-42574'],
    severity: 'critical',
    category: 'security',
    confidence: 0.95,
    line: checkDirection,
    keyword: /[\u202a-\u202e\u2066-\u2069]/,
  },
  {
    id: 'invisible-character',
    summary:
      'An invisible character is part of an identifier or word, or invisible characters hide ' +
      'text. Critical where that can run.',
    seeAlso: ['ESLint `no-irregular-whitespace`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    line: checkInvisible,
    keyword:
      // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them is meant alone
      /[\u034f\u00ad\u061c\u0085\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028\u2029\u2060-\u2064\u206a-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\udb40]|\r(?!$)/,
  },
  {
    id: 'look-alike-name',
    summary:
      'Homoglyphs: an identifier or host mixes Latin letters with letters of another script ' +
      'that look the same.',
    seeAlso: ['CWE-1007', 'CVE-2021-42694'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    line: checkLookAlike,
    keyword: /[\u0370-\u03ff\u0400-\u058f\u13a0-\u13ff\uab70-\uabbf\uff21-\uff5a\ud835]/,
  },
]
