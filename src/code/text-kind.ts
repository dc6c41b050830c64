// Determines how thoroughly the text of a file must be read before a change to it can pass.

import { checkedLanguageOfPath } from '../languages/index.ts'
import { type LinguistLanguage, languageOfPath } from '../languages/linguist.ts'
import { scriptsKeyOf } from './manifest-scripts.ts'

/**
 * `program` runs or decides what runs, so a model or the rules of its language must read it. For
 * `data` a text search is enough. `prose` is for people only.
 */
type TextKind = 'program' | 'data' | 'prose'

/** Pipelines and other files that contain commands, in formats that usually contain data. */
const pipelinePath = new RegExp(
  [
    String.raw`(^|/)\.(github|gitea|forgejo)/(workflows|actions)/.*\.ya?ml$`,
    String.raw`(^|/)action\.ya?ml$`,
    String.raw`(^|/)\.gitlab-ci[^/]*\.ya?ml$`,
    String.raw`(^|/)\.gitlab/(ci/)?.*\.ya?ml$`,
    String.raw`(^|/)\.(circleci|buildkite|tekton)/.*\.ya?ml$`,
    String.raw`(^|/)\.?(azure-pipelines|bitbucket-pipelines|appveyor|travis)[^/]*\.ya?ml$`,
    String.raw`(^|/)\.?(drone|woodpecker|cirrus)[^/]*\.ya?ml$`,
    String.raw`(^|/)\.(woodpecker|azure-pipelines|azuredevops)/.*\.ya?ml$`,
    String.raw`(^|/)(cloudbuild|buildspec|codemagic|bitrise)[^/]*\.(ya?ml|toml|json)$`,
    String.raw`(^|/)(wercker|netlify|vercel|heroku)[^/]*\.(ya?ml|toml|json)$`,
    String.raw`(^|/)\.pre-commit-(config|hooks)\.ya?ml$`,
    String.raw`(^|/)lefthook\.ya?ml$`,
    String.raw`(^|/)(docker-)?compose[^/]*\.ya?ml$`,
    String.raw`(^|/)(Taskfile[^/]*|skaffold)\.ya?ml$`,
    String.raw`(^|/)\.devcontainer(/.*)?\.json$`,
    String.raw`(^|/)\.vscode/(tasks|launch)\.json$`,
    String.raw`(^|/)\.(babel|eslint|lintstaged|husky)rc(\.(json|ya?ml|toml))?$`,
    String.raw`(^|/)\.(mocha|jest|stylelint|commitlint|czr?)rc(\.(json|ya?ml|toml))?$`,
    String.raw`(^|/)(tox\.ini|setup\.cfg|build\.xml)$`,
    String.raw`\.(targets|props)$`,
  ].join('|'),
  'i',
)

/** Linguist counts these languages as data or markup, but they run or decide what runs. */
const programLanguages = new Set(['SQL', 'GraphQL', 'Gradle', 'Gradle Kotlin DSL'])
/** Linguist counts these languages as markup, but they only describe an appearance. */
const styleLanguages = new Set(['CSS', 'SCSS', 'Sass', 'Less', 'TeX'])

/** Whether a file is a program by its path alone, regardless of its content. */
export function isProgramPath(path: string): boolean {
  // The most common programs are recognized without loading the table of linguist.
  return checkedLanguageOfPath(path) !== undefined || pipelinePath.test(path)
}

/**
 * Determines the kind of a text file by its path and the start of its content. Unknown files are
 * programs.
 *
 * @param content at the head, if known; a shebang or a script in an image makes it a program
 * @param isExecutable whether the file has the executable mode at the head
 */
export function textKindOf(
  path: string,
  content: string | undefined,
  isExecutable: boolean,
): TextKind {
  if (isProgramPath(path) || isExecutable || content?.startsWith('#!')) return 'program'
  if (scriptsKeyOf(path) !== undefined) return 'data'
  const language = languageOfPath(path)
  if (language === undefined) return 'program'
  if (language.name === 'SVG') return containsScript(content ?? '<script') ? 'program' : 'data'
  return textKindOfLanguage(language)
}

function textKindOfLanguage({ name, type }: LinguistLanguage): TextKind {
  if (programLanguages.has(name)) return 'program'
  if (styleLanguages.has(name)) return 'data'
  return type === 'data' || type === 'prose' ? type : 'program'
}

/** Anything in an SVG image that can run a script, or load another document that can. */
const svgScriptPatterns = [
  /<\s*(?:[\w-]+:)?(?:script|foreignObject|iframe|embed|object|handler|set|animate)\b/i,
  /[\s/"']on[a-z]+\s*=/i,
  /javascript:/i,
  /<\?xml-stylesheet/i,
  // An entity can stand for any character of the other patterns.
  /<!ENTITY|&#/i,
]

function containsScript(svg: string): boolean {
  return svgScriptPatterns.some((pattern) => pattern.test(svg))
}
