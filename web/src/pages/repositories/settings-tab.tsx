// Tab with the settings that apply to a repository, and the file that each value comes from.

import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/use-api.ts'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Waiting } from '../../components/page-states.tsx'
import { type RepositorySettings, repositorySettingsQuery } from './repository-queries.ts'
import { nameFile, SettingsTable } from './settings-table.tsx'

export function SettingsTab({ repo }: { repo: string }) {
  const { data, error, refetch } = useQuery(repositorySettingsQuery(useApi(), repo))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (data === undefined) return <Waiting />
  const whole = data.settings.filter(({ directory }) => directory === '')
  const inner = data.settings.filter(({ directory }) => directory !== '')
  return (
    <>
      <Problems settings={data} />
      <Panel title="Settings">
        <p className="mb-2 text-muted">
          As on <code>{data.branch}</code>, with those that the repository inherits.
        </p>
        <SettingsTable name="Settings of the repository" settings={whole} />
      </Panel>
      {inner.length > 0 && (
        <Panel title="Settings of directories">
          <SettingsTable name="Settings of directories" settings={inner} />
        </Panel>
      )}
    </>
  )
}

function Problems({ settings: { files, notes } }: { settings: RepositorySettings }) {
  const lines = files.flatMap((file) => [
    ...file.problems.map((problem) => `${nameFile(file)}: ${problem}.`),
    ...(file.problem_count > file.problems.length
      ? [`${nameFile(file)} has problems. You can’t read this repository.`]
      : []),
    ...file.withheld.map(
      (key) => `${nameFile(file)}: ${key} doesn’t apply to public repositories.`,
    ),
  ])
  const all = [...lines, ...notes]
  if (all.length === 0) return null
  return (
    <Panel title="Problems">
      <ul className="list-disc pl-5">
        {all.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Panel>
  )
}
