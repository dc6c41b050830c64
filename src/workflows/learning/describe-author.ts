// Describes authors by their pull requests: counts with denominators, never rankings or judgments.

import type { AuthoredPullRequest, AuthorRecord } from '../../analytics/author-record.ts'
import { classifyFile } from '../../code/classify-file.ts'
import type { NewMemory } from '../../domain/memory.ts'
import { languageOfPath } from '../../languages/linguist.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { countEach } from '../../lib/count-each.ts'
import { formatCount } from '../../lib/text.ts'
import { directoryOf } from '../../lib/tree-paths.ts'
import { formatName, maxSubjectLength } from './format-names.ts'

/** With fewer pull requests only their count is described. */
const minPullRequests = 3
/** With fewer pull requests a strength could change with the next one. */
const minCleanPullRequests = 5
/** The limit applies to directories and to languages separately. */
const maxStrengths = 5
const maxProfileNames = 3

type DeveloperMemory = Pick<NewMemory, 'type' | 'subject' | 'text' | 'path'>

/**
 * Describes an author as memories. Except for the profile, subjects start with the username and a
 * slash.
 */
export function describeAuthor(record: AuthorRecord): NewMemory[] {
  const [latest] = record.pullRequests
  if (latest === undefined) return []
  const pullRequests = record.pullRequests.map((one) => {
    return { ...one, paths: one.paths.filter((path) => classifyFile(path).kind === 'source') }
  })
  const described = [
    describeProfile({ ...record, pullRequests }),
    ...describePatterns({ ...record, pullRequests }),
    ...describeStrengths(record.login, pullRequests),
  ]
  const provenance = { source: 'review', pullRequest: latest.number } as const
  return described.map((memory) => ({
    ...memory,
    componentType: null,
    trust: 'derived',
    provenance,
  }))
}

/**
 * Counts pull requests by directory and language, so that one large pull request doesn't dominate.
 * Names that occur only once are left out.
 */
function describeProfile({ login, total, pullRequests }: AuthorRecord): DeveloperMemory {
  const all = pullRequests.length
  const describeNames = (opening: string, namesOf: (path: string) => string[]) => {
    const counts = countEach(
      pullRequests.flatMap(({ paths }) => [...new Set(paths.flatMap(namesOf))]),
    )
    const repeated = counts.filter(([, count]) => count > 1).slice(0, maxProfileNames)
    if (repeated.length === 0) return []
    const names = repeated.map(([name, count]) => `${formatName(name)} (${count} of ${all})`)
    const scope = total > all ? ` of the latest ${all}` : ''
    return [`${opening}${scope}: ${names.join(', ')}.`]
  }
  const sentences = [
    `${formatName(login)}: ${formatCount(total, 'reviewed pull request')}.`,
    ...(all < minPullRequests
      ? []
      : describeNames('Directories', (path) => [describeDirectoryOf(path)])),
    ...(all < minPullRequests ? [] : describeNames('Languages', programmingLanguageOf)),
  ]
  return { type: 'contributor_profile', subject: login, text: sentences.join(' '), path: null }
}

function describePatterns({ login, total, pullRequests }: AuthorRecord): DeveloperMemory[] {
  const name = formatName(login)
  const latest = total > pullRequests.length ? 'latest ' : ''
  const all = `${latest && `the ${latest}`}${formatCount(pullRequests.length, 'pull request')}`
  const pattern = (kind: string, text: string): DeveloperMemory => {
    return { type: 'developer_pattern', subject: `${login}/${kind}`, text, path: null }
  }
  const patterns: DeveloperMemory[] = []
  if (pullRequests.length >= minPullRequests) {
    const median = formatCount(findMedian(pullRequests.map((one) => one.lines)), 'changed line')
    patterns.push(pattern('size', `${name}'s pull requests have a median of ${median} (${all}).`))
  }
  const withCode = pullRequests.filter(({ paths }) =>
    paths.some((path) => programmingLanguageOf(path).length > 0),
  )
  if (withCode.length >= minPullRequests) {
    const tested = withCode.filter(({ paths }) => paths.some(isTestPath)).length
    const those = formatCount(withCode.length, 'pull request')
    patterns.push(pattern('tests', `${name} changed tests in ${tested} of ${those} with code.`))
  }
  for (const [category, count] of countEach(pullRequests.flatMap(listCategories))) {
    if (count < minPullRequests) continue
    patterns.push(
      pattern(
        category,
        `Reviews of ${name} raised findings about ${category} in ${count} of ${all}.`,
      ),
    )
  }
  const answers = countAnswers(pullRequests)
  if (answers.resolved + answers.dismissed >= minPullRequests) {
    const those = formatCount(answers.all, 'finding')
    const text =
      `Of ${those} in ${name}'s ${latest}pull requests ` +
      `${answers.resolved} were resolved and ${answers.dismissed} dismissed.`
    patterns.push(pattern('answers', text))
  }
  return patterns
}

