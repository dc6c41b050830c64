// Webhook deliveries of Gitea and Forgejo: names, payloads, headers and signatures.
import { createHmac, randomUUID } from 'node:crypto'
import type { ForgeEvent, RefChange } from '../dialect.ts'
import type { Hook, PullRequest, Repository, Review, User } from '../entities.ts'
import { commitsBetween } from '../objects.ts'
import { startDelivery } from '../send-deliveries.ts'
import { listens } from './hook-events.ts'
import { type Host, permissionOf } from './host.ts'
import { repositoryWebUrl, type Shape, shapeRepository, shapeUser } from './shape-accounts.ts'
import { shapePushed } from './shape-commits.ts'
import { shapeComment, shapeIssue, shapePull } from './shape-pulls.ts'

/** What a delivery is: its type, which a webhook subscribes to, and the name of the event. */
interface Described {
  readonly type: string
  readonly event: string
  readonly payload: Shape
}

/** Sends an event to the webhooks that have its type. Some things are delivered to nobody. */
export function deliverEvent(
  host: Host,
  repository: Repository,
  event: ForgeEvent,
  sender: User,
): void {
  if (repository.hooks.length === 0) return
  const described = describeEvent(host, event)
  const by = event.kind === 'review' ? event.review.author : sender
  if (described !== null) send(host, repository, described, by)
}

/** Sends a push, and before it the creation of a branch, or its deletion instead. */
export async function deliverPush(
  host: Host,
  repository: Repository,
  { after, before, branch }: RefChange,
  sender: User,
): Promise<void> {
  const hears = (type: string) => repository.hooks.some((hook) => listens(hook, type))
  // Gitea names the branch, and Forgejo its whole reference.
  const ref = host.profile.name === 'gitea' ? branch : `refs/heads/${branch}`
  if (before === null && hears('create')) {
    const payload = { sha: after, ref, ref_type: 'branch' }
    send(host, repository, { type: 'create', event: 'create', payload }, sender)
  }
  if (after === null) {
    const payload = { ref, ref_type: 'branch', pusher_type: 'user' }
    if (hears('delete'))
      send(host, repository, { type: 'delete', event: 'delete', payload }, sender)
    return
  }
  if (!hears('push')) return
  const shas = before === null ? [after] : await commitsBetween(repository, before, after)
  const commits = await Promise.all(shas.reverse().map((sha) => shapePushed(host, repository, sha)))
  const none = '0'.repeat(40)
  const payload = {
    ref: `refs/heads/${branch}`,
    before: before ?? none,
    after,
    compare_url: `${repositoryWebUrl(host, repository)}/compare/${before ?? none}...${after}`,
    commits,
    total_commits: commits.length,
    head_commit: commits[0] ?? null,
    pusher: shapeUser(host, sender),
  }
  send(host, repository, { type: 'push', event: 'push', payload }, sender)
}

function describeEvent(host: Host, event: ForgeEvent): Described | null {
  switch (event.kind) {
    case 'pull_request':
      return describePull(host, event)
    case 'issue':
      return {
        type: event.action === 'opened' ? 'issues' : 'issue_label',
        event: 'issues',
        payload: {
          action: event.action === 'opened' ? 'opened' : 'label_updated',
          number: event.issue.number,
          issue: shapeIssue(host, event.issue),
          commit_id: '',
        },
      }
    case 'comment':
    case 'inline_comment':
      return describeComment(host, event)
    case 'reply':
      return describeComment(host, { ...event, kind: 'inline_comment', action: 'created' })
    case 'review':
      return describeReview(host, event.pull, event.review)
    // Resolved threads and new names aren't delivered, as observed at both.
    case 'thread':
    case 'rename':
      return null
  }
}

type Kind<Name extends ForgeEvent['kind']> = Extract<ForgeEvent, { readonly kind: Name }>

/** The types and actions of those that aren't GitHub's. */
const pullTypes: Readonly<Record<string, readonly [type: string, action: string]>> = {
  synchronize: ['pull_request_sync', 'synchronized'],
  labeled: ['pull_request_label', 'label_updated'],
  unlabeled: ['pull_request_label', 'label_updated'],
  review_requested: ['pull_request_review_request', 'review_requested'],
  review_request_removed: ['pull_request_review_request', 'review_request_removed'],
}

