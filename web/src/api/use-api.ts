// Hands the client of the service to the components.
import { createContext, useContext } from 'react'
import type { Api } from './api.ts'

export const ApiContext = createContext<Api | null>(null)

/** The client of the service. */
export function useApi(): Api {
  const api = useContext(ApiContext)
  if (api === null) throw new Error('There is no ApiContext around this component')
  return api
}
