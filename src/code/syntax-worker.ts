// The worker thread that parses source files; what it reads is hostile until shown otherwise.
import { parentPort } from 'node:worker_threads'
import { type Node, Parser } from 'web-tree-sitter'
import type { ThreadAnswer, ThreadRequest } from '../lib/thread-pool.ts'
import type { FileIndex } from './code-index.ts'
import { countDataErrors, type DataFormat } from './data-format.ts'
import { type GrammarName, loadGrammar } from './grammars.ts'
import { loadIndexParser } from './indexing/load-index-parser.ts'
import type { SourceKind } from './indexing/source-kind.ts'
import { type Definition, outlineTree } from './outline.ts'

/** One file, and what is asked about it. */
export type SyntaxRequest =
  | { readonly want: 'errors' | 'outline'; readonly grammar: GrammarName; readonly text: string }
  | { readonly want: 'facts'; readonly kind: SourceKind; readonly text: string }
  | { readonly want: 'data errors'; readonly format: DataFormat; readonly text: string }

/** What was asked for. */
export interface SyntaxAnswer {
  readonly errors?: number
  readonly outline?: readonly Definition[]
  readonly index?: FileIndex
}

type Request = ThreadRequest<SyntaxRequest>

/** Enough to compare two versions of a file. */
const maxErrors = 1_000

async function parse(request: Request): Promise<SyntaxAnswer> {
  if (request.want === 'data errors') {
    parentPort?.postMessage({
      id: request.id,
      outcome: 'started',
    } satisfies ThreadAnswer<SyntaxAnswer>)
    return { errors: countDataErrors(request.format, request.text) }
  }
  if (request.want === 'facts') return { index: await indexText(request) }
  const grammar = await loadGrammar(request.grammar)
  parentPort?.postMessage({
    id: request.id,
    outcome: 'started',
  } satisfies ThreadAnswer<SyntaxAnswer>)
  const until = performance.now() + request.deadlineMs
  const parser = new Parser()
  try {
    parser.setLanguage(grammar)
    const tree = parser.parse(request.text, null, {
      progressCallback: () => performance.now() > until,
    })
    if (!tree) throw new DeadlineError()
    try {
      const root = tree.rootNode
      if (request.want === 'errors') return { errors: countErrors(root) }
      return { outline: outlineTree(root, request.grammar, request.text) }
    } finally {
      tree.delete()
    }
  } finally {
    parser.delete()
  }
}

async function indexText(request: Request & { readonly want: 'facts' }): Promise<FileIndex> {
  const parser = await loadIndexParser(request.kind)
  parentPort?.postMessage({
    id: request.id,
    outcome: 'started',
  } satisfies ThreadAnswer<SyntaxAnswer>)
  const facts = parser.parse(request.text, request.deadlineMs)
  if (!facts) throw new DeadlineError()
  return facts
}

class DeadlineError extends Error {}

/** Syntax errors and missing tokens; what lies inside an error doesn't count again. */
function countErrors(root: Node): number {
  let errors = 0
  const open = [root]
  while (open.length > 0 && errors < maxErrors) {
    const node = open.pop()!
    if (node.isError || node.isMissing) errors++
    else if (node.hasError) for (const child of node.children) open.push(child)
  }
  return errors
}

async function answer(request: Request): Promise<ThreadAnswer<SyntaxAnswer>> {
  try {
    return { id: request.id, outcome: 'done', result: await parse(request) }
  } catch (error) {
    return { id: request.id, outcome: error instanceof DeadlineError ? 'too_slow' : 'failed' }
  }
}

parentPort?.on('message', async (request: Request) =>
  parentPort?.postMessage(await answer(request)),
)
