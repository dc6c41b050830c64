// Reads the decision records of a repository: title, status and decision.
import { longPattern } from '../../lib/long-pattern.ts'
import { filenameOf } from '../../lib/tree-paths.ts'
import { findDecision, isInForce, statusOf } from './decision-record.ts'
import { type MarkdownSection, readFrontMatter, readSections } from './markdown.ts'
import { truncateText } from './plain-text.ts'
import {
  type Description,
  isSource,
  lastPathSegments,
  type Project,
  readSmallText,
} from './project.ts'

const recordPath = longPattern('i')`
  (^|/)(adrs?|decisions|decision-records|architecture-decisions|architectural-decisions|architecture-decision-records?|decision-log)/([^/]+/)?[^/]+\.(md|mdx|markdown|adoc|rst)$
  |(^|/)adr[-_ ]?\d+[^/]*\.(md|mdx|markdown|adoc|rst)$`
const otherNames = longPattern('i')`
  ^(readme|index|template|(adr[-_]?)?(0+-?)?template|contributing|process|0+-template)\b
  |template\.\w+$`

/** Only the newest records are read. */
const maxRecords = 300

/** Creates one memory for each valid record. */
export async function readDecisions(project: Project): Promise<Description[]> {
  const found = project.files
    .filter(
      (file) =>
        isSource(file) &&
        recordPath.test(lastPathSegments(file.path)) &&
        !otherNames.test(filenameOf(file.path)),
    )
    .sort((one, other) => (filenameOf(one.path) < filenameOf(other.path) ? 1 : -1))
  const descriptions: Description[] = []
  for (const file of found.slice(0, maxRecords)) {
    const { path } = file
    const source = await readSmallText(project, file, 30_000)
    const text = source === undefined ? undefined : describeRecord(path, source)
    if (text === undefined) continue
    const origin = { file: path }
    descriptions.push({
      type: 'decision',
      subject: path,
      text,
      path: null,
      trust: 'repository',
      origin,
    })
  }
  return descriptions
}

/** Undefined if the record isn't valid, or isn't a decision record. */
function describeRecord(path: string, text: string): string | undefined {
  const sections = readSections(text)
  const front = readFrontMatter(text)
  const status = statusOf(sections, field(front, 'status'), text)
  const decided = findDecision(sections)
  if (!isInForce(status, sections)) return undefined
  const title = titleOf(sections) ?? field(front, 'title')
  // Other documents may be in the same folder as the records.
  if (title === undefined && decided === undefined) return undefined
  const dateInText = /\bdate\W{1,6}(\d{4}-\d{2}-\d{2})/i.exec(text.slice(0, 1000))?.[1]
  const date = field(front, 'date') ?? dateInText
  const details = [status, date].filter((part) => part !== undefined).join(', ')
  const name = truncateText(withoutNumber(title ?? titleFromName(path)), 160)
  const heading = details === '' ? name : `${name} (${details})`
  return decided === undefined ? heading : `${heading}: ${decided}`
}

function titleFromName(path: string): string {
  return filenameOf(path)
    .replace(/\.\w+$/, '')
    .replaceAll(/[-_]/g, ' ')
}

/** Returns the first heading, unless it is one of the template's. */
function titleOf(sections: readonly MarkdownSection[]): string | undefined {
  const first = sections.find(({ heading }) => heading !== '')?.heading
  return first === undefined || /^(status|context|date|title|decision)\b.{0,3}$/i.test(first)
    ? undefined
    : first
}

/** Turns `ADR-0012: Title`, `12. Title` and `[ADR] Title` into `Title`. */
function withoutNumber(title: string): string {
  const bare = title.replace(
    /^(\[?(adr|rfc|decision( record)?)\]?[\s#_-]*([a-z]{1,8}-)?\d+\s*[\]:.|–—-]*|\d+\s*[:.|–—-]+|\[adr\])\s*/i,
    '',
  )
  return bare === '' ? title : bare
}

function field(front: string, name: string): string | undefined {
  const found = new RegExp(`^${name}\\s{0,3}:\\s{0,3}["']?([^"'\\n]{1,160})`, 'im').exec(front)?.[1]
  return found?.trim() || undefined
}
