// Posts reviews as Gitea and Forgejo do: comment by comment into a pending review.
import { compareCommits, readHunks } from '../comparison.ts'
import type {
  Anchor,
  InlineComment,
  PendingReview,
  PullRequest,
  Review,
  User,
} from '../entities.ts'
import { tryGit } from '../git.ts'
import { readBlob, readTree } from '../objects.ts'
import { makeInlineComment, makeReview } from '../reviews.ts'
import { announceChange, now } from '../state.ts'
import type { Host } from './host.ts'

/** A comment of a request. A positive `oldLine` wins over `newLine`; 0 is a comment on the file. */
export interface NewComment {
  readonly body: string
  readonly path: string
  readonly newLine: number
  readonly oldLine: number
}

/** The lines that a hunk of a comment has at most. */
const hunkLines = 4

/** Returns the review that its author goes on writing, and starts one where there is none. */
export function pendingOf(
  host: Host,
  pull: PullRequest,
  author: User,
  commitId: string,
): PendingReview {
  const known = pull.pendingReviews.find(({ review }) => review.author === author)
  if (known !== undefined) return known
  const review = makeReview(host.state, pull, { author, state: 'COMMENTED', body: '', commitId })
  const pending = { review, comments: [] }
  pull.pendingReviews.push(pending)
  return pending
}

/**
 * Makes a comment of a review. Lines that the diff doesn't contain are accepted, and so are paths
 * that don't exist. Null where the server fails: at an unknown commit, and in Gitea at a line
 * beyond the end of the file.
 */
export async function makeComment(
  host: Host,
  pull: PullRequest,
  review: Review,
  author: User,
  input: NewComment,
): Promise<InlineComment | null> {
  // A negative line counts as one of the old side, as observed at Gitea 1.26.3.
  const isOld = input.oldLine > 0 || input.newLine < 0
  const line = input.oldLine > 0 ? input.oldLine : Math.abs(input.newLine)
  const commitId = isOld || line === 0 ? pull.headSha : await blame(host, pull, review, input)
  if (commitId === null) return null
  const side = isOld ? ('LEFT' as const) : ('RIGHT' as const)
  const place = { path: input.path, side, line }
  const anchor: Anchor = {
    ...place,
    ...{ startSide: null, startLine: null, position: 0 },
    diffHunk: line === 0 ? '' : await cutHunk(host, pull, commitId, place),
  }
  const comment = makeInlineComment(host.state, review, input.body, anchor, pull.mergeBase)
  // Those at one line are shown as one thread, although no answer of the API says so.
  const first = [...pull.inlineComments].find(
    ({ inReplyTo, original }) =>
      inReplyTo === null &&
      original.path === place.path &&
      original.side === side &&
      original.line === line,
  )
  const time = now(host.state)
  return {
    ...comment,
    author,
    createdAt: time,
    updatedAt: time,
    originalCommitId: commitId,
    inReplyTo: first?.id ?? null,
  }
}

/** Returns the commit that wrote a line, or the head for a path that doesn't exist. */
async function blame(
  { profile }: Host,
  pull: PullRequest,
  { commitId }: Review,
  { newLine, path }: NewComment,
): Promise<string | null> {
  const { directory } = pull.repository
  const known = await tryGit(directory, ['cat-file', '-e', `${commitId}^{commit}`])
  if (known.code !== 0) return null
  const lines = `${newLine},${newLine}`
  const arguments_ = ['blame', '-l', '-s', '--root', '-L', lines, commitId, '--', path]
  const found = await tryGit(directory, arguments_)
  if (found.code === 0) return /^\^?([0-9a-f]{39,40})/.exec(found.stdout.toString('utf8'))![1]!
  const exists = await tryGit(directory, ['cat-file', '-e', `${commitId}:${path}`])
  return exists.code === 0 && profile.refusesLinesBeyondFile ? null : pull.headSha
}

type Place = Pick<Anchor, 'path' | 'side' | 'line'>

/** Returns the last lines of the hunk up to the line of a comment. */
async function cutHunk(
  host: Host,
  pull: PullRequest,
  commitId: string,
  { line, path, side }: Place,
): Promise<string> {
  const { files } = await compareCommits(pull.repository, pull.baseSha, pull.headSha)
  const file = files.find((one) => one.path === path)
  for (const hunk of readHunks(file?.patch ?? '')) {
    const end = hunk.lines.findIndex(
      (one) => (side === 'LEFT' ? one.oldLine : one.newLine) === line,
    )
    if (end < 0) continue
    const shown = hunk.lines.slice(Math.max(0, end + 1 - hunkLines), end + 1)
    const text = shown.map((one) => one.kind + one.text)
    if (end < hunkLines) return [hunk.header, ...text].join('\n')
    const count = (key: 'oldLine' | 'newLine') => {
      const numbers = shown.map((one) => one[key]).filter((number) => number !== null)
      return `${numbers[0] ?? line},${numbers.length}`
    }
    return [`@@ -${count('oldLine')} +${count('newLine')} @@`, ...text].join('\n')
  }
  return host.profile.makesContextHunks ? await showContext(pull, commitId, path, line) : ''
}

/** Gitea shows a line that no hunk contains with those before it. */
async function showContext(
  pull: PullRequest,
  commitId: string,
  path: string,
  line: number,
): Promise<string> {
  const [entry] = await readTree(pull.repository, commitId, false, path)
  if (entry?.type !== 'blob') return ''
  const lines = (await readBlob(pull.repository, entry.sha)).toString('utf8').split('\n')
  const start = Math.max(1, line - hunkLines)
  const shown = lines.slice(start - 1, line).map((text) => ` ${text}`)
  if (shown.length === 0) return ''
  const range = `${start},${shown.length}`
  return [`@@ -${range} +${range} @@`, ...shown, ''].join('\n')
}

/**
 * Submits a pending review. A verdict takes the former ones of its author back: their reviews are
 * dismissed without a delivery.
 */
export function submitReview(
  host: Host,
  pull: PullRequest,
  pending: PendingReview,
  input: { kind: Review['state']; body: string; commitId: string },
): Review {
  const { comments, review: draft } = pending
  const { state } = host
  const time = now(state)
  const review: Review = {
    ...draft,
    ...{ state: input.kind, body: input.body, commitId: input.commitId },
    ...{ headSha: pull.headSha, updatedAt: time },
  }
  if (input.kind !== 'COMMENTED') {
    for (const former of pull.reviews) {
      const decides = former.state === 'APPROVED' || former.state === 'CHANGES_REQUESTED'
      if (former.author !== review.author || !decides) continue
      former.formerState = former.state
      former.state = 'DISMISSED'
    }
  }
  pull.pendingReviews = pull.pendingReviews.filter((one) => one !== pending)
  pull.reviews.push(review)
  pull.inlineComments.push(...comments)
  pull.requestedReviewers = pull.requestedReviewers.filter((user) => user !== review.author)
  pull.updatedAt = time
  const event = { kind: 'review', action: 'submitted', pull, review, comments } as const
  state.dialect.deliver(state, pull.repository, event, review.author)
  announceChange(state)
  return review
}
