// Schemas of the diff that a review looked at.
import { z } from 'zod'
import { errorResponses, security } from './common-schemas.ts'

const hunk = z.object({
  old_start: z.int(),
  old_lines: z.int(),
  new_start: z.int(),
  new_lines: z.int(),
  section: z.string().describe('The definition around it, as far as git can tell'),
  lines: z
    .array(z.string())
    .describe('As in a unified diff: each opens with `+`, `-`, a blank or a backslash'),
})

const diffFile = z
  .object({
    path: z.string().describe('At the head; of a deleted file at the base'),
    old_path: z.string(),
    status: z.enum(['added', 'deleted', 'modified', 'renamed', 'copied']),
    binary: z.boolean(),
    submodule: z.boolean(),
    old_mode: z.string().nullable(),
    new_mode: z.string().nullable(),
    additions: z.int(),
    deletions: z.int(),
    hunks: z.array(hunk),
    left_out: z.string().nullable().describe('Why lines are missing; null where all are here'),
  })
  .meta({ id: 'DiffFile' })

export const readReviewDiffSchema = {
  summary: 'Read the diff that a review looked at',
  description:
    'From the merge base to the reviewed commit, asked for with your own access to the repository, which must be connected ' +
    'to your account; administrators may also where nobody connected it. No more than 20,000 lines, those of files with ' +
    'findings first. 404 where the platform does not show it any more, 409 where there is none yet.',
  tags: ['Reviews'],
  security: security.either,
  params: z.object({ id: z.string() }),
  response: {
    200: z
      .object({
        base_sha: z.string().describe('Where head and base parted'),
        head_sha: z.string().describe('The reviewed commit'),
        files: z.array(diffFile),
        notes: z.array(z.string()).describe('What is missing from it, one sentence each'),
      })
      .meta({ id: 'ReviewDiff' }),
    ...errorResponses(401, 403, 404, 409, 502),
  },
}
