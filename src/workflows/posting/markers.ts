// The hidden texts by which our own writing on a pull request is found again.
import type { Finding } from '../../domain/finding.ts'

/** By this our summary is found, whatever its version, head and run. */
export const summaryMarker = '<!-- umpire:review '

/** What a summary opens with. */
export function headMarker(headSha: string, runId: number): string {
  return `${summaryMarker}v=1 head=${headSha} run=${runId} -->`
}

/** What a finding's inline comment ends with; another one when it came back, as its thread is resolved. */
export function findingMarker({
  fingerprint,
  reopened,
}: Pick<Finding, 'fingerprint' | 'reopened'>): string {
  return `<!-- umpire:finding ${fingerprint}${reopened > 0 ? ` reopened=${reopened}` : ''} -->`
}
