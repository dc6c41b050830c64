// What a change gives to ask trackers and chats for: keys that it names, files that it changes, what it is about.

import { isTestPath } from '../../code/languages.ts'
import type { ChangedSymbol } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { CommitSummary, PullRequest } from '../../domain/pull-request.ts'
import type { SourceQuery } from '../../tools/sources/call-tool.ts'

const maxKeys = 5
const maxPaths = 3
const maxSymbols = 8
const maxTextLength = 20_000
const maxQueryLength = 120

/** In the form of a tracker's keys, but names of standards, algorithms and the like. */
const nonProjectPrefixes = new Set(
  'AES APR AUG BASE CVE CWE DEC EC ECMA EN ES FEB GHSA GPT HTTP IEC IEEE IP IPV ISO JAN JSR JUL JUN MAR MD NOV OCT P PEP PKCS RC RFC RSA SEP SHA SHA2 SHA3 SSL TLS UTF UTC V X'.split(
    ' ',
  ),
)

/** What stands before numbers in branches that name no key. */
const nonKeyPrefixes = new Set(
  'alpha api beta bug build bump chore ci day dev docs draft es feature fix go hotfix http issue java jdk node part patch perf phase php poc postgres pr python rc react refactor release revert round ruby sha sprint step style task temp test tmp topic update upgrade utf v vue week wip'.split(
    ' ',
  ),
)

/** Names that functions of all programs have, and of which no error is known by. */
const commonNames = new Set(
  'apply call close constructor copy create delete execute find format handle handler index init list load main next open parse process read render request reset resolve response save send setup start stop test update value write'.split(
    ' ',
  ),
)

/** What to ask of trackers and chats. All of it comes from the pull request, and is bounded. */
export function deriveSourceQueries(change: {
  readonly pullRequest: PullRequest
  readonly commits: readonly CommitSummary[]
}): SourceQuery[] {
  const keys = findKeys(change)
  const about = keys[0] ?? plainWords(change.pullRequest.title)
  return [
    ...keys.map(
      (key): SourceQuery => ({ kind: 'tickets', use: 'lookUp', values: { key, query: key } }),
    ),
    ...keys.map(
      (key): SourceQuery => ({ kind: 'other', use: 'lookUp', values: { key, query: key } }),
    ),
    ...(about === '' ? [] : (['discussion', 'other'] as const)).map(
      (kind): SourceQuery => ({
        kind,
        use: 'search',
        values: { query: about },
      }),
    ),
  ]
}

/** What to ask of those who know the errors of running programs; the most telling first. */
export function deriveErrorQueries(
  files: readonly FileDiff[],
  changed: readonly ChangedSymbol[],
): readonly SourceQuery[] {
  const symbols = chooseSymbols(changed).join(', ')
  const paths = choosePaths(files)
  return [
    ...(symbols === ''
      ? []
      : [{ kind: 'errors', use: 'searchSymbols', values: { symbols, query: symbols } } as const]),
    ...paths.map(
      (path) => ({ kind: 'errors', use: 'search', values: { path, query: path } }) as const,
    ),
  ]
}

/**
 * Functions that ran before the change, in production, as stacks may have them: with and without what they are defined in.
 * Only names that can't mean anything in a query.
 */
function chooseSymbols(changed: readonly ChangedSymbol[]): string[] {
  const isFunction = ({ kind, parametersBefore }: ChangedSymbol) =>
    kind === 'function' || kind === 'method' || parametersBefore !== null
  const functions = changed.filter(
    (each) => isFunction(each) && each.change !== 'added' && !isTestPath(each.path),
  )
  const names = functions.flatMap(({ name }) => {
    const bare = name.slice(name.lastIndexOf('.') + 1)
    return bare.length < 4 || commonNames.has(bare.toLowerCase()) ? [name] : [name, bare]
  })
  const isTelling = (name: string) => name.length >= 4 && !commonNames.has(name.toLowerCase())
  return [...new Set(names)]
    .filter((name) => /^[\w$.]{1,80}$/.test(name) && isTelling(name))
    .slice(0, maxSymbols)
}

/** Keys such as `SHOP-12`, those of the title and the branch first. */
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
  // People write branches in lower case.
  const branch = head.branch.replace(
    /(?<![a-z\d])([a-z][a-z\d]{1,9}-\d{1,6})(?![a-z\d])/gi,
    (key) =>
      nonKeyPrefixes.has(key.slice(0, key.indexOf('-')).toLowerCase()) ? '' : key.toUpperCase(),
  )
  const named = [title, branch, body, messages].flatMap((text) =>
    [
      ...text
        .slice(0, maxTextLength)
        .matchAll(/(?<![A-Za-z\d-])([A-Z][A-Z\d]{1,9})-\d{1,6}(?![A-Za-z\d]|-\d)/g),
    ]
      .filter(([, project]) => !nonProjectPrefixes.has(project as string))
      .map(([key]) => key),
  )
  return [...new Set(named)].slice(0, maxKeys)
}

/** The files with most changed lines that run in production; only names that can't mean anything in a query. */
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

/** Without signs, which search languages read as operators. */
function plainWords(text: string): string {
  const words = text.normalize('NFKC').match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.join(' ').slice(0, maxQueryLength).trim()
}
