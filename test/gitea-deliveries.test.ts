// What deliveries of Gitea and Forgejo request, in the form in which real servers sent them.
import { expect, it } from 'vitest'
import { readUnverifiedDelivery } from '../src/platforms/delivery.ts'
import { hookReader } from '../src/platforms/gitea/read-deliveries.ts'

const sender = { id: 2, login: 'alice' }
const pull = {
  ...{ number: 3, title: 'Review A', state: 'open', draft: false },
  head: { ref: 'topic', sha: 'a'.repeat(40) },
  base: { ref: 'main', sha: 'b'.repeat(40) },
}

function read(event: string, type: string, payload: object) {
  const body = Buffer.from(
    JSON.stringify({ repository: { full_name: 'alice/demo' }, sender, ...payload }),
  )
  const headers = {
    ...{ 'content-type': 'application/json' },
    ...{ 'x-github-event': event, 'x-gitea-event': event, 'x-gitea-event-type': type },
  }
  const delivery = readUnverifiedDelivery(headers, body).parse()
  return {
    startsReview: hookReader.startsReview(delivery),
    request: hookReader.readRequest(delivery),
  }
}

const readChange = (action: string, rest: object = {}, type = 'pull_request') =>
  read('pull_request', type, { action, number: 3, pull_request: pull, ...rest })

it.each([
  ['reopened', {}, true],
  ['edited', { changes: { title: { from: 'WIP: Review A' }, added_labels: null } }, true],
  ['edited', { changes: { ref: { from: 'other' }, added_labels: null } }, true],
  ['edited', { changes: { body: { from: 'before' }, added_labels: null } }, false],
  ['closed', {}, false],
  // Every webhook brings these, and they start reviews without it.
  ['opened', {}, false],
  ['synchronized', {}, false],
  ['label_updated', {}, false],
] as const)('%s with %j may need a review: %s', (action, rest, expected) => {
  expect(readChange(action, rest)).toEqual({ startsReview: expected, request: null })
})

it('reads a request for a reviewer', () => {
  const rest = { requested_reviewer: { id: 4, login: 'reviewer' } }
  expect(readChange('review_requested', rest, 'pull_request_review_request').request).toEqual({
    ...{ kind: 'reviewer_requested', subject: 'reviewer', number: 3, headSha: pull.head.sha },
    sender: { id: '2', login: 'alice' },
  })
})

it('leaves comments to the list, because a reply on a line looks like any other', () => {
  const comment = { id: 224, body: 'umpire review' }
  const payload = { action: 'created', issue: { number: 17 }, comment, is_pull: true }
  expect(read('issue_comment', 'pull_request_comment', payload).request).toBe('nothing')
})

it.each([
  ['pull_request_approved', 'pull_request_review_approved'],
  ['pull_request_rejected', 'pull_request_review_rejected'],
  ['pull_request_comment', 'pull_request_review_comment'],
])('ignores reviews of people, which are %s', (event, type) => {
  const payload = { action: 'reviewed', number: 3, pull_request: pull, review: { content: 'No' } }
  expect(read(event, type, payload)).toEqual({ startsReview: false, request: 'nothing' })
})
