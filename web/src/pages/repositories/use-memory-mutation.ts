// Mutation that changes a memory and refreshes the memory queries of its repository.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ApiRequest } from '../../api/api-client.ts'
import { useApi } from '../../api/use-api.ts'

/** The `path` of the mutation is relative to `/api/v1/memory`. */
export function useMemoryMutation(repo: string, onDone: () => void) {
  const api = useApi()
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({
      path = '',
      ...request
    }: Pick<ApiRequest, 'method' | 'body'> & { path?: string }) =>
      api.request(`/api/v1/memory${path}`, { ...request, query: { repo } }),
    onSuccess: () => {
      onDone()
      for (const part of ['memories', 'stats', 'map', 'history']) {
        void client.invalidateQueries({ queryKey: ['repository', repo, part] })
      }
    },
  })
}
