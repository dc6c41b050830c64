// The findings on a pull request as clients see them, and the tool that lists them.
import { z } from 'zod'
import type { AppContext } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { PullRequestRef } from '../domain/pull-request.ts'
import { type ReviewDetail, readReview } from '../events/read-review.ts'
import { defineListTool, type McpTool, type ToolRecord } from './mcp-tool.ts'
import { repositoryNameInput } from './review-tools.ts'

export const pullRequestNumber = z.int().describe('The number of the pull request')

/** A finding. */
export const listedFindingSchema = z.object({
  severity: z.enum(['critical', 'moderate', 'minor']),
  category: z.string(),
  title: z.string(),
  body: z.string(),
  path: z.string(),
  side: z.enum(['LEFT', 'RIGHT']),
  start_line: z.int(),
  end_line: z.int(),
  suggestion: z.string().nullable().describe('What the lines would be replaced with'),
  confidence: z.number(),
  url: z.string().nullable().describe('Where it stands on the platform'),
})

/** What the latest review of a pull request found. */
export function createListFindingsTool({ db }: Pick<AppContext, 'db'>): McpTool {
  return defineListTool({
    kind: 'list',
    name: 'list_pr_findings',
    title: 'Findings on a pull request',
    description:
      'The open findings of the latest review of a pull request, the worst first, with suggested changes.',
    input: z.object({ repo: repositoryNameInput, pr_number: pullRequestNumber }),
    output: listedFindingSchema,
    run: async ({ repo, pr_number }) => {
      const event = await findListedEvent(db, { repo, number: pr_number })
      return event === undefined ? [] : serializeFindings(await readReview(db, [repo], event))
    },
  })
}

/** The event that stands for a pull request; undefined where it isn't known. */
export async function findListedEvent(
  db: Db,
  { repo, number }: PullRequestRef,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('pull_requests')
    .select('listed_event_id')
    .where('repo', '=', repo)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.listed_event_id ?? undefined
}

/** The open findings of a review. */
export function serializeFindings(review: ReviewDetail | undefined): ToolRecord[] {
  return (review?.findings ?? [])
    .filter(({ state }) => state === 'open')
    .map(
      ({
        severity,
        category,
        title,
        body,
        path,
        side,
        start_line,
        end_line,
        suggestion,
        confidence,
        comment_url,
      }) => {
        const where = { path, side, start_line, end_line }
        return {
          severity,
          category,
          title,
          body,
          ...where,
          suggestion,
          confidence,
          url: comment_url,
        }
      },
    )
}
