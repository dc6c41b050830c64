// Parses a repository's settings, and tells which of the rules that they name there are.
import {
  readRepositorySettings,
  type SettingsReport,
} from '../../config/read-repository-settings.ts'
import { quoteValue } from '../../config/value-readers.ts'
import { findClosestMatch } from '../../lib/text.ts'
import { rules } from '../../reviewers/rules/index.ts'

/** Never throws: what is wrong is told, and the rest counts. */
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
  const meant = findClosestMatch(id, ruleIds)
  return [
    `there is no rule ${quoteValue(id)}${meant === undefined ? '' : ` (did you mean ${quoteValue(meant)}?)`}`,
  ]
}
