// Select field with the repositories that are connected to the account.
import { useQuery } from '@tanstack/react-query'
import { formatRepository } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { SelectField } from '../../components/field.tsx'
import { connectedNamesQuery } from './settings-queries.ts'

interface RepositorySelectProps {
  readonly label: string
  /** The first option, whose value is empty. */
  readonly all: string
  readonly value: string
  readonly onChange: (repo: string) => void
}

export function RepositorySelect({ label, all, value, onChange }: RepositorySelectProps) {
  const { data } = useQuery(connectedNamesQuery(useApi()))
  return (
    <SelectField label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{all}</option>
      {data?.repositories.map(({ repo }) => (
        <option key={repo} value={repo}>
          {formatRepository(repo)}
        </option>
      ))}
    </SelectField>
  )
}
