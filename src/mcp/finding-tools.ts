// Creates the MCP tool that lists the findings of a pull request.
import { z } from 'zod'
import type { AppContext } from '../context.ts'
import { findListedEvent } from '../events/listing.ts'
import { type ReviewDetail, readReview } from '../events/read-review.ts'
import { defineListTool, type McpTool, type ToolRecord } from './mcp-tool.ts'
import { repositoryNameInput } from './review-tools.ts'

export const pullRequestNumber = z.int().describe('Number of the pull request')

export const listedFindingSchema = z.object({
  severity: z.enum(['critical', 'moderate', 'minor']),
  category: z.string(),
  title: z.string(),
  body: z.string(),
  path: z.string(),
  side: z.enum(['LEFT', 'RIGHT']),
  start_line: z.int(),
  end_line: z.int(),
  suggestion: z.string().nullable().describe('Suggested replacement for the lines'),
  confidence: z.number(),
  url: z.string().nullable().describe('URL of the comment on the code-hosting platform'),
})

export function createListFindingsTool({ db }: Pick<AppContext, 'db'>): McpTool {
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
      return event === undefined ? [] : serializeFindings(await readReview(db, [repo], event))
    },
  })
}

/** Serializes the open findings of a review. */
export function serializeFindings(review: ReviewDetail | undefined): ToolRecord[] {
  const findings = review?.findings ?? []
  return findings
    .filter(({ state }) => state === 'open')
    .map((finding) => ({
      severity: finding.severity,
      category: finding.category,
      title: finding.title,
      body: finding.body,
      path: finding.path,
      side: finding.side,
      start_line: finding.start_line,
      end_line: finding.end_line,
      suggestion: finding.suggestion,
      confidence: finding.confidence,
      url: finding.comment_url,
    }))
}
