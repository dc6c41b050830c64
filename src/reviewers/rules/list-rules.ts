// Lists all rules for people: what each reports, in which languages, and its samples.
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FindingCategory, Severity } from '../../domain/finding.ts'
import { languages } from '../../languages/index.ts'
import type { Language } from '../../languages/language.ts'
import { rules } from './index.ts'
import { listSharedChecks, type Rule } from './rule.ts'
import { textFormats } from './text-formats.ts'

export interface ListedRule {
  readonly id: string
  readonly summary: string
  readonly seeAlso: readonly string[]
  readonly severity: Severity
  readonly category: FindingCategory
  readonly confidence: number
  /** Some are names of formats or of kinds of files. */
  readonly languages: readonly string[]
}

/** Lists all rules in the order in which they are documented. Loads the rules of all languages. */
export async function listRules(): Promise<ListedRule[]> {
  /** The ids of the rules that each language brings checks for. */
  const checkedRules = new Map<Language, readonly string[]>()
  for (const language of languages)
    checkedRules.set(language, Object.keys((await language.loadRules?.())?.checks ?? {}))
  return rules.map((rule) => {
    const { id, summary, seeAlso = [], severity, category, confidence } = rule
    const names = listLanguages(rule, checkedRules)
    return { id, summary, seeAlso, severity, category, confidence, languages: names }
  })
}

function listLanguages(
  rule: Rule,
  checkedRules: ReadonlyMap<Language, readonly string[]>,
): string[] {
  if (rule.manifest) return ['manifests', 'lock files']
  if (rule.file) return ['review settings']
  if (rule.change) return ['code and prose']
  if (rule.line) return ['any text']
  if (rule.graph) return ['code graph']
  const formats = textFormats
    .filter(({ checks }) => checks.some((check) => check.rule === rule.id))
    .map(({ name }) => name)
  const others = new Set([...(rule.workflow ? ['CI workflows'] : []), ...formats])
  const isChecked = (language: Language) =>
    checkedRules.get(language)!.includes(rule.id) ||
    language.grammars.some(({ name }) => listSharedChecks(rule, name).length > 0)
  return [...languages.filter(isChecked).map(({ names }) => names[0]!), ...others]
}

const sourceFolder = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Returns the files with samples of a rule, relative to `src/`: those next to the rule first. Rules
 * on the code graph have none, because they need a whole repository.
 */
export function findSampleFiles(id: string): string[] {
  return globSync(`{reviewers/rules,languages/*}/samples/${id}.md`, { cwd: sourceFolder })
    .sort()
    .reverse()
}

/** Reads the samples of a rule as Markdown, without the heading; empty if there are none. */
export async function readSamples({ id }: Pick<ListedRule, 'id'>): Promise<string> {
  const files = findSampleFiles(id).map((path) => readFile(`${sourceFolder}${path}`, 'utf8'))
  const texts = (await Promise.all(files)).map((text) => text.replace(/^# .*\n/, '').trim())
  return texts.join('\n\n')
}
