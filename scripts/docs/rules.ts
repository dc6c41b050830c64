// Renders the tables of all rules, one for each category.
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FindingCategory } from '../../src/domain/finding.ts'
import { languages } from '../../src/languages/index.ts'
import type { Language } from '../../src/languages/language.ts'
import { rules } from '../../src/reviewers/rules/index.ts'
import { listSharedChecks, type Rule } from '../../src/reviewers/rules/rule.ts'
import { textFormats } from '../../src/reviewers/rules/text-formats.ts'
import { renderTable } from './markdown-table.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const headings: Readonly<Record<FindingCategory, string>> = {
  correctness: 'Correctness',
  concurrency: 'Concurrency',
  security: 'Security',
  'data-loss': 'Data loss',
  performance: 'Performance',
  tests: 'Tests',
  maintainability: 'Maintainability',
}

/** The ids of the rules that each language brings checks for. */
const checkedRules = new Map<Language, readonly string[]>()
for (const language of languages)
  checkedRules.set(language, Object.keys((await language.loadRules?.())?.checks ?? {}))

export function renderRules(): string {
  return Object.entries(headings)
    .map(([category, heading]) => ({
      heading,
      rules: rules.filter((rule) => rule.category === category),
    }))
    .filter((section) => section.rules.length > 0)
    .map((section) => `## ${section.heading}\n\n${renderRuleTable(section.rules)}`)
    .join('\n\n')
}

function renderRuleTable(listed: readonly Rule[]): string {
  const rows = listed.map((rule) => [
    linkToSamples(rule),
    rule.severity,
    String(rule.confidence),
    describeLanguages(rule),
    rule.summary,
    rule.seeAlso?.join(', ') ?? '',
  ])
  const headings = ['Rule', 'Severity', 'Confidence', 'Languages', 'What it reports', 'See also']
  return renderTable(headings, rows)
}

/** The rules on the code graph have no samples, because they need a whole repository. */
function linkToSamples({ id, graph }: Rule): string {
  if (graph) return `\`${id}\``
  // The samples beside the rule come before those of languages with checks of their own.
  const path = globSync(`src/{reviewers/rules,languages/*}/samples/${id}.md`, { cwd: root })
    .sort()
    .at(-1)
  return `[\`${id}\`](../${path})`
}

function describeLanguages(rule: Rule): string {
  if (rule.manifest) return 'manifests, lock files'
  if (rule.file) return 'review settings'
  if (rule.line) return 'any text'
  if (rule.graph) return 'code graph'
  const formats = textFormats
    .filter(({ checks }) => checks.some((check) => check.rule === rule.id))
    .map(({ name }) => name)
  const others = new Set([...(rule.workflow ? ['CI workflows'] : []), ...formats])
  const isChecked = (language: Language) =>
    checkedRules.get(language)!.includes(rule.id) ||
    language.grammars.some(({ name }) => listSharedChecks(rule, name).length > 0)
  const checked = languages.filter(isChecked).map(({ names }) => names[0]!)
  return [...checked, ...others].join(', ')
}
