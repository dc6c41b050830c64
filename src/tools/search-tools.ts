// Read-only tools that search: for text, for where a name is defined, and for who uses it.
import { z } from 'zod'
import { UmpireError } from '../domain/errors.ts'
import type { SearchMatch, Snapshot } from '../git/snapshot.ts'
import { enclosingDefinitionName } from './enclosing-definition.ts'
import { type KnownLocations, listKnownCallers, listKnownDefinitions } from './known-locations.ts'
import {
  defineTool,
  nameInput,
  pathPrefixInput,
  prefixOption,
  type Repository,
  requireName,
  truncateLine,
  versionInput,
} from './tool-input.ts'

const maxMatches = 60
/** Files that are read to name what encloses a use. */
const maxFilesRead = 20
/** A name that is defined more often than this says nothing. */
const maxDefinitions = 200

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

export function findDefinitionTool(repository: Repository) {
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
      return formatMatches(found, {
        known: listKnownDefinitions(isAtHead(input) ? repository.graph : null, symbol),
      })
    },
  })
}

export function findCallersTool(repository: Repository) {
  return defineTool({
    name: 'find_callers',
    description:
      'Finds who calls or otherwise uses a function, class, type, variable or method of this name, outside its definition, and in which definition each use stands.',
    input: z.object({ name: nameInput, path_prefix: pathPrefixInput, at: versionInput }),
    run: async (input, signal) => {
      const symbol = requireName(input.name)
      const snapshot = repository[input.at ?? 'head']
      const options = { signal, ...prefixOption(input.path_prefix) }
      const definitions = await snapshot.search(definitionPattern(symbol), {
        ...options,
        limit: maxDefinitions,
      })
      const defined = new Set(definitions.map(locationKey))
      const found = await snapshot.search(usePattern(symbol), {
        ...options,
        limit: maxMatches + 1 + defined.size,
      })
      const known = listKnownCallers(
        isAtHead(input) ? repository.graph : null,
        symbol,
        options.prefix,
      )
      const uses = found.filter(
        (match) => !defined.has(locationKey(match)) && !known.locations.has(locationKey(match)),
      )
      return formatMatches(uses, {
        known,
        enclosing: await findEnclosingNames(snapshot, uses.slice(0, maxMatches), signal),
      })
    },
  })
}

// Defining words of many languages before the name (a Go receiver between), or a method's name before its brackets at
// the beginning of a line that goes on with a body.
function definitionPattern(symbol: string): string {
  const escaped = symbol.replaceAll('$', '\\$')
  const words =
    'function\\*?|class|interface|type|enum|struct|trait|union|def|func|fn|fun|const|let|var|val|static|module|namespace|record|object|macro|package|protocol'
  const end = '([^[:alnum:]_$]|$)'
  const byWord = `(^|[^[:alnum:]_$])(${words})[[:space:]]+(\\([^)]*\\)[[:space:]]*)?${escaped}${end}`
  const asMethod = `^[[:space:]]*([[:alpha:]]+[[:space:]]+)*${escaped}[[:space:]]*(<[^>]*>)?\\([^;]*(\\{|:)[[:space:]]*$`
  return `(${byWord})|(${asMethod})`
}

/** The name as a word of its own. */
function usePattern(symbol: string): string {
  return `(^|[^[:alnum:]_$])${symbol.replaceAll('$', '\\$')}([^[:alnum:]_$]|$)`
}

function locationKey({ path, line }: SearchMatch): string {
  return `${path}:${line}`
}

/** Names of the definitions that uses stand in, by place, where the text around tells them. */
async function findEnclosingNames(
  snapshot: Snapshot,
  uses: readonly SearchMatch[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const paths = [...new Set(uses.map(({ path }) => path))].slice(0, maxFilesRead)
  for (const path of paths) {
    signal.throwIfAborted()
    // A file that is too large to be read is only not looked into.
    const bytes = await snapshot.readFile(path).catch(() => undefined)
    if (bytes === undefined) continue
    const lines = new TextDecoder().decode(bytes).split(/\r?\n/)
    for (const use of uses.filter((each) => each.path === path)) {
      const enclosing = enclosingDefinitionName(lines, use.line)
      if (enclosing !== undefined) names.set(locationKey(use), enclosing)
    }
  }
  return names
}

/** The graph knows the head. */
function isAtHead(input: { at?: 'head' | 'base' | null | undefined }): boolean {
  return input.at !== 'base'
}

/** What is known stands first, then what the search found beside it. */
function formatMatches(
  found: readonly SearchMatch[],
  { known, enclosing }: { known?: KnownLocations; enclosing?: ReadonlyMap<string, string> } = {},
): string {
  const lines = known?.lines ?? []
  const matches = found.filter((match) => !known?.locations.has(locationKey(match)))
  if (lines.length + matches.length === 0) return 'Nothing found.'
  const shown = matches.slice(0, maxMatches).map((match) => {
    const within = enclosing?.get(locationKey(match))
    return `${locationKey(match)}: ${within === undefined ? '' : `in ${within}: `}${truncateLine(match.text.trim())}`
  })
  return [
    ...lines,
    ...shown,
    ...(matches.length > maxMatches ? ['More was found: narrow the search.'] : []),
  ].join('\n')
}
