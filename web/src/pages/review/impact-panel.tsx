// Panel with the impact of a change: its callers, tests and related pull requests.
import type { ReactNode } from 'react'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { ExternalLink } from '../../components/external-link.tsx'
import { Panel } from '../../components/page.tsx'

type Impact = NonNullable<ReviewDetail['reach']>
type ImpactSymbol = Impact['symbols']['shown'][number]

export function ImpactPanel({ impact }: { impact: Impact }) {
  const { title, symbols, tests, untested, notes } = impact
  return (
    <Panel title="Impact">
      <p className="first-letter:uppercase">{title}</p>
      <div className="mt-2 space-y-3">
        <ImpactSection title="Used elsewhere" list={symbols}>
          {symbols.shown.map((symbol) => (
            <SymbolUses key={`${symbol.path}:${symbol.line}:${symbol.name}`} symbol={symbol} />
          ))}
        </ImpactSection>
        <ImpactSection title="Tests that cover it" list={tests}>
          {tests.shown.map((path) => (
            <CodeLine key={path} text={path} />
          ))}
        </ImpactSection>
        <ImpactSection title="No test found for" list={untested}>
          {untested.shown.map((path) => (
            <CodeLine key={path} text={path} />
          ))}
        </ImpactSection>
        <FileHistory impact={impact} />
      </div>
      {notes.map((note) => (
        <p key={note} className="mt-2 text-muted">
          {note}
        </p>
      ))}
    </Panel>
  )
}

function ImpactSection({
  title,
  list,
  children,
}: {
  title: string
  list: TruncatedList
  children: ReactNode
}) {
  const hiddenCount = list.total - list.shown.length
  if (list.shown.length === 0) return null
  return (
    <div>
      <h3 className="font-medium text-muted text-xs">{title}</h3>
      <ul>
        {children}
        {hiddenCount > 0 && <li className="text-muted">and {hiddenCount} more</li>}
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
  symbol: { name, path, line, url, change, called, uses },
}: {
  symbol: ImpactSymbol
}) {
  const [tone, label] = changeLabels[change]
  const hiddenCount = uses.total - uses.shown.length
  return (
    <li className="py-0.5">
      <ExternalLink href={url}>
        <bdi className="font-mono text-xs" title={`${path}:${line}`}>
          {name}
        </bdi>
      </ExternalLink>{' '}
      <Badge tone={tone}>{label}</Badge> is {called ? 'called' : 'used'} in
      <ul className="ml-3 border-line border-l pl-3">
        {uses.shown.map(({ path, line, url, within, sure }) => (
          <li key={`${path}:${line}`}>
            <ExternalLink href={url}>
              <span className="font-mono text-xs">
                <bdi>{path}</bdi>:{line}
              </span>
            </ExternalLink>
            {within !== null && (
              <span className="text-muted">
                {' '}
                in <bdi className="font-mono text-xs">{within}</bdi>
              </span>
            )}
            {!sure && <span className="text-muted"> (possible)</span>}
          </li>
        ))}
        {hiddenCount > 0 && <li className="text-muted">and {hiddenCount} more</li>}
      </ul>
    </li>
  )
}

function FileHistory({ impact: { open, earlier, owners } }: { impact: Impact }) {
  return (
    <>
      <ImpactSection title="Open pull requests that change the same code" list={untruncated(open)}>
        {open.map(({ symbols, ...pullRequest }) => (
          <li key={pullRequest.number}>
            <PullRequestName pullRequest={pullRequest} />:{' '}
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
      <ImpactSection title="Earlier findings in these files" list={untruncated(earlier)}>
        {earlier.map(({ finding, ...pullRequest }) => (
          <li key={pullRequest.number}>
            <PullRequestName pullRequest={pullRequest} />: <bdi>{finding}</bdi>
          </li>
        ))}
      </ImpactSection>
      <ImpactSection title="Most active contributors to these files" list={untruncated(owners)}>
        {owners.map(({ login, files }) => (
          <li key={login}>
            <bdi className="font-medium">{login}</bdi>:{' '}
            {files.shown.map(({ path, percent }, index) => (
              <span key={path}>
                {index > 0 && ', '}
                <bdi className="font-mono text-xs">{path}</bdi> ({percent}% of its changes)
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
  pullRequest,
}: {
  pullRequest: { number: number; title: string; author: string }
}) {
  const { number, title, author } = pullRequest
  return (
    <>
      #{number} <bdi>{title}</bdi>{' '}
      <span className="text-muted">
        (<bdi>{author}</bdi>)
      </span>
    </>
  )
}
