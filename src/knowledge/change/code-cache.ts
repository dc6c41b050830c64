// What reviews read of code lately: the next one of the same repository asks for most of it again.
import { keepLastUsed, type LastUsed } from '../../lib/last-used.ts'
import type { CodeFacts } from '../../workspace/code-facts.ts'
import type { SourceKind } from '../../workspace/facts/source-kind.ts'

/** What facts hang on: bytes, and how they are read. */
export interface SourceBlob {
  readonly oid: string
  readonly kind: SourceKind
}

/** Of this process. What is in it never gets out of date: it goes by what never changes. */
export interface CodeCache {
  /** By `blobKey`. */
  readonly facts: Pick<LastUsed<CodeFacts>, 'get'> & { set(key: string, facts: CodeFacts): void }
  /** The blobs of all files by path, by graph and commit. */
  readonly files: Pick<LastUsed<FileBlobs>, 'get'> & { set(key: string, files: FileBlobs): void }
}

export type FileBlobs = ReadonlyMap<string, string>

/** About as many bytes of memory. */
const roomForFacts = 48 * 1024 * 1024
/** The same, of all graphs together: some 150,000 files of usual paths. */
const roomForFiles = 32 * 1024 * 1024

/** Makes an empty one. */
export function createCodeCache(): CodeCache {
  const facts = keepLastUsed<CodeFacts>(roomForFacts)
  const files = keepLastUsed<FileBlobs>(roomForFiles)
  return {
    facts: { get: facts.get, set: (key, item) => facts.set(key, item, weigh(item)) },
    files: { get: files.get, set: (key, list) => files.set(key, list, weighFiles(list)) },
  }
}

/** Names facts among those of all repositories. */
export function blobKey({ oid, kind }: SourceBlob): string {
  return `${oid} ${kind}`
}

/** Measured on JavaScript and TypeScript. */
function weigh({ symbols, references, imports, bindings }: CodeFacts): number {
  return (
    500 +
    350 * symbols.length +
    100 * references.length +
    350 * imports.length +
    80 * bindings.length
  )
}

/** By the paths as well: a hostile repository's are as long as can be. */
function weighFiles(files: FileBlobs): number {
  let weight = 0
  for (const path of files.keys()) weight += 150 + path.length
  return weight
}
