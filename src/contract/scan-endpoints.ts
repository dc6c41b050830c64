// Defines the repository scan endpoints.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { repoParameter, timestamp } from './common-schemas.ts'
import { endpoint } from './endpoint.ts'

const query = z.object({ repo: repoParameter })

export const rescan = endpoint(addresses.rescan, {
  summary: 'Start a scan of a repository',
  description:
    'Scans the default branch in the background and updates the project map, the memories and ' +
    'the code graph. Existing memories are kept unless a newer one supersedes them.',
  tags: ['Memory'],
  credential: 'cookie',
  query,
  response: z.object({ status: z.literal('rescan_started'), repo: z.string() }),
  errors: [400, 403, 422, 503],
})

export const readScan = endpoint(addresses.readScan, {
  summary: 'Get the status of a scan',
  description: 'Returns the waiting or running scan of a repository, or else the latest one.',
  tags: ['Memory'],
  credential: 'either',
  query,
  response: z
    .object({
      repo: z.string(),
      status: z
        .enum(['none', 'pending', 'processing', 'completed', 'failed'])
        .describe('Status of the scan, or `none` if the repository was never scanned'),
      step: z.string().describe('Current step. Empty if the scan is not running.'),
      done: z.int().min(0).describe('Number of items that the current step has processed'),
      total: z.int().min(0).describe('Number of items in the current step, or 0 if unknown'),
      commit: z.string().nullable().describe('Commit that was scanned last'),
      requested_at: timestamp.nullable(),
      started_at: timestamp.nullable(),
      finished_at: timestamp.nullable(),
      error: z.string().nullable().describe('Why the scan failed, or what it waits for'),
    })
    .meta({ id: 'Scan' }),
  errors: [400, 403, 422],
})
