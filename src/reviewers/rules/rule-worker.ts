// The worker thread that parses untrusted files and runs the rules on them.
import { parentPort } from 'node:worker_threads'
import { Parser, type Tree, type TreeCursor } from 'web-tree-sitter'
import { loadGrammar } from '../../code/grammars.ts'
import { createDeclarationIndex } from '../../languages/common/declaration-index.ts'
import { functionTypes } from '../../languages/common/syntax-nodes.ts'
import { languageOfGrammarNamed } from '../../languages/index.ts'
import type { ThreadAnswer, ThreadRequest } from '../../lib/thread-pool.ts'
import { loadYaml } from '../../lib/yaml.ts'
import { findImportedFunctions, type ImportedModule } from './imported-functions.ts'
import { rules } from './index.ts'
import {
  type Hit,
  type LineRange,
  type ParsedFile,
  type Rule,
  type RuleFinding,
  type SyntaxCheck,
  toRuleFinding,
} from './rule.ts'

export interface RuleWorkerRequest {
  readonly path: string
  /** It is the name of a grammar, or `workflow`. */
  readonly kind: string
  readonly text: string
  /** 1-based, ascending. */
  readonly addedLines: readonly number[]
  /** The modules that the file imports from. */
  readonly imported: readonly ImportedModule[]
}

export interface RuleWorkerResult {
  readonly findings: readonly RuleFinding[]
  /** Whether added lines are part of a syntax error, so that no syntax rule checked them. */
  readonly unparsed: boolean
}

type Request = ThreadRequest<RuleWorkerRequest>

class DeadlineError extends Error {}

function reportStarted({ id }: Request): void {
  parentPort?.postMessage({ id, outcome: 'started' } satisfies ThreadAnswer<RuleWorkerResult>)
}

async function checkSource(request: Request, language: string): Promise<RuleWorkerResult> {
  const grammar = await loadGrammar(language)
  const checks = await loadChecks(language)
  reportStarted(request)
  const until = performance.now() + request.deadlineMs
  const checkTime = () => {
    if (performance.now() > until) throw new DeadlineError()
  }
  const parser = new Parser()
  let tree: Tree | null = null
  try {
    parser.setLanguage(grammar)
    tree = parser.parse(request.text, null, { progressCallback: () => performance.now() > until })
    if (!tree) throw new DeadlineError()
    const file: ParsedFile = {
      path: request.path,
      language,
      text: request.text,
      lines: request.text.split(/\r?\n/),
      root: tree.rootNode,
      declarations: createDeclarationIndex(tree.rootNode),
      imported: findImportedFunctions(request.imported, checkTime),
    }
    return runChecks(file, checks, { tree, added: new Set(request.addedLines), checkTime })
  } finally {
    tree?.delete()
    parser.delete()
  }
}

type CheckOfRule = readonly [Rule, SyntaxCheck]

interface LanguageChecks {
  /** By the type of the nodes that they look at. */
  readonly byNode: ReadonlyMap<string, readonly CheckOfRule[]>
  /** The types of nodes that are functions. */
  readonly functions: ReadonlySet<string>
}

/** The state while one syntax tree is walked. */
interface Walk {
  readonly file: ParsedFile
  readonly added: ReadonlySet<number>
  readonly cursor: TreeCursor
  /** Whether a range of 1-based lines holds an added one. */
  readonly hasAddedLine: (from: number, to: number) => boolean
  readonly checks: LanguageChecks
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
  checks: LanguageChecks,
  { tree, added, checkTime }: { tree: Tree; added: ReadonlySet<number>; checkTime: () => void },
): RuleWorkerResult {
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
  if (isAdded && walk.checks.functions.has(type))
    walk.functionEnd = Math.max(walk.functionEnd, cursor.endIndex)
  if (!isAdded && cursor.startIndex >= walk.functionEnd) return false
  const checks = walk.checks.byNode.get(type)
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

async function loadChecks(language: string): Promise<LanguageChecks> {
  const known = checksOfLanguages.get(language)
  if (known) return known
  const own = await languageOfGrammarNamed(language).language.loadRules?.()
  const byNode = new Map<string, CheckOfRule[]>()
  for (const rule of rules) {
    const shared = rule.syntax?.filter(({ languages }) => languages.some((one) => one === language))
    for (const check of [...(shared ?? []), ...(own?.checks[rule.id] ?? [])])
      addCheck(byNode, rule, check)
  }
  const checks = { byNode, functions: functionTypes.union(new Set(own?.functions)) }
  checksOfLanguages.set(language, checks)
  return checks
}

function addCheck(byNode: Map<string, CheckOfRule[]>, rule: Rule, check: SyntaxCheck): void {
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

function checkWorkflow(request: Request): RuleWorkerResult {
  reportStarted(request)
  const document = loadYaml().parseDocument(request.text, { logLevel: 'silent', uniqueKeys: false })
  const findings = new Map<string, RuleFinding>()
  const added = new Set(request.addedLines)
  for (const rule of rules) {
    for (const hit of rule.workflow?.({ document, text: request.text }) ?? []) {
      addFinding(findings, rule, hit, added)
    }
  }
  return { findings: [...findings.values()], unparsed: false }
}

async function answer(request: Request): Promise<ThreadAnswer<RuleWorkerResult>> {
  const { id, kind } = request
  try {
    const result = kind === 'workflow' ? checkWorkflow(request) : await checkSource(request, kind)
    return { id, outcome: 'done', result }
  } catch (error) {
    return { id, outcome: error instanceof DeadlineError ? 'too_slow' : 'failed' }
  }
}

parentPort?.on('message', async (request: Request) =>
  parentPort?.postMessage(await answer(request)),
)
