// Escapes untrusted text for terminals and logs, which can execute control sequences.

/** Matches control, invisible and bidirectional characters and line separators, not \n or \t. */
const unsafeCharacters = /[^\P{C}\n\t]|[\u2028\u2029\u115f\u1160\u3164\uffa0]|\u034f/gu

/** Replaces each unsafe character by its number, such as `\x1b`. Converts line ends to LF. */
export function escapeControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafeCharacters, escapeCharacter)
}

/** Escapes text of several lines. Also escapes the commands that CI systems execute from logs. */
export function toTerminalText(text: string): string {
  return (
    escapeControls(text)
      // GitHub Actions executes lines that start with `::`, and Azure Pipelines those with `##[`.
      .replace(/^(\s*):(?=:)/gm, '$1\\x3a')
      .replace(/##(?=\[)/g, '#\\x23')
  )
}

/** Escapes text and puts it on one line. */
export function toTerminalLine(text: string): string {
  const collapseSpace = (run: string) => (/^[ \t\n\r]+$/.test(run) ? ' ' : run)
  return toTerminalText(text.replace(/\s+/g, collapseSpace)).trim()
}

/** Escapes a path. Spaces are kept, and line ends and tabs are escaped. */
export function toTerminalPath(path: string): string {
  return toTerminalText(path.replace(/[\n\t\r]/g, escapeCharacter))
}

/** Serializes a document as JSON. Unsafe characters become JSON escapes. */
export function toSafeJson(document: unknown, indent = 0): string {
  const text = JSON.stringify(document, null, indent)
  // These characters occur only in strings of the document, so the escapes are valid JSON.
  return text.replace(unsafeCharacters, escapeCodeUnits)
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

function escapeCodeUnits(character: string): string {
  const codeUnits = character.split('').map((unit) => unit.charCodeAt(0))
  return codeUnits.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Wraps lines between words. Only words longer than `width` exceed it. Blank lines are kept. */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line.trimEnd(), width))
}

function wrapLine(line: string, width: number): string[] {
  const indent = /^\s*(?:[-*] )?/.exec(line)?.[0].length ?? 0
  const lines: string[] = []
  let current = ''
  for (const word of line.slice(indent).split(' ')) {
    if (current !== '' && indent + current.length + 1 + word.length > width) {
      lines.push(current)
      current = word
    } else current = current === '' ? word : `${current} ${word}`
  }
  lines.push(current)
  return lines.map(
    (text, index) => (index === 0 ? line.slice(0, indent) : ' '.repeat(indent)) + text,
  )
}
