// Schemas of scans: what is known of a repository is brought up to date.
import { z } from 'zod'
import { errorResponses, repoParameter, security, timestamp } from './common-schemas.ts'

const querystring = z.object({ repo: repoParameter })

export const rescanSchema = {
  summary: 'Build the memory of a repository anew, in the background',
  tags: ['Memory'],
  security: security.cookie,
  querystring,
  response: {
    200: z.object({ status: z.literal('rescan_started'), repo: z.string() }),
    ...errorResponses(400, 401, 403, 422, 503),
  },
}

export const readScanSchema = {
  summary: 'How the scan of a repository stands',
  tags: ['Memory'],
  security: security.either,
  querystring,
  response: {
    200: z
      .object({
        repo: z.string(),
        status: z
          .enum(['none', 'pending', 'processing', 'completed', 'failed'])
          .describe('Of the one that waits, runs, or was last; `none` where there never was one'),
        step: z.string().describe('What it is doing; empty before and after'),
        done: z.int().min(0),
        total: z.int().min(0).describe('Of what `step` does; 0 where nobody knows'),
        commit: z.string().nullable().describe('That was scanned last'),
        requested_at: timestamp.nullable(),
        started_at: timestamp.nullable(),
        finished_at: timestamp.nullable(),
        error: z.string().nullable().describe('Why it failed, or what it waits for'),
      })
      .meta({ id: 'Scan' }),
    ...errorResponses(400, 401, 403, 422),
  },
}