/** Lists each category of undismissed findings once. */
function listCategories({ findings }: AuthoredPullRequest): string[] {
  return [
    ...new Set(findings.flatMap(({ state, category }) => (state === 'dismissed' ? [] : category))),
  ]
}

function countAnswers(pullRequests: readonly AuthoredPullRequest[]) {
  const states = pullRequests.flatMap(({ findings }) => findings.map(({ state }) => state))
  const count = (wanted: string) => states.filter((state) => state === wanted).length
  return { all: states.length, resolved: count('resolved'), dismissed: count('dismissed') }
}

/**
 * A strength is a directory or language in which at least four of five pull requests had no
 * critical finding.
 */
function describeStrengths(
  login: string,
  pullRequests: readonly AuthoredPullRequest[],
): DeveloperMemory[] {
  const inDirectories = findClean(pullRequests, (path) => [directoryOf(path)]).map(
    ({ name, ...counts }) => {
      return { kind: 'directory', name, location: formatDirectory(name), path: name, ...counts }
    },
  )
  const inLanguages = findClean(pullRequests, programmingLanguageOf).map(({ name, ...counts }) => {
    return { kind: 'language', name, location: name, path: null, ...counts }
  })
  return [...inDirectories, ...inLanguages].map(({ kind, name, location, path, total, clean }) => {
    const those = `${clean} of ${login}'s ${formatCount(total, 'reviewed pull request')}`
    const text = `${formatName(those)} in ${formatName(location)} had no critical finding there.`
    return { type: 'developer_strength', subject: `${login}/${kind}/${name}`, text, path }
  })
}

function findClean(
  pullRequests: readonly AuthoredPullRequest[],
  namesOf: (path: string) => string[],
) {
  const countPullRequests = (pathsOf: (one: AuthoredPullRequest) => readonly string[]) =>
    countEach(pullRequests.flatMap((one) => [...new Set(pathsOf(one).flatMap(namesOf))]))
  const critical = new Map(countPullRequests(listCritical))
  return countPullRequests(({ paths }) => paths)
    .map(([name, total]) => ({
      name,
      total,
      clean: Math.max(0, total - (critical.get(name) ?? 0)),
    }))
    .filter(
      ({ name, total, clean }) =>
        name.length <= maxSubjectLength && clean >= minCleanPullRequests && clean * 5 >= total * 4,
    )
    .slice(0, maxStrengths)
}

function listCritical({ findings }: AuthoredPullRequest): string[] {
  return findings.flatMap(({ path, severity, state }) =>
    severity === 'critical' && state !== 'dismissed' ? path : [],
  )
}

function programmingLanguageOf(path: string): string[] {
  const language = languageOfPath(path)
  return language?.type === 'programming' ? [language.name] : []
}

function describeDirectoryOf(path: string): string {
  return formatDirectory(directoryOf(path))
}

function formatDirectory(directory: string): string {
  return directory === '.' ? 'the root' : directory
}

function findMedian(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (index: number) => sorted[index] ?? 0
  return Math.round(
    (at(Math.floor((sorted.length - 1) / 2)) + at(Math.floor(sorted.length / 2))) / 2,
  )
}
