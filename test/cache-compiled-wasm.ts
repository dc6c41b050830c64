// Keeps compiled WebAssembly alive, so that later threads of the process reuse it.
// Starting a database in a test takes less than half the time this way.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { compile } = WebAssembly as unknown as { compile(program: Uint8Array): Promise<object> }

const packages = ['@electric-sql/pglite/dist', '@vscode/tree-sitter-wasm/wasm', 'web-tree-sitter']

/** One process runs several test files, so the modules are held globally. */
const globalCache = globalThis as { compiledPrograms?: Promise<object[]> }
globalCache.compiledPrograms ??= compileAll()
await globalCache.compiledPrograms

function compileAll(): Promise<object[]> {
  const folders = packages.map((name) =>
    fileURLToPath(new URL(`../node_modules/${name}/`, import.meta.url)),
  )
  const programs = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.wasm'))
      .map((name) => `${folder}${name}`),
  )
  return Promise.all(programs.map((program) => compile(readFileSync(program))))
}
