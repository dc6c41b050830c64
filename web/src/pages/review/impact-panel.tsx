// Whom the change reaches: who uses it, what tests it, what else touches it.
import type { ReactNode } from 'react'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Panel } from '../../components/page.tsx'

type Impact = NonNullable<ReviewDetail['reach']>
type ImpactSymbol = Impact['symbols']['shown'][number]

export function ImpactPanel({ reach }: { reach: Impact }) {
  const { title, symbols, tests, untested, notes } = reach
  return (
    <Panel title="Reach">
      <p className="first-letter:uppercase">{title}</p>
      <div className="mt-2 space-y-3">
        <ImpactSection title="Used elsewhere" list={symbols}>
          {symbols.shown.map((symbol) => (
            <SymbolUses key={`${symbol.path}:${symbol.line}:${symbol.name}`} symbol={symbol} />
          ))}
        </ImpactSection>
        <ImpactSection title="Tests that reach it" list={tests}>
          {tests.shown.map((path) => (
            <CodeLine key={path} text={path} />
          ))}
        </ImpactSection>
        <ImpactSection title="No test seems to reach" list={untested}>
          {untested.shown.map((path) => (
            <CodeLine key={path} text={path} />
          ))}
        </ImpactSection>
        <FileHistory reach={reach} />
      </div>
      {notes.map((note) => (
        <p key={note} className="mt-2 text-muted">
          {note}
        </p>
      ))}
    </Panel>
  )
}

/** Nothing where the list is empty. What it doesn't show is counted. */
function ImpactSection({
  title,
  list,
  children,
}: {
  title: string
  list: TruncatedList
  children: ReactNode
}) {
  const more = list.total - list.shown.length
  if (list.shown.length === 0) return null
  return (
    <div>
      <h3 className="font-medium text-muted text-xs">{title}</h3>
      <ul>
        {children}
        {more > 0 && <li className="text-muted">and {more} more</li>}
      </ul>
    </div>
  )
}

interface TruncatedList {
  readonly total: number
  readonly shown: readonly unknown[]
}

function CodeLine({ text }: { text: string }) {
  return (
    <li>
      <bdi className="font-mono text-xs">{text}</bdi>
    </li>
  )
}

const changeLabels: Readonly<Record<ImpactSymbol['change'], readonly [Tone, string]>> = {
  removed: ['bad', 'removed'],
  signature: ['warn', 'signature changed'],
  body: ['plain', 'changed'],
  added: ['plain', 'new'],
}

function SymbolUses({
  symbol: { name, path, line, change, called, uses },
}: {
  symbol: ImpactSymbol
}) {
  const [tone, words] = changeLabels[change]
  const more = uses.total - uses.shown.length
  return (
    <li className="py-0.5">
      <bdi className="font-mono text-xs" title={`${path}:${line}`}>
        {name}
      </bdi>{' '}
      <Badge tone={tone}>{words}</Badge> is {called ? 'called' : 'used'} in
      <ul className="ml-3 border-line border-l pl-3">
        {uses.shown.map(({ path, line, within, sure }) => (
          <li key={`${path}:${line}`}>
            <span className="font-mono text-xs">
              <bdi>{path}</bdi>:{line}
            </span>
            {within !== null && (
              <span className="text-muted">
                {' '}
                in <bdi className="font-mono text-xs">{within}</bdi>
              </span>
            )}
            {!sure && <span className="text-muted"> (possible)</span>}
          </li>
        ))}
        {more > 0 && <li className="text-muted">and {more} more</li>}
      </ul>
    </li>
  )
}

/** What else touches these files, or did, and who knows them. */
function FileHistory({ reach: { open, earlier, owners } }: { reach: Impact }) {
  return (
    <>
      <ImpactSection title="Open pull requests that touch the same" list={untruncated(open)}>
        {open.map(({ symbols, ...neighbour }) => (
          <li key={neighbour.number}>
            <PullRequestName neighbour={neighbour} />:{' '}
            {symbols.shown.map(({ name, removed }, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <bdi className="font-mono text-xs">{name}</bdi>
                {removed && ' (removed here)'}
              </span>
            ))}
            {symbols.total > symbols.shown.length &&
              ` and ${symbols.total - symbols.shown.length} more`}
          </li>
        ))}
      </ImpactSection>
      <ImpactSection title="Found here before" list={untruncated(earlier)}>
        {earlier.map(({ finding, ...neighbour }) => (
          <li key={neighbour.number}>
            <PullRequestName neighbour={neighbour} />: <bdi>{finding}</bdi>
          </li>
        ))}
      </ImpactSection>
      <ImpactSection title="Who knows these files" list={untruncated(owners)}>
        {owners.map(({ login, files }) => (
          <li key={login}>
            <bdi className="font-medium">{login}</bdi>:{' '}
            {files.shown.map(({ path, percent }, index) => (
              <span key={path}>
                {index > 0 && ', '}
                <bdi className="font-mono text-xs">{path}</bdi> ({percent} % of its changes)
              </span>
            ))}
            {files.total > files.shown.length && ` and ${files.total - files.shown.length} more`}
          </li>
        ))}
      </ImpactSection>
    </>
  )
}

function untruncated(shown: readonly unknown[]): TruncatedList {
  return { total: shown.length, shown }
}

function PullRequestName({
  neighbour,
}: {
  neighbour: { number: number; title: string; author: string }
}) {
  const { number, title, author } = neighbour
  return (
    <>
      #{number} <bdi>{title}</bdi>{' '}
      <span className="text-muted">
        (<bdi>{author}</bdi>)
      </span>
    </>
  )
}
