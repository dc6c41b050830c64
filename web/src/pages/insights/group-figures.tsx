// The same figures by repository and by author. Authors stand in the order of their names: nobody is ranked.
import { Link } from '@tanstack/react-router'
import { type Column, FigureTable } from '../../components/figure-table.tsx'
import { Panel } from '../../components/page.tsx'
import { formatCount } from './format.ts'
import { readInsightsSearch } from './insights-search.ts'
import type { Outcome } from './queries.ts'

type Repository = Outcome['repos'][number]
type Author = Outcome['authors'][number]

const figures: Column<Pick<Repository, 'prs' | 'merged' | 'issues_flagged'>>[] = [
  { name: 'Pull requests', isNumber: true, draw: ({ prs }) => formatCount(prs) },
  { name: 'Merged', isNumber: true, draw: ({ merged }) => formatCount(merged) },
  {
    name: 'Open findings',
    isNumber: true,
    draw: ({ issues_flagged: found }) => formatCount(found),
  },
]

export function Repositories({ outcome: { repos } }: { outcome: Outcome }) {
  return (
    <Panel title="Repositories">
      <p className="mb-2 text-muted">
        Where most pull requests were comes first. A name shows the insights of that one.
      </p>
      <Long>
        <FigureTable<Repository>
          caption="Repositories"
          rows={repos}
          keyOf={({ repo }) => repo}
          columns={[
            { name: 'Repository', draw: ({ repo }) => <ToRepository repo={repo} /> },
            ...figures,
          ]}
        />
      </Long>
    </Panel>
  )
}

function ToRepository({ repo }: { repo: string }) {
  return (
    <Link
      to="/insights"
      search={(now) => readInsightsSearch({ ...now, repo })}
      resetScroll={false}
      className="inline-block min-w-24 text-accent underline"
    >
      {repo}
    </Link>
  )
}

const byName = new Intl.Collator('en').compare

export function Authors({ outcome: { authors } }: { outcome: Outcome }) {
  return (
    <Panel title="Authors">
      <p className="mb-2 text-muted">
        In the order of their names. The figures are of pull requests, which differ in size and
        kind: they say nothing of how well somebody works.
      </p>
      <Long>
        <FigureTable<Author>
          caption="Authors, by name"
          rows={authors.toSorted((one, other) => byName(one.author, other.author))}
          keyOf={({ author }) => author}
          columns={[
            {
              name: 'Author',
              draw: ({ author }) => <span className="inline-block min-w-16">{author}</span>,
            },
            ...figures,
          ]}
        />
      </Long>
    </Panel>
  )
}

/** A long list scrolls in itself. */
function Long({ children }: { children: React.ReactNode }) {
  return <div className="max-h-96 overflow-y-auto">{children}</div>
}
