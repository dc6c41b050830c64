// React context that provides the API client.
import { createContext, useContext } from 'react'
import type { ApiClient } from './api-client.ts'

export const ApiContext = createContext<ApiClient | null>(null)

export function useApi(): ApiClient {
  const api = useContext(ApiContext)
  if (api === null) throw new Error('useApi requires an ApiContext around the component')
  return api
}
