// Disconnects a repository, once the person said so twice.
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/use-api.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'

export function DisconnectButton({ repo, onDone }: { repo: string; onDone?: () => void }) {
  const api = useApi()
  const client = useQueryClient()
  const disconnect = async () => {
    await api.request(`/api/v1/repos/${repo}/install`, { method: 'DELETE' })
    onDone?.()
    await client.invalidateQueries({ queryKey: ['repositories'] })
  }
  return (
    <ConfirmButton
      label="Disconnect"
      subject={repo}
      title={`Disconnect ${repo}?`}
      action={disconnect}
    >
      Its pull requests are no longer reviewed for you, and its webhook goes if nobody else has
      connected it. Reviews and what is known of it stay.
    </ConfirmButton>
  )
}
