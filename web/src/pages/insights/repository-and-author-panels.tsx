// Metrics by repository and by author. Authors are sorted by name, so that no one is ranked.

import { Link } from '@tanstack/react-router'
import { formatRepository } from '../../api/platform-name.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { formatCount } from '../../components/format-numbers.ts'
import { Panel } from '../../components/page.tsx'
import type { InsightsResponse } from './insights-queries.ts'
import { parseInsightsSearch } from './insights-search.ts'

type Repository = InsightsResponse['repos'][number]
type Author = InsightsResponse['authors'][number]

const countColumns: Column<Pick<Repository, 'prs' | 'merged' | 'issues_flagged'>>[] = [
  { name: 'Pull requests', isNumber: true, render: ({ prs }) => formatCount(prs) },
  { name: 'Merged', isNumber: true, render: ({ merged }) => formatCount(merged) },
  {
    name: 'Open findings',
    isNumber: true,
    render: ({ issues_flagged: findings }) => formatCount(findings),
  },
]

export function RepositoriesPanel({ outcome: { repos } }: { outcome: InsightsResponse }) {
  return (
    <Panel title="Repositories">
      <p className="mb-2 text-muted">
        Sorted by number of pull requests. Select a repository to see its insights.
      </p>
      <ScrollArea>
        <DataTable<Repository>
          caption="Repositories"
          rows={repos}
          rowKey={({ repo }) => repo}
          columns={[
            { name: 'Repository', render: ({ repo }) => <RepositoryLink repo={repo} /> },
            ...countColumns,
          ]}
        />
      </ScrollArea>
    </Panel>
  )
}

function RepositoryLink({ repo }: { repo: string }) {
  return (
    <Link
      to="/insights"
      search={(now) => parseInsightsSearch({ ...now, repo })}
      resetScroll={false}
      className="inline-block min-w-24 text-accent underline"
    >
      {formatRepository(repo)}
    </Link>
  )
}

const compareNames = new Intl.Collator('en').compare

export function AuthorsPanel({ outcome: { authors } }: { outcome: InsightsResponse }) {
  return (
    <Panel title="Authors">
      <p className="mb-2 text-muted">
        Sorted by name. Pull requests differ in size and kind, so these numbers do not measure
        anyone’s performance.
      </p>
      <ScrollArea>
        <DataTable<Author>
          caption="Authors, by name"
          rows={authors.toSorted((a, b) => compareNames(a.author, b.author))}
          rowKey={({ author }) => author}
          columns={[
            {
              name: 'Author',
              render: ({ author }) => <span className="inline-block min-w-16">{author}</span>,
            },
            ...countColumns,
          ]}
        />
      </ScrollArea>
    </Panel>
  )
}

function ScrollArea({ children }: { children: React.ReactNode }) {
  return <div className="max-h-96 overflow-y-auto">{children}</div>
}
