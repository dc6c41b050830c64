// The impact of a change as it is stored with a review and shown to people.
import type { ChangedSymbol } from './change-graph.ts'

export interface TruncatedList<Item> {
  readonly total: number
  readonly shown: Item[]
}

/** A use of a changed symbol outside of the diff. */
export interface ImpactedUse {
  readonly path: string
  readonly line: number
  /** Names the enclosing definition. Null at the top level of a file. */
  readonly within: string | null
  /** False if another symbol of the same name may be meant. */
  readonly sure: boolean
}

/** A changed definition that is used outside of the diff. */
export interface ImpactSymbol {
  readonly name: string
  readonly path: string
  /** At the head, or at the base if it was removed. */
  readonly line: number
  readonly change: ChangedSymbol['change']
  /** Whether all of its uses are calls. */
  readonly called: boolean
  readonly uses: TruncatedList<ImpactedUse>
}

interface OtherPullRequest {
  readonly number: number
  readonly title: string
  readonly author: string
}

/** All texts are untrusted, truncated, and redacted. */
export interface Impact {
  /** Summarizes callers and tests, or says that only the history is known. */
  readonly title: string
  readonly symbols: TruncatedList<ImpactSymbol>
  /** Test files that reach the change. */
  readonly tests: TruncatedList<string>
  /** Files of the change that no test seems to reach. */
  readonly untested: TruncatedList<string>
  /** Open pull requests that change the same definitions. `removed` if this one removes it. */
  readonly open: (OtherPullRequest & {
    readonly symbols: TruncatedList<{ readonly name: string; readonly removed: boolean }>
  })[]
  /** Earlier pull requests with findings in these files. */
  readonly earlier: (OtherPullRequest & { readonly finding: string })[]
  /** Users who changed these files most often, without the author. */
  readonly owners: {
    readonly login: string
    readonly files: TruncatedList<{ readonly path: string; readonly percent: number }>
  }[]
  /** Describe limits of this information, one sentence each. */
  readonly notes: string[]
}
