// Page with connected repositories and repositories to connect.
import { useInfiniteQuery, usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { toHostPath } from '../../../../src/contract/repository-name.ts'
import { formatRepository, useCodeHost } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { ExternalLink } from '../../components/external-link.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { ConnectableList } from './connectable-list.tsx'
import { ConnectedList } from './connected-list.tsx'
import { repositoriesQuery, repositorySettingsQuery } from './repository-queries.ts'

export function RepositoriesPage() {
  const api = useApi()
  const [added, setAdded] = useState<string>()
  const connected = useInfiniteQuery(repositoriesQuery(api, { connected: true, search: '' }))
  const isFirst = connected.data?.pages[0]?.repositories.length === 0
  usePrefetchInfiniteQuery(repositoriesQuery(api, { connected: false, search: '' }))
  return (
    <Page title="Repositories">
      {added !== undefined && <ConnectedNotice key={added} repo={added} />}
      <Panel title="Connected">
        <ConnectedList />
      </Panel>
      {/* Shown after the list above it, so that the layout does not shift. */}
      {!connected.isPending && (
        <Panel title={isFirst ? 'Connect a repository' : 'Connect another'}>
          <ConnectableList onConnected={setAdded} />
        </Panel>
      )}
    </Page>
  )
}

/** Takes the focus, which was on the button that disappeared, and scrolls into view. */
function ConnectedNotice({ repo }: { repo: string }) {
  const ref = useRef<HTMLDivElement>(null)
  const host = useCodeHost(repo)
  useEffect(() => ref.current?.focus(), [])
  return (
    <div
      ref={ref}
      role="status"
      tabIndex={-1}
      className="mb-4 rounded-lg border border-line bg-good-soft px-3 py-2"
    >
      <p className="font-medium">{formatRepository(repo)} is connected.</p>
      <p>
        Next: <FirstReview repo={repo} /> Its review appears under{' '}
        <Link to="/reviews" search={{ tab: 'all', repo }} className="text-accent underline">
          Reviews
        </Link>
        . See the{' '}
        <ExternalLink href={`${host.url}/${toHostPath(repo)}`} className="text-accent underline">
          repository on {host.name}
        </ExternalLink>
        .
      </p>
    </div>
  )
}

/** Says what starts a review, by the settings of the repository. */
function FirstReview({ repo }: { repo: string }) {
  const { data } = useQuery(repositorySettingsQuery(useApi(), repo))
  const read = (name: string) =>
    data?.settings.find(({ directory, key }) => directory === '' && key === name)?.value
  const label = read('reviews.label')
  const labeled = typeof label === 'string' && (
    <>
      add the label <code className="whitespace-nowrap">{label}</code> to an open one
    </>
  )
  if (read('reviews.start') === 'on_request')
    return <>open a pull request and request its review{labeled && <>, or {labeled}</>}.</>
  return <>open a pull request{labeled && <>, or {labeled}</>}.</>
}
