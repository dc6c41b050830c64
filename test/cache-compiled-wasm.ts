// Keeps compiled WebAssembly alive, so that later threads of the process reuse it.
// Starting a database in a test takes less than half the time this way.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { compile } = WebAssembly as unknown as { compile(program: Uint8Array): Promise<object> }

const programFiles = [
  'node_modules/@electric-sql/pglite/dist/*.wasm',
  'node_modules/@vscode/tree-sitter-wasm/wasm/*.wasm',
  'node_modules/web-tree-sitter/*.wasm',
  'src/languages/*/*.wasm',
]

/** One process runs several test files, so the modules are held globally. */
const globalCache = globalThis as { compiledPrograms?: Promise<object[]> }
globalCache.compiledPrograms ??= compileAll()
await globalCache.compiledPrograms

function compileAll(): Promise<object[]> {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const programs = globSync(programFiles, { cwd: root })
  return Promise.all(programs.map((program) => compile(readFileSync(`${root}${program}`))))
}
