// Rule about words that a change misspells, and that the repository spells right elsewhere.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { classifyFile } from '../../code/classify-file.ts'
import type { DiffLine, FileDiff } from '../../domain/diff.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { isProgrammingPath } from '../../languages/linguist.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import type { ChangeHit, Rule, SearchedChange } from './rule.ts'

/** Findings that the rule reports in a change; further ones are left out. */
const maxHits = 5
/** Words whose use in the repository is looked up. */
const maxLookups = 10
/** Longer lines are often data. */
const maxLineLength = 300
/** Names of protocols, which have to be misspelled. */
const exceptions: readonly string[] = ['referer']

/** The share of lines with letters that English has not, from 0 to 1. */
const maxForeignShare = 0.1
const foreignLetter = /[^\p{ASCII}\P{L}]/u
/** Three words of the Latin text that shows what a layout looks like. */
const latinFiller =
  /(?:\b(?:lorem|ipsum|dolor|amet|elit|sed|nec|et|quam|vestibulum|quisque|tortor|nibh|porta|felis|leo|ac)\b.*){3}/i
const translationPath = /(?:^|\/)(?:lang|locales?|i18n|l10n|translations?)\//
/** Names of indexes in them are cut to a length. */
const migrationPath = /(?:^|\/)\w*migrations?\//i

const prosePath = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i
/** Addresses, accounts and mail addresses. */
const address = /\b\w+:\/\/\S+|(?<!\w)@[\w-]+|[\w.+-]+@[\w-]+\.\w+/g
/** Lines that name people. */
const peopleLine =
  /\bcopyright\b|@author\b|\b(?:written|authored|contributed|reported) by\b|\bthanks to\b|\b\w+-by:/i
