// What systems beside the repository say about a change: its ticket, the errors its code raised, what was said about it.

/** What a source knows: work to be done, faults of running programs, conversations, or something else. */
export type ContextSourceKind = 'tickets' | 'errors' | 'discussion' | 'other'

/** One thing that a source answered. All of it is untrusted: anybody may have written it. */
export interface ContextRecord {
  /** Name of the source, as the operator's configuration has it. */
  readonly source: string
  readonly kind: ContextSourceKind
  /** By which it was asked for and is known, for example `SHOP-12`; null where it was searched for. */
  readonly key: string | null
  /** One line. */
  readonly title: string
  /** An address on the source's own hosts; null where it has none. */
  readonly url: string | null
  /** What it says, cut to its share of the budget. */
  readonly text: string
}

/** A source that has no say in a review though it is configured, and why, in words for people without any secret. */
export interface UnavailableSource {
  readonly source: string
  readonly reason: string
}

/** What was gathered from all of them. */
export interface LiveContext {
  readonly records: readonly ContextRecord[]
  readonly missing: readonly UnavailableSource[]
}

/** What is kept of a record with a review: not what it says. */
export type ContextRecordSummary = Omit<ContextRecord, 'text'>

/** What is kept of it all. */
export interface LiveContextSummary {
  readonly records: readonly ContextRecordSummary[]
  readonly missing: readonly UnavailableSource[]
}

/** Where no source is configured. */
export const emptyLiveContext: LiveContext = { records: [], missing: [] }
