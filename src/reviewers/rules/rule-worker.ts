// The worker thread that parses files and runs the rules on them; what it reads is hostile until shown otherwise.
import { parentPort } from 'node:worker_threads'
import { Parser, type Tree, type TreeCursor } from 'web-tree-sitter'
import { loadGrammar } from '../../code/grammars.ts'
import type { ThreadAnswer, ThreadRequest } from '../../lib/thread-pool.ts'
import { loadYaml } from '../../lib/yaml.ts'
import { createDeclarationIndex } from './declaration-index.ts'
import { findImportedFunctions, type ImportedModule } from './imported-functions.ts'
import { rules } from './index.ts'
import {
  type Hit,
  type LineRange,
  type ParsedFile,
  type Rule,
  type RuleFinding,
  type RuleLanguage,
  type SyntaxCheck,
  toRuleFinding,
} from './rule.ts'
import { functionTypes } from './syntax-nodes.ts'

/** One file to check. */
export interface RuleWorkerRequest {
  readonly path: string
  readonly kind: RuleLanguage | 'workflow'
  readonly text: string
  /** 1-based, ascending. */
  readonly addedLines: readonly number[]
  /** Files that it imports from. */
  readonly imported: readonly ImportedModule[]
}

/** What the rules found in it. */
export interface RuleWorkerResult {
  readonly findings: readonly RuleFinding[]
  /** Added lines lie in a syntax error, so that no rule on syntax looked at them. */
  readonly unparsed: boolean
}

type Request = ThreadRequest<RuleWorkerRequest>

class DeadlineError extends Error {}

function reportStarted({ id }: Request): void {
  parentPort?.postMessage({ id, outcome: 'started' } satisfies ThreadAnswer<RuleWorkerResult>)
}

async function checkSource(request: Request, language: RuleLanguage): Promise<RuleWorkerResult> {
  const grammar = await loadGrammar(language)
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
    return runChecks(file, tree, new Set(request.addedLines), checkTime)
  } finally {
    tree?.delete()
    parser.delete()
  }
}

/**
 * Visits the nodes that touch added lines, and for the wide checks all of the functions around them. What lies inside
 * a syntax error is left alone.
 */
function runChecks(
  file: ParsedFile,
  tree: Tree,
  added: ReadonlySet<number>,
  checkTime: () => void,
): RuleWorkerResult {
  const checks = checksByNode(file.language)
  const isTouched = createRangeTest(added, file.lines.length)
  const findings = new Map<string, RuleFinding>()
  const cursor = tree.walk()
  let wideUntil = 0
  let unparsed = false
  try {
    for (let visited = 1; ; visited++) {
      if (visited % 256 === 0) checkTime()
      const type = cursor.nodeType
      const touched = isTouched(cursor.startPosition.row + 1, cursor.endPosition.row + 1)
      if (touched && functionTypes.has(type)) wideUntil = Math.max(wideUntil, cursor.endIndex)
      unparsed ||= type === 'ERROR' && touched && coversLine(cursor, file, added)
      const isOpen = type !== 'ERROR' && (touched || cursor.startIndex < wideUntil)
      const matching = isOpen ? checks.get(type) : undefined
      const node = matching && cursor.currentNode
      for (const [rule, check] of matching ?? []) {
        if (touched || check.wholeFunction)
          addFinding(findings, rule, check.check(node!, file), added)
      }
      if (!(isOpen && cursor.gotoFirstChild()) && !gotoNext(cursor))
        return { findings: [...findings.values()], unparsed }
    }
  } finally {
    cursor.delete()
  }
}

/** Whether a whole added line lies in the node: of others, rules look at the rest. */
function coversLine(
  cursor: TreeCursor,
  { lines }: ParsedFile,
  added: ReadonlySet<number>,
): boolean {
  const { startPosition: start, endPosition: end } = cursor
  for (let row = start.row; row <= end.row; row++) {
    const line = added.has(row + 1) ? (lines[row] ?? '') : ''
    const [from, to] = [
      row === start.row ? start.column : 0,
      row === end.row ? end.column : line.length,
    ]
    const isCovered = line.slice(0, from).trim() === '' && line.slice(to).trim() === ''
    if (line.slice(from, to).trim() !== '' && isCovered) return true
  }
  return false
}

/** Moves to the next node after this one's subtree; false at the end. */
function gotoNext(cursor: TreeCursor): boolean {
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false
  return true
}

/** Only what stands on added lines counts, one finding of a rule on a line. A suggestion belongs to `at`. */
function addFinding(
  findings: Map<string, RuleFinding>,
  rule: Rule,
  hit: Hit | undefined,
  added: ReadonlySet<number>,
): void {
  const isAdded = (range: LineRange) => added.has(range.startLine) && added.has(range.endLine)
  if (!hit) return
  const shown = isAdded(hit.at)
    ? hit
    : hit.fallback && isAdded(hit.fallback)
      ? { ...hit, at: hit.fallback, suggestion: undefined }
      : undefined
  const key = `${rule.id}:${shown?.at.startLine}`
  if (shown && !findings.has(key)) findings.set(key, toRuleFinding(rule, shown))
}

const checksOfLanguages = new Map<RuleLanguage, Map<string, [Rule, SyntaxCheck][]>>()

function checksByNode(language: RuleLanguage): Map<string, [Rule, SyntaxCheck][]> {
  const known = checksOfLanguages.get(language)
  if (known) return known
  const byNode = new Map<string, [Rule, SyntaxCheck][]>()
  for (const rule of rules) {
    for (const check of rule.syntax ?? []) {
      if (!check.languages.includes(language)) continue
      for (const type of check.nodes) byNode.set(type, [...(byNode.get(type) ?? []), [rule, check]])
    }
  }
  checksOfLanguages.set(language, byNode)
  return byNode
}

/** Answers whether a range of lines holds an added one, in constant time. */
function createRangeTest(
  added: ReadonlySet<number>,
  lineCount: number,
): (from: number, to: number) => boolean {
  const before = new Uint32Array(lineCount + 2)
  for (let line = 1; line <= lineCount; line++)
    before[line + 1] = before[line]! + (added.has(line) ? 1 : 0)
  return (from, to) => before[Math.min(to, lineCount) + 1]! > before[Math.min(from, lineCount + 1)]!
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
