// Updates memories of directories whose reviews repeatedly requested changes.

import {
  type DirectoryReview,
  listReviewedDirectories,
  readDirectoryReviews,
} from '../../analytics/directory-reviews.ts'
import type { Db } from '../../db/database.ts'
import type { NewMemory } from '../../domain/memory.ts'
import type { PullRequestRef } from '../../domain/pull-request.ts'
import { endMemories } from '../../knowledge/memory/end-memories.ts'
import { listSubjects } from '../../knowledge/memory/read-memories.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import { countEach } from '../../lib/count-each.ts'
import { formatCount } from '../../lib/text.ts'
import { formatName, maxSubjectLength } from './format-names.ts'

/** The limit applies to the directories of a review and to the remembered ones separately. */
const maxDirectories = 200
/**
 * Only the latest pull requests of a directory count: faults that were fixed long ago are no risk.
 */
const maxPullRequests = 30
const minPullRequests = 2
const minFindings = 3

/** Updates the memories of the directories that a pull request changed, and of all known risks. */
export async function learnRisks(tx: Db, ref: PullRequestRef): Promise<void> {
  const known = await listSubjects(tx, ref.repo, {
    types: ['risk_module'],
    source: 'review',
    limit: maxDirectories,
  })
  const remembered = known.map(({ subject }) => subject)
  const reviewed = await listReviewedDirectories(tx, ref, {
    maxLength: maxSubjectLength,
    limit: maxDirectories,
  })
  const directories = [...new Set([...reviewed, ...remembered])]
  const reviews = await readDirectoryReviews(tx, ref.repo, directories, maxPullRequests)
  const risks = [...Map.groupBy(reviews, ({ directory }) => directory).values()].flatMap(
    describeRisk,
  )
  await saveMemories(tx, ref.repo, risks)
  const currentSubjects = new Set(risks.map(({ subject }) => subject))
  const outdated = remembered.filter((directory) => !currentSubjects.has(directory))
  await endMemories(
    tx,
    ref.repo,
    outdated.map((subject) => ({ type: 'risk_module', subject })),
  )
}

function describeRisk(reviews: readonly DirectoryReview[]): NewMemory[] {
  const found = reviews.filter(({ categories }) => categories.length > 0)
  const requested = found.filter(({ requests }) => requests > 0)
  const categories = found.flatMap((one) => one.categories)
  const isRisk = requested.length >= minPullRequests || categories.length >= minFindings
  const [latest] = found.toSorted((one, other) => other.number - one.number)
  if (latest === undefined || found.length < minPullRequests || !isRisk) return []
  const { directory, number } = latest
  const location = directory === '.' ? 'the root directory' : formatName(directory)
  const isCut = reviews.length === maxPullRequests
  const all = `${isCut ? 'the latest ' : ''}${formatCount(reviews.length, 'reviewed pull request')}`
  const kinds = countEach(categories).map(([category, count]) => `${category} ${count}`)
  const findings = formatCount(categories.length, 'critical or moderate finding')
  const text = [
    `In ${found.length} of ${all} that touched ${location}, reviews raised`,
    `${findings} there (${kinds.join(', ')});`,
    `in ${requested.length} they asked for changes.`,
  ].join(' ')
  const provenance = { source: 'review', pullRequest: number } as const
  const about = { subject: directory, path: directory, componentType: null }
  return [{ type: 'risk_module', ...about, text, trust: 'derived', provenance }]
}
