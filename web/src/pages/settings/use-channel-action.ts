// Hook that changes a notification channel and reloads the list.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ApiClient } from '../../api/api-client.ts'
import { useApi } from '../../api/use-api.ts'
import { channelsQuery } from './settings-queries.ts'

export function useChannelAction<Input = undefined>(
  action: (api: ApiClient, input: Input) => Promise<unknown>,
) {
  const api = useApi()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => action(api, input),
    onSuccess: () => client.invalidateQueries({ queryKey: channelsQuery(api).queryKey }),
  })
}
