// Describes functions by short words such as `os.{remove,unlink}`, for tables of all languages.

/** Tests the name of a function, as `plainCallee` writes it. */
export type Callees = (name: string) => boolean

/**
 * Makes a test of names from words with spaces between them. In a word, `*` is any part of a name,
 * and `{a,b}` one of several parts. A word that begins with a dot needs a receiver, and one that
 * begins with `**.` may have one.
 */
export function callees(...words: readonly string[]): Callees {
  const patterns = words.join(' ').split(/\s+/).filter(Boolean).map(patternOf)
  if (patterns.length === 0) return () => false
  const whole = new RegExp(`^(?:${patterns.join('|')})$`)
  return (name) => whole.test(name)
}

function patternOf(word: string): string {
  const receiver = word.startsWith('**.') ? '(?:.+\\.)?' : word.startsWith('.') ? '.+\\.' : ''
  return (
    receiver +
    word
      .replace(/^(?:\*\*)?\./, '')
      .replace(/[.()]/g, '\\$&')
      .replaceAll('*', '\\w*')
      .replace(/\{([^{}]*)\}/g, (_, parts: string) => `(?:${parts.replaceAll(',', '|')})`)
  )
}

const maxLength = 300

/**
 * Writes the callee of a call in the same way for all languages: with dots for `->` and `::`,
 * without arguments, type arguments and the signs of variables, and `new File` as `File.new`.
 */
export function plainCallee(code: string): string {
  const name = withoutArguments(code.slice(-maxLength))
    .replace(/(?:::)?<[^<>]*>|[$@](?=\w)|[!?]$/g, '')
    .replace(/\s*(?:\??->|\?\.|::|\\|\.)\s*/g, '.')
    .replace(/^(?:await )?(?:(?:this|self)\.|\.)?/, '')
  // A method of a new object follows its arguments.
  return name.replace(/^new [.\s]*(.*?)(\(\).*)?$/s, '$1.new$2')
}

/** Empties the parentheses of `a(b(c)).d`. */
function withoutArguments(code: string): string {
  if (!code.includes('(')) return code
  let depth = 0
  let name = ''
  for (const character of [...code].reverse()) {
    if (character === '(' && depth > 0) depth -= 1
    if (depth === 0) name = character + name
    if (character === ')') depth += 1
  }
  return name
}
