// Names the definition that a line stands in, told from the text by indentation: cheap, for any language, not certain.

/** How far up is looked, in lines. */
const maxDistance = 2000
/** No line that opens a definition is longer; what is longer may be hostile. */
const maxLineLength = 400

const keywordDefinition =
  /(?:^|\s)(?:function\*?|class|interface|struct|trait|impl|enum|def|fn|func|fun|module|namespace|object|protocol|record)\s+(?:\([^()]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/u
const assignedDefinition =
  /^\s*(?:(?:export|default|public|private|static|readonly)\s+)*(?:(?:const|let|var)\s+)?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:=|:)\s*(?:async\b\s*)?(?:function\b|\(|[\p{L}_$][\p{L}\p{N}_$]*\s*=>)/u
const methodDefinition = /([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:<[^<>]*>)?\($/u
const statementKeywords = new Set(
  'if for while switch catch with return else do try foreach match when using lock'.split(' '),
)

/**
 * The name of the nearest definition around a line.
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
    const own = indentOf(text)
    // What closes something, or opens a body on a line of its own, belongs to a line above it that is as far out.
    if (text.trim() === '' || own >= indent || /^\s*[)}\]{]/.test(text)) continue
    const found = definitionName(text, lines[index + 1]?.trim() === '{')
    if (found !== undefined) return found
    indent = own
  }
  return undefined
}

function definitionName(text: string, bodyFollows: boolean): string | undefined {
  if (text.length > maxLineLength || /^\s*(?:\/\/|#|\*|--)/.test(text)) return undefined
  const opensBody = bodyFollows || /[{:]\s*$/.test(text)
  const found =
    keywordDefinition.exec(text)?.[1] ??
    assignedDefinition.exec(text)?.[1] ??
    (opensBody ? methodName(text) : undefined)
  return found === undefined || statementKeywords.has(found) ? undefined : found
}

/** A name before brackets, where no value is computed. */
function methodName(text: string): string | undefined {
  if (/^\s*(?:return|await|throw|yield|new)\b|=>|=\s/.test(text)) return undefined
  return methodDefinition.exec(text.slice(0, text.indexOf('(') + 1))?.[1]
}

function indentOf(text: string): number {
  const blanks = /^[ \t]*/.exec(text)![0]
  return blanks.replaceAll('\t', '    ').length
}
