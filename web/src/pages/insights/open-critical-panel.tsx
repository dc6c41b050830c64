// Panel with the pull requests that were merged with open critical findings.
import { Link } from '@tanstack/react-router'
import { formatRepository } from '../../api/platform-name.ts'
import { DataTable } from '../../components/data-table.tsx'
import { formatCount } from '../../components/format-numbers.ts'
import { Panel } from '../../components/page.tsx'
import { Time } from '../../components/time.tsx'
import type { OutcomesResponse } from './insights-queries.ts'
import { openCriticalId } from './outcome-figures.tsx'

type Entry = OutcomesResponse['open_critical'][number]

export function OpenCriticalPanel({ outcomes }: { outcomes: OutcomesResponse }) {
  const { open_critical: entries, merged } = outcomes
  const total = merged.current.with_open_critical
  if (entries.length === 0) return null
  return (
    <Panel title="Open critical findings at merge" id={openCriticalId}>
      <p className="mb-2 text-muted">
        {total > entries.length && `The newest ${entries.length} of ${formatCount(total)}. `}
        Open a pull request to see its findings. Where commits came after the last review, they may
        contain a fix.
      </p>
      <DataTable<Entry>
        caption="Open critical findings at merge"
        rows={entries}
        rowKey={({ repo_name: repo, pr_number: number }) => `${repo}#${number}`}
        columns={[
          {
            name: 'Pull request',
            render: (entry) => (
              <span className="inline-block min-w-48">
                <PullRequestLink entry={entry} />{' '}
                <span className="block text-muted text-xs">
                  {formatRepository(entry.repo_name)}#{entry.pr_number} by <bdi>{entry.author}</bdi>
                </span>
              </span>
            ),
          },
          { name: 'Critical', isNumber: true, render: ({ critical }) => formatCount(critical) },
          {
            name: 'Last commit',
            render: (entry) => (
              <span className="whitespace-nowrap">
                {entry.last_commit_reviewed ? 'Reviewed' : 'Not reviewed'}
              </span>
            ),
          },
          { name: 'Merged', render: (entry) => <Time at={entry.merged_at} /> },
        ]}
      />
    </Panel>
  )
}

function PullRequestLink({ entry: { review_id: id, pr_title: title } }: { entry: Entry }) {
  if (id === null) return <bdi>{title}</bdi>
  return (
    <Link to="/reviews/$id" params={{ id: String(id) }} className="text-accent underline">
      <bdi>{title}</bdi>
    </Link>
  )
}
