// Read-only tools that search for text, for definitions of a name, and for its uses.
import { z } from 'zod'
import { UmpireError } from '../domain/errors.ts'
import type { SearchMatch, Snapshot } from '../domain/snapshot.ts'
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
/** Limit of files that are read to find the enclosing definitions of uses. */
const maxFilesRead = 20
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
      'Finds who calls or otherwise uses a function, class, type, variable or method of this ' +
      'name, outside its definition, and in which definition each use stands.',
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

/** Returns the names of the definitions that enclose uses, by location. */
async function findEnclosingNames(
  snapshot: Snapshot,
  uses: readonly SearchMatch[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const paths = [...new Set(uses.map(({ path }) => path))].slice(0, maxFilesRead)
  for (const path of paths) {
    signal.throwIfAborted()
    // The name is optional, so a file that is too large to read is no error.
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

/** Whether the tool reads the head, which is the only version in the code graph. */
function isAtHead(input: { at?: 'head' | 'base' | null | undefined }): boolean {
  return input.at !== 'base'
}

/** Lists what the code graph has first, then the other matches of the search. */
function formatMatches(
  found: readonly SearchMatch[],
  { known, enclosing }: { known?: KnownLocations; enclosing?: ReadonlyMap<string, string> } = {},
): string {
  const lines = known?.lines ?? []
  const matches = found.filter((match) => !known?.locations.has(locationKey(match)))
  if (lines.length + matches.length === 0) return 'Nothing found.'
  const shown = matches.slice(0, maxMatches).map((match) => {
    const definition = enclosing?.get(locationKey(match))
    const within = definition === undefined ? '' : `in ${definition}: `
    return `${locationKey(match)}: ${within}${truncateLine(match.text.trim())}`
  })
  return [
    ...lines,
    ...shown,
    ...(matches.length > maxMatches ? ['More was found: narrow the search.'] : []),
  ].join('\n')
}
