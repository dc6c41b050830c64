// The events of webhooks: which a name stands for, and which of them a hook has.
import type { Hook } from '../entities.ts'
import type { Profile } from './profile.ts'

const plain = ['create', 'delete', 'push', 'fork', 'repository', 'release', 'wiki']
const ofIssues = ['issue_assign', 'issue_label', 'issue_milestone', 'issue_comment']
const ofPulls = [
  'pull_request_assign',
  'pull_request_label',
  'pull_request_milestone',
  'pull_request_comment',
  'pull_request_sync',
  'pull_request_review_request',
]

/**
 * Returns what a webhook has that was created with these names: `pull_request` and `issues` stand
 * for all kinds of them, `pull_request_only` for the plain one, and unknown names for nothing.
 */
export function expandEvents(profile: Profile, names: readonly string[]): readonly string[] {
  const wanted = names.length === 0 ? ['push'] : names
  const [issues, pulls] = [wanted.includes('issues'), wanted.includes('pull_request')]
  const reviews = pulls || wanted.includes('pull_request_review')
  return [
    ...[...plain, ...(profile.name === 'gitea' ? ['status'] : [])].filter((name) =>
      wanted.includes(name),
    ),
    ...(issues || wanted.includes('issues_only') ? ['issues'] : []),
    ...ofIssues.filter((name) => issues || wanted.includes(name)),
    ...(pulls || wanted.includes('pull_request_only') ? ['pull_request'] : []),
    ...ofPulls.filter((name) => pulls || wanted.includes(name)),
    ...profile.reviewEvents.filter((name) => reviews || isCommented(name, wanted)),
  ]
}

/** `pull_request_comment` brings the comments of reviews too, where those are an event. */
const isCommented = (name: string, wanted: readonly string[]) =>
  name === 'pull_request_review_comment' && wanted.includes('pull_request_comment')

/** Whether a webhook gets an event of that type. */
export function listens(hook: Hook, type: string): boolean {
  const isReview = /^pull_request_review_(approved|rejected|comment)$/.test(type)
  const names = isReview ? [type, 'pull_request_review'] : [type]
  return hook.active && names.some((name) => hook.events.includes(name))
}
