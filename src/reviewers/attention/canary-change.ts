// Adds a canary to a change, so that a model's tools show the canary like any other file.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { runInNewContext } from 'node:vm'
import type { Change } from '../../domain/change.ts'
import type { SearchMatch, SearchOptions, Snapshot, TreeEntry } from '../../domain/snapshot.ts'
import type { Tool } from '../../domain/tool.ts'
import type { Canary } from './canary.ts'
import { mentionsCanary } from './canary-mentions.ts'

/** Bounds the time of a model's pattern; usual ones take less than a millisecond. */
const maxMatchMs = 250
const defaultSearchLimit = 200

/** Adds a canary to the head of a change. No request about it reaches the host or a source. */
export function addCanaryToChange(change: Change, canary: Canary): Change {
  return {
    ...change,
    files: [...change.files, canary.file],
    head: addCanaryToSnapshot(change.head, canary),
    async history(path, limit, signal) {
      if (!mentionsCanary(path, canary)) return change.history(path, limit, signal)
      return isCanaryPath(path, canary) ? change.commits.slice(-1) : []
    },
    remoteTools: change.remoteTools.map((tool) => hideCanaryFromTool(tool, canary)),
  }
}

function isCanaryPath(path: string, { file }: Canary): boolean {
  return posix.normalize(path) === file.path
}

/** Answers calls about the canary with no result, without running the tool. */
function hideCanaryFromTool(tool: Tool, canary: Canary): Tool {
  return {
    ...tool,
    run: async (input, signal) =>
      mentionsCanary(JSON.stringify(input) ?? '', canary)
        ? 'Nothing found.'
        : tool.run(input, signal),
  }
}

function addCanaryToSnapshot(snapshot: Snapshot, canary: Canary): Snapshot {
  const { path } = canary.file
  const bytes = Buffer.from(canary.lines.map((line) => `${line}\n`).join(''))
  const entry: TreeEntry = {
    path,
    kind: 'file',
    oid: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
  }
  const searchCanary = createCanarySearch(canary)
  return {
    sha: snapshot.sha,
    readFile: async (requestedPath, options) =>
      requestedPath === path ? bytes : snapshot.readFile(requestedPath, options),
    async listFiles(options = {}) {
      const entries = await snapshot.listFiles(options)
      return isInFolder(path, options.prefix) ? insertByPath(entries, entry) : entries
    },
    async search(pattern, options = {}) {
      const found = await snapshot.search(pattern, options)
      const inCanary = searchCanary(pattern, options)
      return [...found, ...inCanary].sort(byPath).slice(0, options.limit ?? defaultSearchLimit)
    },
    // The wrapped snapshot is disposed of by its creator.
    [Symbol.asyncDispose]: async () => {},
  }
}

function isInFolder(path: string, prefix = ''): boolean {
  const folder = prefix.replace(/\/+$/, '')
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  if (one.path === other.path) return 0
  return one.path < other.path ? -1 : 1
}

function insertByPath(entries: readonly TreeEntry[], entry: TreeEntry): TreeEntry[] {
  const at = entries.findIndex(({ path }) => path > entry.path)
  return entries.toSpliced(at === -1 ? entries.length : at, 0, entry)
}

/**
 * Makes a search in the lines of the canary. Patterns that JavaScript doesn't accept find nothing.
 * After a pattern that took too long, which is an attack, no pattern finds anything.
 */
function createCanarySearch({ file, lines }: Canary) {
  const all = lines.map((text, index) => ({ path: file.path, line: index + 1, text }))
  const extension = posix.extname(file.path).toLowerCase()
  let isHostile = false
  return (
    pattern: string,
    { fixed, ignoreCase, prefix, extensions }: SearchOptions,
  ): SearchMatch[] => {
    const isSearched =
      isInFolder(file.path, prefix) && (extensions === undefined || extensions.includes(extension))
    if (isHostile || !isSearched) return []
    try {
      const source = fixed ? RegExp.escape(pattern) : toJavaScriptPattern(pattern)
      const hits = testLines(new RegExp(source, ignoreCase ? 'i' : ''), lines)
      return all.filter((_, index) => hits[index])
    } catch (error) {
      isHostile = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
      return []
    }
  }
}

/** Runs in a script with a timeout, because a pattern from the model can backtrack without end. */
function testLines(expression: RegExp, texts: readonly string[]): boolean[] {
  const script = 'texts.map((text) => expression.test(text))'
  return runInNewContext(script, { texts, expression }, { timeout: maxMatchMs }) as boolean[]
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: 'a-zA-Z0-9',
  alpha: 'a-zA-Z',
  digit: '0-9',
  space: '\\s',
  blank: ' \\t',
  upper: 'A-Z',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  xdigit: '0-9a-fA-F',
}

/** Character classes are the one common difference between the syntax of POSIX and JavaScript. */
function toJavaScriptPattern(pattern: string): string {
  return pattern.replace(/\[:([a-z]+):\]/g, (whole, name: string) => posixClasses[name] ?? whole)
}
