// The worker thread that parses files and runs the rules on them; what it reads is hostile until shown otherwise.
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { Language as Grammar, type Node, Parser, type Tree } from 'web-tree-sitter'
import { parseDocument } from 'yaml'
import { rules } from './index.ts'
import { type Language, type Rule, type RuleFinding, type SourceFile, type SyntaxCheck, toRuleFinding } from './rule.ts'

/** One file to check. */
export interface CheckRequest {
  readonly id: number
  readonly path: string
  readonly kind: Language | 'workflow'
  readonly text: string
  /** 1-based, ascending. */
  readonly addedLines: readonly number[]
  /** For parsing and for the rules together, in milliseconds. */
  readonly deadlineMs: number
}

export type CheckOutcome =
  | { readonly outcome: 'checked'; readonly findings: readonly RuleFinding[] }
  | { readonly outcome: 'too_slow' | 'failed' }

export type CheckResponse = CheckOutcome & { readonly id: number }

class DeadlineError extends Error {}

const require = createRequire(import.meta.url)
const grammars = new Map<Language, Promise<Grammar>>()
let ready: Promise<void> | undefined

function loadGrammar(language: Language): Promise<Grammar> {
  ready ??= Parser.init()
  const known = grammars.get(language)
  if (known) return known
  const loading = ready.then(() =>
    Grammar.load(require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${language}.wasm`)),
  )
  grammars.set(language, loading)
  return loading
}

async function checkSource(request: CheckRequest, language: Language): Promise<RuleFinding[]> {
  const grammar = await loadGrammar(language)
  const until = performance.now() + request.deadlineMs
  const parser = new Parser()
  let tree: Tree | null = null
  try {
    parser.setLanguage(grammar)
    tree = parser.parse(request.text, null, { progressCallback: () => performance.now() > until })
    if (!tree) throw new DeadlineError()
    const file: SourceFile = {
      path: request.path,
      language,
      text: request.text,
      lines: request.text.split(/\r?\n/),
      root: tree.rootNode,
    }
    return runChecks(file, tree, new Set(request.addedLines), until)
  } finally {
    tree?.delete()
    parser.delete()
  }
}

/** Visits the nodes that touch added lines; what lies inside a syntax error is left alone. */
function runChecks(file: SourceFile, tree: Tree, added: ReadonlySet<number>, until: number): RuleFinding[] {
  const checks = checksByNode(file.language)
  const isTouched = touchTest(added, file.lines.length)
  const findings = new Map<string, RuleFinding>()
  const cursor = tree.walk()
  let visited = 0
  try {
    for (let isDone = false; !isDone; ) {
      if (++visited % 256 === 0 && performance.now() > until) throw new DeadlineError()
      const isOpen = cursor.nodeType !== 'ERROR' && isTouched(cursor.startPosition.row + 1, cursor.endPosition.row + 1)
      const matching = isOpen ? checks.get(cursor.nodeType) : undefined
      if (matching) for (const finding of hitsOf(cursor.currentNode, file, matching)) keep(findings, finding, added)
      if (isOpen && cursor.gotoFirstChild()) continue
      while (!cursor.gotoNextSibling()) {
        isDone = !cursor.gotoParent()
        if (isDone) break
      }
    }
  } finally {
    cursor.delete()
  }
  return [...findings.values()]
}

function hitsOf(node: Node, file: SourceFile, checks: readonly (readonly [Rule, SyntaxCheck])[]): RuleFinding[] {
  return checks.flatMap(([rule, check]) => {
    const hit = check.check(node, file)
    return hit ? [toRuleFinding(rule, hit)] : []
  })
}

/** Only findings on added lines count, one of a rule on a line; a suggestion may replace added lines only. */
function keep(findings: Map<string, RuleFinding>, finding: RuleFinding, added: ReadonlySet<number>): void {
  const key = `${finding.rule}:${finding.startLine}`
  if (added.has(finding.startLine) && added.has(finding.endLine) && !findings.has(key)) findings.set(key, finding)
}

const checksOfLanguages = new Map<Language, Map<string, [Rule, SyntaxCheck][]>>()

function checksByNode(language: Language): Map<string, [Rule, SyntaxCheck][]> {
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
function touchTest(added: ReadonlySet<number>, lineCount: number): (from: number, to: number) => boolean {
  const before = new Uint32Array(lineCount + 2)
  for (let line = 1; line <= lineCount; line++) before[line + 1] = before[line]! + (added.has(line) ? 1 : 0)
  return (from, to) => before[Math.min(to, lineCount) + 1]! > before[Math.min(from, lineCount + 1)]!
}

function checkWorkflow(request: CheckRequest): RuleFinding[] {
  const document = parseDocument(request.text, { logLevel: 'silent', uniqueKeys: false })
  const findings = new Map<string, RuleFinding>()
  const added = new Set(request.addedLines)
  for (const rule of rules) {
    for (const hit of rule.workflow?.({ document, text: request.text }) ?? []) {
      keep(findings, toRuleFinding(rule, hit), added)
    }
  }
  return [...findings.values()]
}

async function answer(request: CheckRequest): Promise<CheckResponse> {
  const { id, kind } = request
  try {
    const findings = kind === 'workflow' ? checkWorkflow(request) : await checkSource(request, kind)
    return { id, outcome: 'checked', findings }
  } catch (error) {
    return { id, outcome: error instanceof DeadlineError ? 'too_slow' : 'failed' }
  }
}

parentPort?.on('message', async (request: CheckRequest) => parentPort?.postMessage(await answer(request)))
