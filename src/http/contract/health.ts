// Schemas of the health endpoints.
import { z } from 'zod'
import { errors } from './common.ts'

export const healthz = {
  summary: 'Whether the process lives',
  description: 'Never asks the database.',
  tags: ['Health'],
  response: { 200: z.object({ status: z.literal('ok') }) },
}

export const readyz = {
  summary: 'Whether the service can work',
  description: 'Asks the database, and whether the secret key opens what is stored there.',
  tags: ['Health'],
  response: { 200: z.object({ status: z.literal('ready') }), ...errors(503) },
}
