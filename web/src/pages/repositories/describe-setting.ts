// Describes settings in words.
import type { RepositorySetting } from './repository-queries.ts'

const names: Readonly<Record<string, string>> = {
  'paths.include': 'Reviewed files',
  'paths.exclude': 'Ignored files',
  instructions: 'Instructions',
  severity: 'Lowest severity',
  mode: 'Review mode',
  model: 'Model',
  fast_lines: 'Fast model for changes up to',
  language: 'Language',
  'policy.moderate': 'Verdict for moderate findings',
  'policy.max_comments': 'Maximum number of comments',
  gate: 'Outcomes that block merging',
  decisions: 'Decisions it posts',
  'reviews.start': 'Reviews start',
  'reviews.drafts': 'Drafts',
  'reviews.label': 'Label that requests a review',
  'reviews.skip.authors': 'Skipped authors',
  'reviews.skip.bots': 'Bots are skipped',
  'reviews.skip.labels': 'Skipped labels',
  'reviews.skip.titles': 'Skipped titles',
  'reviews.skip.branches': 'Skipped source branches',
  'reviews.skip.base_branches': 'Skipped target branches',
  'reviews.skip.paths': 'Skipped if only these files change',
  'reviews.skip.lines': 'Skipped above changed lines',
  'rules.disable': 'Disabled rules',
  'tools.code_scanning': 'Code scanning is read',
  'tools.artifacts': 'SARIF artifacts',
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
