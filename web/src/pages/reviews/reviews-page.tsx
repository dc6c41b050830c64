// The reviews list.
import { Page } from '../../components/page.tsx'

export function ReviewsPage() {
  return <Page title="Reviews">Not here yet.</Page>
}
