// Tells whether data names commands: keys of configuration whose values others run.
import { dataFormatOf } from './data-format.ts'

/** Stages at which tools run what they are told. */
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
    // JSON, YAML, TOML, INI: the key at the start of a line, after a brace or a dot, or as a TOML table.
    String.raw`(?:^|[\s{,.\[])["']?(?:${keys})["']?\s*(?:[:=]|\])`,
    // Build files in XML.
    String.raw`<\s*(?:exec|executable|usingtask|target|(?:pre|post)buildevent|command|script|goal|java)\b`,
    String.raw`\b(?:exec-maven|maven-antrun)-plugin\b`,
  ].join('|'),
  'im',
)

/** Whether a text has a key or an element whose value is run. */
export function hasCommandKey(text: string): boolean {
  return commandKey.test(text)
}

/** Whether a value of the file's format can stand many lines below its key, as the text of a script does in YAML. */
export function allowsMultilineValues(path: string): boolean {
  return dataFormatOf(path) !== undefined
}