function describePull(host: Host, event: Kind<'pull_request'>): Described {
  const { action: done, former, pull, reviewer } = event
  const [type, action] = pullTypes[done] ?? ['pull_request', done]
  const changes = {
    ...(former?.title === undefined ? {} : { title: { from: former.title } }),
    ...(former?.body === undefined ? {} : { body: { from: former.body ?? '' } }),
    // The documentation calls it the former branch; both send the new one.
    ...(former?.base === undefined ? {} : { ref: { from: pull.baseRef } }),
    ...host.profile.changes,
  }
  const shape = shapePull(host, pull)
  return {
    type,
    event: 'pull_request',
    payload: {
      action,
      number: pull.number,
      ...(done === 'edited' ? { changes } : {}),
      // Whether it can be merged isn't known yet when the push is delivered.
      pull_request: done === 'synchronize' ? { ...shape, mergeable: false } : shape,
      requested_reviewer: reviewer === undefined ? null : shapeUser(host, reviewer),
      ...{ commit_id: '', review: null },
    },
  }
}

type Commented =
  | Kind<'comment'>
  | (Omit<Kind<'inline_comment'>, 'action'> & { action: 'created' | 'edited' | 'deleted' })

/** Comments of reviews that people write or change on their own look like those of conversations. */
function describeComment(host: Host, event: Commented): Described {
  const { action, comment, formerBody } = event
  const issue = event.kind === 'comment' ? event.issue : event.pull
  const pull = issue.repository.pulls.get(issue.number)
  const changes = { body: { from: formerBody }, ...host.profile.changes }
  return {
    type: pull === undefined ? 'issue_comment' : 'pull_request_comment',
    event: 'issue_comment',
    payload: {
      action,
      issue: shapeIssue(host, issue),
      ...(pull === undefined ? {} : { pull_request: shapePull(host, pull) }),
      comment: shapeComment(host, issue, comment),
      ...(formerBody === undefined ? {} : { changes }),
      is_pull: pull !== undefined,
    },
  }
}

const reviewTypes: Readonly<Record<Review['state'], readonly [type: string, event: string]>> = {
  COMMENTED: ['pull_request_review_comment', 'pull_request_comment'],
  APPROVED: ['pull_request_review_approved', 'pull_request_approved'],
  CHANGES_REQUESTED: ['pull_request_review_rejected', 'pull_request_rejected'],
  DISMISSED: ['pull_request_review_comment', 'pull_request_comment'],
}

/**
 * One for the whole review: it has the summary, but neither its id nor its comments. A dismissal
 * sends the same once more, in the name of the reviewer.
 */
function describeReview(host: Host, pull: PullRequest, review: Review): Described {
  const [type, event] = reviewTypes[review.formerState ?? review.state]
  return {
    type,
    event,
    payload: {
      action: 'reviewed',
      number: pull.number,
      pull_request: shapePull(host, pull),
      requested_reviewer: shapeUser(host, review.author),
      commit_id: '',
      review: { type, content: review.body },
    },
  }
}

function send(host: Host, repository: Repository, described: Described, sender: User): void {
  const { event, type } = described
  const payload = {
    ...described.payload,
    repository: shapeRepository(host, repository, permissionOf(sender, repository)),
    sender: shapeUser(host, sender),
  }
  for (const hook of repository.hooks) {
    if (!listens(hook, type)) continue
    const guid = randomUUID()
    const text = JSON.stringify(payload, null, 2)
    const isJson = hook.contentType === 'json'
    startDelivery(host.state, {
      ...{ guid, hook, event, payload, repository, installationId: null },
      body: isJson ? text : new URLSearchParams({ payload: text }).toString(),
      headers: headersFor(host, hook, { event, type, guid, text }),
    })
  }
}

/** The signature is over the JSON, in a form too, where it isn't over the body as it is sent. */
function headersFor(
  { profile }: Host,
  hook: Hook,
  { event, guid, text, type }: { event: string; type: string; guid: string; text: string },
): Record<string, string> {
  const sign = (algorithm: string) => createHmac(algorithm, hook.secret).update(text).digest('hex')
  // Without a secret the headers are there too.
  const [sha1, sha256] = hook.secret === '' ? ['', ''] : [sign('sha1'), sign('sha256')]
  const named = (family: string) => ({
    [`X-${family}-Delivery`]: guid,
    [`X-${family}-Event`]: event,
    [`X-${family}-Event-Type`]: type,
  })
  const families = profile.signedFamilies.map((family) => ({
    ...named(family),
    [`X-${family}-Signature`]: sha256,
  }))
  const target = { 'X-GitHub-Hook-Installation-Target-Type': 'repository' }
  return {
    'User-Agent': 'Go-http-client/1.1',
    'Content-Type':
      hook.contentType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    ...Object.assign({}, ...families),
    ...named('GitHub'),
    ...(profile.namesHookTarget
      ? { ...target, 'X-Gitea-Hook-Installation-Target-Type': 'repository' }
      : {}),
    'X-Hub-Signature': `sha1=${sha1}`,
    'X-Hub-Signature-256': `sha256=${sha256}`,
  }
}
