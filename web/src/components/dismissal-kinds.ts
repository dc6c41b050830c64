// Names the kinds of dismissals, in words that code hosts use for their own alerts.
import type { ReviewDetail } from '../api/shared-queries.ts'

type Dismissal = NonNullable<ReviewDetail['findings'][number]['dismissal']>

export const dismissalKinds: Readonly<Record<NonNullable<Dismissal['kind']>, string>> = {
  false_positive: 'False positive',
  accepted: "Won't fix",
  handled: 'Handled elsewhere',
}
