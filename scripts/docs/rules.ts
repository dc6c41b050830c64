// Renders the tables of all rules, one for each category.
import type { FindingCategory } from '../../src/domain/finding.ts'
import { rules } from '../../src/reviewers/rules/index.ts'
import type { Rule } from '../../src/reviewers/rules/rule.ts'
import { renderTable } from './markdown-table.ts'

const headings: Readonly<Record<FindingCategory, string>> = {
  correctness: 'Correctness',
  concurrency: 'Concurrency',
  security: 'Security',
  'data-loss': 'Data loss',
  performance: 'Performance',
  tests: 'Tests',
  maintainability: 'Maintainability',
}

const languageNames: Readonly<Record<string, string>> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  python: 'Python',
  go: 'Go',
  java: 'Java',
}

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
  return graph ? `\`${id}\`` : `[\`${id}\`](../src/reviewers/rules/samples/${id}.md)`
}

function describeLanguages(rule: Rule): string {
  if (rule.manifest) return 'manifests, lock files'
  if (rule.file) return 'review settings'
  if (rule.workflow) return 'CI workflows'
  if (rule.line) return 'any text'
  if (rule.graph) return 'code graph'
  const languages = new Set<string>(rule.syntax?.flatMap((check) => check.languages))
  return Object.entries(languageNames)
    .filter(([id]) => languages.has(id))
    .map(([, name]) => name)
    .join(', ')
}
