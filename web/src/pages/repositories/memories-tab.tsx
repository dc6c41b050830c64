// Tab that lists, searches and adds the memories of a repository.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { EmptyState } from '../../components/page-states.tsx'
import { PagedList } from '../../components/paged-list.tsx'
import { useDebouncedValue } from '../../components/use-debounced-value.ts'
import { AddMemory } from './add-memory.tsx'
import { MemoryCard } from './memory-card.tsx'
import { memoryTypeLabels } from './memory-labels.ts'
import { type MemoryType, memoriesQuery, memoryStatsQuery } from './repository-queries.ts'

const typeOptions = Object.entries(memoryTypeLabels) as [MemoryType, string][]

export function MemoriesTab({ repo }: { repo: string }) {
  const api = useApi()
  const [typed, setTyped] = useState('')
  const [type, setType] = useState<MemoryType | ''>('')
  const [isAdding, setAdding] = useState(false)
  const search = useDebouncedValue(typed.trim())
  const stats = useQuery(memoryStatsQuery(api, repo))
  return (
    <>
      <div className="mb-3 flex flex-wrap items-end gap-3">
        <TextField
          label="Search"
          type="search"
          placeholder="Search memories"
          className="w-full max-w-sm"
          maxLength={1000}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <SelectField
          label="Type"
          value={type}
          onChange={({ target }) => setType(target.value as MemoryType | '')}
        >
          <option value="">All</option>
          {typeOptions.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <Button aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
          Add a memory
        </Button>
      </div>
      {isAdding && <AddMemory repo={repo} onDone={() => setAdding(false)} />}
      <p className="mb-3 min-h-5 text-muted">
        {stats.data && describeCounts(stats.data.total, search)}
      </p>
      <MemoryPanel
        repo={repo}
        title="Guidelines that people wrote"
        filter={{ search, type, origin: 'written' }}
      >
        Add a memory, or write AGENTS.md and similar files on the default branch.
      </MemoryPanel>
      <MemoryPanel
        repo={repo}
        title="Computed from code and reviews"
        filter={{ search, type, origin: 'computed' }}
      >
        The first scan and reviews add memories.
      </MemoryPanel>
    </>
  )
}

function describeCounts(total: number, search: string): string {
  const noun = total === 1 ? 'memory' : 'memories'
  const order = search === '' ? 'newest' : 'best match'
  return `${total.toLocaleString('en')} ${noun} including map entries, ${order} first.`
}

interface MemoryPanelProps {
  readonly repo: string
  readonly title: string
  readonly filter: Parameters<typeof memoriesQuery>[2]
  /** Says where such memories come from, if there are none. */
  readonly children: ReactNode
}

function MemoryPanel({ repo, title, filter, children }: MemoryPanelProps) {
  const query = useInfiniteQuery(memoriesQuery(useApi(), repo, filter))
  const isFiltered = filter.search !== '' || filter.type !== ''
  return (
    <Panel title={title}>
      <PagedList
        query={query}
        rows={query.data?.pages.flatMap(({ memories }) => memories) ?? []}
        rowKey={({ id }) => id}
        renderRow={(memory) => <MemoryCard repo={repo} memory={memory} />}
        empty={
          isFiltered ? (
            <EmptyState title="No matching memories">Try other words or all types.</EmptyState>
          ) : (
            <EmptyState title="No memories yet">{children}</EmptyState>
          )
        }
      />
    </Panel>
  )
}
