// Mutation that changes a memory and refreshes the memory queries of its repository.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { RequestOf } from '../../api/endpoints.ts'
import { useApi } from '../../api/use-api.ts'

export function useMemoryMutation<Name extends 'addMemory' | 'editMemory' | 'dismissMemory'>(
  name: Name,
  repo: string,
  onDone?: () => void,
) {
  const api = useApi()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (request: Omit<RequestOf<Name>, 'query'>) =>
      api.call(name, { ...request, query: { repo } } as RequestOf<Name>),
    onSuccess: () => {
      onDone?.()
      for (const part of ['memories', 'stats', 'map', 'history']) {
        void client.invalidateQueries({ queryKey: ['repository', repo, part] })
      }
    },
  })
}
