// All rules in folded groups by category, with how often each was right where the user can see it.
import { ChevronRightIcon } from '@primer/octicons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { TextField } from '../../components/field.tsx'
import { formatQuantity } from '../../components/format-numbers.ts'
import { EmptyState, ErrorAlert, Skeleton } from '../../components/page-states.tsx'
import { useKeys } from '../../components/use-keys.ts'
import { repositorySettingsQuery } from '../repositories/repository-queries.ts'
import { RepositorySelect } from './repository-select.tsx'
import { RuleRow } from './rule-row.tsx'
import { type Rule, rulesQuery } from './settings-queries.ts'

export function RulesTab() {
  const [search, setSearch] = useState('')
  const [repo, setRepo] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => input.current?.focus() })
  return (
    <>
      <div className="mb-4 grid gap-3 sm:grid-cols-2">
        <TextField
          ref={input}
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
          <RuleGroup key={category} title={title} rules={rules} isOpen={search.trim() !== ''}>
            {rules.map((rule) => (
              <li key={rule.id} className="py-2 first:pt-0 last:pb-0">
                <RuleRow rule={rule} disabledIn={disabledIn(rule.id)} />
              </li>
            ))}
          </RuleGroup>
        )
      })}
    </>
  )
}

interface RuleGroupProps {
  readonly title: string
  readonly rules: readonly Rule[]
  /** Opens or folds it when it changes; people can do either at any time. */
  readonly isOpen: boolean
  readonly children: ReactNode
}

function RuleGroup({ title, rules, isOpen, children }: RuleGroupProps) {
  const reported = rules.reduce((sum, rule) => sum + rule.reported, 0)
  return (
    <details open={isOpen} className="group mb-2 rounded-lg border border-line bg-surface">
      <summary className="flex flex-wrap items-center gap-x-2 rounded-lg px-3 py-2 hover:bg-raised">
        <span aria-hidden="true" className="inline-flex text-muted group-open:rotate-90">
          <ChevronRightIcon />
        </span>
        <h2 className="font-semibold">{title}</h2>
        <span className="text-muted">{formatQuantity(rules.length, 'rule')}</span>
        {reported > 0 && (
          <span className="ml-auto text-muted">{formatQuantity(reported, 'finding')} reported</span>
        )}
      </summary>
      <ul className="divide-y divide-line border-line border-t p-3">{children}</ul>
    </details>
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
