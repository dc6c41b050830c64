// Matches globs against paths in time proportional to pattern times path.
//
// Libraries compile globs to regular expressions, which backtrack: a hostile glob with some stars
// could block the process for hours. This matcher follows all possible matches at once instead.
import { longPattern } from './long-pattern.ts'

/** Limits the globs that the braces of one glob expand to. */
const maxAlternatives = 50
const maxGlobLength = 200
/** With this limit, a matcher works for a second or two. */
const maxSteps = 20_000_000

/** Counts the steps that several matchers may take together. */
export interface GlobMeter {
  remainingSteps: number
}

export function createGlobMeter(): GlobMeter {
  return { remainingSteps: maxSteps }
}

type Token =
  | { readonly kind: 'character'; readonly text: string }
  /** Matches one character, as `[a-z]` and `?` do. */
  | { readonly kind: 'set'; readonly contains: (character: string) => boolean }
  /** `*` matches any characters but slashes. */
  | { readonly kind: 'star' }
  /** `**` matches any characters. */
  | { readonly kind: 'deep' }
  /** A `**` with its slash matches any number of folders. */
  | { readonly kind: 'folders' }

/** Describes what is wrong with a glob, to be shown after its text; null for a valid one. */
export function findGlobError(glob: string): string | null {
  if (glob.trim() === '') return 'is empty'
  if (glob.length > maxGlobLength) return `is longer than ${maxGlobLength} characters`
  if (glob.startsWith('!')) return "begins with `!`, which isn't supported"
  return expandBraces(glob) === undefined
    ? `has braces for more than ${maxAlternatives} alternatives`
    : null
}

/**
 * Makes a function that returns whether a path matches one of the globs, or undefined for this and
 * all later paths once the limit of steps is reached.
 *
 * The syntax is that of `.gitattributes`: `*`, `**`, `?`, `[a-z]` and `\`; a glob without a slash
 * matches names in any folder. In addition, `{a,b}` lists alternatives, and a glob that ends in a
 * slash, or whose last part has no wildcard, matches all files in that folder too. An invalid glob
 * matches nothing.
 *
 * @param options.braces false to match braces literally
 * @param options.meter limits several matchers together; by default, each has its own
 */
export function createGlobMatcher(
  globs: readonly string[],
  options: { braces?: boolean; meter?: GlobMeter } = {},
): (path: string) => boolean | undefined {
  const patterns = globs
    .filter((glob) => findGlobError(glob) === null)
    .flatMap((glob) => (options.braces === false ? [glob] : expandBraces(glob)!))
    .flatMap(anchorGlob)
    .map(readTokens)
  const meter = options.meter ?? createGlobMeter()
  return (path) => {
    const characters = [...path]
    for (const tokens of patterns) {
      if (matches(tokens, characters, meter)) return true
      if (meter.remainingSteps <= 0) return undefined
    }
    return false
  }
}

/** Expands `{a,b}` to all its alternatives; undefined above the limit. */
function expandBraces(glob: string): string[] | undefined {
  const expanded: string[] = []
  const waiting = [glob]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (expanded.length + waiting.length >= maxAlternatives) return undefined
    const group = innermostBraces.exec(next)
    if (group === null) {
      expanded.push(next)
      continue
    }
    const before = next.slice(0, group.index)
    const after = next.slice(group.index + group[0].length)
    const alternatives = group[1]!.split(',').map((part) => before + part + after)
    waiting.push(...alternatives.toReversed())
  }
  return expanded
}

/** A brace after a backslash, and braces without a comma, are literal. */
const innermostBraces = /(?<!\\)\{([^{}]*,[^{}]*)(?<!\\)\}/

/** Makes the equivalent patterns, which begin at the root. */
function anchorGlob(glob: string): string[] {
  const plain = glob.replace(/^\.?\/+/, '')
  const isFolder = plain.endsWith('/')
  const name = plain.replace(/\/+$/, '')
  const rooted = name.includes('/') || glob.startsWith('/') ? name : `**/${name}`
  if (isFolder) return [`${rooted}/**`]
  const hasWildcard = /[*?[]/.test(name.slice(name.lastIndexOf('/') + 1))
  return hasWildcard ? [rooted] : [rooted, `${rooted}/**`]
}

const globToken = longPattern('gsu')`
  (?<=^|\/)\*\*\/
  |\*\*+
  |\*
  |\?
  |\[(?<negation>[!^]?)(?<members>\]?[^\]]*)\]
  |\\(?<escaped>.)
  |(?<plain>.)`

function readTokens(pattern: string): Token[] {
  const tokens: Token[] = []
  for (const match of pattern.matchAll(globToken)) {
    const [text] = match
    const { negation, members, escaped, plain } = match.groups!
    const literal = plain ?? escaped
    if (literal !== undefined) tokens.push({ kind: 'character', text: literal })
    else if (text === '?') tokens.push({ kind: 'set', contains: (character) => character !== '/' })
    else if (members !== undefined)
      tokens.push({ kind: 'set', contains: readSet(members, negation !== '') })
    else if (text === '*') tokens.push({ kind: 'star' })
    else tokens.push({ kind: text.endsWith('/') ? 'folders' : 'deep' })
  }
  return tokens
}

function readSet(members: string, isNegated: boolean): (character: string) => boolean {
  const ranges = [...members.matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, from, to, one]) => [from ?? one!, to ?? one!] as const,
  )
  return (character) =>
    character !== '/' &&
    ranges.some(([from, to]) => from <= character && character <= to) !== isNegated
}

/** Follows all possible matches at once: `states` are the tokens that may match next. */
function matches(
  tokens: readonly Token[],
  characters: readonly string[],
  meter: GlobMeter,
): boolean {
  let states = new Set<number>()
  enter(tokens, states, 0)
  for (const character of characters) {
    meter.remainingSteps -= states.size
    if (states.size === 0 || meter.remainingSteps <= 0) return false
    const next = new Set<number>()
    for (const state of states) advance(tokens, state, character, next)
    states = next
  }
  return states.has(tokens.length)
}

/** Adds the states that follow `state` after a character. */
function advance(
  tokens: readonly Token[],
  state: number,
  character: string,
  next: Set<number>,
): void {
  const token = tokens[state]
  switch (token?.kind) {
    case 'folders':
      next.add(state)
      if (character === '/') enter(tokens, next, state + 1)
      break
    case 'deep':
      enter(tokens, next, state)
      break
    case 'star':
      if (character !== '/') enter(tokens, next, state)
      break
    case 'set':
      if (token.contains(character)) enter(tokens, next, state + 1)
      break
    case 'character':
      if (token.text === character) enter(tokens, next, state + 1)
      break
  }
}

/** Adds a state, and the next one too when the token can match nothing. */
function enter(tokens: readonly Token[], states: Set<number>, state: number): void {
  states.add(state)
  const kind = tokens[state]?.kind
  if (kind === 'star' || kind === 'deep' || kind === 'folders') enter(tokens, states, state + 1)
}
