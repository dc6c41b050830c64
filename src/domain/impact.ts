// What people are told of the reach of a change: who uses it, what tests it, what else touches it. Kept with the review.
import type { ChangedSymbol } from './change-graph.ts'

/** The first of many, and how many there are in all. */
export interface TruncatedList<Item> {
  readonly total: number
  readonly shown: Item[]
}

/** A place outside of the diff that uses something of the change. */
export interface ImpactedUse {
  readonly path: string
  readonly line: number
  /** The definition that it stands in; null at the top of a file. */
  readonly within: string | null
  /** False where something else of the same name may be meant. */
  readonly sure: boolean
}

/** A definition of the change that is used elsewhere. */
export interface ImpactSymbol {
  readonly name: string
  readonly path: string
  /** At the head; at the base where it is gone. */
  readonly line: number
  readonly change: ChangedSymbol['change']
  /** All its uses are calls. */
  readonly called: boolean
  readonly uses: TruncatedList<ImpactedUse>
}

/** Another pull request that touches the same. */
interface OtherPullRequest {
  readonly number: number
  readonly title: string
  readonly author: string
}

/** Names are cut to what can be read; no text holds a secret of ours. All of it is untrusted. */
export interface Impact {
  /** How far it goes, or that only the past is known, in a few words. */
  readonly title: string
  readonly symbols: TruncatedList<ImpactSymbol>
  /** Test files that reach it. */
  readonly tests: TruncatedList<string>
  /** Files of the change that no test seems to reach. */
  readonly untested: TruncatedList<string>
  /** Open pull requests that touch the same definitions; `removed` where this one takes them away. */
  readonly open: (OtherPullRequest & {
    readonly symbols: TruncatedList<{ readonly name: string; readonly removed: boolean }>
  })[]
  /** Earlier ones in which something was found in these files. */
  readonly earlier: (OtherPullRequest & { readonly finding: string })[]
  /** Who knows the files best that were touched most; not the author. */
  readonly owners: {
    readonly login: string
    readonly files: TruncatedList<{ readonly path: string; readonly percent: number }>
  }[]
  /** What could not be told, one sentence each. */
  readonly notes: string[]
}
