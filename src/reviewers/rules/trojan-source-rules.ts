// Rules about text that reads differently from what it is: direction controls, invisible characters, look-alikes.

import { isRuntimePath, withoutComment, withoutStrings } from './comments.ts'
import type { Hit, Rule, TextLine } from './rule.ts'

type LineHit = Omit<Hit, 'at'>

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

const embeddings = /[\u202a\u202b\u202d\u202e]/
const isolates = /[\u2066-\u2068]/
const directionControl = /[\u202a-\u202e\u2066-\u2069]/
const delimiter = /["`]|(?<!\p{L})'|'(?!\p{L})|\/\*|\*\/|\/\/|#|<!--|-->/u

/** What direction controls do to a line. They end with it. */
interface Direction {
  /** One isn't ended, or what it encloses holds the end of a string or comment: more than that text is moved. */
  readonly spills: boolean
  /** Letters that are read from left to right are shown the other way around. */
  readonly turns: boolean
}

function readDirection(text: string): Direction {
  const open: { character: string; from: number }[] = []
  let spills = false
  let turns = false
  const close = (from: number, to: number, character: string) => {
    const inner = text.slice(from, to)
    spills ||= delimiter.test(inner)
    turns ||=
      /[\u202d\u202e]/.test(character) ||
      (/[\u202b\u2067]/.test(character) && !rightToLeft.test(text))
  }
  for (const { 0: character, index } of text.matchAll(/[\u202a-\u202e\u2066-\u2069]/g)) {
    if (embeddings.test(character) || isolates.test(character))
      open.push({ character, from: index + 1 })
    else {
      const opens = character === '\u202c' ? embeddings : isolates
      const at = open.findLastIndex((each) => opens.test(each.character))
      const [ended] = at === -1 ? [] : open.splice(at)
      if (ended) close(ended.from, index, ended.character)
    }
  }
  return { spills: spills || open.length > 0, turns }
}

function checkDirection({ text, path }: TextLine): LineHit | undefined {
  if (!directionControl.test(text)) return undefined
  const hasRightToLeft = rightToLeft.test(text)
  const names = namesOf(text, /[\u202a-\u202e\u2066-\u2069]/g)
  if (!isRuntimePath(path)) {
    if (hasRightToLeft || !/[\u202d\u202e]/.test(text)) return undefined
    return lineHit(`${names} shows this text in another order than it has`, 'moderate')
  }
  const { spills, turns } = readDirection(text)
  if (!spills && !turns) return undefined
  // Text of such a language is often written without an end to its controls; it still moves the code after it.
  const severity = spills && !hasRightToLeft ? 'critical' : 'moderate'
  return lineHit(`${names} shows this code in another order than it runs`, severity)
}

function lineHit(title: string, severity: Hit['severity']): LineHit {
  return {
    title,
    body: 'When somebody reads this line in an editor or a review, its parts stand elsewhere: code can look like a comment or a string, and the other way around (Trojan Source, CVE-2021-42574). Write the character as an escape, or leave it out.',
    ...(severity && { severity }),
  }
}

/** Such as `U+202E`, each once. */
function namesOf(text: string, characters: RegExp): string {
  const found = [...new Set(text.match(characters) ?? [])].slice(0, 4)
  return found
    .map((each) => `U+${each.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)
    .join(', ')
}

/** Invisible characters that belong there: in emoji, between letters of scripts that are joined, after ideographs. */
const legitimateInvisible = new RegExp(
  [
    String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,7}\u{e007f}`,
    String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]?[\u{1f3fb}-\u{1f3ff}]?(?:\u200d[\p{Extended_Pictographic}\p{S}][\ufe0e\ufe0f]?[\u{1f3fb}-\u{1f3ff}]?)*`,
    String.raw`[\d#*\p{S}\p{P}][\ufe0e\ufe0f]`,
    String.raw`[\p{Script=Han}\p{Script=Mongolian}\p{Script=Myanmar}][\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u180b-\u180f]`,
    String.raw`[\p{Script=Hangul}][\u115f\u1160\u3164\uffa0]`,
    String.raw`(?<=[\p{L}\p{M}])(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])[\u200b-\u200f\u034f\u061c]{1,2}`,
    String.raw`[\u200b-\u200f\u034f\u061c]{1,2}(?=[\p{L}\p{M}])(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])`,
  ].join('|'),
  'gu',
)

const invisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them is meant by itself
  /[\u034f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2064\u206a-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0000}-\u{e01ef}]/u
