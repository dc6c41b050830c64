// Defines the schemas of the health endpoints.
import { z } from 'zod'
import { errorResponses } from './common-schemas.ts'

export const healthzSchema = {
  summary: 'Check liveness',
  description: 'Returns 200 while the process runs. Never queries the database.',
  tags: ['Health'],
  response: { 200: z.object({ status: z.literal('ok') }) },
}

export const readyzSchema = {
  summary: 'Check readiness',
  description:
    'Returns 200 if the database answers and the secret key decrypts the stored platform tokens.',
  tags: ['Health'],
  response: { 200: z.object({ status: z.literal('ready') }), ...errorResponses(503) },
}
