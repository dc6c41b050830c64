// Turns checks that are described by patterns into checks of syntax nodes.
import type { Node, Tree } from 'web-tree-sitter'
import { unwrap } from '../../languages/rules/operations.ts'
import type { Match, PatternCheck } from '../../languages/rules/pattern-check.ts'
import type { Hit, ParsedFile, SyntaxCheck } from '../../languages/rules/syntax-check.ts'
import { firstLine, quoteCode, replaceInLine } from '../../languages/rules/syntax-nodes.ts'
import { compilePattern, type Pattern, wordsOf } from './compile-pattern.ts'
import { type Accepts, type Bindings, matchPattern } from './match-pattern.ts'

/** A language's grammar with what statements need around them. */
export interface PatternLanguage {
  readonly frame: readonly [string, string]
  readonly parse: (code: string) => Tree
}

/** One pattern of a check. Other files can't match it, so that it isn't compiled for them. */
export interface PreparedPattern {
  /** Every file with a match has a word of each group. */
  readonly words: readonly (readonly string[])[]
  /** Compiles the pattern when it is first called. */
  load(): SyntaxCheck
}

/** Characters of a node that a regular expression reads at most. */
const maxTestedLength = 2_000
/** Nodes around a match that are compared with patterns at most. */
const maxAncestors = 200

/** Prepares each of the patterns of a check. */
export function preparePatterns(
  check: PatternCheck,
  { frame, parse }: PatternLanguage,
): PreparedPattern[] {
  const compile = (pattern: string) => compilePattern(pattern, frame, parse)
  let around: OtherPatterns | undefined
  return check.patterns.map((text) => {
    let loaded: SyntaxCheck | undefined
    const load = (): SyntaxCheck => {
      const pattern = compile(text)
      around ??= {
        not: check.not?.map(compile) ?? [],
        inside: check.inside?.map(compile),
        notInside: check.notInside?.map(compile) ?? [],
      }
      return createCheck(check, pattern, around)
    }
    return {
      words: [...wordsOf(text).map((word) => [word]), ...listedWords(text, check)],
      load: () => {
        loaded ??= load()
        return loaded
      },
    }
  })
}

/** The words that conditions list for metavariables, as in `/^(?:trim|strip)$/`. */
function listedWords(pattern: string, { where = {} }: PatternCheck): string[][] {
  return Object.entries(where).flatMap(([name, condition]) => {
    const isUsed = new RegExp(`\\$${name}\\b`).test(pattern)
    if (!isUsed || !(condition instanceof RegExp) || condition.ignoreCase) return []
    const listed = /^\^\(\?:([\w|]+)\)\$$/.exec(condition.source)?.[1]
    return listed ? [listed.split('|')] : []
  })
}

interface OtherPatterns {
  readonly not: readonly Pattern[]
  readonly inside: readonly Pattern[] | undefined
  readonly notInside: readonly Pattern[]
}

function createCheck(
  description: PatternCheck,
  pattern: Pattern,
  { not, inside, notInside }: OtherPatterns,
): SyntaxCheck {
  return {
    nodes: [pattern.type],
    wholeFunction: description.wholeFunction ?? false,
    check(node, file) {
      const accepts = acceptsOf(description, file)
      const bound = matchPattern(pattern, node, accepts)
      if (!bound || not.some((other) => matchPattern(other, node, accepts, bound))) return undefined
      const isAround = (other: Pattern) => isInside(node, other, accepts, bound)
      if ((inside && !inside.some(isAround)) || notInside.some(isAround)) return undefined
      return report(description, createMatch(node, bound), file)
    },
  }
}

function acceptsOf({ where = {} }: PatternCheck, file: ParsedFile): Accepts {
  return (name, node, text) => {
    const condition = where[name]
    if (!condition) return true
    const inner = unwrap(node)
    if (typeof condition === 'function') return condition(inner, file)
    const tested = inner === node ? text : inner.text
    return condition.test(tested.slice(0, maxTestedLength))
  }
}

function isInside(node: Node, pattern: Pattern, accepts: Accepts, bound: Bindings): boolean {
  let ancestor = node.parent
  for (let level = 0; ancestor && level < maxAncestors; level++) {
    if (matchPattern(pattern, ancestor, accepts, bound)) return true
    ancestor = ancestor.parent
  }
  return false
}

function createMatch(node: Node, bound: Bindings): Match {
  const bindingOf = (name: string) => {
    const binding = name === 'MATCH' ? { nodes: [node], text: node.text } : bound[name]
    if (!binding) throw new Error(`The pattern has no metavariable $${name}.`)
    return binding
  }
  return {
    node,
    get: (name) => bindingOf(name).nodes[0]!,
    text: (name) => bindingOf(name).text,
    list: (name) => bindingOf(name).nodes,
  }
}

function report(check: PatternCheck, match: Match, file: ParsedFile): Hit | undefined {
  const refined = check.refine ? check.refine(match, file) : true
  if (!refined) return undefined
  const found = refined === true ? {} : refined
  const { at = 'MATCH', title = '', body = '', replacement } = check
  const reported = match.get(at)
  return {
    at: firstLine(reported),
    severity: check.severity,
    confidence: check.confidence,
    suggestion: replacement && replaceInLine(reported, file, insert(replacement, match)),
    ...found,
    title: found.title ?? fillIn(title, match),
    body: found.body ?? fillIn(body, match),
  }
}

/** Quotes the code of metavariables in a text, with what is in the same backticks. */
function fillIn(text: string, match: Match): string {
  return text.replace(/`[^`]*`|\$?\$[A-Z][A-Z0-9_]*/g, (part) => {
    const code = part.replaceAll('`', '')
    if (code.startsWith('$$')) return insert(code.slice(1), match).replaceAll('`', '')
    const filled = insert(code, match)
    return filled === code ? part : quoteCode(filled)
  })
}

function insert(text: string, match: Match): string {
  return text.replace(/\$([A-Z][A-Z0-9_]*)/g, (_, name: string) => match.text(name))
}
