// Creates the MCP tool that lists the findings of a pull request.
import { z } from 'zod'
import type { ServiceContext } from '../context.ts'
import { finding } from '../contract/review-endpoints.ts'
import { findListedEvent } from '../events/listing.ts'
import { type ReviewDetail, readReview } from '../events/read-review.ts'
import { defineListTool, type McpTool } from './mcp-tool.ts'
import { repositoryNameInput } from './review-tools.ts'

export const pullRequestNumber = z.int().describe('Number of the pull request')

const { shape } = finding

export const listedFindingSchema = z.object({
  severity: shape.severity,
  category: shape.category,
  title: shape.title,
  body: shape.body,
  path: shape.path,
  side: shape.side,
  start_line: shape.start_line,
  end_line: shape.end_line,
  suggestion: shape.suggestion,
  confidence: shape.confidence,
  url: shape.comment_url,
})

export function createListFindingsTool({ db }: Pick<ServiceContext, 'db'>): McpTool {
  return defineListTool({
    kind: 'list',
    name: 'list_pr_findings',
    title: 'Findings on a pull request',
    description:
      'Returns the open findings of the latest review of a pull request, most severe first, with ' +
      'suggested changes.',
    input: z.object({ repo: repositoryNameInput, pr_number: pullRequestNumber }),
    output: listedFindingSchema,
    run: async ({ repo, pr_number }) => {
      const event = await findListedEvent(db, { repo, number: pr_number })
      return event === undefined ? [] : listOpenFindings(await readReview(db, [repo], event))
    },
  })
}

/** A review that is gone has no findings. */
export function listOpenFindings(review: ReviewDetail | undefined) {
  const open = review?.findings.filter(({ state }) => state === 'open') ?? []
  return open.map(({ commentUrl, ...finding }) => ({ ...finding, url: commentUrl }))
}
