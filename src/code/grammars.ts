// Loads the grammars of source files; for worker threads only, because files are untrusted.
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { Language as Grammar, Parser } from 'web-tree-sitter'

/** These names are parts of the grammars' file names. */
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
  // C is parsed as C++, because the grammar for C alone gives no better results for reviews.
  cpp: '.cpp .cc .cxx .hpp .hh .hxx .h .c .mm',
}

const grammarOfExtension = new Map(
  Object.entries(extensions).flatMap(([name, list]) =>
    list.split(' ').map((extension) => [extension, name as GrammarName] as const),
  ),
)

/** Chooses the grammar that parses files with this extension. */
export function grammarOfPath(path: string): GrammarName | undefined {
  return grammarOfExtension.get(extname(path).toLowerCase())
}

/**
 * 128 MB per thread, in pages of 64 KB. Handwritten files take at most 40 MB, but some files of
 * 100 KB take 2 GB. Beyond the limit the parser crashes, and its thread must be replaced.
 */
const maxMemoryPages = 2_048
const initialMemoryPages = 512

const require = createRequire(import.meta.url)
// Each thread loads these once; they never change afterwards.
const grammars = new Map<GrammarName, Promise<Grammar>>()
let parserReady: Promise<void> | undefined
let memory: WebAssembly.Memory | undefined

/** The current memory of the thread's parsers. The buffer is replaced when the memory grows. */
export function parserMemory(): ArrayBuffer {
  return memory?.buffer ?? new ArrayBuffer(0)
}

export function loadGrammar(name: GrammarName): Promise<Grammar> {
  memory ??= new WebAssembly.Memory({ initial: initialMemoryPages, maximum: maxMemoryPages })
  parserReady ??= Parser.init({ wasmMemory: memory })
  const cached = grammars.get(name)
  if (cached) return cached
  const file = `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`
  const loading = parserReady.then(() => Grammar.load(require.resolve(file)))
  grammars.set(name, loading)
  return loading
}
