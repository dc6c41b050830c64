// Tells code from comments and strings in one line, as far as it shows by itself, and programs from prose by their path.
import { textKindOf } from '../../code/text-kind.ts'

/** What is written for people. */
export function isProsePath(path: string): boolean {
  return textKindOf(path, undefined, false) === 'prose'
}

/** What runs, or decides what runs; files of which nothing is known by their name too. */
export function isRuntimePath(path: string): boolean {
  return textKindOf(path, undefined, false) === 'program'
}

const hashComments =
  /(?:\.(?:py|rb|sh|bash|zsh|pl|pm|r|jl|ya?ml|toml|tf|hcl|nix|ps1|ex|exs|cr|nim|mk|cmake|conf|cfg|ini|properties)|(?:^|\/)(?:Makefile|Dockerfile|Gemfile|Rakefile|Vagrantfile|Justfile|Containerfile)[\w.-]*)$/i
const dashComments = /\.(?:sql|lua|hs|elm|adb|ads|vhdl?)$/i

/** Whether a line holds nothing but a comment, as far as it shows by itself. */
export function isCommentLine(text: string, path: string): boolean {
  if (hashComments.test(path)) return /^\s*#(?!!)/.test(text)
  if (dashComments.test(path)) return /^\s*--/.test(text)
  return /^\s*(?:\/\/|\/\*(?!.*\*\/.*\w)|\*(?!\/)|<!--(?!.*-->.*\w)|;;|%)/.test(text)
}

/** The line without the comment at its end, as far as it shows by itself. */
export function withoutComment(text: string, path: string): string {
  if (isCommentLine(text, path)) return ''
  const closed = text.replace(/\/\*[^\n]{0,500}?\*\//g, ' ')
  if (hashComments.test(path)) return closed.replace(/(?:^|\s)#\s.*$/, '')
  if (dashComments.test(path)) return closed.replace(/--\s.*$/, '')
  return closed.replace(/(?<!:)\/\/.*$/, '').replace(/\/\*.*$/, '')
}

/** The line with nothing in its quotes. */
export function withoutStrings(text: string): string {
  return text.replace(
    /"(?:[^"\\]|\\.){0,500}"|'(?:[^'\\]|\\.){0,500}'|`(?:[^`\\]|\\.){0,500}`/g,
    '""',
  )
}
