// Names of events for people.

const names: Readonly<Record<string, string>> = {
  'pull_request.opened': 'Opened',
  'pull_request.reopened': 'Reopened',
  'pull_request.ready_for_review': 'Ready for review',
  'pull_request.synchronize': 'Push',
  'pull_request.closed': 'Closed or merged',
  'issue_comment.created': 'Comment',
  'pull_request_review_comment.created': 'Comment on a line',
  ping: 'Test of the webhook',
  // Umpire stores these itself, so no webhook delivered them.
  'pull_request.retry': 'Review requested',
  'pull_request.full_review': 'Full review requested',
  'pull_request.redo': 'Review repeated by Umpire',
  'pull_request.tool_results': 'Results of other tools',
  'pull_request.dismissal': 'Finding dismissed or reopened',
}

/** Other types stay as they are, as in the settings of a webhook. */
export function nameEvent(eventType: string): string {
  return names[eventType] ?? eventType
}
