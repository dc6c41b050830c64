// Describes records of context sources about a change: tickets, errors, discussions.

import type { ContextSourceKind } from '../contract/enums.ts'

export type { ContextSourceKind } from '../contract/enums.ts'

/** All of it is untrusted, because anyone may have written it. */
export interface ContextRecord {
  /** Names the source as the operator configured it. */
  readonly source: string
  readonly kind: ContextSourceKind
  /** The key that was requested, for example `SHOP-12`; null if the record was searched for. */
  readonly key: string | null
  /** Has no line breaks. */
  readonly title: string
  /** Points to one of the source's own hosts. */
  readonly url: string | null
  /** Cut to its share of the budget. */
  readonly text: string
}

/** A configured source that gave no records. The reason is for people and has no secrets. */
export interface UnavailableSource {
  readonly source: string
  readonly reason: string
}

export interface LiveContext {
  readonly records: readonly ContextRecord[]
  readonly missing: readonly UnavailableSource[]
}

/** The part of a record that is stored with a review. */
export type ContextRecordSummary = Omit<ContextRecord, 'text'>

export interface LiveContextSummary {
  readonly records: readonly ContextRecordSummary[]
  readonly missing: readonly UnavailableSource[]
}

export const emptyLiveContext: LiveContext = { records: [], missing: [] }
