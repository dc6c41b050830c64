// The worker thread that reads untrusted source files: one parse of a file for all that is wanted.
import { parentPort, workerData } from 'node:worker_threads'
import { type Node, Parser, type Tree } from 'web-tree-sitter'
import type { FileIndex } from '../languages/code-index.ts'
import type { IndexSpec } from '../languages/common/index-spec.ts'
import { languageOfGrammarNamed, pageGrammar } from '../languages/index.ts'
import type { ThreadAnswer, ThreadRequest } from '../lib/thread-pool.ts'
import { countDataErrors, dataFormatOf } from './data-format.ts'
import { loadGrammar, parserMemory } from './grammars.ts'
import { encodeFileIndex } from './indexing/encode-file-index.ts'
import { indexTree } from './indexing/index-tree.ts'
import { blankMarkup, type SourceKind } from './indexing/source-kind.ts'

/** Files are read in this order, and each is answered by one part, or two if it is inspected. */
export interface SyntaxRequest {
  readonly files: readonly FileRequest[]
}

interface FileRequest {
  readonly path: string
  readonly content: string | Uint8Array
  /** It is null for a file without a syntax tree. */
  readonly kind: SourceKind | null
  readonly wants: Wants
}

/** Syntax errors are counted too, except for an index that is stored. */
export interface Wants {
  /** Whether to index the file, and whether to encode its index for storage. */
  readonly index?: 'plain' | 'encoded'
  /** What to ask the inspector about the file; its code is loaded for an empty list too. */
  readonly inspections?: readonly object[]
}

/** Of the first part: `errors`, and the index in the wanted form. Of the second: `inspections`. */
export interface FileAnswer {
  readonly errors?: number | undefined
  readonly index?: FileIndex | undefined
  readonly encodedIndex?: Uint8Array<ArrayBuffer> | undefined
  readonly inspections?: readonly unknown[]
}

/** A parsed file that an inspector reads. */
export interface InspectedFile {
  readonly path: string
  readonly text: string
  /** It is null for a file without a syntax tree. */
  readonly syntax: { readonly tree: Tree; readonly grammar: string } | null
}

/**
 * The module that answers questions about syntax trees that this folder doesn't know. It is the
 * `workerData` of the thread, because it lies in a layer above.
 */
export interface Inspector {
  /** Loads what it needs for files of a grammar, before they are inspected. */
  prepareInspector(grammar: string): Promise<void>
  /** @param checkTime throws after the deadline */
  inspectFile(file: InspectedFile, inspection: object, checkTime: () => void): unknown
}

type Request = ThreadRequest<SyntaxRequest>
type Answer = ThreadAnswer<null, FileAnswer>

class DeadlineError extends Error {}

/** This is enough to compare two versions of a file. */
const maxErrors = 1_000
/**
 * A parser's memory never shrinks. A thread that needed more than this for a rare large file is
 * replaced.
 */
const maxParserMemoryBytes = 48 * 1024 * 1024

/** What reads the files of a kind. */
interface Reader {
  readonly grammar: string
  readonly parser: Parser
  readonly spec: IndexSpec
}

// Parsers are reused, so each thread creates one per kind.
const readers = new Map<SourceKind, Promise<Reader>>()
let inspector: Promise<Inspector> | undefined
const decoder = new TextDecoder()

function loadReader(kind: SourceKind): Promise<Reader> {
  const reader = readers.get(kind) ?? createReader(kind === 'embedded' ? pageGrammar : kind)
  readers.set(kind, reader)
  return reader
}

async function createReader(grammar: string): Promise<Reader> {
  const [language, spec] = await Promise.all([
    loadGrammar(grammar),
    languageOfGrammarNamed(grammar).language.loadIndexSpec(),
  ])
  return { grammar, parser: new Parser().setLanguage(language), spec }
}

async function loadInspector(readers: Iterable<Reader>): Promise<Inspector> {
  inspector ??= import(workerData as string)
  const loaded = await inspector
  for (const { grammar } of readers) await loaded.prepareInspector(grammar)
  return loaded
}

