// One repository.
import { Page } from '../../components/page.tsx'

export function RepositoryPage() {
  return <Page title="Repository">Not here yet.</Page>
}
