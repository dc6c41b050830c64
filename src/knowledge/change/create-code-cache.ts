// Creates the cache of code data, which all reviews of a service share.
import { LRUCache } from 'lru-cache'
import type { FileIndex } from '../../languages/code-index.ts'
import type { CodeCache, FileBlobs } from './code-cache.ts'

const maxIndexBytes = 48 * 1024 * 1024
/** Suffices for about 150,000 files with paths of usual length. */
const maxFileListBytes = 32 * 1024 * 1024

export function createCodeCache(): CodeCache {
  return {
    fileIndexes: new LRUCache({ maxSize: maxIndexBytes, sizeCalculation: estimateIndexBytes }),
    fileBlobs: new LRUCache({ maxSize: maxFileListBytes, sizeCalculation: estimateFileListBytes }),
  }
}

/** The numbers were measured with JavaScript and TypeScript. */
function estimateIndexBytes({ symbols, references, imports, bindings }: FileIndex): number {
  return (
    500 +
    350 * symbols.length +
    100 * references.length +
    350 * imports.length +
    80 * bindings.length
  )
}

/** Includes the lengths of the paths, which can be extreme in a hostile repository. */
function estimateFileListBytes(blobs: FileBlobs): number {
  let bytes = 100
  for (const path of blobs.keys()) bytes += 150 + path.length
  return bytes
}
