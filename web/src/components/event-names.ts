// Names of events for people.

/** Umpire stores these itself, so no webhook delivered them. */
const ownEvents: Readonly<Record<string, string>> = {
  'pull_request.retry': 'Review requested',
  'pull_request.full_review': 'Full review requested',
  'pull_request.redo': 'Review repeated by Umpire',
  'pull_request.tool_results': 'Results of other tools',
  'pull_request.dismissal': 'Finding dismissed or reopened',
}

/** Types of webhook events stay as they are, because the settings of a webhook have the same. */
export function nameEvent(eventType: string): string {
  return ownEvents[eventType] ?? eventType
}
