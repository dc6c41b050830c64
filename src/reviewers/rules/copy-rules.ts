// The rule about lines that were copied, and changed in all places but one.
import type { Node } from 'web-tree-sitter'
import {
  codeChildren,
  enclosingFunction,
  field,
  firstLine,
  lineOf,
  previousCodeSibling,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { allRuleLanguages, type Hit, type Rule } from './rule.ts'

/** Pairs of things that are independent of each other, so that a copy replaces all of them. */
const independentPairs = [
  ['x', 'y'],
  ['lat', 'lon'],
  ['lat', 'lng'],
  ['latitude', 'longitude'],
  ['row', 'column'],
  ['row', 'col'],
  ['horizontal', 'vertical'],
]

/** Copies are compared up to this length. */
const maxLength = 400

/** How many statements lie between a line and its copy at most, and one. */
const maxDistance = 3

/** `if (x > max.x) max.x = x`, and after it `if (y > max.y) max.x = y`. */
function checkCopy(statement: Node): Hit | undefined {
  if (!enclosingFunction(statement) || statement.text.length > maxLength) return undefined
  let before = previousCodeSibling(statement)
  for (let count = 0; before && count < maxDistance; count++) {
    const kept = before.type === statement.type ? findKeptWord(before, statement) : undefined
    if (kept) return copyHit(statement, before, kept)
    before = previousCodeSibling(before)
  }
  return undefined
}

/** Finds the word that a copy of a statement should have replaced, too. */
function findKeptWord(before: Node, statement: Node): Replacement | undefined {
  if (before.text.length > maxLength) return undefined
  const kept = findKept(wordsOf(before.text), wordsOf(statement.text))
  return kept && (isIndependent(kept) || repeatsTarget(before, statement)) ? kept : undefined
}

function copyHit(statement: Node, before: Node, kept: Replacement): Hit {
  const line = lineOf(statement) + kept.row
  return {
    at: { startLine: line, endLine: line },
    fallback: firstLine(statement),
    title:
      `Copied line: ${quoteCode(kept.from)} is replaced by ${quoteCode(kept.to)} here, in all ` +
      'places but one',
    body:
      `When this runs, it mixes ${quoteCode(kept.from)} and ${quoteCode(kept.to)}. Compare it ` +
      `with line ${lineOf(before)}, and replace the last one, too.`,
    evidence: [{ line: lineOf(before), note: 'the line that this one resembles' }],
  }
}

/** Splits code into the words of its names, and everything between them. */
function wordsOf(text: string): string[] {
  return (
    text.match(
      /(?<![a-zA-Z])d(?=[xy](?![a-z]))|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\sA-Za-z\d]|\n/g,
    ) ?? []
  ).map((word) => word.toLowerCase())
}

interface Replacement {
  readonly from: string
  readonly to: string
  /** How many lines after the start of the copy the word is kept. */
  readonly row: number
}

/** Finds the word that a copy replaces in at least two places, and keeps in one. */
function findKept(old: readonly string[], copy: readonly string[]): Replacement | undefined {
  const changed = old.flatMap((from, index) => (from === copy[index] ? [] : [index]))
  const [first] = changed
  if (first === undefined || changed.length < 2 || old.length !== copy.length) return undefined
  const [from, to] = [old[first]!, copy[first]!]
  const isOneWord = changed.every((index) => old[index] === from && copy[index] === to)
  const kept = copy.flatMap((word, index) => (word === from && old[index] === from ? [index] : []))
  const isWord = /^[a-z]+$/.test(from) && /^[a-z]+$/.test(to)
  if (!isOneWord || !isWord || kept.length !== 1 || old.includes(to)) return undefined
  return { from, to, row: copy.slice(0, kept[0]).filter((word) => word === '\n').length }
}

function isIndependent({ from, to }: Replacement): boolean {
  return independentPairs.some((pair) => pair.includes(from) && pair.includes(to))
}

/** Whether both statements are branches that assign to the same target. */
function repeatsTarget(before: Node, statement: Node): boolean {
  if (statement.type !== 'if_statement' || field(statement, 'alternative')) return false
  const target = targetOf(statement)
  return target !== undefined && target === targetOf(before) && target.includes('.')
}

/** What the only statement of a branch assigns to. */
function targetOf(branch: Node): string | undefined {
  let node = field(branch, 'consequence')
  while (node && /block|statement_list|expression_statement/.test(node.type)) {
    const [inner, ...others] = codeChildren(node)
    if (others.length > 0) return undefined
    node = inner
  }
  return node && /assignment/.test(node.type) ? field(node, 'left')?.text : undefined
}

export const copyRules: readonly Rule[] = [
  {
    id: 'incomplete-copy',
    summary: 'A line repeats the one before it for another value, except in one place.',
    seeAlso: ['SonarSource `S1656`', 'PVS-Studio `V778`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.8,
    syntax: [
      {
        languages: allRuleLanguages,
        nodes: [
          'if_statement',
          'expression_statement',
          'lexical_declaration',
          'local_variable_declaration',
          'short_var_declaration',
          'assignment_statement',
          'return_statement',
          'pair',
          'keyword_argument',
          'keyed_element',
        ],
        check: checkCopy,
      },
    ],
  },
]
