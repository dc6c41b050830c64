// Filters of the list of findings. They are part of the URL, so that a list can be shared.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { formatRepository } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { severities } from '../../components/severities.ts'
import { useSearchText } from '../../components/use-search-text.ts'
import { findingOptionsQuery } from './findings-queries.ts'
import {
  type FindingsSearch,
  outcomeOptions,
  parseFindingsSearch,
  periodOptions,
  sortOptions,
} from './findings-search.ts'

type Options = readonly (readonly [value: string, label: string])[]

export function FindingsFilters({ filter }: { filter: FindingsSearch }) {
  const navigate = useNavigate({ from: '/insights/findings' })
  const { data: options } = useQuery(findingOptionsQuery(useApi()))
  const change = (changes: Record<string, string | undefined>) =>
    void navigate({
      search: (now) => parseFindingsSearch({ ...now, ...changes }),
      replace: true,
      resetScroll: false,
    })
  const select = (name: keyof FindingsSearch, label: string, all: string, values: Options) => (
    <SelectField
      label={label}
      hideLabel
      className="w-[calc(50%-0.25rem)] sm:w-44"
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
  const { repos = [], authors = [], rules = [] } = options ?? {}
  const kinds = rules.map(({ rule, category }): Options[number] =>
    rule === null ? [`model:${category}`, `Model: ${category}`] : [`rule:${rule}`, rule],
  )
  return (
    <search className="mb-3 flex flex-wrap items-end gap-2">
      <SearchBox search={filter.search ?? ''} onSearch={(search) => change({ search })} />
      {select('outcome', 'Outcome', 'All outcomes', outcomeOptions)}
      {select(
        'severity',
        'Severity',
        'All severities',
        severities.map((value) => [value, value]),
      )}
      {select('kind', 'Rule', 'All rules', [['model', 'All findings of models'], ...kinds])}
      {select(
        'repo',
        'Repository',
        'All repositories',
        repos.map((repo) => [repo, formatRepository(repo)]),
      )}
      {select(
        'author',
        'Author',
        'All authors',
        [...new Set(authors)].toSorted().map((author) => [author, author]),
      )}
      {select('period', 'Period', 'All time', periodOptions)}
      {select('sort', 'Order', 'Newest first', sortOptions.slice(1))}
      {Object.keys(filter).length > 0 && (
        <Button
          variant="quiet"
          onClick={() => void navigate({ search: {}, replace: true, resetScroll: false })}
        >
          Clear filters
        </Button>
      )}
    </search>
  )
}

/** The chosen value may be from before the period of the options. */
function withChosen(options: Options, chosen: string | undefined): Options {
  const isMissing = chosen !== undefined && !options.some(([value]) => value === chosen)
  return isMissing ? [...options, [chosen, chosen.replace(/^\w+:/, '')]] : options
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
      className="min-w-full flex-1 sm:min-w-64"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
