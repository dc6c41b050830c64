// Says of which files a review without a model read no more than the text.
import type { FileDiff } from '../domain/diff.ts'
import type { Change, ReviewerReport, ShallowFile } from '../reviewers/reviewer.ts'
import { isTestPath, languageOfPath } from '../workspace/languages.ts'
import { codeSpan } from './posting/neutralize.ts'

type Report = Pick<ReviewerReport, 'shallow' | 'usage'>

/** Files that are named in a note; the others are counted. */
const mostNamed = 5

/** One sentence for each kind of such files, for the coverage section; none where a model read the change too. */
export function describeShallow(reports: readonly Report[]): string[] {
  const shallow = findShallow(reports)
  const pathsOf = (reason: ShallowFile['reason']) => shallow.filter((file) => file.reason === reason)
  const [unknown, unparsed] = [pathsOf('no rules'), pathsOf('syntax error')]
  const its = (files: readonly ShallowFile[]) => (files.length === 1 ? 'its' : 'their')
  return [
    ...(unknown.length > 0
      ? [`No rules know the language of ${listPaths(unknown)}: only ${its(unknown)} text was searched.`]
      : []),
    ...(unparsed.length > 0
      ? [`${listPaths(unparsed)} could not be parsed where changed: only ${its(unparsed)} text was searched there.`]
      : []),
  ]
}

/** Whether no more than the text was read of all program files that the change adds to, and there are such. */
export function isShallow({ files }: Pick<Change, 'files'>, reports: readonly Report[]): boolean {
  const shallow = new Set(findShallow(reports).map(({ path }) => path))
  const isRead = ({ path, status, hunks }: FileDiff) =>
    status !== 'deleted' &&
    !shallow.has(path) &&
    !isTestPath(path) &&
    hunks.some(({ lines }) => lines.some(({ kind }) => kind === 'added')) &&
    languageOfPath(path)?.type === 'programming'
  return shallow.size > 0 && !files.some(isRead)
}

function findShallow(reports: readonly Report[]): readonly ShallowFile[] {
  return reports.some(({ usage }) => usage.calls > 0) ? [] : reports.flatMap(({ shallow }) => shallow ?? [])
}

function listPaths(files: readonly ShallowFile[]): string {
  const named = files.slice(0, mostNamed).map(({ path }) => codeSpan(path))
  const more = files.length - named.length
  if (more > 0) return `${named.join(', ')} and ${more} more`
  return named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)}` : named.join('')
}
