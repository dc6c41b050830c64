// Reads what the repository itself has to say about its reviews, from its base branch.
import { maxSettingsBytes, readRepositorySettings } from '../config/read-repository-config.ts'
import { defaultSettings, type RepositorySettings, settingsPaths } from '../config/repository-config.ts'
import { quoteWord } from '../config/value-reader.ts'
import { GitError } from '../domain/errors.ts'
import { findNearestWord } from '../lib/text.ts'
import { rules } from '../reviewers/rules/index.ts'
import {
  attributesPath,
  maxAttributesBytes,
  noMarks,
  type ReadMarks,
  readAttributes,
} from '../workspace/read-attributes.ts'
import type { Snapshot } from '../workspace/snapshot.ts'

/** How a repository wants to be reviewed. */
export interface RepositoryWill {
  readonly settings: RepositorySettings
  /** Which files it calls generated or vendored. */
  readonly marks: ReadMarks
  /** What is wrong with its settings, one sentence each. */
  readonly notes: readonly string[]
}

/** Of a repository that says nothing. */
export const noWill: RepositoryWill = { settings: defaultSettings, marks: noMarks, notes: [] }

/**
 * Reads `.umpire.yml` and `.gitattributes`.
 *
 * @param tip a commit of the base branch. Not the merge base, which whoever opens a pull request chooses among old ones,
 *   and not the head, which they wrote
 */
export async function readRepositoryWill(tip: Pick<Snapshot, 'readFile'>): Promise<RepositoryWill> {
  const [{ settings, notes }, marks] = await Promise.all([readSettings(tip), readMarks(tip)])
  return { settings, marks, notes }
}

async function readSettings(tip: Pick<Snapshot, 'readFile'>): Promise<Pick<RepositoryWill, 'settings' | 'notes'>> {
  for (const path of settingsPaths) {
    const bytes = await readBounded(tip, path, maxSettingsBytes)
    if (bytes === null) {
      const note = `\`${path}\` is larger than ${maxSettingsBytes / 1024} KB or could not be read, so the defaults hold.`
      return { settings: defaultSettings, notes: [note] }
    }
    if (bytes === undefined) continue
    const { settings, problems } = readRepositorySettings(bytes)
    const all = [...problems, ...settings.disabledRules.flatMap(describeUnknownRule)]
    return { settings, notes: all.map((problem) => `\`${path}\`: ${problem}.`) }
  }
  return { settings: defaultSettings, notes: [] }
}

const ruleIds = rules.map(({ id }) => id)

function describeUnknownRule(id: string): string[] {
  if (ruleIds.includes(id)) return []
  const meant = findNearestWord(id, ruleIds)
  return [`there is no rule ${quoteWord(id)}${meant === undefined ? '' : ` (did you mean ${quoteWord(meant)}?)`}`]
}

async function readMarks(tip: Pick<Snapshot, 'readFile'>): Promise<ReadMarks> {
  const bytes = await readBounded(tip, attributesPath, maxAttributesBytes)
  return bytes ? readAttributes(bytes) : noMarks
}

/** A file's bytes; undefined where there is none, null where it is too large or damaged. */
async function readBounded(
  tip: Pick<Snapshot, 'readFile'>,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined | null> {
  try {
    return await tip.readFile(path, { maxBytes })
  } catch (error) {
    if (error instanceof GitError && !error.retryable) return null
    throw error
  }
}
