// The rule about new code that no test reaches, where what stands beside it is tested; it rests on the code graph.
import { posix } from 'node:path'
import { isTestPath, languageOfPath } from '../../code/languages.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { findDefinitionLine, isFixture, quoteName } from './graph-locations.ts'
import type { GraphedChange, GraphHit, Rule } from './rule.ts'

/** Less new code is trivial, or part of what was there. In lines with a word in them, and in branches. */
const minLines = 15
const minBranches = 2
/** Farther away a test doesn't aim at a file. */
const maxSteps = 2

/** Code that nobody tests: what stands in for other code, shows it, or runs by hand. */
const exemptPath =
  /(?:^|[/_.-])(?:mocks?|stubs?|fakes?|examples?|demos?|stories|previews?|scripts?|tools|bench(?:marks?)?|migrations?)(?:[/_.-]|$)/i

const branch =
  /\b(?:if|elif|else|for|foreach|while|case|when|match|catch|except|rescue|switch)\b|&&|\|\||\?\?|\?\./

/**
 * The new function with the most code that no test reaches, one a review. Only where tests aim at other files of its
 * folder in this very change: there a test of this file would be seen. Never beside a changed test, which may reach it in
 * ways that no graph shows.
 */
async function checkUntested(change: GraphedChange): Promise<GraphHit[]> {
  const { graph, files } = change
  if (files.some(({ path }) => isTestPath(path))) return []
  const tested = new Set(
    graph.tests.flatMap(({ distance, reaches }) => (distance <= maxSteps ? reaches : [])),
  )
  const folders = new Set([...tested].map((path) => posix.dirname(path)))
  const untested = new Set(graph.untested)
  const candidates = graph.symbols.flatMap((symbol) => {
    const { path, change: kind, name } = symbol
    const file = files.find((each) => each.path === path)
    const isCode = symbol.kind === 'function' || symbol.kind === 'method'
    if (
      kind !== 'added' ||
      !isCode ||
      !file ||
      !untested.has(path) ||
      !folders.has(posix.dirname(path))
    )
      return []
    if (isFixture(path) || exemptPath.test(path) || languageOfPath(path)?.type !== 'programming')
      return []
    const size = measureAdded(file, symbol)
    const place = findDefinitionLine(change, path, symbol)
    return place && size.lines >= minLines && size.branches >= minBranches
      ? [{ name, place, size }]
      : []
  })
  const largest = candidates.toSorted((one, other) => other.size.lines - one.size.lines)[0]
  if (!largest) return []
  const { name, place } = largest
  const example = [...tested].find((path) => posix.dirname(path) === posix.dirname(place.path))!
  return [
    {
      ...place,
      title: `No test reaches the new ${quoteName(name)}, though code beside it is tested`,
      body: `When ${quoteName(name)} breaks, no test fails: as far as calls and imports tell, none reaches ${quoteName(place.path)}, while ${quoteName(example)} in the same folder is tested.`,
      evidence: [{ path: example, line: 1, note: 'is reached by tests' }],
    },
  ]
}

function measureAdded(
  { hunks }: FileDiff,
  { startLine, endLine }: { startLine: number; endLine: number },
) {
  const added = hunks
    .flatMap(({ lines }) => lines)
    .filter(({ kind, newLine }) => kind === 'added' && newLine! >= startLine && newLine! <= endLine)
    .map(({ text }) => text.slice(0, 300))
    .filter((text) => /\w/.test(text) && !/^\s*(?:\/\/|\*|\/\*|#)/.test(text))
  return { lines: added.length, branches: added.filter((text) => branch.test(text)).length }
}

export const untestedRules: readonly Rule[] = [
  {
    id: 'untested-change',
    summary:
      'No test reaches a new function of some size, though tests reach other changed files of its folder. One finding a review.',
    severity: 'minor',
    category: 'tests',
    confidence: 0.7,
    graph: checkUntested,
  },
]
