// The worker thread that parses untrusted source files.
import { parentPort } from 'node:worker_threads'
import { type Node, Parser } from 'web-tree-sitter'
import type { FileIndex } from '../languages/code-index.ts'
import type { ThreadAnswer, ThreadRequest } from '../lib/thread-pool.ts'
import { countDataErrors, type DataFormat } from './data-format.ts'
import { loadGrammar } from './grammars.ts'
import { loadIndexParser } from './indexing/load-index-parser.ts'
import type { SourceKind } from './indexing/source-kind.ts'
import { type Definition, outlineTree } from './outline.ts'

export type SyntaxRequest =
  | { readonly want: 'errors' | 'outline'; readonly grammar: string; readonly text: string }
  | { readonly want: 'index'; readonly kind: SourceKind; readonly text: string }
  | { readonly want: 'data errors'; readonly format: DataFormat; readonly text: string }

export interface SyntaxAnswer {
  readonly errors?: number
  readonly outline?: readonly Definition[]
  readonly index?: FileIndex
}

type Request = ThreadRequest<SyntaxRequest>

/** This is enough to compare two versions of a file. */
const maxErrors = 1_000

async function parse(request: Request): Promise<SyntaxAnswer> {
  if (request.want === 'data errors') {
    reportStart(request)
    return { errors: countDataErrors(request.format, request.text) }
  }
  if (request.want === 'index') return { index: await indexText(request) }
  const grammar = await loadGrammar(request.grammar)
  reportStart(request)
  const deadline = performance.now() + request.deadlineMs
  const parser = new Parser()
  try {
    parser.setLanguage(grammar)
    const tree = parser.parse(request.text, null, {
      progressCallback: () => performance.now() > deadline,
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

async function indexText(request: Request & { readonly want: 'index' }): Promise<FileIndex> {
  const parser = await loadIndexParser(request.kind)
  reportStart(request)
  const index = parser.parse(request.text, request.deadlineMs)
  if (!index) throw new DeadlineError()
  return index
}

/** The pool's deadline counts from this message, so loading a grammar isn't part of it. */
function reportStart({ id }: Request): void {
  parentPort?.postMessage({ id, outcome: 'started' } satisfies ThreadAnswer<SyntaxAnswer>)
}

class DeadlineError extends Error {}

/** Counts syntax errors and missing tokens, without those inside of another error. */
function countErrors(root: Node): number {
  let errors = 0
  const pending = [root]
  while (pending.length > 0 && errors < maxErrors) {
    const node = pending.pop()!
    if (node.isError || node.isMissing) errors++
    else if (node.hasError) for (const child of node.children) pending.push(child)
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
