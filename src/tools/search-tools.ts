// Read-only tools that search for text, for definitions of a name, and for its uses.
import { z } from 'zod'
import { findNameLine } from '../code/find-name-line.ts'
import { UmpireError } from '../domain/errors.ts'
import type { SearchMatch, Snapshot } from '../domain/snapshot.ts'
import type { FileIndex } from '../languages/code-index.ts'
import { type KnownLocations, listKnownCallers, listKnownDefinitions } from './known-locations.ts'
import {
  defineTool,
  type Indexer,
  nameInput,
  pathPrefixInput,
  prefixOption,
  type Repository,
  requireName,
  splitLines,
  truncateLine,
  versionInput,
} from './tool-input.ts'

const maxMatches = 60
/** Limit of files that are indexed to find definitions, and what encloses uses. */
const maxFilesRead = 40
/** Definitions of a name that can be among its uses. */
const maxDefinitions = 20

export function searchCodeTool(repository: Repository) {
  return defineTool({
    name: 'search_code',
    description: 'Finds lines in the repository: what uses, configures or tests something.',
    input: z.object({
      pattern: z.string().describe('POSIX extended regular expression, for one line'),
      literal: z.boolean().nullish().describe('Take the pattern literally'),
      path_prefix: pathPrefixInput,
      at: versionInput,
    }),
    run: async ({ pattern, literal, path_prefix, at: version }, signal) => {
      if (pattern === '' || pattern.length > 300 || /[\n\0]/.test(pattern))
        throw new UmpireError('bad_pattern', 'The pattern must be one line of 1 to 300 characters.')
      const options = {
        fixed: literal ?? false,
        limit: maxMatches + 1,
        signal,
        ...prefixOption(path_prefix),
      }
      return formatMatches(await repository[version ?? 'head'].search(pattern, options))
    },
  })
}

export function findDefinitionTool(repository: Repository, syntax: Indexer) {
  return defineTool({
    name: 'find_definition',
    description: 'Finds where a function, class, type, variable or method of this name is defined.',
    input: z.object({ name: nameInput, at: versionInput }),
    run: async (input, signal) => {
      const symbol = requireName(input.name)
      const snapshot = repository[input.at ?? 'head']
      const found = await snapshot.search(definitionPattern(symbol), {
        limit: maxMatches + 1,
        signal,
      })
      const files = await indexFiles({ snapshot, syntax, signal }, found)
      // The index has no variables of functions, so without a definition the matches are all shown.
      const defined = found.filter((match) => isDefinition(files, symbol, match))
      const unread = found.filter(({ path }) => !files.has(path))
      return formatMatches(defined.length > 0 ? [...defined, ...unread] : found, {
        known: listKnownDefinitions(isAtHead(input) ? repository.graph : null, symbol),
      })
    },
  })
}

export function findCallersTool(repository: Repository, syntax: Indexer) {
  return defineTool({
    name: 'find_callers',
    description:
      'Finds who calls or otherwise uses a function, class, type, variable or method of this ' +
      'name, outside its definition, and in which definition each use stands.',
    input: z.object({ name: nameInput, path_prefix: pathPrefixInput, at: versionInput }),
    run: async (input, signal) => {
      const symbol = requireName(input.name)
      const snapshot = repository[input.at ?? 'head']
      const options = { signal, ...prefixOption(input.path_prefix) }
      const found = await snapshot.search(usePattern(symbol), {
        ...options,
        limit: maxMatches + maxDefinitions + 1,
      })
      const files = await indexFiles({ snapshot, syntax, signal }, found)
      const known = listKnownCallers(
        isAtHead(input) ? repository.graph : null,
        symbol,
        options.prefix,
      )
      const uses = found.filter(
        (match) => !known.locations.has(locationKey(match)) && !isDefinition(files, symbol, match),
      )
      return formatMatches(uses, { known, files })
    },
  })
}

const definitionKeywords = [
  ...['function\\*?', 'class', 'interface', 'type', 'enum', 'struct', 'trait', 'union'],
  ...['def', 'func', 'fn', 'fun', 'const', 'let', 'var', 'val', 'static'],
  ...['module', 'namespace', 'record', 'object', 'macro', 'package', 'protocol'],
].join('|')

