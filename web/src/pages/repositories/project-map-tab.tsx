// Tab with the project map: the purpose of directories and files, as a searchable tree.
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Badge } from '../../components/badge.tsx'
import { TextField } from '../../components/field.tsx'
import { EmptyState, ErrorAlert, Waiting } from '../../components/page-states.tsx'
import { buildMapTree, filterEntries, type TreeNode } from './build-map-tree.ts'
import { type MapEntry, projectMapQuery } from './repository-queries.ts'

const maxResults = 200

export function ProjectMapTab({ repo }: { repo: string }) {
  const { data, error, refetch } = useQuery(projectMapQuery(useApi(), repo))
  const [search, setSearch] = useState('')
  const tree = useMemo(() => buildMapTree(data?.memories ?? []), [data])
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Waiting />
  if (data.count === 0) {
    return (
      <EmptyState title="No project map yet">
        The first scan creates it, which takes a minute or two.
      </EmptyState>
    )
  }
  const isSearching = search.trim() !== ''
  return (
    <>
      <TextField
        label={`Search ${data.count.toLocaleString('en')} entries`}
        type="search"
        className="mb-3 max-w-sm"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {isSearching ? (
        <SearchResults entries={filterEntries(data.memories, search.trim())} />
      ) : (
        <Branch node={tree} isRoot />
      )}
    </>
  )
}

function SearchResults({ entries }: { entries: readonly MapEntry[] }) {
  if (entries.length === 0)
    return <EmptyState title="No matching entries">Try fewer words.</EmptyState>
  return (
    <>
      <p role="status" className="mb-2 text-muted">
        {entries.length} found
        {entries.length > maxResults && `, showing the first ${maxResults}`}
      </p>
      <ul className="space-y-3">
        {entries.slice(0, maxResults).map((entry) => (
          <li key={entry.id}>
            <code className="font-medium">{entry.metadata.path}</code> <EntryText entry={entry} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** One entry. Its children are rendered when it is opened. */
function Branch({ node, isRoot = false }: { node: TreeNode; isRoot?: boolean }) {
  const [isOpen, setOpen] = useState(isRoot)
  const { path, name, entry, children } = node
  const label = <code className="font-medium">{isRoot ? '/' : name}</code>
  if (children.length === 0) {
    return (
      <div className="py-1">
        <span className="pl-4">{label}</span> <EntryText entry={entry} />
      </div>
    )
  }
  return (
    <div className="py-1">
      <button
        type="button"
        aria-expanded={isOpen}
        title={path}
        className="-ml-1 rounded px-1 text-left hover:bg-raised"
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true" className="inline-block w-4 text-muted">
          {isOpen ? '▾' : '▸'}
        </span>
        {label}
      </button>{' '}
      <EntryText entry={entry} />
      {isOpen && (
        <ul className="ml-1.5 border-line border-l pl-2 sm:ml-2 sm:pl-3">
          {children.map((child) => (
            <li key={child.path}>
              <Branch node={child} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function EntryText({ entry }: { entry: MapEntry | null }) {
  if (entry === null) return null
  return (
    <>
      <span className="ml-1.5">
        <Badge>{entry.metadata.component_type}</Badge>
      </span>
      <p className="max-w-prose pl-4 text-muted">{entry.memory}</p>
    </>
  )
}
