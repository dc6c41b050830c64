// Parses a settings file and reports unknown rules in it.
import { listItems } from '../../config/merge-settings.ts'
import {
  type FileProblem,
  type FileReport,
  type InspectedFile,
  inspectSettingsFile,
  readSettingsFile,
} from '../../config/read-settings-file.ts'
import { type GivenSettings, quoteValue } from '../../config/settings-schema.ts'
import { findClosestMatch } from '../../lib/text.ts'
import { rules } from '../../reviewers/rules/index.ts'

/** Never throws: problems are reported, and valid settings apply. */
export function parseSettings(bytes: Uint8Array, directory: string): FileReport {
  const { given, problems } = readSettingsFile(bytes, directory)
  const unknown = findUnknownRules(given).map(({ message }) => message)
  return { given, problems: [...problems, ...unknown] }
}

/** Parses like `parseSettings`, and finds all problems and where they are. */
export function inspectSettings(text: string, directory: string): InspectedFile {
  const { given, problems } = inspectSettingsFile(text, directory)
  return { given, problems: [...problems, ...findUnknownRules(given)] }
}

const ruleIds = rules.map(({ id }) => id)

function findUnknownRules({ rules: set }: GivenSettings): FileProblem[] {
  return listItems(set?.disable).flatMap((id) => {
    if (ruleIds.includes(id)) return []
    const closest = findClosestMatch(id, ruleIds)
    const hint = closest === undefined ? '' : ` (did you mean ${quoteValue(closest)}?)`
    const message = `there is no rule ${quoteValue(id)}${hint}`
    return { message, at: ['rules', 'disable', id] }
  })
}
