// The outcome of a review that approves three files, read by rules only.
import { noUsage } from '../../src/domain/review.ts'
import type { ReviewOutcome } from '../../src/work/run-outcome.ts'

export const approvedReview: ReviewOutcome = {
  kind: 'reviewed',
  seen: { headSha: 'a'.repeat(40), baseBranch: 'main', draft: false, title: 'A change' },
  verdict: 'APPROVE',
  confidence: 4,
  summary: 'APPROVE\nConfidence: 4/5\n\nAll is well.',
  coverage: {
    filesTotal: 3,
    filesReviewed: 3,
    lines: { changed: 9, model: 0, rules: 9, text: 0, unread: 0 },
    skipped: [],
    notes: [],
    setAside: [],
    complete: true,
  },
  usage: noUsage,
  sources: null,
  impact: null,
  decision: {},
  timings: {},
  basis: {
    key: '',
    modelFailed: false,
    words: [],
    reviewers: [],
    models: [],
    durationMs: 1,
    memories: [],
  },
  publishedUrl: null,
  warnings: [],
  redoWhen: null,
  seenLines: null,
}
