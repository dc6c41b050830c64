// Button that disconnects a repository after a confirmation.

import { useQueryClient } from '@tanstack/react-query'
import { formatRepository } from '../../api/platform-name.ts'
import { useApi } from '../../api/use-api.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { splitName } from './repository-queries.ts'

export function DisconnectButton({ repo, onDone }: { repo: string; onDone?: () => void }) {
  const api = useApi()
  const client = useQueryClient()
  const disconnect = async () => {
    await api.call('disconnectRepository', { params: splitName(repo) })
    onDone?.()
    await client.invalidateQueries({ queryKey: ['repositories'] })
  }
  return (
    <ConfirmButton
      label="Disconnect"
      subject={formatRepository(repo)}
      title={`Disconnect ${formatRepository(repo)}?`}
      action={disconnect}
    >
      Umpire stops reviewing its pull requests for you, and removes the webhook if no one else has
      connected the repository. Reviews and memories are kept.
    </ConfirmButton>
  )
}
