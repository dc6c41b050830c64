// Renders the impact of a change for the summary: its users, its tests and related pull requests.
import type { Impact, ImpactedUse, ImpactSymbol, TruncatedList } from '../../domain/impact.ts'
import { formatCount, joinFirst } from '../../lib/text.ts'
import { codeSpan, escapeLine } from './escape-markdown.ts'

/** A part of the summary that opens on a click. */
export interface SummarySection {
  /** Shown in `<summary>`, where Markdown has no effect. */
  readonly title: string
  readonly lines: readonly string[]
}

/** Returns the URL of a line at the head on the platform; null if there is none. */
export type LinkToLine = (use: Pick<ImpactedUse, 'path' | 'line'>) => string | null

/** Users and pull requests are rendered as code, so that they are neither notified nor linked. */
export function renderImpact(impact: Impact, linkTo: LinkToLine): SummarySection {
  const past = [
    ...impact.open.map(renderOpen),
    ...impact.earlier.map(renderEarlier),
    ...impact.owners.map(renderOwner),
  ]
  const notes = impact.notes.map((note) => `- ${escapeText(note)}`)
  const lines = [
    ...renderSymbols(impact.symbols, linkTo),
    ...renderTests(impact),
    ...past,
    ...notes,
  ]
  return { title: `Impact: ${impact.title}`, lines }
}

function escapeText(text: string): string {
  return escapeLine(text, { maxLength: 160 })
}

const changeNames: Readonly<Record<ImpactSymbol['change'], string>> = {
  removed: 'removed',
  signature: 'signature changed',
  body: 'changed',
  added: 'new',
}

function renderSymbols({ total, shown }: Impact['symbols'], linkTo: LinkToLine): string[] {
  const lines = shown.map(({ name, change, called, uses }) => {
    const verb = called ? 'called' : 'used'
    const places = join(uses, (use) => renderUse(use, linkTo))
    return `- ${codeSpan(name)} (${changeNames[change]}) is ${verb} in ${places}`
  })
  const more = total - shown.length
  if (more === 0) return lines
  return [...lines, `- and ${formatCount(more, 'other changed definition')} in use elsewhere`]
}

function renderUse({ path, line, within, sure }: ImpactedUse, linkTo: LinkToLine): string {
  const location = codeSpan(`${path}:${line}`)
  const url = linkTo({ path, line })
  const place = url === null ? location : `[${location}](${url})`
  const enclosing = within === null ? '' : ` in ${codeSpan(within)}`
  return `${place}${enclosing}${sure ? '' : ' (possible)'}`
}

function renderTests({ tests, untested }: Impact): string[] {
  return [
    ...(tests.shown.length > 0 ? [`- Tests that reach it: ${join(tests, codeSpan)}`] : []),
    ...(untested.shown.length > 0 ? [`- No test seems to reach ${join(untested, codeSpan)}`] : []),
  ]
}

function renderOpen({ symbols, ...other }: Impact['open'][number]): string {
  const touched = join(
    symbols,
    ({ name, removed }) => `${codeSpan(name)}${removed ? ', which is removed here' : ''}`,
  )
  return `- Open too: ${renderPullRequest(other)} touches ${touched}`
}

function renderEarlier({ finding, ...other }: Impact['earlier'][number]): string {
  return `- Before, in ${renderPullRequest(other)}: ${escapeText(finding)}`
}

/** A reference instead of code would leave an entry on the other pull request's timeline. */
function renderPullRequest({
  number,
  title,
  author,
}: {
  number: number
  title: string
  author: string
}): string {
  return `${codeSpan(`#${number}`)} ${escapeText(title)} (${codeSpan(author)})`
}

function renderOwner({ login, files }: Impact['owners'][number]): string {
  const known = join(
    files,
    ({ path, percent }) => `${codeSpan(path)} (${percent} % of its changes)`,
  )
  return `- ${codeSpan(login)} knows ${known}`
}

function join<Item>({ total, shown }: TruncatedList<Item>, render: (item: Item) => string): string {
  return joinFirst(
    shown.map((item) => render(item)),
    total,
  )
}
