// Names where a finding is, in what is posted.
import type { Finding } from '../../domain/finding.ts'

/** Marks a secret whose code is gone, because a pushed secret is known to others. */
export const removedRemark = 'removed from the code; revoke it'

/** Removed code has no line at the head. */
export function formatLocation({ path, startLine, removed }: Finding): string {
  return removed ? path : `${path}:${startLine}`
}
