// Recognizes comments and strings within one line, and prose and programs by their path.
import { textKindOf } from '../../code/text-kind.ts'
import { languages } from '../../languages/index.ts'

export function isProsePath(path: string): boolean {
  return textKindOf(path, undefined, false) === 'prose'
}

/** Whether a file runs or decides what runs. Files with an unknown name count as such. */
export function isRuntimePath(path: string): boolean {
  return textKindOf(path, undefined, false) === 'program'
}

const hashCommentExtensions = [
  ...languages
    .filter(({ comments }) => comments.line.includes('#'))
    .flatMap(({ grammars }) => grammars.flatMap(({ extensions }) => extensions))
    .map((extension) => extension.slice(1)),
  ...'sh bash zsh pl pm r jl ya?ml toml tf hcl nix ps1 ex exs cr nim mk cmake conf cfg'.split(' '),
  ...['ini', 'properties'],
]
const hashCommentNames = 'Makefile Dockerfile Gemfile Rakefile Vagrantfile Justfile Containerfile'

/** Paths of files whose comments begin with `#`. */
const hashComments = new RegExp(
  String.raw`(?:\.(?:${hashCommentExtensions.join('|')})` +
    String.raw`|(?:^|\/)(?:${hashCommentNames.replaceAll(' ', '|')})[\w.-]*)$`,
  'i',
)

/** Paths of files whose comments begin with `--`. */
const dashComments = /\.(?:sql|lua|hs|elm|adb|ads|vhdl?)$/i

/** Whether a line is nothing but a comment, judged without the lines around it. */
export function isCommentLine(text: string, path: string): boolean {
  if (hashComments.test(path)) return /^\s*#(?!!)/.test(text)
  if (dashComments.test(path)) return /^\s*--/.test(text)
  return /^\s*(?:\/\/|\/\*(?!.*\*\/.*\w)|\*(?!\/)|<!--(?!.*-->.*\w)|;;|%)/.test(text)
}

/** Removes comments from a line, judged without the lines around it. */
export function withoutComment(text: string, path: string): string {
  if (isCommentLine(text, path)) return ''
  const closed = text.replace(/\/\*[^\n]{0,500}?\*\//g, ' ')
  if (hashComments.test(path)) return closed.replace(/(?:^|\s)#\s.*$/, '')
  if (dashComments.test(path)) return closed.replace(/--\s.*$/, '')
  return closed.replace(/(?<!:)\/\/.*$/, '').replace(/\/\*.*$/, '')
}

/** Empties the string literals of a line. */
export function withoutStrings(text: string): string {
  return text.replace(
    /"(?:[^"\\]|\\.){0,500}"|'(?:[^'\\]|\\.){0,500}'|`(?:[^`\\]|\\.){0,500}`/g,
    '""',
  )
}
