// Settings page: API tokens, agents, setup, rules, settings files, people and audit log.
import { Page } from '../../components/page.tsx'
import { PageTabs } from '../../components/page-tabs.tsx'
import { Agents } from './agents.tsx'
import { ApiTokens } from './api-tokens.tsx'
import { AuditLog } from './audit-log.tsx'
import { NotificationsTab } from './notifications-tab.tsx'
import { PeopleTab } from './people-tab.tsx'
import { RulesTab } from './rules-tab.tsx'
import { SettingsFileTab } from './settings-file-tab.tsx'
import { SetupTab } from './setup-tab.tsx'

export function SettingsPage() {
  return (
    <Page title="Settings">
      <PageTabs
        label="Settings"
        tabs={[
          { id: 'tokens', name: 'API tokens', render: () => <ApiTokens /> },
          { id: 'notifications', name: 'Notifications', render: () => <NotificationsTab /> },
          { id: 'agents', name: 'Agents', render: () => <Agents /> },
          { id: 'set-up', name: 'Setup', render: () => <SetupTab /> },
          { id: 'rules', name: 'Rules', render: () => <RulesTab /> },
          { id: 'settings-file', name: 'Settings file', render: () => <SettingsFileTab /> },
          { id: 'people', name: 'People', render: () => <PeopleTab /> },
          { id: 'audit', name: 'Audit log', render: () => <AuditLog /> },
        ]}
      />
    </Page>
  )
}
