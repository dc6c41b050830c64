// Loads the grammars of source files; for worker threads only, because files are untrusted.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Language as Grammar, Parser } from 'web-tree-sitter'
import { languageOfGrammarNamed } from '../languages/index.ts'

/**
 * 128 MB per thread, in pages of 64 KB. Handwritten files take at most 40 MB, but some files of
 * 100 KB take 2 GB. Beyond the limit the parser crashes, and its thread must be replaced.
 */
const maxMemoryPages = 2_048
const initialMemoryPages = 512

const require = createRequire(import.meta.url)
// Each thread loads these once; they never change afterwards.
const grammars = new Map<string, Promise<Grammar>>()
let parserReady: Promise<void> | undefined
let memory: WebAssembly.Memory | undefined

/** The current memory of the thread's parsers. The buffer is replaced when the memory grows. */
export function parserMemory(): ArrayBuffer {
  return memory?.buffer ?? new ArrayBuffer(0)
}

export function loadGrammar(name: string): Promise<Grammar> {
  memory ??= new WebAssembly.Memory({ initial: initialMemoryPages, maximum: maxMemoryPages })
  parserReady ??= Parser.init({ wasmMemory: memory })
  const cached = grammars.get(name)
  if (cached) return cached
  const { file } = languageOfGrammarNamed(name).grammar
  const path = file
    ? fileURLToPath(file)
    : require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`)
  const loading = parserReady.then(() => Grammar.load(path))
  grammars.set(name, loading)
  return loading
}
