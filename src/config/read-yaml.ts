// Reads a small YAML file of a repository as plain data, without tags, aliases or costly syntax.
import { Lexer, parseDocument } from 'yaml'

/** Real settings files have far fewer. The parser's time on invalid text grows quadratically. */
const maxTokens = 10_000
/** Deeper nesting could overflow the parser's stack. */
const maxFlowDepth = 10
const maxIndent = 80

/** Either the data or a phrase that describes what is wrong. */
type YamlResult = { readonly value: unknown } | { readonly problem: string }

/** Uses the core schema of YAML 1.2. */
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
    return { value: document.toJS({ maxAliasCount: 0 }) }
  } catch {
    return { problem: 'aliases (`*name`) are not read' }
  }
}

/** Checks only the tokens, which the lexer finds in linear time. */
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
