// All rules by category, with how often each was right in the repositories of the user.
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { repositorySettingsQuery } from '../repositories/repository-queries.ts'
import { RepositorySelect } from './repository-select.tsx'
import { RuleRow } from './rule-row.tsx'
import { type Rule, rulesQuery } from './settings-queries.ts'

export function RulesTab() {
  const [search, setSearch] = useState('')
  const [repo, setRepo] = useState('')
  return (
    <>
      <div className="mb-4 grid gap-3 sm:grid-cols-2">
        <TextField
          label="Search rules"
          type="search"
          placeholder="null, CWE-89, Python, eslint …"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <RepositorySelect
          label="Repository"
          all="All that you can see"
          value={repo}
          onChange={setRepo}
        />
      </div>
      <RuleList repo={repo} search={search} />
    </>
  )
}

function RuleList({ repo, search }: { repo: string; search: string }) {
  const api = useApi()
  const { data, error, refetch } = useQuery(rulesQuery(api, repo))
  const settings = useQuery({ ...repositorySettingsQuery(api, repo), enabled: repo !== '' })
  const found = useMemo(
    () =>
      (data?.rules ?? [])
        .filter((rule) => matches(rule, search))
        .toSorted((one, other) => other.reported - one.reported),
    [data, search],
  )
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Skeleton className="h-[60vh]" />
  const disabledIn = (id: string) =>
    (settings.data?.settings ?? [])
      .filter(({ key, value }) => key === 'rules.disable' && listOf(value).includes(id))
      .map(({ directory }) => directory)
  return (
    <>
      <p className="mb-3 text-muted" role="status">
        {found.length} of {data.rules.length} rules.{' '}
        {repo === ''
          ? 'All are on, unless the settings of a repository disable them (rules.disable).'
          : describeSettings(settings)}
      </p>
      {found.length === 0 && <EmptyState title="No rule matches" />}
      {categories.map(([category, title]) => {
        const rules = found.filter((rule) => rule.category === category)
        if (rules.length === 0) return null
        return (
          <Panel key={category} title={`${title} (${rules.length})`}>
            <ul className="divide-y divide-line">
              {rules.map((rule) => (
                <li key={rule.id} className="py-2 first:pt-0 last:pb-0">
                  <RuleRow rule={rule} disabledIn={disabledIn(rule.id)} />
                </li>
              ))}
            </ul>
          </Panel>
        )
      })}
    </>
  )
}

function describeSettings({ isPending, error }: { isPending: boolean; error: unknown }): string {
  if (error) return 'Whether they are on is unknown: the settings could not be read.'
  return isPending ? 'Reading the settings …' : 'Those that its settings disable are marked.'
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const categories: readonly (readonly [Rule['category'], string])[] = [
  ['security', 'Security'],
  ['data-loss', 'Data loss'],
  ['correctness', 'Correctness'],
  ['concurrency', 'Concurrency'],
  ['performance', 'Performance'],
  ['tests', 'Tests'],
  ['maintainability', 'Maintainability'],
]

/** Each word of the search must occur. */
function matches(rule: Rule, search: string): boolean {
  const { id, summary, see_also: seeAlso, languages, severity, category } = rule
  const text = [id, summary, ...seeAlso, ...languages, severity, category].join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
