// Reads the rules for contributors from files on the repository's default branch.
import { longPattern } from '../../lib/long-pattern.ts'
import { directoryOf, filenameOf } from '../../lib/tree-paths.ts'
import { findRules } from './find-rules.ts'
import { toPlainText, truncateText } from './plain-text.ts'
import {
  type Description,
  isSource,
  lastPathSegments,
  type Project,
  readSmallText,
  sortByDepth,
} from './project.ts'

/** Files with rules for the directory that they are in. */
const ruleFiles =
  /^(agents|claude|gemini|copilot-instructions|\.cursorrules|\.windsurfrules|\.clinerules)(\.md)?$/i
/** Files in a tool's directory of rules. */
const ruleFolders = longPattern()`
  (^|/)\.(cursor/rules|clinerules|roo/rules|kilocode/rules|windsurf/rules
  |github/instructions|junie)/[^/]+\.(mdc?|txt)$`
const contributing = /^(\.github\/|docs\/)?contributing(\.md|\.rst|\.adoc)?$/i

const maxFiles = 40
const maxRules = 400
const maxRulesPerFile = 60
const maxEditorRulesLength = 700

/** Creates one memory for each rule. */
export async function readRules(project: Project): Promise<Description[]> {
  const files = project.files.filter((file) => isSource(file) && isRuleFile(file.path))
  const descriptions: Description[] = []
  // Repositories often repeat the same rules for each tool.
  const seen = new Set<string>()
  for (const file of sortByDepth(files).slice(0, maxFiles)) {
    const text = (await readSmallText(project, file, 100_000)) ?? ''
    const rules = readRuleFile(file.path, text).filter((rule) => !seen.has(rule.text))
    for (const rule of rules) seen.add(rule.text)
    descriptions.push(...rules)
  }
  return [...descriptions.slice(0, maxRules), ...(await readEditorRules(project))]
}

function isRuleFile(path: string): boolean {
  return (
    ruleFiles.test(filenameOf(path)) ||
    ruleFolders.test(lastPathSegments(path)) ||
    contributing.test(path)
  )
}

function readRuleFile(path: string, text: string): Description[] {
  const subjects = new Map<string, number>()
  return findRules(text, { isForCode: !contributing.test(path) })
    .slice(0, maxRulesPerFile)
    .map(({ heading, text: rule, line }) => {
      // The text identifies a rule, so it keeps its subject when its position changes.
      const slug = makeSlug(rule)
      const count = (subjects.get(slug) ?? 0) + 1
      subjects.set(slug, count)
      const subject = count > 1 ? `${path}#${slug}-${count}` : `${path}#${slug}`
      const sentence = /[.!?:;…)]$/.test(rule) ? rule : `${rule}.`
      const ruleText = heading === '' ? sentence : `${heading}: ${sentence}`
      return createRule(subject, ruleText, scopeOf(path), { file: path, line })
    })
}

/** Rules in a tool's folder apply to the directory that contains the folder. */
function scopeOf(path: string): string {
  return directoryOf(path.replace(/(^|\/)(\.[^/]+|docs)\/.*$/, '$1_'))
}

function makeSlug(text: string): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  return slug.slice(0, 60) || 'rule'
}

function createRule(
  subject: string,
  text: string,
  path: string,
  origin: NonNullable<Description['origin']>,
): Description {
  return { type: 'project_pattern', subject, text, path, trust: 'repository', origin }
}

/** Summarizes the root's `.editorconfig` in one rule. */
async function readEditorRules(project: Project): Promise<Description[]> {
  const file = project.files.find(({ path }) => path === '.editorconfig')
  const text = file && (await readSmallText(project, file, 20_000))
  if (!file || text === undefined) return []
  const sections = listEditorSections(text)
  if (sections.length === 0) return []
  const rules = truncateText(
    `Editor settings: ${sections.slice(0, 12).join('; ')}.`,
    maxEditorRulesLength,
  )
  return [createRule(file.path, rules, '.', { file: file.path })]
}

/** Each section with settings becomes a text such as `*.ts: indent size 2, tab width 4`. */
function listEditorSections(text: string): string[] {
  const sections: string[] = []
  let settings: string[] = []
  let glob = ''
  const endSection = () => {
    if (glob !== '' && settings.length > 0) sections.push(`${glob}: ${settings.join(', ')}`)
    settings = []
  }
  for (const rawLine of text.split('\n', 500)) {
    const line = toPlainText(rawLine)
    const header = /^\s*\[(.{1,100})\]\s*$/.exec(rawLine)?.[1]
    const setting = /^([\w-]{1,40})\s*=\s*(.{1,60})$/.exec(line)
    if (header !== undefined) {
      endSection()
      glob = header
    } else if (setting && !line.startsWith('#')) {
      const name = setting[1]!.replaceAll('_', ' ')
      settings.push(`${name} ${setting[2]}`)
    }
  }
  endSection()
  return sections
}
