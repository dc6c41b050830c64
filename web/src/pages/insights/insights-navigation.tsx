// Links between the figures and the list of all findings.
import { Link } from '@tanstack/react-router'

const linkClass = 'border-transparent border-b-2 px-2 py-1.5 text-muted hover:text-ink'
const activeProps = { className: 'border-accent! text-ink! font-medium' }

export function InsightsNavigation({ repo }: { repo: string | undefined }) {
  const search = repo === undefined ? {} : { repo }
  return (
    <nav aria-label="Insights" className="-mt-2 mb-4 flex border-line border-b">
      <Link
        to="/insights"
        search={search}
        activeOptions={{ exact: true, includeSearch: false }}
        activeProps={activeProps}
        className={linkClass}
      >
        Outcomes
      </Link>
      <Link
        to="/insights/findings"
        search={search}
        activeOptions={{ includeSearch: false }}
        activeProps={activeProps}
        className={linkClass}
      >
        All findings
      </Link>
    </nav>
  )
}
