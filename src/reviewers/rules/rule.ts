// What a rule of the static reviewer is: its documentation, and the checks that find it.
import type { Node } from 'web-tree-sitter'
import type { Document } from 'yaml'
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import type { FindingCategory, Severity } from '../../domain/finding.ts'
import type { LineReader } from '../../git/line-reader.ts'
import type { DeclarationIndex } from './declaration-index.ts'
import type { DependencyManifest } from './dependency-manifest.ts'

/** Languages whose syntax the rules know, by the name of their grammar. */
export type RuleLanguage = 'javascript' | 'typescript' | 'tsx' | 'python' | 'go' | 'java'

/** The three grammars of JavaScript with one vocabulary of nodes. */
export const javascriptFamily: readonly RuleLanguage[] = ['javascript', 'typescript', 'tsx']

export const allRuleLanguages: readonly RuleLanguage[] = [
  ...javascriptFamily,
  'python',
  'go',
  'java',
]

/** One class of mistakes. */
export interface Rule {
  /** Stable: repositories switch rules off by it. */
  readonly id: string
  /** What it finds, one sentence, for the documentation. */
  readonly summary: string
  readonly severity: Severity
  readonly category: FindingCategory
  /** 0 to 1: how often a hit is a mistake. */
  readonly confidence: number
  /** Checks on syntax nodes; they run in the worker thread. */
  readonly syntax?: readonly SyntaxCheck[]
  /** A check on the text of one added line; such checks run without parsing, on files of any language. */
  readonly line?: LineCheck
  /** What every line that `line` reports holds, in whatever case: few lines do, and only those are looked at. */
  readonly keyword?: RegExp
  /** A check on a workflow file of the platform's CI; runs in the worker thread. */
  readonly workflow?: WorkflowCheck
  /** A check on a manifest, lock file or registry setting: on both sides of it. */
  readonly manifest?: ManifestCheck
  /** A check on all changed lines of a file, of any kind. */
  readonly file?: FileCheck
  /** A check on what the code graph knows about the change; runs once a review, where there is a graph. */
  readonly graph?: GraphCheck
}

/** Looks at every node of the given types that touches an added line. */
export interface SyntaxCheck {
  readonly languages: readonly RuleLanguage[]
  readonly nodes: readonly string[]
  /** Looks at all nodes of a function that an added line touches: for rules about lines that work together. */
  readonly wholeFunction?: boolean
  check(node: Node, file: ParsedFile): Hit | undefined
}

export type LineCheck = (line: TextLine) => Omit<Hit, 'at' | 'fallback'> | undefined

export type WorkflowCheck = (workflow: Workflow) => readonly Hit[]

export type GraphCheck = (change: GraphedChange) => Promise<readonly GraphHit[]>

export type FileCheck = (file: FileDiff) => FileHit | undefined

/** A place in a file where a rule on the whole file applies. */
export interface FileHit extends Hit {
  readonly side: DiffSide
}

export type ManifestCheck = (file: ChangedManifest) => Promise<readonly ManifestHit[]>

/** A manifest, lock file or registry setting that changed. */
export interface ChangedManifest {
  readonly path: string
  /** What it says at the head and at the base; nothing where it isn't there. */
  readonly head: DependencyManifest
  readonly base: DependencyManifest
  /** Reads another manifest of the change; nothing where it isn't there or can't be read. */
  readHead(path: string): Promise<DependencyManifest>
  /** Reads the files of the base branch whose paths are wanted, those near the root first, some 50 at most. */
  readBase(isWanted: (path: string) => boolean): Promise<readonly { path: string; text: string }[]>
}

/** A place where a rule on manifests applies: on the added line that holds `text`. */
export type ManifestHit = Omit<Hit, 'at' | 'fallback'> & { readonly text: string }

/** A change, and what the code graph knows about it. */
export interface GraphedChange {
  readonly graph: ChangeGraph
  /** Those that are reviewed. */
  readonly files: readonly FileDiff[]
  /** The repository at the head, and where head and base parted. */
  readonly head: LineReader
  readonly base: LineReader
}

/** A place where a rule on the graph applies. */
export interface GraphHit extends Hit {
  /** At the head, also where the side is that of the base. */
  readonly path: string
  readonly side: DiffSide
}

/** A parsed source file. */
export interface ParsedFile {
  readonly path: string
  readonly language: RuleLanguage
  readonly text: string
  /** Without line ends. */
  readonly lines: readonly string[]
  readonly root: Node
  readonly declarations: DeclarationIndex
  /** Async functions that it imports. */
  readonly imported: readonly ImportedFunction[]
}

/** An async function of another file of the repository, under the name it has here. */
export interface ImportedFunction {
  readonly name: string
  readonly path: string
  readonly line: number
  /** It handles all errors itself, as far as its code shows. */
  readonly neverFails: boolean
}

/** An added line. */
export interface TextLine {
  readonly path: string
  /** Cut to a length that any expression gets through at once. */
  readonly text: string
  /** The added line right below; empty when there is none. */
  readonly next: string
  readonly isTest: boolean
}

/** A parsed workflow file. */
export interface Workflow {
  readonly document: Document
  readonly text: string
}

/** 1-based, inclusive. */
export interface LineRange {
  readonly startLine: number
  readonly endLine: number
}

/** A place where a rule applies. What is left out is taken from the rule. */
export interface Hit {
  readonly at: LineRange
  /** Where to show it when the lines of `at` were not added. */
  readonly fallback?: LineRange
  /** The claim in one sentence, without a final full stop. */
  readonly title: string
  /** Markdown: when X, then Y. */
  readonly body: string
  readonly severity?: Severity
  readonly confidence?: number
  /** Replacement for the lines of `at`, without a final line end. */
  readonly suggestion?: string | undefined
  /** Other lines that the claim rests on, in the same file where no path is given. */
  readonly evidence?: readonly RuleEvidence[]
}

export interface RuleEvidence {
  readonly path?: string | undefined
  readonly line: number
  readonly note: string
}

/** A hit with all that a finding needs, as it leaves the worker thread. */
export interface RuleFinding extends LineRange {
  readonly rule: string
  readonly severity: Severity
  readonly category: FindingCategory
  readonly confidence: number
  readonly title: string
  readonly body: string
  readonly suggestion: string | null
  readonly evidence: readonly RuleEvidence[]
}

/** Completes a hit with what its rule says. */
export function toRuleFinding(rule: Rule, hit: Hit): RuleFinding {
  return {
    rule: rule.id,
    startLine: hit.at.startLine,
    endLine: hit.at.endLine,
    severity: hit.severity ?? rule.severity,
    category: rule.category,
    confidence: hit.confidence ?? rule.confidence,
    title: hit.title,
    body: hit.body,
    suggestion: hit.suggestion ?? null,
    evidence: hit.evidence ?? [],
  }
}

export function grammarFamilyOf(language: RuleLanguage): string {
  return javascriptFamily.includes(language) ? 'javascript' : language
}
