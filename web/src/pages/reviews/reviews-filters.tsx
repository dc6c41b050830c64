// Filters of the reviews list. They are part of the URL, so that a list can be shared.

import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { formatRepository } from '../../api/platform-name.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { useDebouncedValue } from '../../components/use-debounced-value.ts'
import {
  parseReviewsSearch,
  pullRequestStates,
  type ReviewsSearch,
  reviewStates,
} from './reviews-search.ts'

const stateLabels: Readonly<Record<string, string>> = {
  pending: 'Waiting',
  processing: 'Reviewing',
  completed: 'Reviewed',
  failed: 'Failed',
  open: 'Open',
  merged: 'Merged',
  closed: 'Closed',
}

export function ReviewsFilters({ filter }: { filter: ReviewsSearch }) {
  const navigate = useNavigate({ from: '/reviews' })
  const change = (changes: Record<string, string | undefined>) =>
    void navigate({
      search: (now) => parseReviewsSearch({ ...now, ...changes }),
      replace: true,
      resetScroll: false,
    })
  return (
    <search className="mb-3 flex flex-wrap items-end gap-2">
      <SearchBox search={filter.search ?? ''} onSearch={(search) => change({ search })} />
      <SelectField
        label="State"
        hideLabel
        className="w-full sm:w-40"
        value={filter.status ?? ''}
        onChange={(event) => change({ status: event.target.value })}
      >
        <option value="">All states</option>
        <StateOptions label="Review" states={reviewStates} />
        <StateOptions label="Pull request" states={pullRequestStates} />
      </SelectField>
      {filter.repo && (
        <Button
          onClick={() => change({ repo: undefined })}
          aria-label={`Clear repository filter: ${filter.repo}`}
        >
          {formatRepository(filter.repo)} <span aria-hidden="true">×</span>
        </Button>
      )}
    </search>
  )
}

function StateOptions({ label, states }: { label: string; states: readonly string[] }) {
  return (
    <optgroup label={label}>
      {states.map((state) => (
        <option key={state} value={state}>
          {stateLabels[state]}
        </option>
      ))}
    </optgroup>
  )
}

/** Updates the URL when the user stops typing, and follows other changes of the URL. */
function SearchBox({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const [typed, setTyped] = useState(search)
  const lastSearch = useRef(search)
  const settled = useDebouncedValue(typed)
  useEffect(() => {
    if (settled === lastSearch.current) return
    lastSearch.current = settled
    onSearch(settled)
  }, [settled, onSearch])
  useEffect(() => {
    if (search === lastSearch.current) return
    lastSearch.current = search
    setTyped(search)
  }, [search])
  return (
    <TextField
      label="Search titles, repositories and numbers"
      hideLabel
      type="search"
      placeholder="Title, repository or number"
      maxLength={1000}
      className="min-w-48 flex-1"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
