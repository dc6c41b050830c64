// Page with connected repositories and repositories to connect.
import { useInfiniteQuery, usePrefetchInfiniteQuery } from '@tanstack/react-query'
import { useApi } from '../../api/use-api.ts'
import { Page, Panel } from '../../components/page.tsx'
import { ConnectableList } from './connectable-list.tsx'
import { ConnectedList } from './connected-list.tsx'
import { repositoriesQuery } from './repository-queries.ts'

export function RepositoriesPage() {
  const api = useApi()
  const { isPending } = useInfiniteQuery(repositoriesQuery(api, { connected: true, search: '' }))
  usePrefetchInfiniteQuery(repositoriesQuery(api, { connected: false, search: '' }))
  return (
    <Page title="Repositories">
      <Panel title="Connected">
        <ConnectedList />
      </Panel>
      {/* Shown after the list above it, so that the layout does not shift. */}
      {!isPending && (
        <Panel title="Connect another">
          <ConnectableList />
        </Panel>
      )}
    </Page>
  )
}
