// Read-only tools over the repository at the reviewed head and at the merge base.
import { z } from 'zod'
import { UmpireError } from '../domain/errors.ts'
import type { Tool } from '../domain/tool.ts'
import { findCallersTool, findDefinitionTool, searchCodeTool } from './search-tools.ts'
import {
  cleanPath,
  defineTool,
  type Indexer,
  prefixOption,
  type Repository,
  splitLines,
  truncateLine,
  versionInput,
} from './tool-input.ts'

const maxLines = 400
const lineLimit = `at most ${maxLines} lines at a time`
const maxEntries = 200
const maxCommits = 10

/** Makes the tools for one change. Outputs are bounded; errors explain how to correct a call. */
export function createCodeTools(repository: Repository, syntax: Indexer): Tool[] {
  const makers = [
    readFileTool,
    searchCodeTool,
    listFilesTool,
    findDefinitionTool,
    findCallersTool,
    showHistoryTool,
  ]
  return makers.map((make) => make(repository, syntax) as Tool)
}

function readFileTool(repository: Repository) {
  return defineTool({
    name: 'read_file',
    description: `Reads a file of the repository with line numbers, ${lineLimit}.`,
    input: z.object({
      path: z.string().describe('Path from the root of the repository'),
      start_line: z.number().nullish().describe('First line, 1 by default'),
      end_line: z.number().nullish().describe('Last line'),
      at: versionInput,
    }),
    run: async (input, signal) => {
      const path = cleanPath(input.path)
      const version = input.at ?? 'head'
      const bytes = await repository[version].readFile(path)
      signal.throwIfAborted()
      if (bytes === undefined) {
        const quoted = JSON.stringify(path)
        throw new UmpireError('not_found', `There is no file ${quoted} at the ${version}.`)
      }
      if (bytes.includes(0))
        throw new UmpireError('not_text', `${JSON.stringify(path)} is not a text file.`)
      const lines = splitLines(new TextDecoder().decode(bytes))
      const first = Math.max(1, Math.trunc(input.start_line ?? 1))
      const requestedLast = Math.trunc(input.end_line ?? Infinity)
      const last = Math.min(lines.length, requestedLast, first + maxLines - 1)
      if (first > lines.length)
        throw new UmpireError('out_of_range', `The file has ${lines.length} lines.`)
      if (first > last)
        throw new UmpireError('out_of_range', 'start_line must not be after end_line.')
      const body = lines
        .slice(first - 1, last)
        .map((line, index) => `${first + index}\t${truncateLine(line)}`)
      return [`${path}, lines ${first} to ${last} of ${lines.length}`, ...body].join('\n')
    },
  })
}

function listFilesTool(repository: Repository) {
  return defineTool({
    name: 'list_files',
    description: 'Lists the files and folders of the repository, or of one folder.',
    input: z.object({
      prefix: z.string().nullish().describe('A folder; the root by default'),
      at: versionInput,
    }),
    run: async ({ prefix, at: version }, signal) => {
      const option = prefixOption(prefix)
      const entries = await repository[version ?? 'head'].listFiles({ signal, ...option })
      if (entries.length === 0) throw new UmpireError('not_found', 'There are no files there.')
      const paths = entries.map((entry) => entry.path)
      const lines =
        paths.length <= maxEntries ? paths : summarizeFolders(paths, option.prefix ?? '')
      return lines.join('\n')
    },
  })
}

/** Shows only the first level of a large tree, where folders have their number of files. */
function summarizeFolders(paths: readonly string[], prefix: string): string[] {
  const base = prefix === '' ? '' : `${prefix}/`
  const counts = new Map<string, number>()
  for (const path of paths) {
    const rest = path.slice(base.length)
    const slash = rest.indexOf('/')
    const entry = slash === -1 ? path : `${base}${rest.slice(0, slash)}/`
    counts.set(entry, (counts.get(entry) ?? 0) + 1)
  }
  const lines = [...counts].map(([entry, count]) =>
    entry.endsWith('/') ? `${entry} (${count} files)` : entry,
  )
  const more = lines.length - maxEntries
  return more > 0 ? [...lines.slice(0, maxEntries), `and ${more} more`] : lines
}

function showHistoryTool(repository: Repository) {
  return defineTool({
    name: 'show_history',
    description:
      `Shows the newest commits that touched a file or folder, ${maxCommits} at most: ` +
      'why its code is as it is.',
    input: z.object({ path: z.string().describe('Path from the root of the repository') }),
    run: async ({ path }, signal) => {
      const commits = await repository.history(cleanPath(path), maxCommits, signal)
      if (commits.length === 0) return 'No commits found.'
      return commits
        .slice(0, maxCommits)
        .map(({ sha, committedAt, author, message }) =>
          [
            `${sha.slice(0, 12)} ${committedAt.slice(0, 10)} ${truncateLine(author)}`,
            ...formatMessage(message),
          ].join('\n'),
        )
        .join('\n')
    },
  })
}

/** Returns the first lines of a commit's message, indented. */
function formatMessage(message: string): string[] {
  const lines = splitLines(message.trim())
  const shown = lines.slice(0, 8).map((line) => `  ${truncateLine(line)}`)
  return lines.length > shown.length ? [...shown, '  [cut]'] : shown
}
