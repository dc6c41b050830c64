// The repositories: those that are connected, and connecting others.
import { Page, Panel } from '../../components/page.tsx'
import { ConnectableList } from './connectable-list.tsx'
import { ConnectedList } from './connected-list.tsx'

export function RepositoriesPage() {
  return (
    <Page title="Repositories">
      <Panel title="Connected">
        <ConnectedList />
      </Panel>
      <Panel title="Connect another">
        <ConnectableList />
      </Panel>
    </Page>
  )
}
