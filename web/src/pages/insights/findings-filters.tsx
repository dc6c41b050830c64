// Filters of the list of findings with counts. They are part of the URL, to share a list.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { formatRepository } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { formatCount } from '../../components/format-numbers.ts'
import { severities } from '../../components/severities.ts'
import { useSearchText } from '../../components/use-search-text.ts'
import { type FindingCounts, findingCountsQuery } from './findings-queries.ts'
import {
  type FindingsSearch,
  outcomeOptions,
  parseFindingsSearch,
  periodOptions,
  sortOptions,
} from './findings-search.ts'

type Option = readonly [value: string, label: string]

export function FindingsFilters({ filter }: { filter: FindingsSearch }) {
  const navigate = useNavigate({ from: '/insights/findings' })
  const { data: counts } = useQuery(findingCountsQuery(useApi(), filter))
  const [isOpen, setOpen] = useState(false)
  const change = (changes: Record<string, string | undefined>) =>
    void navigate({
      search: (now) => parseFindingsSearch({ ...now, ...changes }),
      replace: true,
      resetScroll: false,
    })
  const select = (name: keyof FindingsSearch, label: string, all: string, values: Option[]) => (
    <SelectField
      label={label}
      hideLabel
      value={filter[name] ?? ''}
      onChange={(event) => change({ [name]: event.target.value })}
    >
      <option value="">{all}</option>
      {withChosen(values, filter[name]).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </SelectField>
  )
  const { search, ...chosen } = filter
  const chosenCount = Object.keys(chosen).length
  return (
    <search className="mb-3 grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-2">
      <SearchBox search={search ?? ''} onSearch={(search) => change({ search })} />
      <Button className="sm:hidden" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters{chosenCount > 0 && ` (${chosenCount})`}
      </Button>
      <div className={isOpen ? 'contents' : 'hidden sm:contents'}>
        {select('outcome', 'Outcome', 'All outcomes', listOutcomes(counts))}
        {select('severity', 'Severity', 'All severities', listSeverities(counts))}
        {select('kind', 'Rule', 'All rules', listKinds(counts))}
        {select(
          'repo',
          'Repository',
          'All repositories',
          listValues(counts?.repo, formatRepository),
        )}
        {select('author', 'Author', 'All authors', listAuthors(counts))}
        {select('period', 'Period', 'All time', [...periodOptions])}
        {select('sort', 'Order', 'Newest first', sortOptions.slice(1))}
      </div>
      {Object.keys(filter).length > 0 && (
        <Button
          variant="quiet"
          className="justify-self-start"
          onClick={() => void navigate({ search: {}, replace: true, resetScroll: false })}
        >
          Clear filters
        </Button>
      )}
    </search>
  )
}

const optionOf = (value: string, label: string, count: number): Option => [
  value,
  `${label} (${formatCount(count)})`,
]

function listValues(
  counts: FindingCounts['repo'] = [],
  format: (value: string) => string = String,
): Option[] {
  return counts.map(({ value, count }) => optionOf(value, format(value), count))
}

function listSeverities({ severity: counts = [] }: Partial<FindingCounts> = {}): Option[] {
  const countOf = (severity: string) => counts.filter(({ value }) => value === severity)
  return severities.flatMap((severity) => listValues(countOf(severity)))
}

/** By name, so that no one is ranked. */
function listAuthors({ author: counts = [] }: Partial<FindingCounts> = {}): Option[] {
  return listValues(counts.toSorted((a, b) => compareNames(a.value, b.value)))
}

const compareNames = new Intl.Collator('en').compare

/** An option may select several outcomes. */
function listOutcomes({ outcome: counts }: Partial<FindingCounts> = {}): Option[] {
  if (counts === undefined) return [...outcomeOptions]
  return outcomeOptions.map(([outcomes, label]) => {
    const chosen = counts.filter(({ value }) => outcomes.split(',').includes(value))
    return optionOf(outcomes, label, sum(chosen))
  })
}

/** Models have no rules, so their findings are grouped by category. */
function listKinds({ rule: counts = [] }: Partial<FindingCounts> = {}): Option[] {
  const byModels = sum(counts.filter(({ rule }) => rule === null))
  return [
    ...(byModels > 0 ? [optionOf('model', 'All findings of models', byModels)] : []),
    ...counts.map(({ rule, category, count }) =>
      rule === null
        ? optionOf(`model:${category}`, `Model: ${category}`, count)
        : optionOf(`rule:${rule}`, rule, count),
    ),
  ]
}

function sum(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}

/** A chosen value stays in the list when nothing has it. */
function withChosen(options: Option[], chosen: string | undefined): Option[] {
  const isMissing = chosen !== undefined && !options.some(([value]) => value === chosen)
  return isMissing ? [...options, optionOf(chosen, chosen.replace(/^\w+:/, ''), 0)] : options
}

function SearchBox({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const [typed, setTyped] = useSearchText(search, onSearch)
  return (
    <TextField
      label="Search titles, paths and rules"
      hideLabel
      type="search"
      placeholder="Title, path or rule: at least 3 characters"
      maxLength={300}
      className="sm:col-span-2"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
