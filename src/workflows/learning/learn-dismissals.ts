// Updates memories of rules whose findings were dismissed as wrong in several pull requests. They
// inform later reviews, but suppress nothing. A finding that was accepted or handled says nothing
// about the next one.

import type { Db } from '../../db/database.ts'
import type { MemoryType, NewMemory } from '../../domain/memory.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import {
  listReportedRules,
  listRuleDismissals,
  type RuleDismissal,
} from '../../events/dismissals.ts'
import { endMemories } from '../../knowledge/memory/end-memories.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import { countEach } from '../../lib/count-each.ts'
import { joinWithAnd } from '../../lib/text.ts'
import { directoryOf } from '../../lib/tree-paths.ts'
import { formatName, formatPullRequestNumbers } from './format-names.ts'

const type: MemoryType = 'decision'
const minPullRequests = 2
/** Only the latest findings of a rule are read. */
const maxFindings = 200
const maxDirectories = 3

/** Updates the memories of the rules that reported the pull request's findings. */
export async function learnDismissals(tx: Db, ref: PullRequestRef): Promise<void> {
  const rules = await listReportedRules(tx, ref)
  const dismissals = Map.groupBy(
    await listRuleDismissals(tx, ref.repo, rules, maxFindings),
    ({ rule }) => rule,
  )
  const decisions = [...dismissals.values()].flatMap(describeDismissals)
  await saveMemories(tx, ref.repo, decisions)
  const currentSubjects = new Set(decisions.map(({ subject }) => subject))
  const outdated = rules.map(subjectOf).filter((subject) => !currentSubjects.has(subject))
  await endMemories(
    tx,
    ref.repo,
    outdated.map((subject) => ({ type, subject })),
  )
}

function describeDismissals(dismissals: readonly RuleDismissal[]): NewMemory[] {
  const numbers = [...new Set(dismissals.map(({ number }) => number))]
  const [first] = dismissals
  if (first === undefined || numbers.length < minPullRequests) return []
  const directories = countEach(dismissals.map(({ path }) => directoryOf(path))).map(
    ([name]) => name,
  )
  const listed = directories
    .slice(0, maxDirectories)
    .map((name) => (name === '.' ? 'the root' : formatName(name)))
  const locations = directories.length > listed.length ? [...listed, 'other directories'] : listed
  const pullRequests = formatPullRequestNumbers(numbers)
  const where = joinWithAnd(locations)
  return [
    {
      type,
      subject: subjectOf(first.rule),
      text: `Findings of the rule ${first.rule} were dismissed in ${pullRequests}, in ${where}.`,
      path: directories.length === 1 ? (directories[0] as string) : null,
      componentType: null,
      trust: 'derived',
      provenance: { source: 'review', pullRequest: Math.max(...numbers) },
    },
  ]
}

function subjectOf(rule: string): string {
  return `dismissed/${rule}`
}
