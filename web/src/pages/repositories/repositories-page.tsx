// The repositories.
import { Page } from '../../components/page.tsx'

export function RepositoriesPage() {
  return <Page title="Repositories">Not here yet.</Page>
}
