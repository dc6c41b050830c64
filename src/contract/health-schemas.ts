// Schemas of the health endpoints.
import { z } from 'zod'
import { errorResponses } from './common-schemas.ts'

export const healthzSchema = {
  summary: 'Whether the process lives',
  description: 'Never asks the database.',
  tags: ['Health'],
  response: { 200: z.object({ status: z.literal('ok') }) },
}

export const readyzSchema = {
  summary: 'Whether the service can work',
  description: 'Asks the database, and whether the secret key opens what is stored there.',
  tags: ['Health'],
  response: { 200: z.object({ status: z.literal('ready') }), ...errorResponses(503) },
}
