// The grammars that source files are parsed with, by path. To be used in worker threads only: files are hostile.
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { Language as Grammar, Parser } from 'web-tree-sitter'

/** Names of the grammars, as in the names of their files. */
export type GrammarName =
  | 'javascript'
  | 'typescript'
  | 'tsx'
  | 'python'
  | 'go'
  | 'java'
  | 'c-sharp'
  | 'ruby'
  | 'rust'
  | 'php'
  | 'cpp'

const extensions: Readonly<Record<GrammarName, string>> = {
  javascript: '.js .jsx .mjs .cjs',
  typescript: '.ts .mts .cts',
  tsx: '.tsx',
  python: '.py .pyi',
  go: '.go',
  java: '.java',
  'c-sharp': '.cs',
  ruby: '.rb .rake',
  rust: '.rs',
  php: '.php',
  // C is parsed as C++: the grammar for C alone does no better on what reviews ask for.
  cpp: '.cpp .cc .cxx .hpp .hh .hxx .h .c .mm',
}

const grammarOfExtension = new Map(
  Object.entries(extensions).flatMap(([name, list]) =>
    list.split(' ').map((extension) => [extension, name as GrammarName] as const),
  ),
)

/** The grammar for a file; undefined where there is none. */
export function grammarOfPath(path: string): GrammarName | undefined {
  return grammarOfExtension.get(extname(path).toLowerCase())
}

/**
 * 128 MB a thread, in pages of 64 KB. Files that people write take 40 at most; there are some of 100 KB that take 2 GB. Where it
 * isn't enough the parser breaks down, and its thread must go.
 */
const maxMemoryPages = 2_048
const initialMemoryPages = 512

const require = createRequire(import.meta.url)
// Constant once loaded, and of the thread.
const grammars = new Map<GrammarName, Promise<Grammar>>()
let parserReady: Promise<void> | undefined
let memory: WebAssembly.Memory | undefined

/** The memory of the thread's parsers as it is now; its buffer is another one when it has grown. */
export function parserMemory(): ArrayBuffer {
  return memory?.buffer ?? new ArrayBuffer(0)
}

/** Loads a grammar once in a thread. */
export function loadGrammar(name: GrammarName): Promise<Grammar> {
  memory ??= new WebAssembly.Memory({ initial: initialMemoryPages, maximum: maxMemoryPages })
  parserReady ??= Parser.init({ wasmMemory: memory })
  const known = grammars.get(name)
  if (known) return known
  const loading = parserReady.then(() =>
    Grammar.load(require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`)),
  )
  grammars.set(name, loading)
  return loading
}
