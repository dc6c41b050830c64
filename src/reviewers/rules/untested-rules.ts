// The rule about new code without tests next to tested code. Uses the code graph.
import { posix } from 'node:path'
import type { ChangedSymbol } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { isProgrammingPath } from '../../languages/linguist.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { findDefinitionLine, type GraphLocation, isFixture, quoteName } from './graph-locations.ts'
import type { GraphedChange, GraphHit, Rule } from './rule.ts'

/** Smaller functions are trivial. Counts added lines with a word, and those with a branch. */
const minLines = 15
const minBranches = 2
/** A test that reaches a file in more steps isn't meant for it. */
const maxSteps = 2

/** Code that is rarely tested: it replaces other code in tests, shows it, or is run by hand. */
const exemptPath =
  /(?:^|[/_.-])(?:mocks?|stubs?|fakes?|examples?|demos?|stories|previews?|scripts?|tools|bench(?:marks?)?|migrations?)(?:[/_.-]|$)/i

const branch =
  /\b(?:if|elif|else|for|foreach|while|case|when|match|catch|except|rescue|switch)\b|&&|\|\||\?\?|\?\./

/**
 * Reports the largest new function that no test reaches, if tests reach other files of its folder:
 * there, the graph would show a test of this file. Reports nothing if the change has tests, which
 * may reach the function in ways that the graph doesn't show.
 */
async function checkUntested(change: GraphedChange): Promise<GraphHit[]> {
  const { graph, files } = change
  if (files.some(({ path }) => isTestPath(path))) return []
  const testedPaths = graph.tests.flatMap(({ distance, reaches }) =>
    distance <= maxSteps ? reaches : [],
  )
  const testedFolders = new Set(testedPaths.map((path) => posix.dirname(path)))
  const untestedPaths = new Set(graph.untested)
  const candidates = graph.symbols
    .filter(({ path }) => untestedPaths.has(path) && testedFolders.has(posix.dirname(path)))
    .flatMap((symbol) => measureSymbol(change, symbol) ?? [])
  const largest = candidates.toSorted((one, other) => other.lines - one.lines)[0]
  if (!largest) return []
  const { location } = largest
  const name = quoteName(largest.name)
  const folder = posix.dirname(location.path)
  const example = testedPaths.find((path) => posix.dirname(path) === folder)!
  return [
    {
      ...location,
      title: `No test reaches the new ${name}, although other code in its folder is tested`,
      body:
        `When ${name} breaks, no test fails: by calls and imports, none reaches ` +
        `${quoteName(location.path)}, while ${quoteName(example)} in the same folder is tested.`,
      evidence: [{ path: example, line: 1, note: 'is reached by tests' }],
    },
  ]
}

interface MeasuredSymbol {
  readonly name: string
  readonly location: GraphLocation
  /** How many lines were added. */
  readonly lines: number
}

/** Returns undefined for a symbol that isn't a new function, is too small, or needs no test. */
function measureSymbol(change: GraphedChange, symbol: ChangedSymbol): MeasuredSymbol | undefined {
  const { path, name, kind } = symbol
  const file = change.files.find((each) => each.path === path)
  const isFunction = kind === 'function' || kind === 'method'
  if (symbol.change !== 'added' || !isFunction || !file || isExempt(path)) return undefined
  const location = findDefinitionLine(change, path, symbol)
  const { lines, branches } = measureAdded(file, symbol)
  if (!location || lines < minLines || branches < minBranches) return undefined
  return { name, location, lines }
}

function isExempt(path: string): boolean {
  return isFixture(path) || exemptPath.test(path) || !isProgrammingPath(path)
}

/** Counts the added lines between two lines that hold code, and those of them with a branch. */
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
      'No test reaches a new function of some size, although tests reach other changed files ' +
      'in its folder. One finding per review.',
    severity: 'minor',
    category: 'tests',
    confidence: 0.7,
    graph: checkUntested,
  },
]
