// Defines the types of rules of the static reviewer, of their checks and of their findings.
import type { Node } from 'web-tree-sitter'
import type { Document } from 'yaml'
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import type { FindingCategory, Severity } from '../../domain/finding.ts'
import type { LineReader } from '../../git/line-reader.ts'
import type { DeclarationIndex } from '../../languages/common/declaration-index.ts'
import type { DependencyManifest } from './dependency-manifest.ts'

/** Languages that the syntax rules support, by the names of their grammars. */
export type RuleLanguage = 'javascript' | 'typescript' | 'tsx' | 'python' | 'go' | 'java'

/** JavaScript and its supersets. Their grammars share the types of nodes. */
export const javascriptFamily: readonly RuleLanguage[] = ['javascript', 'typescript', 'tsx']

export const allRuleLanguages: readonly RuleLanguage[] = [
  ...javascriptFamily,
  'python',
  'go',
  'java',
]

export interface Rule {
  /** Must stay stable: settings of repositories disable rules by their ids. */
  readonly id: string
  /** One sentence about what the rule reports, for the documentation. */
  readonly summary: string
  /** Its CWE number, and rules of linters that find the same, in Markdown. */
  readonly seeAlso?: readonly string[]
  readonly severity: Severity
  readonly category: FindingCategory
  /** The share of hits that are bugs, from 0 to 1. */
  readonly confidence: number
  /** Check syntax nodes. They run in the worker thread. */
  readonly syntax?: readonly SyntaxCheck[]
  /** Checks the text of one added line, in files of any language. */
  readonly line?: LineCheck
  /** Matches every line that `line` reports, if case is ignored. Other lines are skipped. */
  readonly keyword?: RegExp
  /** Checks a workflow file of GitHub, Gitea or Forgejo. It runs in the worker thread. */
  readonly workflow?: WorkflowCheck
  /** Compares a manifest, lock file or registry setting with what the base has. */
  readonly manifest?: ManifestCheck
  /** Checks all changed lines of a file together. */
  readonly file?: FileCheck
  /** Checks the change with the code graph. It runs once per review that has a graph. */
  readonly graph?: GraphCheck
}

/** Checks every node of the given types that touches an added line. */
export interface SyntaxCheck {
  readonly languages: readonly RuleLanguage[]
  readonly nodes: readonly string[]
  /** Whether to check all nodes of functions with an added line, not only added ones. */
  readonly wholeFunction?: boolean
  check(node: Node, file: ParsedFile): Hit | undefined
}

type LineCheck = (line: TextLine) => Omit<Hit, 'at' | 'fallback'> | undefined

type WorkflowCheck = (workflow: Workflow) => readonly Hit[]

type GraphCheck = (change: GraphedChange) => Promise<readonly GraphHit[]>

type FileCheck = (file: FileDiff) => FileHit | undefined

export interface FileHit extends Hit {
  readonly side: DiffSide
}

type ManifestCheck = (file: ChangedManifest) => Promise<readonly ManifestHit[]>

/** A manifest, lock file or registry setting that changed. */
export interface ChangedManifest {
  readonly path: string
  /** Both are empty if the file doesn't exist there. */
  readonly head: DependencyManifest
  readonly base: DependencyManifest
  /** Reads another manifest at the head; empty if it doesn't exist or can't be read. */
  readHead(path: string): Promise<DependencyManifest>
  /** Reads a bounded number of the wanted files of the base branch, those near the root first. */
  readBase(isWanted: (path: string) => boolean): Promise<readonly { path: string; text: string }[]>
}

/** A hit on the added line that holds `text`. */
export type ManifestHit = Omit<Hit, 'at' | 'fallback'> & { readonly text: string }

export interface GraphedChange {
  readonly graph: ChangeGraph
  /** The files that are reviewed. */
  readonly files: readonly FileDiff[]
  readonly head: LineReader
  /** Reads the repository at the merge base. */
  readonly base: LineReader
}

export interface GraphHit extends Hit {
  /** The path at the head, even if the side is the base. */
  readonly path: string
  readonly side: DiffSide
}

export interface ParsedFile {
  readonly path: string
  readonly language: RuleLanguage
  readonly text: string
  /** Lines of `text` that have no line ends. */
  readonly lines: readonly string[]
  readonly root: Node
  readonly declarations: DeclarationIndex
  /** Async functions that the file imports. */
  readonly imported: readonly ImportedFunction[]
}

/** An async function that another file of the repository defines. */
export interface ImportedFunction {
  /** The name that the importing file uses. */
  readonly name: string
  readonly path: string
  readonly line: number
  /** Whether the function handles all its errors, as far as its code shows. */
  readonly neverFails: boolean
}

/** An added line. */
export interface TextLine {
  readonly path: string
  /** A part of the line that is short enough for every regular expression. */
  readonly text: string
  /** The next line if it was added too; empty otherwise. */
  readonly next: string
  readonly isTest: boolean
}

export interface Workflow {
  readonly document: Document
  readonly text: string
}

/** Lines are 1-based, and both ends are included. */
export interface LineRange {
  readonly startLine: number
  readonly endLine: number
}

/** A mistake that a rule found. The rule supplies severity and confidence if they are left out. */
export interface Hit {
  readonly at: LineRange
  /** Lines to report instead if those of `at` were not added. */
  readonly fallback?: LineRange
  /** Claims the mistake in one sentence that has no final period. */
  readonly title: string
  /** Markdown that reads "When X, then Y." and names a remedy. */
  readonly body: string
  readonly severity?: Severity
  readonly confidence?: number
  /** Replaces the lines of `at`, and has no final line end. */
  readonly suggestion?: string | undefined
  /** Other lines that show the mistake. Without a path, they are in the same file. */
  readonly evidence?: readonly RuleEvidence[]
}

export interface RuleEvidence {
  readonly path?: string | undefined
  readonly line: number
  readonly note: string
}

/** A hit with the values of its rule. It can be sent between threads. */
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

/** Fills in what a hit leaves out from its rule. */
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

/** Returns `javascript` for JavaScript and its supersets, and other languages unchanged. */
export function grammarFamilyOf(language: RuleLanguage): string {
  return javascriptFamily.includes(language) ? 'javascript' : language
}
