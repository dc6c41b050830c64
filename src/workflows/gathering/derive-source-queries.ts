// Derives queries for trackers and chats from the keys, paths and title of a change.

import type { ChangedSymbol } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { CommitSummary, PullRequest } from '../../domain/pull-request.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import type { SourceQuery } from '../../tools/sources/call-tool.ts'

const maxKeys = 5
const maxPaths = 3
const maxSymbols = 8
const maxTextLength = 20_000
const maxQueryLength = 120

/** These prefixes look like a tracker's keys, but belong to standards, algorithms and the like. */
const nonProjectPrefixes = new Set(
  [
    'AES APR AUG BASE CVE CWE DEC EC ECMA EN ES FEB GHSA GPT HTTP IEC IEEE IP IPV ISO JAN JSR',
    'JUL JUN MAR MD NOV OCT P PEP PKCS RC RFC RSA SEP SHA SHA2 SHA3 SSL TLS UTF UTC V X',
  ].flatMap((names) => names.split(' ')),
)

/** These words precede numbers in branch names without forming a key. */
const nonKeyPrefixes = new Set(
  [
    'alpha api beta bug build bump chore ci day dev docs draft es feature fix go hotfix http issue',
    'java jdk node part patch perf phase php poc postgres pr python rc react refactor release',
    'revert round ruby sha sprint step style task temp test tmp topic update upgrade utf v vue',
    'week wip',
  ].flatMap((names) => names.split(' ')),
)

/** These function names are too common to find an error by. */
const commonNames = new Set(
  [
    'apply call close constructor copy create delete execute find format handle handler index init',
    'list load main next open parse process read render request reset resolve response save send',
    'setup start stop test update value write',
  ].flatMap((names) => names.split(' ')),
)

/**
 * Derives the queries for trackers and chats. Their values come from the pull request and are
 * bounded.
 */
export function deriveSourceQueries(change: {
  readonly pullRequest: PullRequest
  readonly commits: readonly CommitSummary[]
}): SourceQuery[] {
  const keys = findKeys(change)
  const queries: SourceQuery[] = []
  for (const kind of ['tickets', 'other'] as const) {
    for (const key of keys) queries.push({ kind, use: 'lookUp', values: { key, query: key } })
  }
  const query = keys[0] ?? toPlainWords(change.pullRequest.title)
  if (query === '') return queries
  for (const kind of ['discussion', 'other'] as const) {
    queries.push({ kind, use: 'search', values: { query } })
  }
  return queries
}

/** Derives the queries for error trackers, the most specific first. */
export function deriveErrorQueries(
  files: readonly FileDiff[],
  changed: readonly ChangedSymbol[],
): readonly SourceQuery[] {
  const symbols = chooseSymbols(changed).join(', ')
  const paths = choosePaths(files)
  const queries: SourceQuery[] = []
  if (symbols !== '') {
    queries.push({ kind: 'errors', use: 'searchSymbols', values: { symbols, query: symbols } })
  }
  for (const path of paths) {
    queries.push({ kind: 'errors', use: 'search', values: { path, query: path } })
  }
  return queries
}

/**
 * Lists functions that existed before the change, by the names that stack traces may show: with and
 * without their container. Only names without a meaning in query languages are used.
 */
function chooseSymbols(changed: readonly ChangedSymbol[]): string[] {
  const isFunction = ({ kind, parametersBefore }: ChangedSymbol) =>
    kind === 'function' || kind === 'method' || parametersBefore !== null
  const existingFunctions = changed.filter(
    (each) => isFunction(each) && each.change !== 'added' && !isTestPath(each.path),
  )
  const names = existingFunctions.flatMap(({ name }) => {
    const bare = name.slice(name.lastIndexOf('.') + 1)
    return bare.length < 4 || commonNames.has(bare.toLowerCase()) ? [name] : [name, bare]
  })
  const isSpecific = (name: string) => name.length >= 4 && !commonNames.has(name.toLowerCase())
  return [...new Set(names)]
    .filter((name) => /^[\w$.]{1,80}$/.test(name) && isSpecific(name))
    .slice(0, maxSymbols)
}

const branchKey = /(?<![a-z\d])([a-z][a-z\d]{1,9}-\d{1,6})(?![a-z\d])/gi
const textKey = /(?<![A-Za-z\d-])([A-Z][A-Z\d]{1,9})-\d{1,6}(?![A-Za-z\d]|-\d)/g

/** Finds keys such as `SHOP-12`; those of the title and the branch come first. */
function findKeys({
  pullRequest,
  commits,
}: {
  pullRequest: PullRequest
  commits: readonly CommitSummary[]
}): string[] {
  const { title, body, head } = pullRequest
  const messages = commits
    .map(({ message }) => message)
    .toReversed()
    .join('\n\n')
  // Branch names are often in lower case.
  const branch = head.branch.replace(branchKey, (key) => {
    const prefix = key.slice(0, key.indexOf('-')).toLowerCase()
    return nonKeyPrefixes.has(prefix) ? '' : key.toUpperCase()
  })
  const keys = new Set<string>()
  for (const text of [title, branch, body, messages]) {
    for (const [key, project] of text.slice(0, maxTextLength).matchAll(textKey)) {
      if (!nonProjectPrefixes.has(project as string)) keys.add(key)
    }
  }
  return [...keys].slice(0, maxKeys)
}

/**
 * Chooses existing production files with most changed lines. Only paths without a meaning in query
 * languages are used.
 */
function choosePaths(files: readonly FileDiff[]): string[] {
  return files
    .filter(
      ({ path, status }) =>
        status !== 'added' && !isTestPath(path) && /^[\w./@+-]{1,200}$/.test(path),
    )
    .toSorted((a, b) => b.additions + b.deletions - (a.additions + a.deletions))
    .slice(0, maxPaths)
    .map(({ path }) => path)
}

/** Removes punctuation, which search languages read as operators. */
function toPlainWords(text: string): string {
  const words = text.normalize('NFKC').match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.join(' ').slice(0, maxQueryLength).trim()
}
