// Holds what V8 made of the WebAssembly that Umpire starts in threads: while it is held, the next thread finds the same
// program compiled, and optimised where it was busy. A database that a test starts costs less than half with it.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { compile } = WebAssembly as unknown as { compile(program: Uint8Array): Promise<object> }

const packages = ['@electric-sql/pglite/dist', '@vscode/tree-sitter-wasm/wasm', 'web-tree-sitter']

/** Once in a process, whatever test files it runs. */
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
