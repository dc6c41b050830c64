// Guesses the name of the definition that encloses a line, by indentation, in any language.

/** How many lines above the given one are read. */
const maxDistance = 2000
/** Longer lines are skipped, because the expressions below would be slow on hostile ones. */
const maxLineLength = 400

const identifier = '[\\p{L}_$][\\p{L}\\p{N}_$]*'
const definitionKeywords = [
  ...['function\\*?', 'def', 'fn', 'func', 'fun'],
  ...['class', 'interface', 'struct', 'trait', 'impl', 'enum', 'object', 'protocol', 'record'],
  ...['module', 'namespace'],
].join('|')
/** In Go, the receiver in parentheses stands between the keyword and the name. */
const keywordDefinition = new RegExp(
  `(?:^|\\s)(?:${definitionKeywords})\\s+(?:\\([^()]*\\)\\s*)?(${identifier})`,
  'u',
)
const modifiers = '(?:(?:export|default|public|private|static|readonly)\\s+)*'
const functionStart = `(?:async\\b\\s*)?(?:function\\b|\\(|${identifier}\\s*=>)`
const assignedDefinition = new RegExp(
  `^\\s*${modifiers}(?:(?:const|let|var)\\s+)?(${identifier})\\s*(?:=|:)\\s*${functionStart}`,
  'u',
)
const methodDefinition = new RegExp(`(${identifier})\\s*(?:<[^<>]*>)?\\($`, 'u')
const statementKeywords = new Set(
  'if for while switch catch with return else do try foreach match when using lock'.split(' '),
)

/**
 * Returns the name of the nearest definition around a line.
 *
 * @param lines of the file
 * @param line 1-based
 */
export function enclosingDefinitionName(
  lines: readonly string[],
  line: number,
): string | undefined {
  let indent = indentOf(lines[line - 1] ?? '')
  for (let index = line - 2; index >= Math.max(0, line - 1 - maxDistance) && indent > 0; index--) {
    const text = lines[index]!
    const ownIndent = indentOf(text)
    // A line that begins with a bracket belongs to a line above it with the same indentation.
    if (text.trim() === '' || ownIndent >= indent || /^\s*[)}\]{]/.test(text)) continue
    const name = findDefinitionName(text, lines[index + 1]?.trim() === '{')
    if (name !== undefined) return name
    indent = ownIndent
  }
  return undefined
}

function findDefinitionName(text: string, isBodyNext: boolean): string | undefined {
  if (text.length > maxLineLength || /^\s*(?:\/\/|#|\*|--)/.test(text)) return undefined
  const opensBody = isBodyNext || /[{:]\s*$/.test(text)
  const name =
    keywordDefinition.exec(text)?.[1] ??
    assignedDefinition.exec(text)?.[1] ??
    (opensBody ? findMethodName(text) : undefined)
  return name === undefined || statementKeywords.has(name) ? undefined : name
}

/** Finds the name before the first parenthesis, unless the line computes a value. */
function findMethodName(text: string): string | undefined {
  if (/^\s*(?:return|await|throw|yield|new)\b|=>|=\s/.test(text)) return undefined
  return methodDefinition.exec(text.slice(0, text.indexOf('(') + 1))?.[1]
}

function indentOf(text: string): number {
  const blanks = /^[ \t]*/.exec(text)![0]
  return blanks.replaceAll('\t', '    ').length
}
