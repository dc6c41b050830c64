// GitLab's webhook deliveries: what happened as payloads, who receives them, and their headers.
import { createHmac, randomUUID } from 'node:crypto'
import type { ForgeEvent, FormerValues, RefChange } from '../dialect.ts'
import type {
  Hook,
  InlineComment,
  Issue,
  IssueComment,
  PullRequest,
  Repository,
  User,
} from '../entities.ts'
import { threadsOf } from '../reviews.ts'
import { startDelivery } from '../send-deliveries.ts'
import { type ForgeState, nextId, now } from '../state.ts'
import { addSystemNote, memoryOf } from './memory.ts'
import { shapeHookIssue, shapeHookLabel, shapeHookNote, shapeHookPull } from './shape-hooks.ts'
import {
  type Shape,
  shapeHookProject,
  shapeHookRepository,
  shapeHookUser,
} from './shape-projects.ts'
import { shapeHookPush } from './shape-push.ts'

/** The kinds of deliveries: the flag of a hook that asks for it, and the name in a header. */
const kinds = {
  merge_request: { flag: 'merge_requests_events', header: 'Merge Request Hook' },
  note: { flag: 'note_events', header: 'Note Hook' },
  issue: { flag: 'issues_events', header: 'Issue Hook' },
  push: { flag: 'push_events', header: 'Push Hook' },
} as const

type Kind = keyof typeof kinds

/** GitHub's names of events, by which tests add webhooks, as flags of GitLab's. */
const flagsByEvent: Readonly<Record<string, string>> = {
  pull_request: 'merge_requests_events',
  pull_request_review: 'merge_requests_events',
  pull_request_review_comment: 'note_events',
  pull_request_review_thread: 'merge_requests_events',
  issue_comment: 'note_events',
  issues: 'issues_events',
  push: 'push_events',
}

export const expandEvents = (events: readonly string[]): string[] => [
  ...new Set(events.map((event) => flagsByEvent[event] ?? event)),
]

const listens = (hook: Hook, kind: Kind) =>
  hook.active && (hook.events.includes(kinds[kind].flag) || hook.events.includes('*'))

/** Sends a payload to all hooks that want its kind. It isn't made where there are none. */
function send(
  state: ForgeState,
  repository: Repository,
  kind: Kind,
  sender: User,
  make: () => Shape,
): void {
  const hooks = repository.hooks.filter((hook) => listens(hook, kind))
  if (hooks.length === 0) return
  const payload = {
    object_kind: kind,
    ...(kind === 'push' ? {} : { event_type: kind, user: shapeHookUser(state, sender) }),
    project: shapeHookProject(state, repository),
    ...make(),
    repository: shapeHookRepository(state, repository),
  }
  for (const hook of hooks) sendToHook(state, repository, hook, kinds[kind].header, payload)
}

function sendToHook(
  state: ForgeState,
  repository: Repository,
  hook: Hook,
  event: string,
  payload: Shape,
): void {
  const body = JSON.stringify(payload)
  const guid = randomUUID()
  const makeHeaders = () => headersFor(state, hook, event, guid, body)
  const attributes = payload.object_attributes as Shape | undefined
  startDelivery(state, {
    ...{ guid, hook, event, payload, repository, body, installationId: null },
    action: typeof attributes?.action === 'string' ? attributes.action : null,
    headers: makeHeaders(),
    renewHeaders: makeHeaders,
  })
}

/**
 * The headers of one attempt. Only `Idempotency-Key` is the same when a delivery is sent again; a
 * signature is by Standard Webhooks over it, the time and the body (gitlab-org/gitlab!230944).
 */
function headersFor(
  state: ForgeState,
  hook: Hook,
  event: string,
  key: string,
  body: string,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'GitLab/18.6.0',
    'Idempotency-Key': key,
    'X-Gitlab-Event': event,
    'X-Gitlab-Webhook-UUID': randomUUID(),
    'X-Gitlab-Instance': state.url,
    ...(hook.secret === '' ? {} : { 'X-Gitlab-Token': hook.secret }),
    'X-Gitlab-Event-UUID': randomUUID(),
    ...signatureHeaders(state, hook, key, body),
  }
}

