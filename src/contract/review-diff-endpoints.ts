// Defines the schemas of the endpoint for the diff of a review.
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { endpoint } from './endpoint.ts'
import { reviewParams } from './review-endpoints.ts'

const hunk = z.object({
  old_start: z.int(),
  old_lines: z.int(),
  new_start: z.int(),
  new_lines: z.int(),
  section: z.string().describe('Header of the enclosing definition, as git detects it'),
  lines: z
    .array(z.string())
    .describe('Lines of a unified diff. Each starts with `+`, `-`, a space or a backslash.'),
})

const diffFile = z
  .object({
    path: z.string().describe('Path at the head commit, or at the base if the file was deleted'),
    old_path: z.string().describe('Path at the base'),
    status: z.enum(['added', 'deleted', 'modified', 'renamed', 'copied']),
    binary: z.boolean(),
    submodule: z.boolean(),
    old_mode: z.string().nullable(),
    new_mode: z.string().nullable(),
    additions: z.int(),
    deletions: z.int(),
    hunks: z.array(hunk),
    left_out: z.string().nullable().describe('Why lines are missing, or null if none are'),
  })
  .meta({ id: 'DiffFile' })

export const readReviewDiff = endpoint(addresses.readReviewDiff, {
  summary: 'Get the diff of a review',
  description:
    'Returns the diff from the merge base to the reviewed commit. The repository must be ' +
    'connected to your account; administrators can also read repositories that no one connected. ' +
    'The code-hosting platform must grant you access. The diff has at most 20,000 lines; files ' +
    'with findings come first. Returns 404 if the platform no longer shows the commits to you, ' +
    'and 409 if there is no diff yet.',
  tags: ['Reviews'],
  credential: 'either',
  params: reviewParams,
  response: z
    .object({
      base_sha: z.string().describe('Merge base of the head and the base branch'),
      head_sha: z.string().describe('Reviewed commit'),
      files: z.array(diffFile),
      notes: z.array(z.string()).describe('What is missing from the diff, one sentence each'),
    })
    .meta({ id: 'ReviewDiff' }),
  errors: [403, 404, 409, 502],
})
