// Updates memories of rules whose findings were dismissed in several pull requests. They inform
// later reviews, but suppress nothing.
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { MemoryType, NewMemory } from '../../domain/memory.ts'
import type { PullRequestRef, RepositoryName } from '../../domain/pull-request.ts'
import { endMemories } from '../../knowledge/memory/end-memories.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import {
  countOccurrences,
  directoryOf,
  formatName,
  formatPullRequestNumbers,
  joinWithAnd,
} from './format-names.ts'

const type: MemoryType = 'decision'
const minPullRequests = 2
/** Only the latest findings of a rule are read. */
const maxFindings = 200
const maxDirectories = 3

interface Dismissal {
  readonly rule: string
  readonly number: number
  readonly path: string
}

/** Updates the memories of the rules that reported the pull request's findings. */
export async function learnDismissals(tx: Db, ref: PullRequestRef): Promise<void> {
  const rules = await listRules(tx, ref)
  const dismissals = Map.groupBy(await readDismissals(tx, ref.repo, rules), ({ rule }) => rule)
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

function describeDismissals(dismissals: readonly Dismissal[]): NewMemory[] {
  const numbers = [...new Set(dismissals.map(({ number }) => number))]
  const [first] = dismissals
  if (first === undefined || numbers.length < minPullRequests) return []
  const directories = countOccurrences(dismissals.map(({ path }) => directoryOf(path))).map(
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

async function listRules(tx: Db, { repo, number }: PullRequestRef): Promise<string[]> {
  const rows = await tx
    .selectFrom('findings')
    .select('rule')
    .distinct()
    .where('repo', '=', repo)
    .where('pr_number', '=', number)
    .where('rule', 'is not', null)
    .execute()
  return rows.flatMap(({ rule }) => rule ?? [])
}

async function readDismissals(
  tx: Db,
  repo: RepositoryName,
  rules: readonly string[],
): Promise<Dismissal[]> {
  const { rows } = await sql<Dismissal>`
    select asked.rule, number, path from unnest(${rules}::text[]) as asked (rule)
    cross join lateral (
      select pr_number as number, path from findings f
      where repo = ${repo} and rule = asked.rule and state = 'dismissed'
        -- Only dismissals by people with the right to dismiss count; older versions stored others.
        and exists (
          select from dismissals d
          where d.repo = f.repo and d.pr_number = f.pr_number and d.fingerprint = f.fingerprint)
      order by id desc limit ${maxFindings}
    ) as dismissed`.execute(tx)
  return rows
}
