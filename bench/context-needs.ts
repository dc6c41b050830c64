// Lists what a reviewer needs beside a diff, and checks whether a packed context shows it.
import type { Change } from '../src/domain/change.ts'
import type { ChangeGraph, FileHistory, RelatedPullRequest } from '../src/domain/change-graph.ts'
import { minSureConfidence } from '../src/domain/change-graph.ts'
import { defaultGitRuntime, runGit } from '../src/git/run-git.ts'
import type { PackedText } from './context-packers.ts'
import { lineKey } from './context-ranges.ts'

export const needKinds = ['definitions', 'callers', 'tests', 'history'] as const
export type NeedKind = (typeof needKinds)[number]

export interface Need {
  readonly kind: NeedKind
  readonly name: string
  readonly isShown: (packed: PackedText) => boolean
}

/** Test files that reach the change over more steps say little about it. */
const maxTestDistance = 1
/** The signature of a definition is in its first lines, after decorators. */
const maxSignatureLines = 4
/** As a review reads them from the database. */
const maxRelated = 8
const maxRelatedPaths = 5
/** Commits of git that are read, and files whose commits are read. */
const maxCommits = 500
const maxFiles = 100

/**
 * Lists the definitions that added lines use, uses of what changed, tests that reach it directly,
 * and earlier pull requests that changed the same files: those of which the graph is sure.
 */
export function listNeeds({ definitions, callers, symbols, tests, related }: ChangeGraph): Need[] {
  return [
    ...definitions
      .filter(({ confidence }) => confidence >= minSureConfidence)
      .map(({ path, line, endLine }) => {
        const end = Math.min(Math.max(line, endLine), line + maxSignatureLines - 1)
        return toLineNeed('definitions', path, line, end)
      }),
    ...callers
      .filter(({ symbol, confidence, kind, isTest }) => {
        const isBroken = symbols[symbol]?.change !== 'added'
        return isBroken && confidence >= minSureConfidence && kind !== 'import' && !isTest
      })
      .map(({ path, line }) => toLineNeed('callers', path, line, line)),
    ...tests
      .filter(({ distance }) => distance <= maxTestDistance)
      .map(({ path }) => toTextNeed('tests', 'tests', `${path} reaches `)),
    ...related.map(({ number }) => toTextNeed('history', 'related_pull_requests', `#${number} (`)),
  ]
}

function toLineNeed(kind: NeedKind, path: string, start: number, end: number): Need {
  const keys = Array.from({ length: end - start + 1 }, (_, at) =>
    lineKey('RIGHT', path, start + at),
  )
  return { kind, name: keys[0]!, isShown: ({ lines }) => keys.some((key) => lines.has(key)) }
}

function toTextNeed(kind: NeedKind, origin: string, start: string): Need {
  const isShown = ({ context }: PackedText) =>
    context.some((span) => span.origin === origin && `\n${span.text}`.includes(`\n${start}`))
  return { kind, name: start, isShown }
}

interface Commit {
  readonly author: string
  readonly title: string
  readonly paths: readonly string[]
}

/** Reads earlier commits in the changed files, as if each was a reviewed pull request. */
export async function readGitHistory(
  { files, mergeBaseSha }: Change,
  gitDirectory: string,
): Promise<Pick<ChangeGraph, 'history' | 'related'>> {
  const existing = files.filter(({ status }) => status !== 'added' && status !== 'copied')
  const paths = existing.slice(0, maxFiles).map(({ oldPath }) => oldPath)
  if (paths.length === 0) return { history: [], related: [] }
  const format = '--format=%x00%an%x01%s'
  const options = ['--no-merges', `--max-count=${maxCommits}`, '--name-only', format]
  const args = ['log', ...options, mergeBaseSha, '--', ...paths]
  const run = { gitDirectory, args, timeoutMs: 10 * 60_000, maxBytes: 64 * 1024 * 1024 }
  const { stdout } = await runGit(defaultGitRuntime, run)
  const commits = stdout.toString('utf8').split('\0').slice(1).map(parseCommit)
  return {
    history: paths.flatMap((path) => summarizeFile(path, commits)),
    related: commits.slice(0, maxRelated).map(describeCommit),
  }
}

function parseCommit(record: string): Commit {
  const [line = '', ...paths] = record.split('\n').filter((each) => each !== '')
  const [author = '', title = ''] = line.split('\x01')
  return { author, title, paths }
}

function summarizeFile(path: string, commits: readonly Commit[]): FileHistory[] {
  const own = commits.filter(({ paths }) => paths.includes(path))
  const byAuthor = [...Map.groupBy(own, ({ author }) => author).values()]
  const [main] = byAuthor.sort((one, other) => other.length - one.length)
  if (main === undefined) return []
  const ownerPercent = Math.round((100 * main.length) / own.length)
  const owner = main[0]!.author
  return [{ path, pullRequests: own.length, riskScore: 0, owner, ownerPercent }]
}

function describeCommit({ author, title, paths }: Commit, index: number): RelatedPullRequest {
  return {
    number: index + 1,
    title,
    author,
    state: 'merged',
    verdict: 'APPROVE',
    paths: paths.slice(0, maxRelatedPaths),
    symbols: [],
    findings: [],
  }
}
