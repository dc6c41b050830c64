// Defines the types of rules of the static reviewer, of their checks and of their findings.
import type { Node } from 'web-tree-sitter'
import type { Document } from 'yaml'
import type { Change } from '../../domain/change.ts'
import type { ChangeGraph } from '../../domain/change-graph.ts'
import type { DiffSide, FileDiff } from '../../domain/diff.ts'
import type { FindingCategory, Severity } from '../../domain/finding.ts'
import type { LineReader } from '../../git/line-reader.ts'
import type { GrammarName } from '../../languages/index.ts'
import { pickByLanguage, ruleLanguageOf } from '../../languages/rules/language-rules.ts'
import type { PatternCheck } from '../../languages/rules/pattern-check.ts'
import type {
  AsyncCallee,
  Hit,
  LineRange,
  ParsedFile,
  RuleEvidence,
  SyntaxCheck,
} from '../../languages/rules/syntax-check.ts'
import type { DependencyManifest } from './dependency-manifest.ts'
import type { Shapes } from './shapes.ts'

export type { AsyncCallee, Hit, LineRange, ParsedFile, RuleEvidence, SyntaxCheck }

/** A language as checks name it: TypeScript and TSX are read as JavaScript. */
type RuleLanguage = Exclude<GrammarName, 'typescript' | 'tsx'>

/**
 * A rule can describe what it reports by patterns, and can have more checks in `syntax`. What a
 * check by patterns leaves out, such as a title, is the rule's.
 */
export interface Rule extends Partial<SharedPatternCheck> {
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
  /** Whether what it reports does no harm in a test, such as a predictable token. */
  readonly isHarmlessInTests?: true
  /** Check code by patterns, or by syntax nodes. They run in the worker thread. */
  readonly syntax?: readonly SharedCheck[]
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
  /** Checks all files of the change together, and can search the repository. */
  readonly change?: ChangeCheck
  /** Checks the change with the code graph. It runs once per review that has a graph. */
  readonly graph?: GraphCheck
}

type SharedCheck = SharedSyntaxCheck | SharedPatternCheck

interface SharedSyntaxCheck extends SyntaxCheck {
  /** The languages that it runs in; all if it names none. */
  readonly languages?: readonly RuleLanguage[]
  /** Languages that it doesn't run in, with a comment that says why. */
  readonly except?: readonly RuleLanguage[]
}

/** What its patterns are in each language. */
interface SharedPatternCheck extends Omit<PatternCheck, 'patterns'> {
  readonly patterns: Readonly<Partial<Record<RuleLanguage, readonly string[]>>>
}

/** Returns patterns that are the same in all languages. */
export function inAllLanguages(patterns: readonly string[]): SharedPatternCheck['patterns'] {
  return { javascript: patterns, python: patterns, go: patterns, java: patterns }
}

type LineCheck = (line: TextLine) => Omit<Hit, 'at' | 'fallback'> | undefined

type WorkflowCheck = (workflow: Workflow) => readonly Hit[]

type GraphCheck = (change: GraphedChange) => Promise<readonly GraphHit[]>

type FileCheck = (file: FileDiff) => FileHit | undefined

type ChangeCheck = (change: SearchedChange) => Promise<readonly ChangeHit[]>

export interface SearchedChange extends Pick<Change, 'head' | 'base'> {
  /** The files that are reviewed. */
  readonly files: readonly FileDiff[]
}

/** A hit on an added line. */
export interface ChangeHit extends Hit {
  readonly path: string
}

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
  /** Reads the functions with changed parameters in a file, and the calls of their names. */
  readShapes(side: 'base' | 'head', path: string): Promise<Shapes | undefined>
  /** Whether a file binds a name at the head that other files can import. */
  bindsName(path: string, name: string): Promise<boolean>
}

export interface GraphHit extends Hit {
  /** The path at the head, even if the side is the base. */
  readonly path: string
  readonly side: DiffSide
}

/** An added line. */
export interface TextLine {
  readonly path: string
  /** A part of the line that is short enough for every regular expression. */
  readonly text: string
  /** The next line if it was added too; empty otherwise. */
  readonly next: string
  /** The lines directly above that were added too, the nearest first, as far as they may matter. */
  readonly above: readonly string[]
  /** The lines that the change deletes from the file. */
  readonly deleted: readonly string[]
  readonly isTest: boolean
}

export interface Workflow {
  readonly document: Document
  readonly text: string
}

/** Whether a rule is disabled in a file. */
export type IsDisabled = (ruleId: string, path: string) => boolean

/** A hit with the values of its rule. It can be sent between threads. */
export interface RuleFinding extends LineRange {
  readonly rule: string
  readonly severity: Severity
  readonly category: FindingCategory
  readonly confidence: number
  readonly isHarmlessInTests: boolean
  readonly title: string
  readonly body: string
  readonly suggestion: string | null
  readonly evidence: readonly RuleEvidence[]
}

/** Returns a condition whose regular expression depends on the language. */
export function byLanguage(expressions: Readonly<Partial<Record<RuleLanguage, RegExp>>>) {
  return ({ text }: Node, file: ParsedFile): boolean =>
    pickByLanguage(expressions, file)?.test(text.slice(0, 2_000)) ?? false
}

/** Lists what a rule checks in files of a grammar, apart from the checks of language folders. */
export function listSharedChecks(rule: Rule, grammar: string): (SyntaxCheck | PatternCheck)[] {
  const language = ruleLanguageOf(grammar) as RuleLanguage
  return [rule, ...(rule.syntax ?? [])].flatMap<SyntaxCheck | PatternCheck>((check) => {
    if ('nodes' in check) return isFor(check, language) ? check : []
    const patterns = check.patterns?.[language]
    return patterns ? { ...rule, ...check, patterns } : []
  })
}

function isFor({ languages, except }: SharedSyntaxCheck, language: RuleLanguage): boolean {
  return (languages?.includes(language) ?? true) && !except?.includes(language)
}

/** Lists checks that are given by the language that they are for. */
export function listByLanguage(
  checks: Readonly<Partial<Record<RuleLanguage, readonly SyntaxCheck[]>>>,
): SharedSyntaxCheck[] {
  return Object.entries(checks).flatMap(([language, list]) =>
    list.map((check) => ({ ...check, languages: [language as RuleLanguage] })),
  )
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
    isHarmlessInTests: rule.isHarmlessInTests ?? false,
    title: hit.title,
    body: hit.body,
    suggestion: hit.suggestion ?? null,
    evidence: hit.evidence ?? [],
  }
}

/** Whether a grammar is that of JavaScript or a superset. */
export function isScriptGrammar(name: string): boolean {
  return ruleLanguageOf(name) === 'javascript'
}