const lineBreak = /[\u2028\u2029\u0085]|\r(?!$)/
/** A text of its own: letters in tags, bytes in variation selectors, bits in zero-width characters. */
const hiddenText =
  /[\u{e0000}-\u{e007f}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3,}|[\u200b-\u200f\u2060-\u2064\ufeff]{8,}/u
const fillers = /[\u115f\u1160\u17b4\u17b5\u3164\uffa0]/u
const insideWord =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d_][\u061c\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff]+[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d_]/u
const softHyphen = /[\w$]\u00ad[\w$]/

function checkInvisible({ text, path }: TextLine): LineHit | undefined {
  if (!invisible.test(text) && !lineBreak.test(text)) return undefined
  const rest = text.replace(legitimateInvisible, '\u0001')
  const isProgram = isRuntimePath(path)
  if (hiddenText.test(rest)) {
    return {
      title: 'A text that nobody sees is hidden in invisible characters here',
      body: 'When a program or a language model reads this file, it reads what people can not see: code that is decoded and run, or instructions. Nothing that belongs here is written in that way: remove it.',
      severity: isProgram ? 'critical' : 'moderate',
    }
  }
  if (!isProgram) return undefined
  if (lineBreak.test(text)) return describeLineBreak(text, path)
  const code = withoutComment(rest, path)
  const bare = withoutStrings(code)
  if (fillers.test(bare)) {
    return {
      title: `A name of ${namesOf(bare, new RegExp(fillers, 'gu'))} stands in this code and can't be seen`,
      body: 'When this runs, the character is a variable like any other, which no reader notices: a way to bring in a value from outside. Give it a name that can be read.',
      severity: 'critical',
    }
  }
  // There they say where a word may break.
  if (/\.(?:x?html?|xml|svg)$/i.test(path)) return undefined
  if (!insideWord.test(code) && !softHyphen.test(bare)) return undefined
  return {
    title: `${namesOf(code, new RegExp(invisible, 'gu'))} stands inside a word and can't be seen`,
    body: 'When this is compared with the word that it looks like, they differ, and two names that read the same are two. Remove the character, or write it as an escape where it is meant.',
  }
}

/** What editors show as one line, and what reads the file takes for two. */
function describeLineBreak(text: string, path: string): LineHit | undefined {
  const at = text.search(lineBreak)
  const isHiding =
    withoutComment(text.slice(0, at), path).length < text.slice(0, at).trimEnd().length
  const after = text.slice(at + 1)
  if (!/\w/.test(after) || (withoutStrings(text).search(lineBreak) === -1 && !isHiding))
    return undefined
  return {
    title: `${namesOf(text, new RegExp(lineBreak, 'g'))} ends a line in the middle of this one`,
    body: 'When this is compiled or run, what follows is a line of its own: it runs though it seems to stand in a comment or a text. Break the line with a line feed, or write the character as an escape.',
    severity: isHiding ? 'critical' : 'moderate',
  }
}

