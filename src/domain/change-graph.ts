// What the code graph knows about a change: whom it reaches, what it uses, what tests it, what happened there before.
import type { PullRequestState } from './pull-request.ts'
import type { Verdict } from './review.ts'

/** From so much confidence on a use is told as one; below it as one that may be. */
export const minSureConfidence = 0.8

/** A place in a file at the head. */
export interface CodeLocation {
  readonly path: string
  /** 1-based. */
  readonly line: number
}

/** A definition that the change touched. */
export interface ChangedSymbol {
  /** Where it is at the head; where it was at the base if it is gone. */
  readonly path: string
  /** With what it is defined in, joined by a full stop. */
  readonly name: string
  readonly kind: string
  readonly startLine: number
  readonly endLine: number
  /** `signature` where what callers see of it changed, `body` where only the rest did. */
  readonly change: 'added' | 'removed' | 'signature' | 'body'
  readonly exported: boolean
  /** Of functions: the numbers of arguments that fit, before and now. Null where there was or is none. */
  readonly parametersBefore: { readonly least: number; readonly most: number | null } | null
  readonly parameters: { readonly least: number; readonly most: number | null } | null
  /** From its first word to where its body begins, on one line, cut at 300 characters; null like the numbers. */
  readonly signatureBefore: string | null
  readonly signature: string | null
}

/** A use of a changed symbol outside of the changed lines. */
export interface CallSite extends CodeLocation {
  /** Index into `symbols`. */
  readonly symbol: number
  /** The definition that the use stands in; null at the top of a file. */
  readonly within: string | null
  readonly text: string
  readonly kind: 'call' | 'new' | 'type' | 'extends' | 'value' | 'import'
  /** How many arguments a call passes; null where they are spread or it is no call. */
  readonly arguments: number | null
  /** The file is one of the change, the line none of its changed ones. */
  readonly inChange: boolean
  readonly isTest: boolean
  /** From 0 to 1: how sure it is that this symbol is meant. */
  readonly confidence: number
}

/** A definition, in a file that the change leaves alone, that changed lines use. */
export interface UsedDefinition extends CodeLocation {
  readonly endLine: number
  readonly name: string
  readonly signature: string
  /** A changed line that uses it. */
  readonly usedAt: CodeLocation
  readonly confidence: number
}

/** An import that leads nowhere at the head. */
export interface BrokenImport extends CodeLocation {
  /** As written. */
  readonly from: string
  /** The name that isn't exported there; null where there is no such file. */
  readonly name: string | null
  /** The file that exports no such name any more. */
  readonly target: string | null
  /** The line is one of the change. */
  readonly inChange: boolean
}

/** An earlier or open pull request that touched the same. */
export interface RelatedPullRequest {
  readonly number: number
  readonly title: string
  readonly author: string
  readonly state: PullRequestState
  readonly verdict: Verdict | null
  /** Of the change's files, at most 5. */
  readonly paths: readonly string[]
  /** Names of changed definitions that it changes too; only of open ones. */
  readonly symbols: readonly string[]
  /** What was found there in these files, most severe first, one sentence each, at most 3. Untrusted. */
  readonly findings: readonly string[]
}

/** What reviews know about a file of the change. */
export interface FileHistory {
  readonly path: string
  /** Reviewed pull requests that touched it. */
  readonly pullRequests: number
  /** Reviews with changes requested. */
  readonly riskScore: number
  /** Username of who touched it most; null where nobody did. */
  readonly owner: string | null
  readonly ownerPercent: number
}

/** A memory that applies to the change. Untrusted unless a person wrote it. */
export interface AppliedMemory {
  readonly id: string
  readonly type: string
  readonly text: string
  readonly path: string | null
  readonly trust: 'person' | 'repository' | 'derived' | 'model'
  /** The file that says it, at a commit of the default branch, or the username of who wrote it here; null where it is neither. */
  readonly source:
    | { readonly commit: string; readonly path: string; readonly line: number | null }
    | { readonly user: string }
    | null
}

/** All of it. Lists are cut to what a reader can take in; `counts` are of all. */
export interface ChangeGraph {
  /** The commit that the graph shows; files that differ at the head were read there. Null without a graph. */
  readonly commit: string | null
  readonly symbols: readonly ChangedSymbol[]
  readonly callers: readonly CallSite[]
  readonly definitions: readonly UsedDefinition[]
  readonly brokenImports: readonly BrokenImport[]
  /** Test files that reach changed files, the nearest first, and how many steps of use lie between. */
  readonly tests: readonly {
    readonly path: string
    readonly distance: number
    readonly reaches: readonly string[]
  }[]
  /** Changed source files, not tests themselves, in languages that have tests here, that no test reaches. */
  readonly untested: readonly string[]
  readonly history: readonly FileHistory[]
  readonly related: readonly RelatedPullRequest[]
  readonly memories: readonly AppliedMemory[]
  readonly counts: {
    /** Uses outside of the diff, and the files that they are in. */
    readonly callers: number
    readonly callingFiles: number
    /** Files that depend on the change, over any number of steps up to 3. */
    readonly reachedFiles: number
    readonly tests: number
  }
  /** What could not be told, one sentence each, for the coverage section. */
  readonly notes: readonly string[]
}
