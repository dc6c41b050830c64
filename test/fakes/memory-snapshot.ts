// An in-memory snapshot of a repository's files at one commit, for tests without git.
import { createHash } from 'node:crypto'
import type { SearchMatch, Snapshot } from '../../src/domain/snapshot.ts'

/** The POSIX character classes that the tools use, as JavaScript writes them. */
const posixClasses: Readonly<Record<string, string>> = {
  '[:alnum:]': 'a-zA-Z0-9',
  '[:alpha:]': 'a-zA-Z',
  '[:digit:]': '0-9',
  '[:space:]': '\\s',
}

/**
 * Creates a snapshot of the given files. `search` takes POSIX expressions whose syntax JavaScript
 * shares.
 */
export function createMemorySnapshot(
  files: Readonly<Record<string, string | Uint8Array>>,
  sha = 'a'.repeat(40),
): Snapshot & AsyncDisposable {
  const contents = new Map(
    Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]),
  )
  const paths = [...contents.keys()].sort()
  const under = (prefix?: string) =>
    prefix === undefined
      ? paths
      : paths.filter((path) => path === prefix || path.startsWith(`${prefix}/`))
  return {
    sha,
    readFile: async (path) => contents.get(path),
    listFiles: async ({ prefix } = {}) =>
      under(prefix).map((path) => {
        const content = contents.get(path)!
        const oid = createHash('sha1')
          .update(`blob ${content.length}\0`)
          .update(content)
          .digest('hex')
        return { path, kind: 'file', oid, size: content.length }
      }),
    search: async (
      pattern,
      { fixed = false, ignoreCase = false, prefix, limit = Infinity } = {},
    ) => {
      const source = fixed ? RegExp.escape(pattern) : toJavaScript(pattern)
      const expression = new RegExp(source, ignoreCase ? 'i' : '')
      const matches: SearchMatch[] = []
      for (const path of under(prefix))
        for (const [index, text] of contents.get(path)!.toString('utf8').split('\n').entries())
          if (matches.length < limit && expression.test(text))
            matches.push({ path, line: index + 1, text })
      return matches
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

function toJavaScript(pattern: string): string {
  return pattern.replace(/\[:[a-z]+:\]/g, (name) => posixClasses[name] ?? name)
}
