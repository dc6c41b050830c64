// Answers what the rules ask about the syntax of a file. Runs in the threads of the parser.
import { Parser, type Tree, type TreeCursor } from 'web-tree-sitter'
import { loadGrammar } from '../../code/grammars.ts'
import {
  type PatternLanguage,
  type PreparedPattern,
  preparePatterns,
} from '../../code/patterns/prepare-patterns.ts'
import type { InspectedFile } from '../../code/syntax-worker.ts'
import { languageOfGrammarNamed } from '../../languages/index.ts'
import { createDeclarationIndex } from '../../languages/rules/declaration-index.ts'
import { functionTypes } from '../../languages/rules/functions.ts'
import { createWordIndex } from '../../languages/rules/word-index.ts'
import { loadYaml } from '../../lib/yaml.ts'
import { type AsyncFunction, listAsyncExports } from './async-callees.ts'
import { readShapes } from './call-shapes.ts'
import { createImportLookup, type ImportedName, type KnownModule } from './imported-names.ts'
import { rules } from './index.ts'
import {
  type Hit,
  type LineRange,
  listSharedChecks,
  type ParsedFile,
  type Rule,
  type RuleFinding,
  type SyntaxCheck,
  toRuleFinding,
} from './rule.ts'
import type { Shapes } from './shapes.ts'

/** Asks for what the rules find on added lines. */
export interface FindingsInspection {
  readonly want: 'findings'
  /** 1-based, ascending. */
  readonly addedLines: readonly number[]
  /** Modules that the file imports from, as far as they were read. */
  readonly modules: readonly KnownModule[]
}

export interface FileFindings {
  readonly findings: readonly RuleFinding[]
  /** Whether added lines are part of a syntax error, so that no syntax rule checked them. */
  readonly unparsed: boolean
  /** Functions on which findings depend, in modules that weren't read. */
  readonly unread: readonly ImportedName[]
}

/** It asks for the definitions and calls of functions with these names. */
export interface ShapesInspection {
  readonly want: 'shapes'
  readonly names: readonly string[]
}

/** Asks for the async functions that the file exports. */
export interface AsyncExportsInspection {
  readonly want: 'async exports'
}

export type Inspection = FindingsInspection | ShapesInspection | AsyncExportsInspection

type CheckTime = () => void

/** Loads the checks of a language; before its files are inspected. */
export async function prepareInspector(grammar: string): Promise<void> {
  if (!checksOfLanguages.has(grammar)) checksOfLanguages.set(grammar, await loadChecks(grammar))
}

/** Answers an inspection; see `Inspector`. */
export function inspectFile(
  file: InspectedFile,
  inspection: Inspection,
  checkTime: CheckTime,
): FileFindings | Shapes | readonly AsyncFunction[] {
  if (file.syntax === null)
    return inspection.want === 'findings'
      ? checkWorkflow(file.text, inspection)
      : { definitions: [], calls: [] }
  const { rootNode: root } = file.syntax.tree
  if (inspection.want === 'shapes') return readShapes(root, inspection.names)
  if (inspection.want === 'async exports')
    return listAsyncExports(root, createDeclarationIndex(root))
  return checkSource(file, file.syntax, inspection, checkTime)
}

function checkSource(
  { path, text }: InspectedFile,
  { tree, grammar }: NonNullable<InspectedFile['syntax']>,
  { addedLines, modules }: FindingsInspection,
  checkTime: CheckTime,
): FileFindings {
  const root = tree.rootNode
  const { find, unread } = createImportLookup(root, modules)
  const file: ParsedFile = {
    path,
    language: grammar,
    text,
    lines: text.split(/\r?\n/),
    root,
    declarations: createDeclarationIndex(root),
    words: createWordIndex(text),
    findImported: find,
  }
  const checks = selectChecks(checksOfLanguages.get(grammar)!, text)
  // Qt's translations have the extension of TypeScript.
  const isMarkup = grammar === 'typescript' && text.startsWith('<?xml')
  const added = new Set(isMarkup ? [] : addedLines)
  return { ...runChecks(file, checks, { tree, added, checkTime }), unread }
}

