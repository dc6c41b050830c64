// The names and contents that GitHub's deliveries have for what happened.
import type { ForgeEvent, FormerValues } from '../dialect.ts'
import type { InlineComment, PullRequest } from '../entities.ts'
import { commentsOfThread } from '../reviews.ts'
import { shapeUser } from '../shape-accounts.ts'
import {
  shapeInlineComment,
  shapeIssue,
  shapeIssueComment,
  shapeLabel,
  shapePull,
  shapeReview,
  threadId,
} from '../shapes.ts'
import type { ForgeState } from '../state.ts'

type Content = Readonly<Record<string, unknown>>
type Named = readonly [event: string, content: Content]
type Kind<Name extends ForgeEvent['kind']> = Extract<ForgeEvent, { readonly kind: Name }>

/** Returns the deliveries of an event in order: a review has one more for each comment. */
export function describeEvent(state: ForgeState, event: ForgeEvent): readonly Named[] {
  switch (event.kind) {
    case 'pull_request':
      return [['pull_request', describePull(state, event)]]
    case 'issue':
      return [['issues', describeIssue(state, event)]]
    case 'comment':
      return [['issue_comment', describeComment(state, event)]]
    case 'inline_comment':
      return [describeInline(state, event.pull, event.comment, event.action, event.formerBody)]
    case 'review':
    case 'reply':
      return describeReview(state, event)
    case 'thread':
      return [['pull_request_review_thread', describeThread(state, event)]]
    case 'rename':
      return [
        [
          'repository',
          { action: 'renamed', changes: { repository: { name: { from: event.formerName } } } },
        ],
      ]
  }
}

const describeFormer = ({ title, body, base }: FormerValues): Content => ({
  ...(title === undefined ? {} : { title: { from: title } }),
  ...(body === undefined ? {} : { body: { from: body } }),
  ...(base === undefined ? {} : { base: { ref: { from: base.ref }, sha: { from: base.sha } } }),
})

const describeFormerBody = (body: string | undefined): Content =>
  body === undefined ? {} : { changes: { body: { from: body } } }

function describePull(state: ForgeState, event: Kind<'pull_request'>): Content {
  const { action, former, label, moved, pull, reviewer } = event
  return {
    action,
    number: pull.number,
    pull_request: shapePull(state, pull, true),
    ...(former === undefined ? {} : { changes: describeFormer(former) }),
    ...moved,
    ...(label === undefined ? {} : { label: shapeLabel(state, pull.repository, label) }),
    ...(reviewer === undefined ? {} : { requested_reviewer: shapeUser(state, reviewer) }),
  }
}

function describeIssue(state: ForgeState, { action, issue, label }: Kind<'issue'>): Content {
  const more = label === undefined ? {} : { label: shapeLabel(state, issue.repository, label) }
  return { action, issue: shapeIssue(state, issue), ...more }
}

function describeComment(
  state: ForgeState,
  { action, comment, formerBody, issue }: Kind<'comment'>,
): Content {
  return {
    action,
    ...describeFormerBody(formerBody),
    issue: shapeIssue(state, issue),
    comment: shapeIssueComment(state, issue, comment),
  }
}

function describeInline(
  state: ForgeState,
  pull: PullRequest,
  comment: InlineComment,
  action: string,
  formerBody?: string,
): Named {
  const content = {
    action,
    ...describeFormerBody(formerBody),
    comment: shapeInlineComment(state, pull, comment),
    pull_request: shapePull(state, pull, false),
  }
  return ['pull_request_review_comment', content]
}

function describeReview(state: ForgeState, event: Kind<'review'> | Kind<'reply'>): Named[] {
  const { pull, review } = event
  const [action, comments] =
    event.kind === 'reply' ? ['submitted', [event.comment]] : [event.action, event.comments]
  const content = {
    action,
    review: { ...shapeReview(state, pull, review), state: review.state.toLowerCase() },
    pull_request: shapePull(state, pull, false),
  }
  const created = comments.map((comment) => describeInline(state, pull, comment, 'created'))
  return [['pull_request_review', content], ...created]
}

function describeThread(state: ForgeState, { action, opening, pull }: Kind<'thread'>): Content {
  const comments = commentsOfThread(pull, opening)
  return {
    action,
    pull_request: shapePull(state, pull, false),
    thread: {
      node_id: threadId(opening),
      comments: comments.map((one) => shapeInlineComment(state, pull, one)),
    },
  }
}
