// Defines the health endpoints.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { endpoint } from './endpoint.ts'

export const healthz = endpoint(addresses.healthz, {
  summary: 'Check liveness',
  description: 'Returns 200 while the process runs. Never queries the database.',
  tags: ['Health'],
  credential: 'none',
  response: z.object({ status: z.literal('ok') }),
})

export const readyz = endpoint(addresses.readyz, {
  summary: 'Check readiness',
  description:
    'Returns 200 if the database answers and the secret key decrypts the stored platform tokens.',
  tags: ['Health'],
  credential: 'none',
  response: z.object({ status: z.literal('ready') }),
  errors: [503],
})
