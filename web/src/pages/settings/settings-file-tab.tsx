// Checks a settings file: what is wrong and where, and the settings that would be in force.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../components/button.tsx'
import { TextArea } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { ErrorAlert } from '../../components/page-states.tsx'
import { TextWithCode } from '../../components/text-with-code.tsx'
import { SettingsTable } from '../repositories/settings-table.tsx'
import { RepositorySelect } from './repository-select.tsx'
import type { CheckedSettings } from './settings-queries.ts'

const example = `severity: moderate
instructions:
  - Money is in cents.
`

export function SettingsFileTab() {
  const api = useApi()
  const [repo, setRepo] = useState('')
  const [text, setText] = useState(example)
  const check = useMutation({
    /** Without a text, the file of the default branch is checked. */
    mutationFn: (given: string | undefined) =>
      api.call('checkSettingsFile', {
        body: { ...(given !== undefined && { text: given }), ...(repo !== '' && { repo }) },
      }),
    onSuccess: (checked, given) => {
      if (given === undefined) setText(checked.text)
    },
  })
  return (
    <>
      <Panel title="Check a settings file">
        <form
          className="space-y-3"
          onSubmit={(event) => {
            event.preventDefault()
            check.mutate(text)
          }}
        >
          <div className="flex flex-wrap items-end gap-2">
            <div className="min-w-0 grow sm:max-w-md">
              <RepositorySelect
                label="Repository"
                all="None: the defaults apply"
                value={repo}
                onChange={setRepo}
              />
            </div>
            <Button
              disabled={repo === '' || check.isPending}
              onClick={() => check.mutate(undefined)}
            >
              Load its file
            </Button>
          </div>
          <TextArea
            label=".umpire.yml"
            className="font-mono"
            rows={12}
            spellCheck={false}
            maxLength={65_536}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-muted">
              Nothing is stored. Editors check the file with the{' '}
              <a
                className="text-accent underline"
                href={`${api.basePath}/schemas/repository-settings.json`}
              >
                JSON Schema
              </a>
              .
            </p>
            <Button type="submit" variant="main" disabled={check.isPending}>
              Check
            </Button>
          </div>
        </form>
      </Panel>
      {check.error && <ErrorAlert error={check.error} />}
      {check.data && <Result checked={check.data} />}
    </>
  )
}

function Result({ checked }: { checked: CheckedSettings }) {
  const { problems, notes, settings } = checked
  return (
    <>
      <Panel title={problems.length === 0 ? 'No problems' : `Problems (${problems.length})`}>
        <div role="status">
          {problems.length === 0 && <p>The file is valid.</p>}
          <ul className="divide-y divide-line">
            {problems.map(({ message, line, column }) => (
              <li
                key={`${line} ${column} ${message}`}
                className="grid gap-x-3 py-1 sm:grid-cols-[9rem_1fr]"
              >
                <span className="text-muted">
                  {line === null ? 'whole file' : `line ${line}, column ${column}`}
                </span>
                <TextWithCode text={message} />
              </li>
            ))}
          </ul>
          {notes.map((note) => (
            <p key={note} className="mt-2 text-muted">
              {note}
            </p>
          ))}
        </div>
      </Panel>
      <Panel title="Settings that would be in force">
        <SettingsTable name="Settings that would be in force" settings={settings} />
      </Panel>
    </>
  )
}