type CheckOfRule = readonly [Rule, SyntaxCheck]

/** By the type of the nodes that they look at. */
type FileChecks = ReadonlyMap<string, readonly CheckOfRule[]>

interface LanguageChecks {
  readonly byNode: FileChecks
  readonly patterns: readonly (readonly [Rule, PreparedPattern])[]
}

/** The state while one syntax tree is walked. */
interface Walk {
  readonly file: ParsedFile
  readonly added: ReadonlySet<number>
  readonly cursor: TreeCursor
  /** Whether a range of 1-based lines holds an added one. */
  readonly hasAddedLine: (from: number, to: number) => boolean
  readonly checks: FileChecks
  readonly findings: Map<string, RuleFinding>
  /** The largest end of the functions so far that hold an added line, as an index. */
  functionEnd: number
  unparsed: boolean
}

/**
 * Visits the nodes that touch added lines, and all nodes of the functions around these lines for
 * checks of whole functions. Skips the content of syntax errors.
 */
function runChecks(
  file: ParsedFile,
  checks: FileChecks,
  { tree, added, checkTime }: { tree: Tree; added: ReadonlySet<number>; checkTime: CheckTime },
): Omit<FileFindings, 'unread'> {
  const cursor = tree.walk()
  const walk: Walk = {
    file,
    added,
    cursor,
    hasAddedLine: createRangeTest(added, file.lines.length),
    checks,
    findings: new Map(),
    functionEnd: 0,
    unparsed: false,
  }
  try {
    let visited = 0
    let hasNode = true
    while (hasNode) {
      visited += 1
      if (visited % 256 === 0) checkTime()
      const hasEntered = visitNode(walk) && cursor.gotoFirstChild()
      hasNode = hasEntered || gotoNext(cursor)
    }
    return { findings: [...walk.findings.values()], unparsed: walk.unparsed }
  } finally {
    cursor.delete()
  }
}

/** Runs the checks on the current node. Returns whether its children have to be visited. */
function visitNode(walk: Walk): boolean {
  const { cursor, file, added } = walk
  const type = cursor.nodeType
  const isAdded = walk.hasAddedLine(cursor.startPosition.row + 1, cursor.endPosition.row + 1)
  if (type === 'ERROR') {
    walk.unparsed ||= isAdded && coversLine(cursor, file, added)
    return false
  }
  if (isAdded && functionTypes.has(type))
    walk.functionEnd = Math.max(walk.functionEnd, cursor.endIndex)
  if (!isAdded && cursor.startIndex >= walk.functionEnd) return false
  const checks = walk.checks.get(type)
  if (!checks) return true
  const node = cursor.currentNode
  for (const [rule, check] of checks) {
    if (!isAdded && !check.wholeFunction) continue
    addFinding(walk.findings, rule, check.check(node, file), added)
  }
  return true
}

/** Whether the whole text of an added line is part of the node. */
function coversLine(
  { startPosition: start, endPosition: end }: TreeCursor,
  { lines }: ParsedFile,
  added: ReadonlySet<number>,
): boolean {
  for (let row = start.row; row <= end.row; row++) {
    const line = added.has(row + 1) ? (lines[row] ?? '') : ''
    const from = row === start.row ? start.column : 0
    const to = row === end.row ? end.column : line.length
    const outside = line.slice(0, from) + line.slice(to)
    if (line.slice(from, to).trim() !== '' && outside.trim() === '') return true
  }
  return false
}

/** Skips the current subtree and goes to the next node. Returns false if the tree ends. */
function gotoNext(cursor: TreeCursor): boolean {
  while (!cursor.gotoNextSibling()) {
    if (!cursor.gotoParent()) return false
  }
  return true
}

