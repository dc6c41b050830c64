// Detects configuration keys whose values are run as commands.
import { dataFormatOf } from './data-format.ts'

/** Tools run hooks with these names. */
const lifecycleStage =
  '(?:commit|push|install|build|test|start|stop|deploy|merge|checkout|rewrite|pack|publish|version|create)'

const keys = [
  'commands?',
  'cmd',
  'run',
  'scripts?',
  'script[-_]?shell',
  'shell',
  'exec(?:utable|maps?)?',
  'entry[-_]?point',
  'hooks?',
  'tasks?',
  'runner',
  'linker',
  'rustc[-_](?:workspace[-_])?wrapper',
  'build[-_]backend',
  'backend[-_]path',
  'node[-_]options',
  'yarn[-_]?path',
  'plugins',
  'provisioners?',
  '(?:before|after)[-_]\\w+',
  `(?:pre|post)[-_]?${lifecycleStage}[-_\\w]*`,
].join('|')

const commandKey = new RegExp(
  [
    // In JSON, YAML, TOML and INI a key starts a line, follows a brace or a dot, or is a table.
    String.raw`(?:^|[\s{,.\[])["']?(?:${keys})["']?\s*(?:[:=]|\])`,
    // Ant, Maven and MSBuild files are XML.
    String.raw`<\s*(?:exec|executable|usingtask|target|(?:pre|post)buildevent)\b`,
    String.raw`<\s*(?:command|script|goal|java)\b`,
    String.raw`\b(?:exec-maven|maven-antrun)-plugin\b`,
  ].join('|'),
  'im',
)

/** Whether a text has a key or an element whose value is run as a command. */
export function hasCommandKey(text: string): boolean {
  return commandKey.test(text)
}

/** Whether a value can be many lines below its key, like the text of a script in YAML. */
export function allowsMultilineValues(path: string): boolean {
  return dataFormatOf(path) !== undefined
}