const wordStart = '(^|[^[:alnum:]_$])'
const wordEnd = '([^[:alnum:]_$]|$)'

/**
 * A POSIX extended expression for a keyword before the name (in Go with a receiver between), or
 * for a method: the name and its parameters on a line that opens a body.
 */
function definitionPattern(symbol: string): string {
  const name = symbol.replaceAll('$', '\\$')
  const receiver = '(\\([^)]*\\)[[:space:]]*)?'
  const byKeyword = `${wordStart}(${definitionKeywords})[[:space:]]+${receiver}${name}${wordEnd}`
  const modifiers = '^[[:space:]]*([[:alpha:]]+[[:space:]]+)*'
  const parametersAndBody = '[[:space:]]*(<[^>]*>)?\\([^;]*(\\{|:)[[:space:]]*$'
  const asMethod = `${modifiers}${name}${parametersAndBody}`
  return `(${byKeyword})|(${asMethod})`
}

function usePattern(symbol: string): string {
  return `${wordStart}${symbol.replaceAll('$', '\\$')}${wordEnd}`
}

function locationKey({ path, line }: SearchMatch): string {
  return `${path}:${line}`
}

interface IndexTask {
  readonly snapshot: Snapshot
  readonly syntax: Indexer
  readonly signal: AbortSignal
}

interface IndexedFile {
  readonly lines: readonly string[]
  readonly index: FileIndex
}

type IndexedFiles = ReadonlyMap<string, IndexedFile>

/** Indexes the first files with matches. Files without a grammar are left out. */
async function indexFiles(
  { snapshot, syntax, signal }: IndexTask,
  matches: readonly SearchMatch[],
): Promise<IndexedFiles> {
  const files = new Map<string, IndexedFile>()
  const paths = [...new Set(matches.map(({ path }) => path))].slice(0, maxFilesRead)
  const read = async (path: string) => {
    // A file that is too large to read is no error, because its matches are known.
    const bytes = await snapshot.readFile(path).catch(() => undefined)
    signal.throwIfAborted()
    const text = bytes && new TextDecoder().decode(bytes)
    const index = text && (await syntax.indexFile(path, text))
    if (index) files.set(path, { index, lines: splitLines(text) })
  }
  await Promise.all(paths.map(read))
  return files
}

/** Whether a match is the name of a definition. */
function isDefinition(files: IndexedFiles, name: string, { path, line }: SearchMatch): boolean {
  const file = files.get(path)
  const symbols = file?.index.symbols ?? []
  return symbols.some(
    (symbol) => symbol.name === name && findNameLine(file!.lines, symbol) === line,
  )
}

/** Returns the name of the innermost definition around a line, without values. */
function findEnclosingName(index: FileIndex | undefined, line: number): string | undefined {
  return index?.symbols.findLast(
    ({ kind, startLine, endLine }) => kind !== 'value' && startLine < line && line <= endLine,
  )?.name
}

/** Whether the tool reads the head, which is the only version in the code graph. */
function isAtHead(input: { at?: 'head' | 'base' | null | undefined }): boolean {
  return input.at !== 'base'
}

/** Lists what the code graph has first, then the other matches of the search. */
function formatMatches(
  found: readonly SearchMatch[],
  { known, files }: { known?: KnownLocations; files?: IndexedFiles } = {},
): string {
  const lines = known?.lines ?? []
  const matches = found.filter((match) => !known?.locations.has(locationKey(match)))
  if (lines.length + matches.length === 0) return 'Nothing found.'
  const shown = matches.slice(0, maxMatches).map((match) => {
    const definition = findEnclosingName(files?.get(match.path)?.index, match.line)
    const within = definition === undefined ? '' : `in ${definition}: `
    return `${locationKey(match)}: ${within}${truncateLine(match.text.trim())}`
  })
  return [
    ...lines,
    ...shown,
    ...(matches.length > maxMatches ? ['More was found: narrow the search.'] : []),
  ].join('\n')
}
