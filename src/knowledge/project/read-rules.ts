// Takes over the rules that a repository has written down for those who work on it. They are data of its default branch.
import type { NewMemory } from '../../domain/memory.ts'
import { type MarkdownSection, readSections } from './markdown.ts'
import { cutText, isProse, toPlainText } from './plain-text.ts'
import { directoryOf, endOf, nameOf, type Project, type ProjectFile, readSmallText } from './project.ts'

/** Files of rules, in any directory: they hold for what lies below it. */
const ruleFiles = /^(agents|claude|gemini|copilot-instructions|\.cursorrules|\.windsurfrules|\.clinerules)(\.md)?$/i
/** In a directory of rules of a tool. */
const ruleFolders =
  /(^|\/)\.(cursor\/rules|clinerules|roo\/rules|kilocode\/rules|windsurf\/rules|github\/instructions|junie)\/[^/]+\.(mdc?|txt)$/
const contributing = /^(\.github\/|docs\/)?contributing(\.md|\.rst|\.adoc)?$/i

const mostFiles = 40
const mostRules = 200
const mostOfFile = 40
const longestRule = 700

/** Of what there is to contribute, the sections that say how code is to be. */
const aboutCode =
  /\b(cod(e|ing)|styl(e|ing)|conventions?|rules?|guidelines?|tests?|testing|lint|format|commits?|pull requests?|naming|architecture|design|structure|types?|errors?|log(ging)?|documentation|comments?|patterns?|principles?|dependenc|secur|review|quality|build|requirements?)/i

/** One memory for each section, or for each part of a long one. */
export async function readRules(project: Project): Promise<NewMemory[]> {
  const files = project.files
    .filter(({ path, kind, isTest }) => kind === 'source' && !isTest && isRuleFile(path))
    .sort((one, other) => one.path.split('/').length - other.path.split('/').length || (one.path < other.path ? -1 : 1))
  const memories: NewMemory[] = []
  // The same rules are often there once for each tool.
  const seen = new Set<string>()
  for (const file of files.slice(0, mostFiles)) {
    const text = (await readSmallText(project, file, 100_000)) ?? ''
    const rules = readFile(project, file, text).filter((rule) => !seen.has(rule.text))
    for (const rule of rules) seen.add(rule.text)
    memories.push(...rules)
  }
  return [...memories.slice(0, mostRules), ...(await readEditorRules(project))]
}

function isRuleFile(path: string): boolean {
  return ruleFiles.test(nameOf(path)) || ruleFolders.test(endOf(path)) || contributing.test(path)
}

function readFile(project: Project, { path }: ProjectFile, text: string): NewMemory[] {
  const isOfTool = !contributing.test(path)
  const sections = readSections(text).filter(({ heading }) => isOfTool || aboutCode.test(heading))
  const subjects = new Map<string, number>()
  return sections
    .flatMap(splitSection)
    .slice(0, mostOfFile)
    .map(({ heading, rule }) => {
      const slug = makeSlug(heading)
      const times = (subjects.get(slug) ?? 0) + 1
      subjects.set(slug, times)
      const subject = `${path}#${slug}${times > 1 ? `-${times}` : ''}`
      return makeRule(project, { subject, text: rule, path: placeOf(path), file: path })
    })
}

/** What a tool's own folder says holds for the directory around that. */
function placeOf(path: string): string {
  return directoryOf(path.replace(/(^|\/)(\.[^/]+|docs)\/.*$/, '$1_'))
}

/** Whole sentences and list items, as many as a memory holds. */
function splitSection({ heading, parts }: MarkdownSection): { heading: string; rule: string }[] {
  const title = heading === '' ? '' : `${cutText(heading, 80).replace(/[:.]$/, '')}: `
  const rules: { heading: string; rule: string }[] = []
  let rule = ''
  const end = () => {
    if (isProse(rule) && rule.length >= 25) rules.push({ heading, rule: `${title}${rule}` })
    rule = ''
  }
  for (const part of parts) {
    const item = /[.!?:;…]$/.test(part) ? part : `${part}.`
    if (rule !== '' && title.length + rule.length + item.length > longestRule) end()
    rule += `${rule === '' ? '' : ' '}${cutText(item, longestRule - title.length)}`
  }
  end()
  return rules
}

function makeSlug(text: string): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  return slug.slice(0, 60) || 'top'
}

function makeRule(
  project: Project,
  { subject, text, path, file }: { subject: string; text: string; path: string; file: string },
): NewMemory {
  return {
    type: 'project_pattern',
    subject,
    text,
    path,
    componentType: null,
    trust: 'repository',
    provenance: { source: 'scan', commit: project.commit, file },
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
    } else if (setting && !line.startsWith('#')) settings.push(`${setting[1]!.replaceAll('_', ' ')} ${setting[2]}`)
  }
  end()
  if (sections.length === 0) return []
  const rules = cutText(`Editors are set up so: ${sections.slice(0, 12).join('; ')}.`, longestRule)
  return [makeRule(project, { subject: file.path, text: rules, path: '.', file: file.path })]
}
