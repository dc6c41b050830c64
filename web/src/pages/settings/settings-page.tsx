// Tokens, sources and what is set.
import { Page } from '../../components/page.tsx'

export function SettingsPage() {
  return <Page title="Settings">Not here yet.</Page>
}
