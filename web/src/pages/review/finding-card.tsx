// One finding with its body, suggestion, evidence and origin.
import type { ReactNode } from 'react'
import { Badge, SeverityBadge } from '../../components/badge.tsx'
import { LazyMarkdown } from '../../components/lazy-markdown.tsx'
import { FindingTitle } from './finding-title.tsx'
import type { Finding } from './review-queries.ts'
import { sanitizeUrl } from './sanitize-url.ts'

export function FindingCard({ finding, id }: { finding: Finding; id: string }) {
  const { severity, category, title, state } = finding
  return (
    <article
      id={id}
      tabIndex={-1}
      aria-label={`Finding: ${title}`}
      className="rounded-md border border-line bg-surface p-3 font-sans text-sm shadow-sm"
    >
      <p className="mb-1 flex flex-wrap items-center gap-x-2">
        <SeverityBadge severity={severity} />
        <span className="text-muted">{category}</span>
        {state !== 'open' && <Badge>{state}</Badge>}
      </p>
      <p className="font-semibold">
        <FindingTitle text={title} />
      </p>
      <FindingBody finding={finding} />
    </article>
  )
}

export function FindingBody({ finding }: { finding: Finding }) {
  const { body, suggestion, removed, state, dismissal } = finding
  const evidence = finding.evidence.filter(({ path, line }) => !isOwnLine(finding, path, line))
  const isProposed = finding.proposed_dismissal && state === 'open' && dismissal === null
  return (
    <>
      {dismissal && <DismissalNote state={state} dismissal={dismissal} />}
      {isProposed && (
        <p className="font-medium">
          In its thread, the model conceded that this finding is wrong. The finding counts until
          somebody dismisses it.
        </p>
      )}
      {removed && state === 'open' && (
        <p className="font-medium">
          Removed from the code but still in the Git history. Revoke the secret, then dismiss this
          finding.
        </p>
      )}
      <LazyMarkdown text={body} />
      {suggestion !== null && (
        <FindingSection title="Suggestion">
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
            tabIndex={0}
            className="overflow-x-auto rounded border border-line bg-raised p-2 text-xs"
          >
            <code>{suggestion === '' ? '(delete these lines)' : suggestion}</code>
          </pre>
        </FindingSection>
      )}
      {evidence.length > 0 && (
        <FindingSection title="Evidence">
          <ul className="list-disc pl-5">
            {evidence.map(({ path, line, note }) => (
              <li key={`${path}:${line}:${note}`}>
                <code>
                  <bdi>{path}</bdi>:{line}
                </code>{' '}
                {note}
              </li>
            ))}
          </ul>
        </FindingSection>
      )}
      <FindingOrigin finding={finding} />
    </>
  )
}

/** The line of the finding is shown already. */
function isOwnLine(finding: Finding, path: string, line: number): boolean {
  const { side, path: own, start_line: start, end_line: end } = finding
  return side === 'RIGHT' && path === own && line >= start && line <= end
}

function DismissalNote({
  state,
  dismissal,
}: Pick<Finding, 'state'> & { dismissal: NonNullable<Finding['dismissal']> }) {
  const { login, reason } = dismissal
  return (
    <p className="font-medium">
      Dismissed by <bdi>{login}</bdi>
      {reason !== '' && (
        <>
          : <bdi>{reason}</bdi>
        </>
      )}
      {state === 'open' && ' (updating the verdict)'}
    </p>
  )
}

function FindingSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mt-2">
      <p className="mb-0.5 font-medium text-muted text-xs">{title}</p>
      {children}
    </div>
  )
}

const placementLabels = {
  inline: null,
  summary: 'in the summary',
  held_back: 'not posted inline',
} as const

function FindingOrigin({ finding }: { finding: Finding }) {
  const { reviewer, rule, confidence, verified, placement, comment_url: url } = finding
  const commentUrl = sanitizeUrl(url)
  const details = [
    rule === null ? reviewer : `${reviewer}, rule ${rule}`,
    verified ? 'verified' : 'not verified',
    `${Math.round(confidence * 100)} % confidence`,
    placementLabels[placement],
  ]
  return (
    <p className="mt-2 text-muted text-xs">
      {details.filter((detail) => detail !== null).join(' · ')}
      {commentUrl && (
        <>
          {' · '}
          <a href={commentUrl} rel="noreferrer nofollow" className="text-accent underline">
            View comment
          </a>
        </>
      )}
    </p>
  )
}
