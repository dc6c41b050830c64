// Reads a small YAML file of a repository as plain data, without tags, aliases or costly syntax.
import { isMap, isNode, isScalar, isSeq, Lexer, parseDocument } from 'yaml'

/** Real settings files have far fewer. The parser's time on invalid text grows quadratically. */
const maxTokens = 10_000
/** Deeper nesting could overflow the parser's stack. */
const maxFlowDepth = 10
const maxIndent = 80

/** Lines and columns are counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Either the data, or a phrase that describes what is wrong and where. */
type YamlResult =
  | { readonly value: unknown }
  | { readonly problem: string; readonly at: Position | null }

/** Uses the core schema of YAML 1.2. */
export function readYaml(text: string): YamlResult {
  if (isCostly(text)) return { problem: 'it is nested too deeply, or has too many parts', at: null }
  const document = parseDocument(text, {
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
    prettyErrors: false,
  })
  const problem = document.errors[0] ?? document.warnings[0]
  if (problem !== undefined) {
    const at = findPosition(text, problem.pos[0])
    return { problem: describeProblem(problem.message, at), at }
  }
  try {
    return { value: document.toJS({ maxAliasCount: 0 }) }
  } catch {
    return { problem: 'aliases (`*name`) are not read', at: null }
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

function describeProblem(message: string, { line }: Position): string {
  return `line ${line}: ${message.split('\n', 1)[0]!.slice(0, 120)}`
}

function findPosition(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: before.at(-1)!.length + 1 }
}

/**
 * Returns a function that finds where a value is, or its key if it has one. Of a path that doesn't
 * exist in full, it finds the deepest part that does.
 *
 * @param text what `readYaml` could read
 */
export function createYamlLocator(text: string): (path: readonly PropertyKey[]) => Position {
  const { contents } = parseDocument(text, { schema: 'core', stringKeys: true })
  return (path) => {
    let node: unknown = contents
    let offset = offsetOf(node)
    for (const step of path) {
      const next = findPart(node, step)
      if (next === undefined) break
      offset = offsetOf(next.start) ?? offset
      node = next.value
    }
    return findPosition(text, offset ?? 0)
  }
}

/** @param step a key, a position in a list, or the text of an item of a list */
function findPart(
  node: unknown,
  step: PropertyKey,
): { readonly start: unknown; readonly value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === step)
    return pair && { start: pair.key, value: pair.value }
  }
  if (!isSeq(node)) return undefined
  const isItem = (item: unknown, index: number) =>
    index === step || (isScalar(item) && item.value === step)
  const item = node.items.find(isItem)
  return item === undefined ? undefined : { start: item, value: item }
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
