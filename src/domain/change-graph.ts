// The code graph's view of a change: its callers, definitions, tests, history and memories.
import type { AppliedMemory } from './memory.ts'
import type { PullRequestState } from './pull-request.ts'
import type { Verdict } from './review.ts'

/** Uses with less confidence are reported as possible ones. */
export const minSureConfidence = 0.8

interface CodeLocation {
  /** It is the path at the head. */
  readonly path: string
  /** 1-based. */
  readonly line: number
}

/** A definition that the change added, removed or modified. */
export interface ChangedSymbol {
  /** At the head, or at the base if it was removed. */
  readonly path: string
  /** Qualified by the enclosing definitions, joined by dots. */
  readonly name: string
  readonly kind: string
  readonly startLine: number
  readonly endLine: number
  /** `signature` if the part that callers see changed, `body` if only the rest did. */
  readonly change: 'added' | 'removed' | 'signature' | 'body'
  readonly exported: boolean
  /** The numbers of arguments that a function accepts, before and now. Null if there is none. */
  readonly parametersBefore: { readonly least: number; readonly most: number | null } | null
  readonly parameters: { readonly least: number; readonly most: number | null } | null
  /** The text before the body on one line, cut at 300 characters. Null like the parameters. */
  readonly signatureBefore: string | null
  readonly signature: string | null
}

/** A use of a changed symbol outside of the changed lines. */
export interface CallSite extends CodeLocation {
  /** Index into `symbols`. */
  readonly symbol: number
  /** Names the enclosing definition. Null at the top level of a file. */
  readonly within: string | null
  readonly text: string
  readonly kind: 'call' | 'new' | 'type' | 'extends' | 'value' | 'import'
  /** Number of arguments of a call. Null if one is spread, or if it is no call. */
  readonly arguments: number | null
  /** Whether the file is part of the change; the line itself isn't a changed one. */
  readonly inChange: boolean
  readonly isTest: boolean
  /** Probability that this symbol is meant, 0 to 1. */
  readonly confidence: number
}

/** A definition in an unchanged file that changed lines use. */
export interface UsedDefinition extends CodeLocation {
  readonly endLine: number
  readonly name: string
  readonly signature: string
  /** A changed line with a use of it. */
  readonly usedAt: CodeLocation
  readonly confidence: number
}

/** A definition of the stored code graph. */
export interface NamedDefinition {
  readonly path: string
  /** The object id of its file's blob; another blob can have it on other lines. */
  readonly oid: string
  readonly kind: string
  readonly startLine: number
  readonly endLine: number
}

/** An import that can't be resolved at the head. */
export interface BrokenImport extends CodeLocation {
  /** The module specifier as written. */
  readonly from: string
  /** The name that isn't exported; null if the file doesn't exist. */
  readonly name: string | null
  /** The file that no longer exports the name. */
  readonly target: string | null
  /** Whether the line is a changed one. */
  readonly inChange: boolean
}

/** An earlier or open pull request that changes the same files. */
export interface RelatedPullRequest {
  readonly number: number
  readonly title: string
  readonly author: string
  readonly state: PullRequestState
  readonly verdict: Verdict | null
  /** Files of the change that it also changes, at most 5. */
  readonly paths: readonly string[]
  /** Definitions of the change that it also changes. Only known for open ones. */
  readonly symbols: readonly string[]
  /** Titles of its findings in these files, most severe first, at most 3. Untrusted. */
  readonly findings: readonly string[]
}

/** What earlier reviews show about a changed file. */
export interface FileHistory {
  readonly path: string
  /** Counts reviewed pull requests that changed it. */
  readonly pullRequests: number
  /** Counts reviews that requested changes. */
  readonly riskScore: number
  /** Username of the author who changed it most often. */
  readonly owner: string | null
  readonly ownerPercent: number
}

/** Lists are truncated for readers; `counts` are of all. */
export interface ChangeGraph {
  /** Commit of the graph; files that differ were read at the head. Null without a graph. */
  readonly commit: string | null
  /** Whether the head was searched for uses of the change, because there is no graph. */
  readonly isSearched: boolean
  readonly symbols: readonly ChangedSymbol[]
  readonly callers: readonly CallSite[]
  readonly definitions: readonly UsedDefinition[]
  readonly brokenImports: readonly BrokenImport[]
  /** Test files that reach changed files, with the number of steps, the nearest first. */
  readonly tests: readonly {
    readonly path: string
    readonly distance: number
    readonly reaches: readonly string[]
  }[]
  /** Changed source files that no test reaches, in languages that have tests here. */
  readonly untested: readonly string[]
  readonly history: readonly FileHistory[]
  readonly related: readonly RelatedPullRequest[]
  readonly memories: readonly AppliedMemory[]
  readonly counts: {
    /** Uses outside of the diff. */
    readonly callers: number
    /** Files with such uses. */
    readonly callingFiles: number
    /** Files that depend on the change within 3 steps. */
    readonly reachedFiles: number
    readonly tests: number
  }
  /** Describe limits of this information, one sentence each. */
  readonly notes: readonly string[]
}
