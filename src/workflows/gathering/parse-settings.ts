// Parses a repository's settings and reports unknown rules in them.
import {
  readRepositorySettings,
  type SettingsReport,
} from '../../config/read-repository-settings.ts'
import { quoteValue } from '../../config/settings-schema.ts'
import { findClosestMatch } from '../../lib/text.ts'
import { rules } from '../../reviewers/rules/index.ts'

/** Never throws: problems are reported, and valid settings apply. */
export function parseSettings(bytes: Uint8Array): SettingsReport {
  const { settings, problems } = readRepositorySettings(bytes)
  return {
    settings,
    problems: [...problems, ...settings.disabledRules.flatMap(describeUnknownRule)],
  }
}

const ruleIds = rules.map(({ id }) => id)

function describeUnknownRule(id: string): string[] {
  if (ruleIds.includes(id)) return []
  const closest = findClosestMatch(id, ruleIds)
  const hint = closest === undefined ? '' : ` (did you mean ${quoteValue(closest)}?)`
  return [`there is no rule ${quoteValue(id)}${hint}`]
}
