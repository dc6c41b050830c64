// Table of settings, with the file that each value comes from.
import { formatRepository } from '../../api/platform-name.ts'
import { Badge } from '../../components/badge.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { describeSetting, nameSetting } from './describe-setting.ts'
import type { RepositorySetting, RepositorySettings } from './repository-queries.ts'

type SettingsFile = RepositorySettings['files'][number]

export function nameFile({ repo, path }: Pick<SettingsFile, 'repo' | 'path'>): string {
  return repo === null ? path : `${path} of ${formatRepository(repo)}`
}

export function SettingsTable({
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
      rowKey={({ directory, key, file }) => `${directory} ${key} ${file && nameFile(file)}`}
      columns={[
        {
          name: 'Setting',
          render: ({ directory, key }) => (
            <>
              {nameSetting(key)}{' '}
              <code className="wrap-normal block text-muted text-xs sm:inline">
                {directory === '' ? key : `${directory}/: ${key}`}
              </code>
            </>
          ),
        },
        { name: 'Value', render: describeSetting },
        { name: 'From', render: ({ file }) => <Origin file={file} /> },
      ]}
    />
  )
}

function Origin({ file }: { file: SettingsFile | null }) {
  if (file === null) return <span className="text-muted">default</span>
  return (
    <span className="inline-flex flex-wrap gap-x-2">
      <code className="wrap-normal">{nameFile(file)}</code>
      {!file.visible && <Badge>private</Badge>}
    </span>
  )
}
