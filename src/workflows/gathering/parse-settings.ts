// Parses a settings file and reports unknown rules in it.
import { listItems } from '../../config/merge-settings.ts'
import { type FileReport, readSettingsFile } from '../../config/read-settings-file.ts'
import { quoteValue } from '../../config/settings-schema.ts'
import { findClosestMatch } from '../../lib/text.ts'
import { rules } from '../../reviewers/rules/index.ts'

/** Never throws: problems are reported, and valid settings apply. */
export function parseSettings(bytes: Uint8Array, directory: string): FileReport {
  const { given, problems } = readSettingsFile(bytes, directory)
  const unknown = listItems(given.rules?.disable).flatMap(describeUnknownRule)
  return { given, problems: [...problems, ...unknown] }
}

const ruleIds = rules.map(({ id }) => id)

function describeUnknownRule(id: string): string[] {
  if (ruleIds.includes(id)) return []
  const closest = findClosestMatch(id, ruleIds)
  const hint = closest === undefined ? '' : ` (did you mean ${quoteValue(closest)}?)`
  return [`there is no rule ${quoteValue(id)}${hint}`]
}
