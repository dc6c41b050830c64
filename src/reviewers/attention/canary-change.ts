// The change as it would be were a made-up file part of it: so a model can ask its tools about that file like any other.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { runInNewContext } from 'node:vm'
import type { SearchMatch, SearchOptions, Snapshot, TreeEntry } from '../../git/snapshot.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Change } from '../reviewer.ts'
import type { Canary } from './canary.ts'
import { mentionsCanary } from './canary-mentions.ts'

/** Longest time that a pattern of a model may take over the few lines, in milliseconds; a thousand times what it takes. */
const maxMatchMs = 250

/** Adds a made-up file to the head of a change. Nothing about it is asked of a platform or a tracker. */
export function addCanaryToChange(change: Change, plant: Canary): Change {
  return {
    ...change,
    files: [...change.files, plant.file],
    head: addCanaryToSnapshot(change.head, plant),
    history: async (path, limit, signal) =>
      mentionsCanary(path, plant)
        ? change.commits.slice(-1).filter(() => isCanaryPath(path, plant))
        : change.history(path, limit, signal),
    remoteTools: change.remoteTools.map((tool) => hideCanaryFromTool(tool, plant)),
  }
}

function isCanaryPath(path: string, { file }: Canary): boolean {
  return posix.normalize(path) === file.path
}

/** What is asked about the made-up file leads nowhere. */
function hideCanaryFromTool(tool: Tool, plant: Canary): Tool {
  return {
    ...tool,
    run: async (input, signal) =>
      mentionsCanary(JSON.stringify(input) ?? '', plant)
        ? 'Nothing found.'
        : tool.run(input, signal),
  }
}

function addCanaryToSnapshot(snapshot: Snapshot, plant: Canary): Snapshot {
  const { path } = plant.file
  const bytes = Buffer.from(plant.lines.map((line) => `${line}\n`).join(''))
  const entry: TreeEntry = {
    path,
    kind: 'file',
    oid: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
    size: bytes.length,
  }
  const searchOwn = createCanarySearch(plant)
  return {
    sha: snapshot.sha,
    readFile: async (asked, options) =>
      asked === path ? bytes : snapshot.readFile(asked, options),
    async listFiles(options = {}) {
      const entries = await snapshot.listFiles(options)
      return isInFolder(path, options.prefix) ? insertByPath(entries, entry) : entries
    },
    async search(pattern, options = {}) {
      const found = await snapshot.search(pattern, options)
      const own = searchOwn(pattern, options)
      return [...found, ...own].sort(byPath).slice(0, options.limit ?? 200)
    },
    // Whoever made the other one disposes of it.
    [Symbol.asyncDispose]: async () => {},
  }
}

function isInFolder(path: string, prefix = ''): boolean {
  const folder = prefix.replace(/\/+$/, '')
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path === other.path ? 0 : one.path < other.path ? -1 : 1
}

function insertByPath(entries: readonly TreeEntry[], entry: TreeEntry): TreeEntry[] {
  const at = entries.findIndex(({ path }) => path > entry.path)
  return entries.toSpliced(at === -1 ? entries.length : at, 0, entry)
}

/**
 * Searches the lines of the made-up file. A pattern that is none to JavaScript finds nothing there; nor does any other
 * once one took too long, for that was meant to.
 */
function createCanarySearch({ file, lines }: Canary) {
  const all = lines.map((text, index) => ({ path: file.path, line: index + 1, text }))
  const extension = posix.extname(file.path).toLowerCase()
  let isHostile = false
  return (
    pattern: string,
    { fixed, ignoreCase, prefix, extensions }: SearchOptions,
  ): SearchMatch[] => {
    if (isHostile || !isInFolder(file.path, prefix) || extensions?.includes(extension) === false)
      return []
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

/** A model can be talked into a pattern that goes back and forth without end, and only a script can be stopped. */
function testLines(expression: RegExp, texts: readonly string[]): boolean[] {
  const script = 'texts.map((text) => expression.test(text))'
  return runInNewContext(script, { texts, expression }, { timeout: maxMatchMs }) as boolean[]
}

const posixClasses: Readonly<Record<string, string>> = {
  ...{
    alnum: 'a-zA-Z0-9',
    alpha: 'a-zA-Z',
    digit: '0-9',
    space: '\\s',
    blank: ' \\t',
    upper: 'A-Z',
    lower: 'a-z',
  },
  ...{ punct: '!-\\/:-@\\[-`{-~', xdigit: '0-9a-fA-F' },
}

/** A POSIX expression as JavaScript has it, as far as their syntax differs in what people write. */
function toJavaScriptPattern(pattern: string): string {
  return pattern.replace(/\[:([a-z]+):\]/g, (whole, name: string) => posixClasses[name] ?? whole)
}
