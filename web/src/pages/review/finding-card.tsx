// One finding: a line that unfolds to its explanation, suggestion, evidence and actions.
import {
  BookIcon,
  ChevronDownIcon,
  ChevronRightIcon,
  CodeIcon,
  CommentIcon,
  IssueOpenedIcon,
} from '@primer/octicons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePlatformName } from '../../api/platform-name.ts'
import { Badge, capitalize, SeverityIcon, SeverityWord } from '../../components/badge.tsx'
import { buttonClass } from '../../components/button.tsx'
import { ExternalLink, sanitizeUrl } from '../../components/external-link.tsx'
import { LazyMarkdown } from '../../components/lazy-markdown.tsx'
import { TextWithCode } from '../../components/text-with-code.tsx'
import { DismissalNote, DismissFinding } from './dismiss-finding.tsx'
import { useFindingNavigation, useLinkedFinding } from './finding-navigation.tsx'
import { findingElementId } from './finding-places.ts'
import { RemovedBadge, RemovedNote } from './removed-code.tsx'
import type { Finding } from './review-queries.ts'
import { SuggestedChange } from './suggested-change.tsx'

interface FindingCardProps {
  readonly finding: Finding
  /** The lines that a suggestion replaces; null if they are unknown. */
  readonly lines: readonly string[] | null
  /** Shows its file and line, which the diff shows otherwise. */
  readonly showsPlace?: boolean
}

export function FindingCard({ finding, lines, showsPlace = false }: FindingCardProps) {
  const { isUnfolded, unfold, isShown } = useFindingNavigation()
  useLinkedFinding(finding)
  const isOpen = isUnfolded(finding)
  return (
    <article
      id={findingElementId(finding)}
      tabIndex={-1}
      hidden={!isShown(finding)}
      aria-label={`Finding: ${finding.title}`}
      className={`finding finding-${finding.severity} font-sans text-sm`}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => unfold(finding, !isOpen)}
        className="flex w-full items-start gap-2 px-3 py-2 text-left"
      >
        <span aria-hidden="true" className="mt-0.5">
          <SeverityIcon severity={finding.severity} />
        </span>
        <FindingHeading finding={finding} showsPlace={showsPlace} />
        <span className="mt-0.5 ml-auto text-muted">
          {isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />}
        </span>
      </button>
      {isOpen && <FindingBody finding={finding} lines={lines} />}
    </article>
  )
}

function FindingHeading({
  finding: { title, severity, category, state, path, start_line: line, removed },
  showsPlace,
}: Required<Pick<FindingCardProps, 'finding' | 'showsPlace'>>) {
  return (
    <span className="min-w-0">
      <span className={`font-semibold ${state === 'open' ? '' : 'text-muted line-through'}`}>
        <TextWithCode text={title} />
      </span>{' '}
      <span className="whitespace-nowrap text-muted text-xs">
        <SeverityWord severity={severity} /> · {category}
      </span>{' '}
      {removed && <RemovedBadge state={state} />}{' '}
      {state !== 'open' && <Badge>{capitalize(state)}</Badge>}{' '}
      {showsPlace && (
        <span className="block font-mono text-muted text-xs">
          <bdi>{path}</bdi>
          {!removed && `:${line}`}
        </span>
      )}
    </span>
  )
}

function FindingBody({ finding, lines }: Pick<FindingCardProps, 'finding' | 'lines'>) {
  const { body, suggestion } = finding
  return (
    <div className="space-y-2 px-3 pb-3 pl-9">
      <FindingNotes finding={finding} />
      <LazyMarkdown text={body} />
      {suggestion !== null && <SuggestedChange lines={lines} suggestion={suggestion} />}
      <FindingEvidence finding={finding} />
      <FindingOrigin finding={finding} />
      <div role="status">
        <DismissalNote finding={finding} />
      </div>
      <div className="flex flex-wrap items-start gap-2">
        <DismissFinding finding={finding} />
        <DiscussLink finding={finding} />
      </div>
    </div>
  )
}

/** Answers are written at the code host, where a model takes part in the thread. */
function DiscussLink({ finding: { comment_url: url, title } }: Pick<FindingCardProps, 'finding'>) {
  const { review } = useFindingNavigation()
  const platformName = usePlatformName(review.repo_name)
  if (sanitizeUrl(url) === undefined) return null
  return (
    <ExternalLink href={url} className={buttonClass()}>
      <CommentIcon />
      Ask or reply on {platformName}
      <span className="sr-only"> about “{title}”</span>
    </ExternalLink>
  )
}

function FindingNotes({ finding }: Pick<FindingCardProps, 'finding'>) {
  const { removed, state, dismissal } = finding
  const isProposed = finding.proposed_dismissal && state === 'open' && dismissal === null
  return (
    <>
      {isProposed && (
        <p className="font-medium">
          In its thread, the model conceded that this finding is wrong. The finding counts until
          somebody dismisses it.
        </p>
      )}
      {removed && <RemovedNote finding={finding} />}
    </>
  )
}

function FindingEvidence({ finding }: Pick<FindingCardProps, 'finding'>) {
  const { citation } = finding
  const evidence = finding.evidence.filter(({ path, line }) => !isOwnLine(finding, path, line))
  if (evidence.length === 0 && citation === null) return null
  return (
    <ul aria-label="Evidence" className="space-y-1">
      {evidence.map(({ path, line, note, url }) => (
        <EvidenceItem key={`${path}:${line}:${note}`} icon={<CodeIcon />}>
          <ExternalLink href={url}>
            <code>
              <bdi>{path}</bdi>:{line}
            </code>
          </ExternalLink>{' '}
          <TextWithCode text={note} />
        </EvidenceItem>
      ))}
      {citation && (
        <EvidenceItem icon={citation.source === null ? <BookIcon /> : <IssueOpenedIcon />}>
          {citation.source === null ? 'Remembered' : citation.source}:{' '}
          <ExternalLink href={citation.url}>
            <bdi>
              {citation.key && `${citation.key} `}
              {citation.title}
            </bdi>
          </ExternalLink>
        </EvidenceItem>
      )}
    </ul>
  )
}

function EvidenceItem({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className="flex gap-1.5">
      <span className="mt-0.5 shrink-0 text-muted">{icon}</span>
      <span className="min-w-0">{children}</span>
    </li>
  )
}

/** The line of the finding is shown already. */
function isOwnLine(finding: Finding, path: string, line: number): boolean {
  const { side, path: own, start_line: start, end_line: end } = finding
  return side === 'RIGHT' && path === own && line >= start && line <= end
}

/** Rules are certain of what they report, so only models have a confidence. */
function FindingOrigin({ finding }: Pick<FindingCardProps, 'finding'>) {
  const { reviewer, rule, confidence, verified, placement } = finding
  return (
    <p className="text-muted text-xs">
      {rule === null ? (
        `${reviewer} · ${verified ? 'verified' : 'not verified'} · ` +
        `${Math.round(confidence * 100)}% confidence`
      ) : (
        <RuleLink rule={rule} />
      )}
      {placement !== 'inline' && ' · in the summary only'}
    </p>
  )
}

/** Leads to all findings of the rule, with what became of them. */
function RuleLink({ rule }: { rule: string }) {
  return (
    <>
      Rule{' '}
      <Link
        to="/insights/findings"
        search={{ kind: `rule:${rule}` }}
        className="text-accent hover:underline"
      >
        {rule}
      </Link>
    </>
  )
}
