// Settings: tokens for programs, agents, what the operator has set up, what was done.
import { Page } from '../../components/page.tsx'
import { PageTabs } from '../../components/page-tabs.tsx'
import { Agents } from './agents.tsx'
import { ApiTokens } from './api-tokens.tsx'
import { AuditLog } from './audit-log.tsx'
import { SetUp } from './set-up.tsx'

export function SettingsPage() {
  return (
    <Page title="Settings">
      <PageTabs
        label="Settings"
        tabs={[
          { id: 'tokens', name: 'API tokens', draw: () => <ApiTokens /> },
          { id: 'agents', name: 'Agents', draw: () => <Agents /> },
          { id: 'set-up', name: 'Set-up', draw: () => <SetUp /> },
          { id: 'audit', name: 'Audit log', draw: () => <AuditLog /> },
        ]}
      />
    </Page>
  )
}
