// Describes settings in words.
import type { RepositorySetting } from './repository-queries.ts'

const names: Readonly<Record<string, string>> = {
  'paths.include': 'Reviews only files like',
  'paths.exclude': 'Ignores files like',
  instructions: 'Instructions',
  severity: 'Reports findings from',
  mode: 'Review mode',
  model: 'Model',
  fast_lines: 'Uses the fast model up to changed lines',
  language: 'Language',
  'policy.moderate': 'Moderate findings lead to',
  'policy.max_comments': 'Maximum of comments',
  gate: 'Blocks on',
  decisions: 'Decides by itself to',
  'reviews.start': 'Reviews start',
  'reviews.drafts': 'Drafts',
  'reviews.label': 'Label that requests a review',
  'reviews.skip.authors': 'Skips authors',
  'reviews.skip.bots': 'Skips bots',
  'reviews.skip.labels': 'Skips labels',
  'reviews.skip.titles': 'Skips titles with',
  'reviews.skip.branches': 'Skips source branches',
  'reviews.skip.base_branches': 'Skips target branches',
  'reviews.skip.paths': 'Skips changes of only files like',
  'reviews.skip.lines': 'Skips changes of more lines than',
  'rules.disable': 'Disabled rules',
  'tools.code_scanning': 'Reads code scanning',
  'tools.artifacts': 'Reads SARIF artifacts named',
}

/** A new setting is shown by its key until it has a name here. */
export function nameSetting(key: string): string {
  return names[key] ?? key
}

const words: Readonly<Record<string, string>> = {
  'policy.moderate discuss': 'needs a person',
  'policy.moderate request_changes': 'changes requested',
  'reviews.drafts review': 'reviewed like others',
  'reviews.drafts static': 'reviewed by rules only',
  'reviews.drafts skip': 'skipped',
  'reviews.start on_request': 'on request',
  'gate changes_requested': 'changes requested',
  'gate needs_person': 'needs a person',
  'decisions request_changes': 'request changes',
}

type Instruction = { readonly paths: readonly string[]; readonly text: string }

/** The text has values that are left out, and how the service is configured. */
export function describeSetting({
  key,
  value,
  text,
}: Pick<RepositorySetting, 'key' | 'value' | 'text'>): string {
  const describe = (item: unknown) => words[`${key} ${item}`] ?? String(item)
  if (Array.isArray(value)) {
    if (value.length === 0) return key === 'paths.include' ? 'all files' : 'none'
    return value.map((item) => describeItem(item, describe)).join(', ')
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null) return text === "the service's" ? 'as the service is configured' : text
  return describe(value)
}

function describeItem(item: string | Instruction, describe: (item: unknown) => string): string {
  if (typeof item === 'string') return describe(item)
  return item.paths.length === 0 ? item.text : `${item.paths.join(', ')}: ${item.text}`
}
