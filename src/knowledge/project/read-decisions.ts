// Takes over the records of decisions that a repository keeps: title, status, and what was decided.
import type { NewMemory } from '../../domain/memory.ts'
import { findDecision, isInForce, statusOf } from './decision-record.ts'
import { type MarkdownSection, readFrontMatter, readSections } from './markdown.ts'
import { truncateText } from './plain-text.ts'
import { lastPathSegments, nameOf, type Project, readSmallText } from './project.ts'

const recordPath = new RegExp(
  [
    String.raw`(^|/)(adrs?|decisions|decision-records|architecture-decisions|architectural-decisions|architecture-decision-records?|decision-log)/([^/]+/)?[^/]+\.(md|mdx|markdown|adoc|rst)$`,
    String.raw`(^|/)adr[-_ ]?\d+[^/]*\.(md|mdx|markdown|adoc|rst)$`,
  ].join('|'),
  'i',
)
const otherNames = new RegExp(
  [
    String.raw`^(readme|index|template|(adr[-_]?)?(0+-?)?template|contributing|process|0+-template)\b`,
    String.raw`template\.\w+$`,
  ].join('|'),
  'i',
)

/** The newest are read. */
const maxRecords = 300

/** One memory for each record that is in force. */
export async function readDecisions(project: Project): Promise<NewMemory[]> {
  const found = project.files
    .filter(
      ({ path, kind, isTest }) =>
        kind === 'source' &&
        !isTest &&
        recordPath.test(lastPathSegments(path)) &&
        !otherNames.test(nameOf(path)),
    )
    .sort((one, other) => (nameOf(one.path) < nameOf(other.path) ? 1 : -1))
  const memories: NewMemory[] = []
  for (const { path, ...file } of found.slice(0, maxRecords)) {
    const source = await readSmallText(project, { path, ...file }, 30_000)
    const text = source === undefined ? undefined : describeRecord(path, source)
    if (text === undefined) continue
    memories.push({
      type: 'decision',
      subject: path,
      text,
      path: null,
      componentType: null,
      trust: 'repository',
      provenance: { source: 'scan', commit: project.commit, file: path },
    })
  }
  return memories
}

/** Undefined for what isn't decided, or isn't in force any more. */
function describeRecord(path: string, text: string): string | undefined {
  const sections = readSections(text)
  const front = readFrontMatter(text)
  const status = statusOf(sections, field(front, 'status'), text)
  const decided = findDecision(sections)
  if (!isInForce(status, sections)) return undefined
  const title = titleOf(sections) ?? field(front, 'title')
  // Other documents may lie beside the records.
  if (title === undefined && decided === undefined) return undefined
  const date =
    field(front, 'date') ?? /\bdate\W{1,6}(\d{4}-\d{2}-\d{2})/i.exec(text.slice(0, 1000))?.[1]
  const about = [status, date].filter((part) => part !== undefined).join(', ')
  const name = truncateText(
    withoutNumber(
      title ??
        nameOf(path)
          .replace(/\.\w+$/, '')
          .replaceAll(/[-_]/g, ' '),
    ),
    160,
  )
  return `${name}${about === '' ? '' : ` (${about})`}${decided === undefined ? '' : `: ${decided}`}`
}

/** The first heading, unless it is one of those that all records have. */
function titleOf(sections: readonly MarkdownSection[]): string | undefined {
  const first = sections.find(({ heading }) => heading !== '')?.heading
  return first === undefined || /^(status|context|date|title|decision)\b.{0,3}$/i.test(first)
    ? undefined
    : first
}

/** `ADR-0012: Title`, `12. Title` and `[ADR] Title` as `Title`. */
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