/** Adds a hit on added lines, unless the rule has a finding on the same line. */
function addFinding(
  findings: Map<string, RuleFinding>,
  rule: Rule,
  hit: Hit | undefined,
  added: ReadonlySet<number>,
): void {
  const hitOnAdded = hit && moveToAddedLines(hit, added)
  if (!hitOnAdded) return
  const key = `${rule.id}:${hitOnAdded.at.startLine}`
  if (!findings.has(key)) findings.set(key, toRuleFinding(rule, hitOnAdded))
}

/** Moves a hit to its fallback if its own lines weren't added; undefined if neither were. */
function moveToAddedLines(hit: Hit, added: ReadonlySet<number>): Hit | undefined {
  const isAdded = (range: LineRange) => added.has(range.startLine) && added.has(range.endLine)
  if (isAdded(hit.at)) return hit
  if (!hit.fallback || !isAdded(hit.fallback)) return undefined
  // The suggestion replaces the original lines.
  return { ...hit, at: hit.fallback, suggestion: undefined }
}

// Each thread collects them once.
const checksOfLanguages = new Map<string, LanguageChecks>()

async function loadChecks(grammar: string): Promise<LanguageChecks> {
  const own = await languageOfGrammarNamed(grammar).language.loadRules?.()
  const language = await loadPatternLanguage(grammar)
  const byNode: Checks = new Map()
  const patterns: [Rule, PreparedPattern][] = []
  for (const rule of rules) {
    for (const check of [...listSharedChecks(rule, grammar), ...(own?.checks[rule.id] ?? [])]) {
      if ('nodes' in check) addCheck(byNode, rule, check)
      else
        for (const pattern of preparePatterns({ ...rule, ...check }, language))
          patterns.push([rule, pattern])
    }
  }
  return { byNode, patterns }
}

async function loadPatternLanguage(grammar: string): Promise<PatternLanguage> {
  const language = await loadGrammar(grammar)
  const parser = new Parser().setLanguage(language)
  const { statementFrame = ['', ''] } = languageOfGrammarNamed(grammar).grammar
  return { frame: statementFrame, parse: (code) => parser.parse(code)! }
}

/** Adds the patterns that have words in the file. */
function selectChecks({ byNode, patterns }: LanguageChecks, text: string): FileChecks {
  const selected = new Map(byNode)
  const isUsed = memoize((word: string) => text.includes(word))
  for (const [rule, { words, load }] of patterns)
    if (words.every((group) => group.some(isUsed))) addCheck(selected, rule, load())
  return selected
}

function memoize<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    const value = known.get(key) ?? compute(key)
    known.set(key, value)
    return value
  }
}

type Checks = Map<string, readonly CheckOfRule[]>

function addCheck(byNode: Checks, rule: Rule, check: SyntaxCheck): void {
  for (const type of check.nodes) byNode.set(type, [...(byNode.get(type) ?? []), [rule, check]])
}

/** Returns a test in constant time whether a range of lines holds an added one. */
function createRangeTest(
  added: ReadonlySet<number>,
  lineCount: number,
): (from: number, to: number) => boolean {
  const addedBefore = new Uint32Array(lineCount + 2)
  for (let line = 1; line <= lineCount; line++)
    addedBefore[line + 1] = addedBefore[line]! + (added.has(line) ? 1 : 0)
  return (from, to) => {
    const untilEnd = addedBefore[Math.min(to, lineCount) + 1]!
    const beforeStart = addedBefore[Math.min(from, lineCount + 1)]!
    return untilEnd > beforeStart
  }
}

function checkWorkflow(text: string, { addedLines }: FindingsInspection): FileFindings {
  const document = loadYaml().parseDocument(text, { logLevel: 'silent', uniqueKeys: false })
  const findings = new Map<string, RuleFinding>()
  const added = new Set(addedLines)
  for (const rule of rules)
    for (const hit of rule.workflow?.({ document, text }) ?? [])
      addFinding(findings, rule, hit, added)
  return { findings: [...findings.values()], unparsed: false, unread: [] }
}
