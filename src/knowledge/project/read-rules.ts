// Takes over the rules that a repository has written down for those who work on it. They are data of its default branch.
import type { NewMemory } from '../../domain/memory.ts'
import { findRules } from './find-rules.ts'
import { toPlainText, truncateText } from './plain-text.ts'
import {
  directoryOf,
  lastPathSegments,
  nameOf,
  type Project,
  type ProjectFile,
  readSmallText,
} from './project.ts'

/** Files of rules, in any directory: they hold for what lies below it. */
const ruleFiles =
  /^(agents|claude|gemini|copilot-instructions|\.cursorrules|\.windsurfrules|\.clinerules)(\.md)?$/i
/** In a directory of rules of a tool. */
const ruleFoldersTerms = [
  'cursor/rules|clinerules|roo/rules|kilocode/rules|windsurf/rules',
  'github/instructions|junie',
].join('|')
const ruleFolders = new RegExp(String.raw`(^|/)\.(${ruleFoldersTerms})/[^/]+\.(mdc?|txt)$`)
const contributing = /^(\.github\/|docs\/)?contributing(\.md|\.rst|\.adoc)?$/i

const maxFiles = 40
const maxRules = 400
const maxRulesPerFile = 60
const maxEditorRulesLength = 700

/** One memory for each rule: a list item or a short paragraph. */
export async function readRules(project: Project): Promise<NewMemory[]> {
  const files = project.files
    .filter(({ path, kind, isTest }) => kind === 'source' && !isTest && isRuleFile(path))
    .sort(
      (one, other) =>
        one.path.split('/').length - other.path.split('/').length ||
        (one.path < other.path ? -1 : 1),
    )
  const memories: NewMemory[] = []
  // The same rules are often there once for each tool.
  const seen = new Set<string>()
  for (const file of files.slice(0, maxFiles)) {
    const text = (await readSmallText(project, file, 100_000)) ?? ''
    const rules = readRuleFile(project, file, text).filter((rule) => !seen.has(rule.text))
    for (const rule of rules) seen.add(rule.text)
    memories.push(...rules)
  }
  return [...memories.slice(0, maxRules), ...(await readEditorRules(project))]
}

function isRuleFile(path: string): boolean {
  return (
    ruleFiles.test(nameOf(path)) ||
    ruleFolders.test(lastPathSegments(path)) ||
    contributing.test(path)
  )
}

function readRuleFile(project: Project, { path }: ProjectFile, text: string): NewMemory[] {
  const subjects = new Map<string, number>()
  return findRules(text, { isForCode: !contributing.test(path) })
    .slice(0, maxRulesPerFile)
    .map(({ heading, text: rule, line }) => {
      // By its words, not by its place: a rule stays the same one when others come before it.
      const slug = makeSlug(rule)
      const times = (subjects.get(slug) ?? 0) + 1
      subjects.set(slug, times)
      const subject = `${path}#${slug}${times > 1 ? `-${times}` : ''}`
      const said = `${heading === '' ? '' : `${heading}: `}${/[.!?:;…)]$/.test(rule) ? rule : `${rule}.`}`
      return makeRule(project, { subject, text: said, path: scopeOf(path), file: path, line })
    })
}

/** What a tool's own folder says holds for the directory around that. */
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

function makeRule(
  project: Project,
  {
    subject,
    text,
    path,
    ...place
  }: { subject: string; text: string; path: string; file: string; line?: number },
): NewMemory {
  return {
    type: 'project_pattern',
    subject,
    text,
    path,
    componentType: null,
    trust: 'repository',
    provenance: { source: 'scan', commit: project.commit, ...place },
  }
}

/** `.editorconfig` at the root, in a sentence. */
async function readEditorRules(project: Project): Promise<NewMemory[]> {
  const file = project.files.find(({ path }) => path === '.editorconfig')
  const text = file && (await readSmallText(project, file, 20_000))
  if (!file || text === undefined) return []
  const sections: string[] = []
  let settings: string[] = []
  let glob = ''
  const end = () => {
    if (glob !== '' && settings.length > 0) sections.push(`${glob}: ${settings.join(', ')}`)
    settings = []
  }
  for (const raw of text.split('\n', 500)) {
    const line = toPlainText(raw)
    const header = /^\s*\[(.{1,100})\]\s*$/.exec(raw)?.[1]
    const setting = /^([\w-]{1,40})\s*=\s*(.{1,60})$/.exec(line)
    if (header !== undefined) {
      end()
      glob = header
    } else if (setting && !line.startsWith('#'))
      settings.push(`${setting[1]!.replaceAll('_', ' ')} ${setting[2]}`)
  }
  end()
  if (sections.length === 0) return []
  const rules = truncateText(
    `Editors are set up so: ${sections.slice(0, 12).join('; ')}.`,
    maxEditorRulesLength,
  )
  return [makeRule(project, { subject: file.path, text: rules, path: '.', file: file.path })]
}
