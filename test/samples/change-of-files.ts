// Makes a change from texts: two snapshots in memory, and the diff between them as git would print it.
import { createHash } from 'node:crypto'
import { type Change, noEarlierReviews, noOutsideContext } from '../../src/domain/change.ts'
import type { FileDiff } from '../../src/domain/diff.ts'
import { GitError } from '../../src/domain/errors.ts'
import type { PullRequest } from '../../src/domain/pull-request.ts'
import { defaultSettings } from '../../src/domain/repository-settings.ts'
import type { Snapshot } from '../../src/domain/snapshot.ts'
import { parseDiff } from '../../src/git/parse-diff.ts'
import type { PackedContext } from '../../src/reviewers/packed-context.ts'

type Files = Readonly<Record<string, string>>

export const emptyContext: PackedContext = { rounds: [], omitted: [] }

/** A change of a repository without settings and history, reviewed for the first time. */
export const bareChange = {
  settings: defaultSettings,
  commits: [],
  issues: [],
  earlier: noEarlierReviews,
  graph: null,
  ...noOutsideContext,
  history: async () => [],
} satisfies Partial<Change>

/** The pull request that changes are of, unless said otherwise. */
export const samplePullRequest: PullRequest = {
  repo: 'acme/shop',
  number: 1,
  title: 'Change',
  body: '',
  author: 'ann',
  isByBot: false,
  labels: [],
  state: 'open',
  draft: false,
  url: 'https://example.test/acme/shop/pull/1',
  head: { branch: 'change', sha: 'b'.repeat(40), repo: 'acme/shop' },
  base: { branch: 'main', sha: 'a'.repeat(40) },
  additions: 0,
  deletions: 0,
  changedFiles: 0,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  mergedAt: null,
}

/** A snapshot of the given texts. */
export function snapshotOf(sha: string, files: Files): Snapshot {
  return {
    sha,
    async readFile(path, { maxBytes = 1024 * 1024 } = {}) {
      const text = files[path]
      if (text === undefined) return undefined
      const bytes = Buffer.from(text)
      if (bytes.length > maxBytes) throw new GitError(`${path} is larger than ${maxBytes} bytes.`)
      return bytes
    },
    async listFiles() {
      return Object.entries(files).map(([path, text]) => ({
        path,
        kind: 'file' as const,
        oid: createHash('sha1').update(text).digest('hex'),
        size: Buffer.byteLength(text),
      }))
    },
    async search(pattern) {
      return Object.entries(files).flatMap(([path, text]) =>
        text
          .split('\n')
          .flatMap((line, index) =>
            line.includes(pattern) ? [{ path, line: index + 1, text: line }] : [],
          ),
      )
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** The change from one set of files to another. Lines that both begin with are context; the rest is replaced. */
export function changeOf(base: Files, head: Files, shown: Files = head): Change {
  const paths = [...new Set([...Object.keys(base), ...Object.keys(shown)])]
  const diff = parseDiff(paths.map((path) => fileDiff(path, base[path], shown[path])).join(''))
  return {
    ...bareChange,
    pullRequest: samplePullRequest,
    headSha: samplePullRequest.head.sha,
    mergeBaseSha: samplePullRequest.base.sha,
    diff,
    files: diff.files,
    exemptFiles: [],
    needs: programsOf(diff.files),
    skipped: [],
    notes: [],
    head: snapshotOf(samplePullRequest.head.sha, head),
    base: snapshotOf(samplePullRequest.base.sha, base),
  }
}

/** Every changed line is one of a program. */
export function programsOf(files: readonly FileDiff[]): Change['needs'] {
  return new Map(
    files.map(({ path, additions, deletions }) => {
      const changed = additions + deletions
      return [path, { changed, program: changed }]
    }),
  )
}

/** A change that adds the files; `shown` is what the diff says of them, where that differs. */
export function addedFiles(head: Files, shown: Files = head): Change {
  return changeOf({}, head, shown)
}

function fileDiff(path: string, before: string | undefined, after: string | undefined): string {
  const old = linesOf(before)
  const now = linesOf(after)
  let same = 0
  while (same < old.length && same < now.length && old[same] === now[same]) same++
  const header = `diff --git a/${path} b/${path}\n${before === undefined ? 'new file mode 100644\n' : after === undefined ? 'deleted file mode 100644\n' : ''}`
  const index = `index ${objectId(before)}..${objectId(after)}${before !== undefined && after !== undefined ? ' 100644' : ''}\n`
  const names = `--- ${before === undefined ? '/dev/null' : `a/${path}`}\n+++ ${after === undefined ? '/dev/null' : `b/${path}`}\n`
  const range = `@@ -${old.length ? 1 : 0},${old.length} +${now.length ? 1 : 0},${now.length} @@\n`
  const context = old.slice(0, same).map((line) => ` ${line}\n`)
  const deleted = old.slice(same).map((line) => `-${line}\n`)
  const added = now.slice(same).map((line) => `+${line}\n`)
  return header + index + names + range + [...context, ...deleted, ...added].join('')
}

function objectId(text: string | undefined): string {
  return text === undefined
    ? '0000000'
    : createHash('sha1')
        .update(`blob ${Buffer.byteLength(text)}\0${text}`)
        .digest('hex')
        .slice(0, 7)
}

function linesOf(text: string | undefined): string[] {
  return text ? text.replace(/\n$/, '').split('\n') : []
}
