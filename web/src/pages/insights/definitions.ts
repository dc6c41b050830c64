// Definitions of the outcome figures. The page shows them, and docs/insights.md contains them.

export interface Definition {
  readonly name: string
  /** One sentence or two for each of: what is counted, from what, and what isn't. */
  readonly counted: string
  readonly source: string
  readonly excluded: string
}

export const definitions = {
  fixed: {
    name: 'Fixed before merge',
    counted:
      'The share of fixed findings among all findings of the pull requests that were merged in ' +
      'the period. A finding is fixed if a review before the merge no longer found it: its code ' +
      'is gone from the pull request, or its rule ran on the file again without reporting it.',
    source:
      'Each review stores which findings of earlier reviews it found again. The last completed ' +
      'review before the merge decides. Findings that were listed in the summary only count too.',
    excluded:
      'A finding whose code was edited and that was reported again for the new code, by the same ' +
      'rule (for models: in the same category) in the same file, counts once, as the new one. ' +
      'Findings that a model withdrew, or whose rule was disabled, are left out. Dismissed ' +
      'findings are not fixed, even if their code was removed later. Commits after the last ' +
      'review are not known. A rule that changed with an upgrade may count as fixed, and so may ' +
      'code that was moved to another file and edited at once.',
  },
  dismissed: {
    name: 'Dismissed findings',
    counted:
      'Dismissals that were made in the period, in open, merged and closed pull requests. A ' +
      'person with write access dismissed each one, with a reason or by resolving its thread.',
    source: 'The stored dismissals, with the time at which they were recorded.',
    excluded:
      'Dismissals that were withdrawn, and replies in threads. Dismissals in threads have no ' +
      'reason. Reasons are compared without regard to case.',
  },
  openCritical: {
    name: 'Merged with open critical findings',
    counted:
      'Pull requests that were merged in the period while their last completed review had a ' +
      'critical finding that was neither fixed nor dismissed.',
    source:
      'The findings of the last completed review, and the time of the merge at the code host.',
    excluded:
      'Pull requests without a completed review. A leaked secret counts until it is dismissed, ' +
      'even if its line was removed. If commits were pushed after the last review, the list says ' +
      'so, because they may contain a fix.',
  },
  firstReview: {
    name: 'Time to first review',
    counted:
      'The time from the arrival of the first delivery that requested a review to the end of the ' +
      'first review with a verdict, for pull requests whose first review ended in the period. It ' +
      'contains waiting and failed attempts. The first number is the median, and 90% are within ' +
      'the second.',
    source: 'The times of deliveries and reviews, by the clock of the database.',
    excluded:
      'Pull requests that are still waiting. Deliveries that ended in a skipped review, such as ' +
      'those of a draft, do not start the time.',
  },
} as const satisfies Readonly<Record<string, Definition>>
