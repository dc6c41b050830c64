// Filters of the inbox with counts. They are part of the URL, so that a list can be shared.

import { SearchIcon } from '@primer/octicons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { formatRepository } from '../../api/platform-name.ts'
import type { InboxCounts } from '../../api/reviews-query.ts'
import { resultLook } from '../../components/badge.tsx'
import { SelectField } from '../../components/field.tsx'
import { KeyHelp } from '../../components/key-help.tsx'
import { useKeys } from '../../components/use-keys.ts'
import { useSearchText } from '../../components/use-search-text.ts'
import { parseReviewsSearch, type ReviewsSearch } from './reviews-search.ts'

const facets = [
  { name: 'repo', label: 'Repository', any: 'All repositories', format: formatRepository },
  { name: 'verdict', label: 'Verdict', any: 'All verdicts', format: formatVerdict },
  { name: 'author', label: 'Author', any: 'All authors', format: String },
  { name: 'severity', label: 'Severity', any: 'All severities', format: formatSeverity },
] as const

/** Both have the same verdict, and rows show which of them it is. */
function formatVerdict(verdict: string): string {
  if (verdict === 'NEEDS_DISCUSSION') return 'Needs a person or incomplete'
  return verdict === 'UNKNOWN' ? 'No verdict' : resultLook(undefined, verdict).label
}

function formatSeverity(severity: string): string {
  return `Has ${severity}`
}

export function ReviewsFilters({
  filter,
  counts,
}: {
  filter: ReviewsSearch
  counts: InboxCounts | undefined
}) {
  const navigate = useNavigate({ from: '/reviews' })
  const change = (changes: Record<string, string | undefined>, replace = false) =>
    void navigate({
      search: (now) => parseReviewsSearch({ ...now, ...changes }),
      replace,
      resetScroll: false,
    })
  const { tab, ...filters } = filter
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <SearchBox
        search={filter.search ?? ''}
        onSearch={(search) => change({ search }, /* replace */ true)}
      />
      {facets.map(({ name, label, any, format }) => (
        <SelectField
          key={name}
          label={label}
          hideLabel
          className="min-w-0 flex-1 basis-36 sm:max-w-48"
          value={filter[name] ?? ''}
          onChange={(event) => change({ [name]: event.target.value })}
        >
          <option value="">{any}</option>
          {listOptions(counts?.[name] ?? [], filter[name]).map(({ value, count }) => (
            <option key={value} value={value}>
              {format(value)} ({count})
            </option>
          ))}
        </SelectField>
      ))}
      {Object.keys(filters).length > 0 && (
        <Link
          to="/reviews"
          search={tab ? { tab } : {}}
          className="rounded-md px-2 py-1.5 font-medium text-accent hover:bg-raised"
        >
          Clear filters
        </Link>
      )}
      <span className="contents sm:ml-auto sm:block">
        <KeyHelp
          keys={[
            ['j', 'Next review'],
            ['k', 'Previous review'],
            ['Enter', 'Open the review'],
            ['/', 'Search'],
          ]}
        />
      </span>
    </search>
  )
}

/** A chosen value stays in the list when nothing has it anymore. */
function listOptions(counts: InboxCounts['repo'], chosen: string | undefined) {
  if (chosen === undefined || counts.some(({ value }) => value === chosen)) return counts
  return [...counts, { value: chosen, count: 0 }]
}

function SearchBox({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useSearchText(search, onSearch)
  useKeys({ '/': () => input.current?.focus() })
  return (
    <div className="relative w-full lg:w-64">
      <span aria-hidden="true" className="absolute top-2 left-2.5 inline-flex text-muted">
        <SearchIcon />
      </span>
      <input
        ref={input}
        type="search"
        aria-label="Search titles, repositories and numbers"
        placeholder="Title, repository or number"
        maxLength={1000}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={searchClass}
      />
    </div>
  )
}

const searchClass =
  'min-h-8 w-full rounded-md border border-line bg-surface py-1 pr-2 pl-8 text-ink shadow-xs ' +
  'placeholder:text-muted'