/** Stops at the first file that takes too long or fails, after which the thread is replaced. */
async function readFiles({ id, deadlineMs, files }: Request): Promise<Answer> {
  const loaded = new Map<SourceKind, Reader>()
  for (const { kind } of files)
    if (kind !== null && !loaded.has(kind)) loaded.set(kind, await loadReader(kind))
  const isInspected = files.some(({ wants }) => wants.inspections)
  const tools = { loaded, inspector: isInspected ? await loadInspector(loaded.values()) : null }
  // The pool's deadline counts from this message, so loading isn't part of it.
  send({ id, outcome: 'started' })
  const sendPart = (part: FileAnswer) =>
    send({ id, outcome: 'part', part }, part.encodedIndex && [part.encodedIndex.buffer])
  for (const file of files) readFile(file, tools, deadlineMs, sendPart)
  const shouldReplaceThread = parserMemory().byteLength > maxParserMemoryBytes
  return { id, outcome: 'done', result: null, shouldReplaceThread }
}

interface Tools {
  readonly loaded: ReadonlyMap<SourceKind, Reader>
  readonly inspector: Inspector | null
}

function readFile(
  { path, content, kind, wants }: FileRequest,
  { loaded, inspector }: Tools,
  deadlineMs: number,
  sendPart: (part: FileAnswer) => void,
): void {
  const text = typeof content === 'string' ? content : decoder.decode(content)
  const isTooLate = createDeadlineCheck(deadlineMs)
  const reader = kind && loaded.get(kind)
  const source = kind === 'embedded' ? blankMarkup(text) : text
  const syntax = reader ? parse(reader, source, isTooLate) : null
  try {
    sendPart({
      ...(wants.index !== 'encoded' && { errors: countErrors(path, text, syntax?.tree) }),
      ...(syntax && wants.index && readIndex(syntax, wants.index, isTooLate)),
    })
    if (!wants.inspections || !inspector) return
    const checkTime = createTimeCheck(deadlineMs)
    const inspect = (inspection: object) =>
      inspector.inspectFile({ path, text, syntax }, inspection, checkTime)
    sendPart({ inspections: wants.inspections.map(inspect) })
  } finally {
    syntax?.tree.delete()
  }
}

interface Parsed extends Reader {
  readonly tree: Tree
  readonly source: string
}

function parse(reader: Reader, source: string, isTooLate: () => boolean): Parsed {
  const parsed = reader.spec.preprocess?.(source) ?? source
  const tree = reader.parser.parse(parsed, null, { progressCallback: isTooLate })
  if (!tree) throw new DeadlineError()
  return { ...reader, tree, source }
}

function readIndex(
  { tree, spec, source }: Parsed,
  form: NonNullable<Wants['index']>,
  isTooLate: () => boolean,
): FileAnswer {
  const index = indexTree(tree, spec, source, isTooLate)
  if (index === undefined) throw new DeadlineError()
  return form === 'plain' ? { index } : { encodedIndex: new Uint8Array(encodeFileIndex(index)) }
}

/** Counts syntax errors and missing tokens, without those inside of another error. */
function countErrorsOfTree(root: Node): number {
  let errors = 0
  const pending = [root]
  while (pending.length > 0 && errors < maxErrors) {
    const node = pending.pop()!
    if (node.isError || node.isMissing) errors++
    else if (node.hasError) for (const child of node.children) pending.push(child)
  }
  return errors
}

function countErrors(path: string, text: string, tree: Tree | undefined): number | undefined {
  if (tree) return countErrorsOfTree(tree.rootNode)
  const format = dataFormatOf(path)
  return format && countDataErrors(format, text)
}

/**
 * Notices when this thread has used that much CPU time, because a busy machine isn't the file's
 * fault. Reads the time only on every 16th call because reading it is slow.
 */
function createDeadlineCheck(deadlineMs: number): () => boolean {
  const start = process.threadCpuUsage()
  let calls = 0
  return () => {
    calls++
    if (calls % 16 !== 1) return false
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1_000 > deadlineMs
  }
}

/** Throws after that much time. It passes for an inspection even if the thread has to wait. */
function createTimeCheck(deadlineMs: number): () => void {
  const until = performance.now() + deadlineMs
  return () => {
    if (performance.now() > until) throw new DeadlineError()
  }
}

function send(answer: Answer, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, transfer)
}

async function answer(request: Request): Promise<Answer> {
  try {
    return await readFiles(request)
  } catch (error) {
    return { id: request.id, outcome: error instanceof DeadlineError ? 'too_slow' : 'failed' }
  }
}

parentPort?.on('message', async (request: Request) => send(await answer(request)))
