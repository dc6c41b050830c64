// Takes over the records of decisions that a repository keeps: title, status, and what was decided.
import type { NewMemory } from '../../domain/memory.ts'
import { type MarkdownSection, readFrontMatter, readSections } from './markdown.ts'
import { cutText, firstSentence, isProse } from './plain-text.ts'
import { endOf, nameOf, type Project, readSmallText } from './project.ts'

const folders =
  /(^|\/)(adrs?|decisions|decision-records|architecture-decisions|architectural-decisions|decision-log)\/([^/]+\/)?[^/]+\.(md|mdx|markdown|adoc|rst)$/i
const otherNames = /^(readme|index|template|adr-template|0+-?template|contributing)\b|template\.\w+$/i

/** The newest are read. */
const mostRecords = 300

/** One memory for each record. */
export async function readDecisions(project: Project): Promise<NewMemory[]> {
  const records = project.files
    .filter(
      ({ path, kind, isTest }) =>
        kind === 'source' && !isTest && folders.test(endOf(path)) && !otherNames.test(nameOf(path)),
    )
    .sort((one, other) => (nameOf(one.path) < nameOf(other.path) ? 1 : -1))
  const memories: NewMemory[] = []
  for (const { path, ...file } of records.slice(0, mostRecords)) {
    const source = await readSmallText(project, { path, ...file }, 30_000)
    const text = source === undefined ? undefined : describeRecord(source)
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

function describeRecord(text: string): string | undefined {
  const sections = readSections(text)
  const front = readFrontMatter(text)
  const title = sections.find(({ heading }) => heading !== '')?.heading ?? field(front, 'title')
  if (title === undefined) return undefined
  const status = statusOf(sections, front, text)
  const date = field(front, 'date') ?? /\bdate\s*:\s*(\d{4}-\d{2}-\d{2})/i.exec(text.slice(0, 1000))?.[1]
  const about = [status, date].filter((part) => part !== undefined).join(', ')
  const decided = decisionOf(sections)
  const name = cutText(title.replace(/^(adr|rfc)?[\s-]*\d+\s*[:.–—-]\s*/i, ''), 160)
  return `${name}${about === '' ? '' : ` (${about})`}${decided === undefined ? '' : `: ${decided}`}`
}

/** In the front matter, on a line of its own, or below a heading of its own. */
function statusOf(sections: readonly MarkdownSection[], front: string, text: string): string | undefined {
  const below = sections.find(({ heading }) => /^status$/i.test(heading))?.parts[0]
  const line = /^[\s*_-]{0,6}status[*_]{0,2}\s*:[*_]{0,2}\s*([^\n]{2,60})/im.exec(text.slice(0, 2000))?.[1]
  const status = below ?? field(front, 'status') ?? line
  return status === undefined
    ? undefined
    : cutText(status.replaceAll(/[*_`]/g, '').trim().toLowerCase().replace(/\.$/, ''), 60)
}

function field(front: string, name: string): string | undefined {
  const found = new RegExp(`^${name}\\s{0,3}:\\s{0,3}["']?([^"'\\n]{1,160})`, 'im').exec(front)?.[1]
  return found?.trim() || undefined
}

/** Two sentences of where it says what was decided; else of its first paragraph. */
function decisionOf(sections: readonly MarkdownSection[]): string | undefined {
  const named = sections.findIndex(
    ({ heading }) =>
      /\b(decision|decided|outcome|resolution|proposal)\b/i.test(heading) && !/drivers|makers/i.test(heading),
  )
  const said = [
    // What is decided may stand below a heading of its own.
    ...(named === -1 ? [] : sections.slice(named, named + 3)),
    ...sections,
  ].flatMap(({ heading, parts }) => (/^(status|date)$/i.test(heading) ? [] : parts))
  const paragraph = said.find((part) => isProse(part) && !/^(status|date|deciders?|authors?)\b/i.test(part))
  if (paragraph === undefined) return undefined
  const first = firstSentence(paragraph, 300)
  const next = paragraph.slice(first.length).trim()
  return next === '' || first.endsWith('…') || first.length > 200 ? first : `${first} ${firstSentence(next, 240)}`
}
