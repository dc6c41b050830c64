// Renders the tables of all rules, one for each category.
import type { FindingCategory } from '../../src/domain/finding.ts'
import {
  findSampleFiles,
  type ListedRule,
  listRules,
} from '../../src/reviewers/rules/list-rules.ts'
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

const rules = await listRules()

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

function renderRuleTable(listed: readonly ListedRule[]): string {
  const rows = listed.map((rule) => [
    linkToSamples(rule),
    rule.severity,
    String(rule.confidence),
    rule.languages.join(', '),
    rule.summary,
    rule.seeAlso.join(', '),
  ])
  const headings = ['Rule', 'Severity', 'Confidence', 'Languages', 'What it reports', 'See also']
  return renderTable(headings, rows)
}

function linkToSamples({ id }: ListedRule): string {
  const [path] = findSampleFiles(id)
  return path === undefined ? `\`${id}\`` : `[\`${id}\`](../src/${path})`
}
