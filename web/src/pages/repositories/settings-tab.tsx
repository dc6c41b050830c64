// Tab with the settings that apply to a repository, and the file that each value comes from.

import { useQuery } from '@tanstack/react-query'
import { formatRepository } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert, Waiting } from '../../components/page-states.tsx'
import {
  type RepositorySetting,
  type RepositorySettings,
  repositorySettingsQuery,
} from './repository-queries.ts'

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

type SettingsFile = RepositorySettings['files'][number]

function nameOf({ repo, path }: SettingsFile): string {
  return repo === null ? path : `${path} of ${formatRepository(repo)}`
}

function Problems({ settings: { files, notes } }: { settings: RepositorySettings }) {
  const lines = files.flatMap((file) => [
    ...file.problems.map((problem) => `${nameOf(file)}: ${problem}.`),
    ...(file.problem_count > file.problems.length
      ? [`${nameOf(file)} has problems. You can’t read this repository.`]
      : []),
    ...file.withheld.map((key) => `${nameOf(file)}: ${key} doesn’t apply to public repositories.`),
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

function SettingsTable({
  name,
  settings,
}: {
  name: string
  settings: readonly RepositorySetting[]
}) {
  return (
    <DataTable
      caption={name}
      rows={settings}
      rowKey={({ directory, key, file }) => `${directory} ${key} ${file && nameOf(file)}`}
      columns={[
        {
          name: 'Setting',
          render: ({ directory, key }) => (
            <code>{directory === '' ? key : `${directory}/: ${key}`}</code>
          ),
        },
        { name: 'Value', render: ({ text }) => text },
        { name: 'From', render: ({ file }) => <Origin file={file} /> },
      ]}
    />
  )
}

function Origin({ file }: { file: SettingsFile | null }) {
  if (file === null) return <span className="text-muted">default</span>
  return (
    <span className="inline-flex flex-wrap gap-x-2">
      <code>{nameOf(file)}</code>
      {!file.visible && <Badge>private</Badge>}
    </span>
  )
}
