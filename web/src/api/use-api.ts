// Hands the client of the service to the components.
import { createContext, useContext } from 'react'
import type { ApiClient } from './api-client.ts'

export const ApiContext = createContext<ApiClient | null>(null)

/** The client of the service. */
export function useApi(): ApiClient {
  const api = useContext(ApiContext)
  if (api === null) throw new Error('There is no ApiContext around this component')
  return api
}
