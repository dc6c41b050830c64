// Rules about leftovers of work in progress: conflict markers, breakpoints and focused tests.
import type { Hit, Rule, TextLine } from './rule.ts'

/** A marker of Git. Language models write edits between markers with the excluded names. */
const conflictMarker = /^<{7} (?!(?:SEARCH|REPLACE|ORIGINAL)\b)\S/

/** Files that may quote conflict markers: documents, patches and remains of merges. */
const quotesMarkers = /\.(?:md|mdx|rst|adoc|txt|patch|diff|orig|rej)$/i

function checkConflictMarker(line: TextLine): Omit<Hit, 'at'> | undefined {
  if (!conflictMarker.test(line.text) || quotesMarkers.test(line.path)) return undefined
  return {
    title: 'A merge conflict marker was committed',
    body:
      "When this file is read, it doesn't parse, or it contains both sides of the merge. " +
      'Resolve the conflict and remove the markers.',
  }
}

const breakpoints: readonly { readonly files: RegExp; readonly pattern: RegExp }[] = [
  { files: /\.(?:[cm]?[jt]sx?|vue|svelte)$/, pattern: /^\s*debugger\s*;?\s*(?:\/\/.*)?$/ },
  {
    files: /\.py$/,
    pattern:
      /^\s*(?:breakpoint\(\)|(?:i?pdb|pudb)\.set_trace\(\)|import i?pdb; ?i?pdb\.set_trace\(\))\s*(?:#.*)?$/,
  },
  {
    files: /\.(?:rb|rake|erb)$/,
    pattern: /^\s*(?:binding\.(?:pry|irb|break)|byebug|debugger)\s*(?:#.*)?$/,
  },
]

function checkBreakpoint(line: TextLine): Omit<Hit, 'at'> | undefined {
  if (!breakpoints.some(({ files, pattern }) => files.test(line.path) && pattern.test(line.text)))
    return undefined
  const statement = line.text.trim().replaceAll('`', '').slice(0, 40)
  return {
    title: `The breakpoint \`${statement}\` was left in the code`,
    body:
      'When this line is reached with a debugger or a terminal attached, the program stops ' +
      'and waits.',
  }
}

/** `describe.only(…)`. A call with a computed name is a helper for tests that passes `only` on. */
const focused = /^(\s*(?:describe|context|it|test|suite|specify))\.only(?=\s*[(`.])(?!\(`[^`]*\$\{)/

/** `fit(…)`. */
const focusedShort = /^(\s*)f(describe|it|context)(?=\(\s*['"`])/

function checkFocusedTest(line: TextLine): Omit<Hit, 'at'> | undefined {
  if (!line.isTest || !/\.[cm]?[jt]sx?$/.test(line.path)) return undefined
  if (!focused.test(line.text) && !focusedShort.test(line.text)) return undefined
  return {
    title: 'A focused test disables all other tests',
    body: 'When the tests run, only this one does, so the run passes even if others would fail.',
    suggestion: line.text.replace(focused, '$1').replace(focusedShort, '$1$2'),
  }
}

export const leftoverRules: readonly Rule[] = [
  {
    id: 'conflict-marker',
    summary: 'A merge conflict marker was committed.',
    seeAlso: ['pre-commit `check-merge-conflict`'],
    severity: 'critical',
    category: 'correctness',
    confidence: 0.98,
    line: checkConflictMarker,
    keyword: /^<{7} /,
  },
  {
    id: 'breakpoint',
    summary: 'A breakpoint was left in the code.',
    seeAlso: ['CWE-489', 'ESLint `no-debugger`', 'Ruff `T100`'],
    severity: 'minor',
    category: 'maintainability',
    confidence: 0.95,
    line: checkBreakpoint,
    keyword: /debugger|breakpoint\(|set_trace|binding\.|byebug/,
  },
  {
    id: 'focused-test',
    summary: 'A focused test (`.only`, `fit`) disables all other tests.',
    seeAlso: ['`jest/no-focused-tests`'],
    severity: 'moderate',
    category: 'tests',
    confidence: 0.95,
    line: checkFocusedTest,
    keyword: /\.only|\bf(?:describe|it|context)\(/,
  },
]