/** Letters that nobody can tell from Latin ones (a part of the confusables of UTS #39), by their script. */
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
/** Forms that Python and others take for the plain letters. */
const compatibilityForms = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}]/u
const word = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*/gu
/** Escapes, and sets of characters such as `[a-zа-я]`. */
const patternParts = /\\[A-Za-z]|\[[^\]"'`\s]{0,100}\p{L}-\p{L}[^\]"'`\s]{0,100}\]/gu
/** One that is declared, called, set, or a member: words in patterns and text aren't. */
const identifierUse =
  /(?<=\b(?:const|let|var|def|function|func|fn|class|type|interface|import|int|string)\s+|[\w)\]]\.)[\p{L}_$][\p{L}\p{M}\p{N}_$]*|(?<![\p{L}\p{M}\p{N}_$\\^|/])[\p{L}_$][\p{L}\p{M}\p{N}_$]*(?=\s?\(|\s?:?=(?!=)|\.[\p{L}_$])/gu
const host = /:\/\/(?:[^\s/@"'<>]{1,100}@)?([^\s/:"'<>()]{1,253})/gu

function checkLookAlike({ text, path }: TextLine): LineHit | undefined {
  if (!foreignLetters.test(text) && !compatibilityForms.test(text)) return undefined
  for (const [, name] of text.matchAll(host))
    if (isMixed(name!)) return describeLookAlike(name!, 'The address')
  if (!isRuntimePath(path)) return undefined
  const code = withoutComment(text, path).replace(patternParts, ' ')
  const mixed = (code.match(word) ?? []).find((each) => isMixed(each) || isMixedStyle(each))
  if (mixed !== undefined) return describeLookAlike(mixed, 'The name')
  const bare = withoutStrings(code)
  const names = bare.match(word) ?? []
  const styledName = names.find(
    (each) => compatibilityForms.test(each) && /^[\w$]+$/.test(each.normalize('NFKC')),
  )
  if (styledName !== undefined) return describeLookAlike(styledName, 'The name')
  const others = text.replace(new RegExp(`[${confusableLetters}]`, 'gu'), '')
  // Where people program in their own script, such a name is only short.
  if (foreignLetters.test(others) || !/[A-Za-z]{2}/.test(bare)) return undefined
  const whole = [...bare.matchAll(identifierUse)]
    .map(([name]) => name)
    .find((each) => each.length > 1 && whollyConfusable.test(each) && foreignLetters.test(each))
  return whole === undefined ? undefined : describeLookAlike(whole, 'The name')
}

/** Whether Latin letters stand beside letters of another script that look like Latin ones, and beside no others. */
function isMixed(name: string): boolean {
  return (
    /[A-Za-z]/.test(name) &&
    anyConfusable.test(name) &&
    onlyConfusables.test(name) &&
    !isFormula(name)
  )
}

/** Names of formulas have a Greek letter for itself: `Δx`, `N_Α`. */
function isFormula(name: string): boolean {
  const parts = name.split(/[_\d$]+/).filter((part) => part !== '')
  const isSymbol = (part: string) => /^\p{Script=Greek}+$/u.test(part)
  return parts.some(isSymbol) && parts.every((part) => isSymbol(part) || /^[A-Za-z]+$/.test(part))
}

function isMixedStyle(name: string): boolean {
  return (
    /[A-Za-z]/.test(name) &&
    compatibilityForms.test(name) &&
    /^[\w$]+$/.test(name.normalize('NFKC'))
  )
}

function describeLookAlike(name: string, what: string): LineHit {
  const letters = namesOf(
    name,
    new RegExp(`[${confusableLetters}]|\\p{Script=Cherokee}|${compatibilityForms.source}`, 'gu'),
  )
  return {
    title: `${what} \`${name.replaceAll('`', '').slice(0, 60)}\` holds letters of another script that look like Latin ones (${letters})`,
    body: 'When somebody reads this, they take it for the name in plain letters, and it is another one: a second function, user or host beside the one that was meant. Write it with Latin letters.',
  }
}

export const trojanSourceRules: readonly Rule[] = [
  {
    id: 'bidirectional-text',
    summary:
      'Direction controls show code in another order than it runs (Trojan Source). Critical where they reach beyond their string or comment.',
    severity: 'critical',
    category: 'security',
    confidence: 0.95,
    line: checkDirection,
    keyword: /[\u202a-\u202e\u2066-\u2069]/,
  },
  {
    id: 'invisible-character',
    summary:
      'An invisible character stands in a name or word of code, or hides a text. Critical where that can run.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    line: checkInvisible,
    keyword:
      // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them is meant by itself
      /[\u034f\u00ad\u061c\u0085\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028\u2029\u2060-\u2064\u206a-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\udb40]|\r(?!$)/,
  },
  {
    id: 'look-alike-name',
    summary:
      'A name or host mixes Latin letters with letters of another script that look the same.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    line: checkLookAlike,
    keyword: /[\u0370-\u03ff\u0400-\u058f\u13a0-\u13ff\uab70-\uabbf\uff21-\uff5a\ud835]/,
  },
]
