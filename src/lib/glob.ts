// Globs over paths, matched in time that grows with pattern times path: a hostile one can't be costly.
//
// Libraries make expressions of globs, and those backtrack: a pattern with some stars that a repository brings along
// could keep a process busy for hours. Here all ways to match are followed side by side instead.

/** What a glob may come to when its braces are written out. */
const maxAlternatives = 50
const maxGlobLength = 200
/** Work of one set of globs over all paths it is asked about: a second or two. */
const maxSteps = 20_000_000

/** What is left of the work that several sets of globs may make together. */
export interface GlobMeter {
  remainingSteps: number
}

export function createGlobMeter(): GlobMeter {
  return { remainingSteps: maxSteps }
}

type Token =
  /** A character that stands for itself. */
  | { readonly kind: 'character'; readonly text: string }
  /** One character of some, `[a-z]`. */
  | { readonly kind: 'set'; readonly holds: (character: string) => boolean }
  /** `*`: any within a name. `deep`, `**`: any at all. `folders`, a leading `**` with its slash: whole folders, or none. */
  | { readonly kind: 'star' }
  | { readonly kind: 'deep' }
  | { readonly kind: 'folders' }

/** What is wrong with a glob, to be read after its text; null where nothing is. */
export function findGlobError(glob: string): string | null {
  if (glob.trim() === '') return 'is empty'
  if (glob.length > maxGlobLength) return `is longer than ${maxGlobLength} characters`
  if (glob.startsWith('!')) return "begins with `!`, which isn't understood"
  return expandBraces(glob) === undefined
    ? `has braces for more than ${maxAlternatives} alternatives`
    : null
}

/**
 * Makes a test of whether a path fits one of the globs: true, false, or undefined where that is too costly to tell, for
 * this path and all later ones. Globs without fault are those of `.gitattributes` (`*`, `**`, `?`, `[a-z]`, `\`; without a
 * slash it is the name that counts, in any folder), and `{a,b}`; one that ends in a slash, or whose last part has no
 * wildcard, stands for all in the folder too. A glob with a fault fits nothing.
 *
 * @param options.braces false takes braces literally
 * @param options.meter shared by several sets; each has its own by default
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

/** All that a glob with `{a,b}` stands for; undefined where that is too much. */
function expandBraces(glob: string): string[] | undefined {
  const done: string[] = []
  const open = [glob]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (done.length + open.length >= maxAlternatives) return undefined
    // The innermost group; a brace after a backslash, and one without a comma, stand for themselves.
    const group = /(?<!\\)\{([^{}]*,[^{}]*)(?<!\\)\}/.exec(next)
    if (group === null) done.push(next)
    else {
      const [before, after] = [
        next.slice(0, group.index),
        next.slice(group.index + group[0].length),
      ]
      open.push(
        ...group[1]!
          .split(',')
          .map((part) => before + part + after)
          .toReversed(),
      )
    }
  }
  return done
}

/** The patterns from the root that a glob stands for. */
function anchorGlob(glob: string): string[] {
  const plain = glob.replace(/^\.?\/+/, '')
  const isFolder = plain.endsWith('/')
  const name = plain.replace(/\/+$/, '')
  const rooted = name.includes('/') || glob.startsWith('/') ? name : `**/${name}`
  if (isFolder) return [`${rooted}/**`]
  return /[*?[]/.test(name.slice(name.lastIndexOf('/') + 1)) ? [rooted] : [rooted, `${rooted}/**`]
}

function readTokens(pattern: string): Token[] {
  const tokens: Token[] = []
  const special = /(?<=^|\/)\*\*\/|\*\*+|\*|\?|\[([!^]?)(\]?[^\]]*)\]|\\(.)|(.)/gsu
  for (const [text, negation, members, escaped, plain] of pattern.matchAll(special)) {
    if (plain !== undefined || escaped !== undefined)
      tokens.push({ kind: 'character', text: plain ?? escaped! })
    else if (text === '?') tokens.push({ kind: 'set', holds: (character) => character !== '/' })
    else if (members !== undefined)
      tokens.push({ kind: 'set', holds: readSet(members, negation !== '') })
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

/** Follows all ways to match at once: `states` are the tokens at which a way may go on. */
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
    for (const state of states) {
      const token = tokens[state]
      if (token === undefined) continue
      if (token.kind === 'folders') {
        next.add(state)
        if (character === '/') enter(tokens, next, state + 1)
      } else if (token.kind === 'deep' || token.kind === 'star') {
        if (token.kind === 'deep' || character !== '/') enter(tokens, next, state)
      } else if (token.kind === 'set' ? token.holds(character) : token.text === character)
        enter(tokens, next, state + 1)
    }
    states = next
  }
  return states.has(tokens.length)
}

/** A token that can stand for nothing lets the next one have its turn as well. */
function enter(tokens: readonly Token[], states: Set<number>, state: number): void {
  states.add(state)
  const kind = tokens[state]?.kind
  if (kind === 'star' || kind === 'deep' || kind === 'folders') enter(tokens, states, state + 1)
}