function signatureHeaders(
  state: ForgeState,
  hook: Hook,
  key: string,
  body: string,
): Record<string, string> {
  const token = memoryOf(state).hooks.get(hook.id)?.signingToken ?? null
  if (token === null) return {}
  const seconds = String(Math.floor(state.clock().getTime() / 1000))
  const secret = Buffer.from(token.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', secret).update(`${key}.${seconds}.${body}`)
  return {
    'webhook-id': key,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature.digest('base64')}`,
  }
}

/** Sends a push, of the branch's newest commits (app/services/git/base_hooks_service.rb). */
export async function deliverPush(
  state: ForgeState,
  repository: Repository,
  change: RefChange,
  sender: User,
): Promise<void> {
  if (!repository.hooks.some((hook) => listens(hook, 'push'))) return
  const content = await shapeHookPush(state, repository, change, sender)
  send(state, repository, 'push', sender, () => content)
}

/**
 * Remembers what GitLab keeps of an event, and sends it to who wants it. A project's hooks get no
 * delivery of its new name: only those of the whole server do.
 */
export function deliverEvent(
  state: ForgeState,
  _repository: Repository,
  event: ForgeEvent,
  sender: User,
): void {
  if (event.kind === 'pull_request') deliverPullEvent(state, event, sender)
  else if (event.kind === 'issue') deliverIssue(state, event, sender)
  else if (event.kind === 'review') deliverReview(state, event, sender)
  else if (event.kind === 'thread') deliverThread(state, event, sender)
  else if (event.kind === 'reply') deliverNote(state, event.pull, event.comment, 'create', sender)
  else if (event.kind !== 'rename') deliverComment(state, event, sender)
}

type EventOf<Name extends ForgeEvent['kind']> = Extract<ForgeEvent, { readonly kind: Name }>
type Changes = Readonly<Record<string, { readonly previous: unknown; readonly current: unknown }>>

/** Sends `Merge Request Hook`, with the merge request as it is now. */
function sendPull(
  state: ForgeState,
  pull: PullRequest,
  sender: User,
  action: string,
  more: { readonly oldrev?: string; readonly changes?: Changes } = {},
): void {
  send(state, pull.repository, 'merge_request', sender, () => {
    const { oldrev, changes = {} } = more
    return {
      object_attributes: {
        ...shapeHookPull(state, pull),
        action,
        ...(oldrev === undefined ? {} : { oldrev }),
      },
      labels: pull.labels.map((label) => shapeHookLabel(state, pull.repository, label)),
      changes,
      ...(pull.requestedReviewers.length === 0
        ? {}
        : { reviewers: pull.requestedReviewers.map((user) => shapeReviewer(state, user)) }),
    }
  })
}

const shapeReviewer = (state: ForgeState, user: User) => ({
  ...shapeHookUser(state, user),
  state: 'unreviewed',
  re_requested: false,
})

/** Actions of a pull request that GitLab has a word of its own for; all others are an update. */
const pullActions: Readonly<Record<string, string>> = { opened: 'open', reopened: 'reopen' }

function deliverPullEvent(state: ForgeState, event: EventOf<'pull_request'>, by: User): void {
  const { action, pull } = event
  if (action === 'opened' || action === 'synchronize' || event.former?.base !== undefined)
    addVersion(state, pull)
  if (action === 'closed') memoryOf(state).closedBy.set(pull, by)
  noteChange(state, event, by)
  const ended = pull.mergedAt === null ? 'close' : 'merge'
  const name = action === 'closed' ? ended : (pullActions[action] ?? 'update')
  sendPull(state, pull, by, name, {
    ...(event.moved === undefined ? {} : { oldrev: event.moved.before }),
    changes: changesOf(state, event),
  })
}

function addVersion(state: ForgeState, pull: PullRequest): void {
  const { versions } = memoryOf(state)
  const { baseSha: startSha, headSha, mergeBase: baseSha } = pull
  const version = { id: nextId(state), createdAt: now(state), baseSha, startSha, headSha }
  versions.set(pull, [...(versions.get(pull) ?? []), version])
}

/** Writes the system note of a change (app/services/system_note_service.rb). */
function noteChange(state: ForgeState, event: EventOf<'pull_request'>, by: User): void {
  const { former = {}, pull } = event
  const text = describeChange(event)
  if (text !== null) addSystemNote(state, pull, by, text)
  const drafts = state.dialect.draftTitles
  if (former.title === undefined || drafts === null) return
  const wasDraft = drafts.isDraft(former.title)
  if (wasDraft === pull.draft)
    addSystemNote(state, pull, by, `changed title from **${former.title}** to **${pull.title}**`)
  else
    addSystemNote(
      state,
      pull,
      by,
      `marked this merge request as **${pull.draft ? 'draft' : 'ready'}**`,
    )
}

/** The texts of actions that have one of their own. */
const actionTexts: Readonly<Record<string, (event: EventOf<'pull_request'>) => string>> = {
  closed: ({ pull }) => (pull.mergedAt === null ? 'closed' : 'merged'),
  reopened: () => 'reopened',
  review_requested: ({ reviewer }) => `requested review from @${reviewer?.login}`,
  review_request_removed: ({ reviewer }) => `removed review request for @${reviewer?.login}`,
}

function describeChange(event: EventOf<'pull_request'>): string | null {
  const { action, former, moved, pull } = event
  if (moved !== undefined) return `added 1 commit\n\n* ${moved.after.slice(0, 8)}`
  if (former?.body !== undefined) return 'changed the description'
  if (former?.base !== undefined)
    return `changed target branch from \`${former.base.ref}\` to \`${pull.baseRef}\``
  return actionTexts[action]?.(event) ?? null
}

function changesOf(state: ForgeState, event: EventOf<'pull_request'>): Changes {
  const { action, former, label, pull, reviewer } = event
  const labels = (list: PullRequest['labels']) =>
    list.map((one) => shapeHookLabel(state, pull.repository, one))
  const people = (list: readonly User[]) => list.map((user) => shapeReviewer(state, user))
  if (label !== undefined) {
    const others = pull.labels.filter((one) => one !== label)
    const previous = action === 'labeled' ? others : [...others, label]
    return { labels: { previous: labels(previous), current: labels(pull.labels) } }
  }
  if (reviewer !== undefined) {
    const others = pull.requestedReviewers.filter((one) => one !== reviewer)
    const previous = action === 'review_requested' ? others : [...others, reviewer]
    return { reviewers: { previous: people(previous), current: people(pull.requestedReviewers) } }
  }
  return former === undefined ? {} : editedFields(state, pull, former)
}

function editedFields(state: ForgeState, pull: PullRequest, former: FormerValues): Changes {
  const { base, body, title } = former
  const wasDraft = title === undefined ? pull.draft : state.dialect.draftTitles?.isDraft(title)
  return {
    ...(title === undefined ? {} : { title: { previous: title, current: pull.title } }),
    ...(wasDraft === pull.draft ? {} : { draft: { previous: wasDraft, current: pull.draft } }),
    ...(body === undefined ? {} : { description: { previous: body, current: pull.body } }),
    ...(base === undefined ? {} : { target_branch: { previous: base.ref, current: pull.baseRef } }),
  }
}

const issueActions: Readonly<Record<string, string>> = {
  opened: 'open',
  closed: 'close',
  reopened: 'reopen',
}

function deliverIssue(state: ForgeState, event: EventOf<'issue'>, by: User): void {
  const { action, issue, label } = event
  send(state, issue.repository, 'issue', by, () => {
    const labels = (list: Issue['labels']) =>
      list.map((one) => shapeHookLabel(state, issue.repository, one))
    const others = issue.labels.filter((one) => one !== label)
    const previous = action === 'labeled' || label === undefined ? others : [...others, label]
    return {
      object_attributes: {
        ...shapeHookIssue(state, issue),
        action: issueActions[action] ?? 'update',
      },
      labels: labels(issue.labels),
      changes:
        label === undefined
          ? {}
          : { labels: { previous: labels(previous), current: labels(issue.labels) } },
    }
  })
}

/** The removal of a note has no delivery: the server sends only `create` and `update`. */
function deliverComment(
  state: ForgeState,
  event: EventOf<'comment'> | EventOf<'inline_comment'>,
  by: User,
): void {
  if (event.action === 'deleted') return
  const issue = event.kind === 'comment' ? event.issue : event.pull
  deliverNote(state, issue, event.comment, event.action === 'created' ? 'create' : 'update', by)
}

/** Sends `Note Hook`. */
export function deliverNote(
  state: ForgeState,
  issue: Issue,
  comment: IssueComment | InlineComment,
  action: 'create' | 'update',
  by: User,
): void {
  const pull = issue.repository.pulls.get(issue.number)
  send(state, issue.repository, 'note', by, () => ({
    project_id: issue.repository.id,
    object_attributes: { ...shapeHookNote(state, issue, comment), action },
    ...(pull === undefined
      ? { issue: shapeHookIssue(state, issue) }
      : { merge_request: shapeHookPull(state, pull) }),
  }))
}

/** Approvals are deliveries of the merge request, and the text of a review is a note. */
function deliverReview(state: ForgeState, event: EventOf<'review'>, by: User): void {
  const { action, pull, review } = event
  if (action === 'dismissed') {
    if (review.formerState !== 'APPROVED') return
    addSystemNote(state, pull, by, 'unapproved this merge request')
    sendPull(state, pull, by, 'unapproved')
    return
  }
  if (review.body !== '') {
    const { author, body, id, submittedAt } = review
    const text = { author, body, edits: 0, editor: null, reactions: [] }
    const comment = { id, ...text, createdAt: submittedAt, updatedAt: submittedAt }
    pull.comments.push(comment)
    deliverNote(state, pull, comment, 'create', by)
  }
  if (review.state === 'CHANGES_REQUESTED') {
    addSystemNote(state, pull, by, 'requested changes')
    sendPull(state, pull, by, 'update')
  }
  if (review.state !== 'APPROVED') return
  addSystemNote(state, pull, by, 'approved this merge request')
  sendPull(state, pull, by, 'approved')
}

/** Only the last thread that is resolved has a delivery, an update without changes. */
function deliverThread(state: ForgeState, event: EventOf<'thread'>, by: User): void {
  const { action, opening, pull } = event
  memoryOf(state).resolvedAt.set(opening.id, now(state))
  const isLast = threadsOf(pull).every(({ resolvedBy }) => resolvedBy !== null)
  if (action !== 'resolved' || !isLast) return
  addSystemNote(state, pull, by, 'resolved all threads')
  sendPull(state, pull, by, 'update')
}
