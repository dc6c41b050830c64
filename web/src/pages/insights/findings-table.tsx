// Findings as a table, or as cards on narrow screens, with links to reviews and threads.
import { Link } from '@tanstack/react-router'
import { formatRepository, useCodeHost } from '../../api/platform-name.ts'
import { Badge, SeverityBadge, type Tone } from '../../components/badge.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { dismissalKinds } from '../../components/dismissal-kinds.ts'
import { ExternalLink } from '../../components/external-link.tsx'
import { TextWithCode } from '../../components/text-with-code.tsx'
import { Time } from '../../components/time.tsx'
import { useMediaQuery } from '../../components/use-media-query.ts'
import type { FindingEntry } from './findings-queries.ts'

const columns: readonly Column<FindingEntry>[] = [
  { name: 'Finding', render: (finding) => <FindingCell finding={finding} /> },
  { name: 'Severity', render: ({ severity }) => <SeverityBadge severity={severity} /> },
  { name: 'Outcome', render: (finding) => <OutcomeCell finding={finding} /> },
  { name: 'Pull request', render: (finding) => <PullRequestCell finding={finding} /> },
  {
    name: 'Rule',
    render: (finding) => <span className="inline-block min-w-24">{nameRule(finding)}</span>,
  },
  {
    name: 'Reported',
    render: ({ created_at: at }) => (
      <span className="tabular-nums">
        <Time at={at} />
      </span>
    ),
  },
  { name: 'Link', render: (finding) => <ThreadLink finding={finding} /> },
]

export function FindingsTable({ findings }: { findings: readonly FindingEntry[] }) {
  const isNarrow = useMediaQuery('(width < 40rem)')
  if (isNarrow)
    return (
      <ul aria-label="Findings" className="divide-y divide-line">
        {findings.map((finding) => (
          <li key={finding.id} className="py-2 first:pt-0 last:pb-0">
            <FindingCard finding={finding} />
          </li>
        ))}
      </ul>
    )
  return (
    <DataTable
      caption="Findings"
      columns={columns}
      rows={findings}
      rowKey={({ id }) => String(id)}
    />
  )
}

function FindingCard({ finding }: { finding: FindingEntry }) {
  return (
    <>
      <FindingCell finding={finding} />
      <div className="my-1 flex flex-wrap items-start gap-x-2">
        <SeverityBadge severity={finding.severity} />
        <OutcomeCell finding={finding} />
      </div>
      <p className="flex flex-wrap gap-x-2 text-muted text-xs">
        <span>
          {formatRepository(finding.repo_name)}#{finding.pr_number}
        </span>
        <span>{nameRule(finding)}</span>
        <Time at={finding.created_at} />
        <ThreadLink finding={finding} />
      </p>
    </>
  )
}

const nameRule = ({ rule, category }: FindingEntry) => rule ?? `Model: ${category}`

function FindingCell({ finding }: { finding: FindingEntry }) {
  const { review_id: id, fingerprint, title, path, start_line: line } = finding
  const text = (
    <span className="line-clamp-2">
      <TextWithCode text={title} />
    </span>
  )
  return (
    <span className="inline-block min-w-56">
      {id === null ? (
        text
      ) : (
        <Link
          to="/reviews/$id"
          params={{ id: String(id) }}
          hash={`finding-${fingerprint}`}
          className="font-medium text-accent hover:underline"
        >
          {text}
        </Link>
      )}
      <span className="block font-mono text-muted text-xs">
        <bdi>{path}</bdi>:{line}
      </span>
    </span>
  )
}

const outcomeLabels: Readonly<Record<FindingEntry['outcome'], readonly [Tone, string]>> = {
  open: ['warn', 'Open'],
  suppressed: ['warn', 'Open, in the summary'],
  fixed: ['good', 'Fixed'],
  dismissed: ['plain', 'Dismissed'],
  replaced: ['plain', 'Replaced'],
  withdrawn: ['plain', 'Withdrawn'],
}

function OutcomeCell({ finding }: { finding: FindingEntry }) {
  const { outcome, dismissed_by: login, dismissal_reason: reason, dismissal_kind: kind } = finding
  const [tone, label] = outcomeLabels[outcome]
  return (
    <span className={login === null ? '' : 'inline-block min-w-32'}>
      <Badge tone={tone}>{label}</Badge>
      {outcome === 'dismissed' && login !== null && (
        <span className="block text-muted text-xs">
          by <bdi>{login}</bdi>
          {kind !== null && `, ${dismissalKinds[kind].toLowerCase()}`}
          {reason && (
            <>
              : <bdi className="line-clamp-2">{reason}</bdi>
            </>
          )}
        </span>
      )}
    </span>
  )
}

function PullRequestCell({ finding }: { finding: FindingEntry }) {
  const { repo_name: repo, pr_number: number, pr_status: status, author } = finding
  return (
    <span className="inline-block min-w-36">
      {formatRepository(repo)}#{number}
      <span className="block text-muted text-xs">
        {status}, by <bdi>{author}</bdi>
      </span>
    </span>
  )
}

/** Links the comment, or the pull request where the finding has none. */
function ThreadLink({ finding }: { finding: FindingEntry }) {
  const host = useCodeHost(finding.repo_name)
  return (
    <ExternalLink
      href={finding.comment_url ?? finding.pr_url}
      className="relative whitespace-nowrap text-accent underline"
    >
      {finding.comment_url === null ? 'Pull request' : 'Thread'}
      <span className="sr-only">
        {' '}
        of “{finding.title}” on {host.name}
      </span>
    </ExternalLink>
  )
}
