// Tells how the text of a file has to be read before a change to it can pass.

import { languageOfPath } from './languages.ts'
import { scriptsKeyOf } from './manifest-scripts.ts'

/**
 * `program`: runs, or decides what runs; a model or the rules of its language must read it. `data`: a search of the
 * text is enough. `prose`: for people only.
 */
export type TextKind = 'program' | 'data' | 'prose'

/** Pipelines and other files that name commands, in formats that otherwise hold data. */
const pipelinePath = new RegExp(
  [
    String.raw`(^|/)\.(github|gitea|forgejo)/(workflows|actions)/.*\.ya?ml$`,
    String.raw`(^|/)action\.ya?ml$`,
    String.raw`(^|/)\.gitlab-ci[^/]*\.ya?ml$|(^|/)\.gitlab/(ci/)?.*\.ya?ml$`,
    String.raw`(^|/)\.circleci/.*\.ya?ml$|(^|/)\.buildkite/.*\.ya?ml$|(^|/)\.tekton/.*\.ya?ml$`,
    String.raw`(^|/)\.?(azure-pipelines|bitbucket-pipelines|appveyor|travis|drone|woodpecker|cirrus)[^/]*\.ya?ml$`,
    String.raw`(^|/)\.(woodpecker|azure-pipelines|azuredevops)/.*\.ya?ml$`,
    String.raw`(^|/)(cloudbuild|buildspec|codemagic|bitrise|wercker|netlify|vercel|heroku)[^/]*\.(ya?ml|toml|json)$`,
    String.raw`(^|/)\.pre-commit-(config|hooks)\.ya?ml$|(^|/)lefthook\.ya?ml$`,
    String.raw`(^|/)(docker-)?compose[^/]*\.ya?ml$|(^|/)Taskfile[^/]*\.ya?ml$|(^|/)skaffold\.ya?ml$`,
    String.raw`(^|/)\.devcontainer(/.*)?\.json$|(^|/)\.vscode/(tasks|launch)\.json$`,
    String.raw`(^|/)\.(babel|eslint|lintstaged|husky|mocha|jest|stylelint|commitlint|czr?)rc(\.(json|ya?ml|toml))?$`,
    String.raw`(^|/)tox\.ini$|(^|/)setup\.cfg$|(^|/)build\.xml$|\.(targets|props)$`,
  ].join('|'),
  'i',
)

/** The most common programs, for which no table of languages need be loaded. */
const commonProgramExtension = /\.(jsx?|mjs|cjs|tsx?|mts|cts|snap|py|go|java)$/i

/** Languages that linguist calls data or markup, and that run or decide what runs. */
const programLanguages = new Set(['SQL', 'GraphQL', 'Gradle', 'Gradle Kotlin DSL'])
/** Languages that linguist calls markup, and that only describe how something looks. */
const styleLanguages = new Set(['CSS', 'SCSS', 'Sass', 'Less', 'TeX'])

/** Whether a file is a program by its path alone, whatever is in it. */
export function isProgramPath(path: string): boolean {
  return commonProgramExtension.test(path) || pipelinePath.test(path)
}

/**
 * How a text file has to be read, by its path and the start of its content. What can't be told is a program.
 *
 * @param content of the head, as far as it is known; a shebang or a script inside of a picture makes it a program
 * @param isExecutable whether the file has the executable mode at the head
 */
export function textKindOf(
  path: string,
  content: string | undefined,
  isExecutable: boolean,
): TextKind {
  if (isProgramPath(path)) return 'program'
  if (content?.startsWith('#!') || isExecutable) return 'program'
  if (scriptsKeyOf(path) !== undefined) return 'data'
  const language = languageOfPath(path)
  if (language === undefined) return 'program'
  if (language.name === 'SVG') return containsScript(content ?? '<script') ? 'program' : 'data'
  if (programLanguages.has(language.name)) return 'program'
  if (styleLanguages.has(language.name)) return 'data'
  if (language.type === 'markup') return 'program'
  return language.type === 'programming' ? 'program' : language.type
}

function containsScript(svg: string): boolean {
  // An entity can stand for any character of what is looked for.
  const isPlain = !/<!ENTITY|&#/i.test(svg)
  const element =
    /<\s*(?:[\w-]+:)?(?:script|foreignObject|iframe|embed|object|handler|set|animate)\b/i
  return (
    !isPlain || element.test(svg) || /[\s/"']on[a-z]+\s*=|javascript:|<\?xml-stylesheet/i.test(svg)
  )
}
