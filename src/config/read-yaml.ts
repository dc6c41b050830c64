// Reads a small YAML file of a repository as plain data: no tags, no aliases, nothing that is costly to parse.
import { Lexer, parseDocument } from 'yaml'

/** Far more than a settings file has; the parser's work on broken text grows with the square of it. */
const maxTokens = 10_000
/** Nested further, a text could use up the parser's stack. */
const maxFlowDepth = 10
const maxIndent = 80

/** The data (mappings as `Map`), or what is wrong with the text in a phrase. */
export type YamlResult = { readonly value: unknown } | { readonly problem: string }

/** Parses YAML 1.2 of its core schema. */
export function readYaml(text: string): YamlResult {
  if (isCostly(text)) return { problem: 'it is nested too deeply, or has too many parts' }
  const document = parseDocument(text, {
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
    prettyErrors: false,
  })
  const problem = document.errors[0] ?? document.warnings[0]
  if (problem !== undefined) return { problem: describeProblem(text, problem) }
  try {
    return { value: document.toJS({ mapAsMap: true, maxAliasCount: 0 }) }
  } catch {
    return { problem: 'aliases (`*name`) are not read' }
  }
}

/** By its tokens alone, which are found in one pass. */
function isCostly(text: string): boolean {
  if (new RegExp(`^[ ?:-]{${maxIndent + 1}}`, 'm').test(text)) return true
  let depth = 0
  let count = 0
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth += 1
    else if (token === ']' || token === '}') depth -= 1
    count += 1
    if (depth > maxFlowDepth || count > maxTokens) return true
  }
  return false
}

function describeProblem(
  text: string,
  { message, pos }: { message: string; pos: readonly number[] },
): string {
  const line = text.slice(0, pos[0]).split('\n').length
  return `line ${line}: ${message.split('\n', 1)[0]!.slice(0, 120)}`
}
