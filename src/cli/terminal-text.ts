// Makes text that others wrote harmless on a terminal and in a log: it can say anything and do nothing.

/** Controls, line separators, and what is invisible or turns text around; line feeds and tabs aside. */
const unsafeCharacters = /[^\P{C}\n\t]|[\u2028\u2029\u115f\u1160\u3164\uffa0]|\u034f/gu

/** Text with every dangerous character shown as its number, such as `\x1b`. Line ends are LF. */
export function escapeControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafeCharacters, escapeCharacter)
}

/** The same for text that stands in the output as it is, where its lines could be read as commands. */
export function toTerminalText(text: string): string {
  return (
    escapeControls(text)
      // Where a log of a CI job is read for commands, a line that begins with one would be obeyed.
      .replace(/^(\s*):(?=:)/gm, '$1\\x3a')
      .replace(/##(?=\[)/g, '#\\x23')
  )
}

/** The same on one line. */
export function toTerminalLine(text: string): string {
  return toTerminalText(
    text.replace(/\s+/g, (run) => (/^[ \t\n\r]+$/.test(run) ? ' ' : run)),
  ).trim()
}

/** A path: blanks stay as they are, line ends are shown. */
export function toTerminalPath(path: string): string {
  return toTerminalText(path.replace(/[\n\t\r]/g, escapeCharacter))
}

/** A document as JSON on one line or several; what a terminal would obey is escaped, as JSON can. */
export function toSafeJson(document: unknown, indent = 0): string {
  const text = JSON.stringify(document, null, indent)
  // Such characters are only inside of strings.
  return text.replace(unsafeCharacters, (character) =>
    Array.from({ length: character.length }, (_, at) =>
      escapeCodeUnit(character.charCodeAt(at)),
    ).join(''),
  )
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

function escapeCodeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}

/** Breaks lines between words, so that none is longer than `width` where words allow it. Blank lines stay. */
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