/** Shorter ones are often abbreviations. In names, each part is a word. */
const longWord = /[A-Z]{6,}(?![a-z])|[A-Z]?[a-z]{5,}/g
/** The names on such lines were given elsewhere. */
const importLine = /^\s*(?:import|from|use|using|require|package|#\s*include|export\b.*\bfrom)\b/
const commentLine = /^\s*(?:\/\/|\/\*|\*|#|--|<!--)/

interface AddedWord {
  readonly path: string
  readonly line: number
  readonly text: string
  /** As it is written. */
  readonly word: string
}

async function checkSpelling({ files, head, base }: SearchedChange): Promise<ChangeHit[]> {
  const words = collectWords(files)
  if (words.size === 0) return []
  const misspelled = (await findMisspelled(words)).slice(0, maxLookups)
  const used = await readUses(
    base,
    misspelled.map(([{ word }]) => word),
  )
  const hits: ChangeHit[] = []
  for (const [added, corrections] of misspelled) {
    // What the base writes so too is a name, or known.
    if (hits.length === maxHits || used.includes(added.word.toLowerCase())) continue
    // A text about spelling has both.
    const others = added.text.replaceAll(added.word, '').toLowerCase()
    if (corrections.some((correction) => others.includes(correction))) continue
    for (const correction of corrections) {
      const [elsewhere] = await head.search(correction, { fixed: true, ignoreCase: true, limit: 1 })
      // People read sentences, whatever the repository writes elsewhere.
      if (elsewhere === undefined && !(corrections.length === 1 && isInSentence(added))) continue
      hits.push(describeHit(added, correction, corrections, elsewhere))
      break
    }
  }
  return hits
}

/** Returns the first use of each added word in lower case. Names of others are left out. */
function collectWords(files: readonly FileDiff[]): Map<string, AddedWord> {
  const words = new Map<string, AddedWord>()
  const namedElsewhere = new Set<string>(exceptions)
  for (const added of listTexts(files)) {
    for (const { 0: word, index } of added.text.matchAll(longWord)) {
      const known = word.toLowerCase()
      if (isNamedElsewhere(added, word, index)) namedElsewhere.add(known)
      else if (!words.has(known)) words.set(known, { ...added, word })
    }
  }
  for (const name of namedElsewhere) words.delete(name)
  return words
}

/** Whether a word is in an import, an address, the name of a person or that of a member. */
function isNamedElsewhere(
  { path, text }: Omit<AddedWord, 'word'>,
  word: string,
  index: number,
): boolean {
  if (!prosePath.test(path) && importLine.test(text)) return true
  if (/^[A-Z]/.test(word) && peopleLine.test(text)) return true
  const isInAddress = [...text.matchAll(address)].some(
    (found) => found.index <= index && index < found.index + found[0].length,
  )
  return isInAddress || isMember(text.slice(0, index))
}

/** Lists the added lines of code and prose in English. */
function* listTexts(files: readonly FileDiff[]): Generator<Omit<AddedWord, 'word'>> {
  for (const { path, hunks } of files) {
    if (isTestPath(path) || migrationPath.test(path)) continue
    if (!(prosePath.test(path) || isProgrammingPath(path))) continue
    const added = hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind === 'added')
    if (isTranslation(path, added) || isGenerated(path, added)) continue
    for (const { newLine, text } of added) {
      const isEnglish = !foreignLetter.test(text) && !latinFiller.test(text)
      if (text.length <= maxLineLength && isEnglish) yield { path, line: newLine!, text }
    }
  }
}

/** Whether nobody writes the file by hand, or in a form that people read. */
function isGenerated(path: string, added: readonly DiffLine[]): boolean {
  const text = added.map((line) => line.text).join('\n')
  return classifyFile(path, new TextEncoder().encode(text)).kind !== 'source'
}

/** Whether a file has texts in another language than English. */
function isTranslation(path: string, added: readonly DiffLine[]): boolean {
  const foreign = added.filter(({ text }) => foreignLetter.test(text)).length
  return translationPath.test(path) || foreign > maxForeignShare * added.length
}

/** Whether the name that goes on after this text is a member or an option, declared elsewhere. */
function isMember(before: string): boolean {
  return /[.>:]$|["' ]--?$/.test(before.replace(/[\w$]*$/, ''))
}

/** Finds the words that are common misspellings, in their order, with the words that were meant. */
async function findMisspelled(
  words: ReadonlyMap<string, AddedWord>,
): Promise<(readonly [added: AddedWord, corrections: readonly string[]])[]> {
  // An entry is such as `"acces->access, excess"`. Words are plain letters, and one pattern for
  // all of them takes a fraction of the time of reading each entry.
  const entries = new RegExp(`"(${[...words.keys()].join('|')})->([^"]*)"`, 'g')
  const corrections = new Map<string, readonly string[]>()
  for (const [, word, meant] of (await readList()).matchAll(entries))
    corrections.set(word!, orderByStart(meant!.split(', ').filter(isLong), word!))
  return [...words].flatMap(([word, added]) => {
    const meant = corrections.get(word) ?? []
    return meant.length === 0 ? [] : [[added, meant] as const]
  })
}

/** Puts corrections with the word's first letter first, because that one is rarely mistyped. */
function orderByStart(corrections: readonly string[], word: string): readonly string[] {
  const { true: likely = [], false: others = [] } = Object.groupBy(corrections, (correction) =>
    correction.startsWith(word[0]!) ? 'true' : 'false',
  )
  return [...likely, ...others]
}

/** Whether a word is in a text of several words between quotation marks. */
function isInSentence({ text, word }: AddedWord): boolean {
  const quoted = new RegExp(`(["'\`])(?:(?!\\1).)*?\\b${word}\\b(?:(?!\\1).)*\\1`).exec(text)?.[0]
  return quoted !== undefined && quoted.split(/ [a-z]/).length > 3
}

/** Returns the lines of the base with one of the words, in lower case. */
async function readUses(base: Snapshot, words: readonly string[]): Promise<string> {
  if (words.length === 0) return ''
  const limit = maxLookups * 10
  const matches = await base.search(words.join('|'), { ignoreCase: true, limit })
  // Where not all lines are known, each word may be used.
  if (matches.length === limit) return words.join('\n').toLowerCase()
  return matches.map(({ text }) => text.toLowerCase()).join('\n')
}

/** A short one is a part of other words, so its use elsewhere says nothing. */
function isLong(correction: string): boolean {
  return correction.length >= 5 && /^[a-z]+$/.test(correction)
}

/** Returns the list as text, because parsing it takes many times as long as searching it. */
function readList(): Promise<string> {
  const folder = createRequire(import.meta.url)
    .resolve('@cspell/dict-en-common-misspellings')
    .replace(/[^/\\]+$/, '')
  return readFile(`${folder}dict/dict-en.json`, 'latin1')
}

function describeHit(
  { path, line, text, word }: AddedWord,
  correction: string,
  corrections: readonly string[],
  elsewhere: { path: string; line: number } | undefined,
): ChangeHit {
  const isOnly = corrections.length === 1
  const meant = matchCase(correction, word)
  const others = corrections.filter((each) => each !== correction).map((each) => `or \`${each}\``)
  // Names may be used on other lines too.
  const isText = prosePath.test(path) || commentLine.test(text)
  return {
    path,
    at: { startLine: line, endLine: line },
    title: `Misspelled word: \`${word}\` instead of \`${meant}\`${others
      .slice(0, 2)
      .map((each) => ` ${each}`)
      .join('')}`,
    body: elsewhere
      ? `When somebody searches for \`${correction}\`, which the repository uses elsewhere, this ` +
        'place is not found. Correct the spelling.'
      : 'When people read this text, it looks careless, and a search for the word misses it. ' +
        'Correct the spelling.',
    evidence: elsewhere ? [{ ...elsewhere, note: `\`${correction}\` is spelled right` }] : [],
    suggestion: isText && isOnly ? text.replace(word, meant) : undefined,
  }
}

function matchCase(correction: string, word: string): string {
  if (word === word.toUpperCase()) return correction.toUpperCase()
  const isCapitalized = /^[A-Z]/.test(word)
  return isCapitalized ? correction[0]!.toUpperCase() + correction.slice(1) : correction
}

export const spellingRules: readonly Rule[] = [
  {
    id: 'misspelled-word',
    summary:
      'A common misspelling of an English word, in names, comments and texts outside of tests, ' +
      'if the base branch never uses it, and the repository has the right spelling elsewhere or ' +
      'the word is in a sentence.',
    seeAlso: ['Pylint `wrong-spelling-in-comment`'],
    severity: 'minor',
    category: 'maintainability',
    confidence: 0.9,
    change: checkSpelling,
  },
]
