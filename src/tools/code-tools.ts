// Read-only tools over the repository at the reviewed head and at the merge base.
import { z } from 'zod'
import { UmpireError } from '../domain/errors.ts'
import type { SearchMatch, Snapshot } from '../workspace/snapshot.ts'
import type { Tool } from './tool.ts'

const maxLines = 400
const maxLineLength = 400
const maxMatches = 60
const maxEntries = 200

// Some providers send null for what is left out, so every optional input takes it.
const at = z.enum(['head', 'base']).nullish().describe('Which version; the head of the change by default')

/** The tools for one change. Every output is bounded; errors say how to call it right. */
export function createCodeTools(snapshots: { head: Snapshot; base: Snapshot }): Tool[] {
  return [readFile(snapshots), searchCode(snapshots), listFiles(snapshots), findDefinition(snapshots)] as Tool[]
}

type Snapshots = Parameters<typeof createCodeTools>[0]

function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool
}

function readFile(snapshots: Snapshots) {
  return defineTool({
    name: 'read_file',
    description: `Reads a file of the repository with line numbers, at most ${maxLines} lines at a time.`,
    input: z.object({
      path: z.string().describe('Path from the root of the repository'),
      start_line: z.number().nullish().describe('First line, 1 by default'),
      end_line: z.number().nullish().describe('Last line'),
      at,
    }),
    run: async (input, signal) => {
      const path = cleanPath(input.path)
      const bytes = await snapshots[input.at ?? 'head'].readFile(path)
      signal.throwIfAborted()
      if (bytes === undefined)
        throw new UmpireError('not_found', `There is no file ${JSON.stringify(path)} at the ${input.at ?? 'head'}.`)
      if (bytes.includes(0)) throw new UmpireError('not_text', `${JSON.stringify(path)} is not a text file.`)
      const lines = splitLines(new TextDecoder().decode(bytes))
      const first = Math.max(1, Math.trunc(input.start_line ?? 1))
      const last = Math.min(lines.length, Math.trunc(input.end_line ?? Infinity), first + maxLines - 1)
      if (first > lines.length) throw new UmpireError('out_of_range', `The file has ${lines.length} lines.`)
      if (first > last) throw new UmpireError('out_of_range', 'start_line must not be after end_line.')
      const body = lines.slice(first - 1, last).map((line, index) => `${first + index}\t${cutLine(line)}`)
      return [`${path}, lines ${first} to ${last} of ${lines.length}`, ...body].join('\n')
    },
  })
}

function searchCode(snapshots: Snapshots) {
  return defineTool({
    name: 'search_code',
    description: 'Finds lines in the repository: who calls, uses, configures or tests something.',
    input: z.object({
      pattern: z.string().describe('POSIX extended regular expression, for one line'),
      literal: z.boolean().nullish().describe('Take the pattern literally'),
      path_prefix: z.string().nullish().describe('Only files under this folder'),
      at,
    }),
    run: async ({ pattern, literal, path_prefix, at: version }, signal) => {
      if (pattern === '' || pattern.length > 300 || /[\n\0]/.test(pattern))
        throw new UmpireError('bad_pattern', 'The pattern must be one line of 1 to 300 characters.')
      const matches = await snapshots[version ?? 'head'].search(pattern, {
        fixed: literal ?? false,
        limit: maxMatches + 1,
        signal,
        ...prefixOption(path_prefix),
      })
      return showMatches(matches)
    },
  })
}

function findDefinition(snapshots: Snapshots) {
  return defineTool({
    name: 'find_definition',
    description: 'Finds where a function, class, type, variable or method of this name is defined.',
    input: z.object({ name: z.string().describe('The bare identifier'), at }),
    run: async ({ name, at: version }, signal) => {
      if (!/^[\p{L}_$][\p{L}\p{N}_$]{0,99}$/u.test(name))
        throw new UmpireError('bad_name', 'The name must be one identifier, without dots, brackets or spaces.')
      const matches = await snapshots[version ?? 'head'].search(definitionPattern(name), {
        limit: maxMatches + 1,
        signal,
      })
      return showMatches(matches)
    },
  })
}

function listFiles(snapshots: Snapshots) {
  return defineTool({
    name: 'list_files',
    description: 'Lists the files and folders of the repository, or of one folder.',
    input: z.object({ prefix: z.string().nullish().describe('A folder; the root by default'), at }),
    run: async ({ prefix, at: version }, signal) => {
      const option = prefixOption(prefix)
      const entries = await snapshots[version ?? 'head'].listFiles({ signal, ...option })
      if (entries.length === 0) throw new UmpireError('not_found', 'There are no files there.')
      const paths = entries.map((entry) => entry.path)
      return (paths.length <= maxEntries ? paths : foldFolders(paths, option.prefix ?? '')).join('\n')
    },
  })
}

/** A large tree as its first level: folders with their number of files. */
function foldFolders(paths: readonly string[], prefix: string): string[] {
  const base = prefix === '' ? '' : `${prefix}/`
  const counts = new Map<string, number>()
  for (const path of paths) {
    const rest = path.slice(base.length)
    const slash = rest.indexOf('/')
    const entry = slash === -1 ? path : `${base}${rest.slice(0, slash)}/`
    counts.set(entry, (counts.get(entry) ?? 0) + 1)
  }
  const lines = [...counts].map(([entry, count]) => (entry.endsWith('/') ? `${entry} (${count} files)` : entry))
  const more = lines.length - maxEntries
  return more > 0 ? [...lines.slice(0, maxEntries), `and ${more} more`] : lines
}

// Defining words of many languages before the name (a Go receiver between), or a method's name before its brackets at
// the beginning of a line that goes on with a body.
function definitionPattern(name: string): string {
  const escaped = name.replaceAll('$', '\\$')
  const words =
    'function\\*?|class|interface|type|enum|struct|trait|union|def|func|fn|fun|const|let|var|val|static|module|namespace|record|object|macro|package|protocol'
  const end = '([^[:alnum:]_$]|$)'
  const byWord = `(^|[^[:alnum:]_$])(${words})[[:space:]]+(\\([^)]*\\)[[:space:]]*)?${escaped}${end}`
  const asMethod = `^[[:space:]]*([[:alpha:]]+[[:space:]]+)*${escaped}[[:space:]]*(<[^>]*>)?\\([^;]*(\\{|:)[[:space:]]*$`
  return `(${byWord})|(${asMethod})`
}

function showMatches(matches: readonly SearchMatch[]): string {
  if (matches.length === 0) return 'Nothing found.'
  const shown = matches.slice(0, maxMatches).map(({ path, line, text }) => `${path}:${line}: ${cutLine(text.trim())}`)
  return [...shown, ...(matches.length > maxMatches ? ['More was found: narrow the search.'] : [])].join('\n')
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '' && lines.length > 1) lines.pop()
  return lines
}

function cutLine(line: string): string {
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength)} [cut]`
}

/** A path as the snapshot takes it. Leaving the tree is refused here too, to say so kindly. */
function cleanPath(path: string): string {
  const clean = path.replace(/^\.?\/+/, '').replace(/\/+$/, '')
  if (clean === '' || clean.length > 4096 || clean.includes('\0') || clean.split('/').includes('..'))
    throw new UmpireError('bad_path', 'The path must lead from the root of the repository to a file in it.')
  return clean
}

function prefixOption(prefix: string | null | undefined): { prefix?: string } {
  if (prefix == null || /^\.?\/*$/.test(prefix)) return {}
  return { prefix: cleanPath(prefix) }
}
