// How the reach of a change reads in the summary: who uses it, what tests it, what else touches it. Pure.
import type { Impact, ImpactedUse, ImpactSymbol, TruncatedList } from '../../domain/impact.ts'
import { codeSpan, escapeLine } from './escape-markdown.ts'

/** The section; its title stands in `<summary>`, where Markdown means nothing. */
export interface ImpactSection {
  readonly title: string
  readonly lines: readonly string[]
}

/** What readers are told. Users are named and not called, pull requests numbered and not linked. */
export function renderImpact(reach: Impact): ImpactSection {
  const past = [
    ...reach.open.map(renderOpen),
    ...reach.earlier.map(renderEarlier),
    ...reach.owners.map(renderOwner),
  ]
  const notes = reach.notes.map((note) => `- ${words(note)}`)
  const lines = [...renderSymbols(reach.symbols), ...renderTests(reach), ...past, ...notes]
  return { title: `Reach: ${reach.title}`, lines }
}

function words(text: string): string {
  return escapeLine(text, { maxLength: 160 })
}

const changes: Readonly<Record<ImpactSymbol['change'], string>> = {
  removed: 'removed',
  signature: 'signature changed',
  body: 'changed',
  added: 'new',
}

function renderSymbols({ total, shown }: Impact['symbols']): string[] {
  const lines = shown.map(({ name, change, called, uses }) => {
    return `- ${codeSpan(name)} (${changes[change]}) is ${called ? 'called' : 'used'} in ${join(uses, renderUse)}`
  })
  const more = total - shown.length
  if (more === 0) return lines
  return [
    ...lines,
    `- and ${more} other changed ${more === 1 ? 'definition' : 'definitions'} in use elsewhere`,
  ]
}

function renderUse({ path, line, within, sure }: ImpactedUse): string {
  const where = within === null ? '' : ` in ${codeSpan(within)}`
  return `${codeSpan(`${path}:${line}`)}${where}${sure ? '' : ' (possible)'}`
}

function renderTests({ tests, untested }: Impact): string[] {
  return [
    ...(tests.shown.length > 0 ? [`- Tests that reach it: ${join(tests, codeOf)}`] : []),
    ...(untested.shown.length > 0 ? [`- No test seems to reach ${join(untested, codeOf)}`] : []),
  ]
}

function codeOf(text: string): string {
  return codeSpan(text)
}

function renderOpen({ symbols, ...neighbour }: Impact['open'][number]): string {
  const touched = join(
    symbols,
    ({ name, removed }) => `${codeSpan(name)}${removed ? ', which is removed here' : ''}`,
  )
  return `- Open too: ${renderNeighbour(neighbour)} touches ${touched}`
}

function renderEarlier({ finding, ...neighbour }: Impact['earlier'][number]): string {
  return `- Before, in ${renderNeighbour(neighbour)}: ${words(finding)}`
}

/** As code: a reference would leave a trace on the other pull request with every review. */
function renderNeighbour({
  number,
  title,
  author,
}: {
  number: number
  title: string
  author: string
}): string {
  return `${codeSpan(`#${number}`)} ${words(title)} (${codeSpan(author)})`
}

function renderOwner({ login, files }: Impact['owners'][number]): string {
  const known = join(
    files,
    ({ path, percent }) => `${codeSpan(path)} (${percent} % of its changes)`,
  )
  return `- ${codeSpan(login)} knows ${known}`
}

function join<Item>({ total, shown }: TruncatedList<Item>, render: (item: Item) => string): string {
  const told = shown.map(render).join(', ')
  return total > shown.length ? `${told} and ${total - shown.length} more` : told
}
