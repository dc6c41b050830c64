// What an MCP server answers from: tools over the database of this process, or of the one that has it open.
import type { z } from 'zod'
import { findConnectedRepository } from '../accounts/scope.ts'
import type { Caller } from '../accounts/tokens.ts'
import {
  findCanonicalName,
  listConnectedRepositoryNames,
  listReviewRecords,
} from '../analytics/review-records.ts'
import { splitRepositoryName } from '../contract/repository-name.ts'
import { UmpireDatabaseError } from '../db/database-errors.ts'
import { UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { abortable } from '../lib/abortable.ts'
import type { Log } from '../lib/logger.ts'
import { checkOverdue } from '../workflows/connecting/check-access.ts'
import { type AgentToolsContext, createAgentTools } from './agent-tools.ts'
import { type CallLimiter, createCallLimiter } from './call-limiter.ts'
import type { McpTool, ToolCallContext, ToolRecord } from './mcp-tool.ts'
import { createReviewTools, describeReview } from './review-tools.ts'

/** What a tool answers: its records, and what went wrong where something did. */
export interface ToolAnswer {
  readonly kind: McpTool['kind']
  /** One for an object tool. */
  readonly records: readonly ToolRecord[]
  readonly fault: string | null
}

/** All that the server knows, whoever holds the database. A caller of null is a client without a token. */
export interface McpBackend {
  listTools(caller: Caller | null): Promise<readonly McpTool['definition'][]>
  /** Never throws; undefined where there is no tool of that name. */
  callTool(name: string, given: ToolRecord, asker: ToolCallContext): Promise<ToolAnswer | undefined>
  /** Those that are connected, by name. This and what follows throws `UmpireError` with words for the caller. */
  listRepositories(caller: Caller | null): Promise<readonly RepositoryName[]>
  /** The newest reviews of a repository; none of one that isn't known. */
  readReviews(repo: RepositoryName, caller: Caller | null): Promise<readonly ToolRecord[]>
  /** A repository's name as the platform spells it; undefined where the caller may not see it. */
  findRepository(repo: RepositoryName, caller: Caller | null): Promise<RepositoryName | undefined>
}

/** Of a tool that doesn't say otherwise. */
const deadlineMs = 30_000
const notConnectedMessage = 'Repo not connected or access denied'
const unreadableMessage = 'The answer could not be read from the database. Try again later.'
const maxListedRepositories = 1000
const maxResourceReviews = 50

/** Answers from the database that this process has open. Callers with a token have more tools, where that is turned on. */
export function createMcpBackend(ctx: AgentToolsContext): McpBackend {
  const { db, log, config } = ctx
  const open = indexTools(createReviewTools(ctx))
  const all = indexTools([
    ...open.values(),
    ...(config.mcp.agentTools ? createAgentTools(ctx) : []),
  ])
  const definitionsOf = (tools: ReadonlyMap<string, McpTool>) =>
    [...tools.values()].map(({ definition }) => definition)
  const definitions = { open: definitionsOf(open), all: definitionsOf(all) }
  const room = createCallLimiter()
  /** Those who are known by a token see what is connected to them, and no more. */
  const findVisible = async (repo: unknown, caller: Caller | null): Promise<string | undefined> => {
    if (typeof repo !== 'string') return undefined
    if (caller === null) return repo
    if (splitRepositoryName(repo) !== undefined) await checkOverdue(ctx, caller, repo)
    return findConnectedRepository(db, caller, repo)
  }
  const read = async <T>(caller: Caller | null, work: () => Promise<T>): Promise<T> => {
    const limited = AbortSignal.timeout(deadlineMs)
    try {
      return await abortable(room.run(caller, limited, work), limited)
    } catch (error) {
      if (isForCaller(error)) throw error
      log.warn({ err: error }, 'A resource could not be read')
      throw new UmpireError('mcp_fault', unreadableMessage, { cause: error, retryable: true })
    }
  }
  return {
    listTools: async (caller) => (caller === null ? definitions.open : definitions.all),
    async callTool(name, given, asker) {
      const tool = (asker.caller === null ? open : all).get(name)
      return tool && callTool(tool, given, { ...asker, findVisible, room, log })
    },
    listRepositories: (caller) =>
      read(caller, () => listConnectedRepositoryNames(db, caller, maxListedRepositories)),
    readReviews: (asked, caller) =>
      read(caller, async () => {
        const repo = await findVisible(asked, caller)
        return repo === undefined
          ? []
          : (await listReviewRecords(db, repo, maxResourceReviews)).map(describeReview)
      }),
    findRepository: (asked, caller) =>
      read(caller, () =>
        caller === null ? findCanonicalName(db, asked) : findVisible(asked, caller),
      ),
  }
}

function indexTools(tools: readonly McpTool[]): ReadonlyMap<string, McpTool> {
  return new Map(tools.map((tool) => [tool.name, tool]))
}

interface BackendCallContext extends ToolCallContext {
  /** The repository's name, for tools that are asked about one; undefined where the caller may not see it. */
  readonly findVisible: (repo: unknown, caller: Caller | null) => Promise<string | undefined>
  readonly room: CallLimiter
  readonly log: Log
}

async function callTool(
  tool: McpTool,
  given: ToolRecord,
  context: BackendCallContext,
): Promise<ToolAnswer> {
  const { caller, signal, findVisible, room, log } = context
  const parsed = tool.input.safeParse(given)
  if (!parsed.success) return createFailureAnswer(tool, given, describeInput(parsed.error))
  const limited = AbortSignal.any([signal, AbortSignal.timeout(tool.deadlineMs ?? deadlineMs)])
  const answer = async (): Promise<readonly ToolRecord[]> => {
    const repo = await findVisible(given.repo, caller)
    if (repo === undefined) throw new UmpireError('access_denied', notConnectedMessage)
    const input = { ...parsed.data, repo }
    const asker = { caller, signal: limited }
    return tool.kind === 'list' ? tool.run(input, asker) : [await tool.run(input, asker)]
  }
  try {
    return {
      kind: tool.kind,
      records: await abortable(
        tool.isWaiting ? answer() : room.run(caller, limited, answer),
        limited,
      ),
      fault: null,
    }
  } catch (error) {
    if (isForCaller(error)) return createFailureAnswer(tool, given, error.message)
    if (!signal.aborted) log.warn({ err: error, tool: tool.name }, 'A tool could not be answered')
    return createFailureAnswer(tool, given, unreadableMessage)
  }
}

/** What was said on purpose; what else went wrong is for the log. */
function isForCaller(error: unknown): error is UmpireError {
  return error instanceof UmpireError && !(error instanceof UmpireDatabaseError)
}

function createFailureAnswer(tool: McpTool, given: ToolRecord, fault: string): ToolAnswer {
  return {
    kind: tool.kind,
    records: tool.kind === 'list' ? [] : [tool.describeFailure(given, fault)],
    fault,
  }
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const name = issue.path.join('.')
  if (issue.code !== 'invalid_type') return `${name}: ${issue.message}`
  if (issue.message.endsWith('received undefined')) return `${name}: is missing`
  return `${name}: must be ${issue.expected === 'int' ? 'a whole number' : `of the type ${issue.expected}`}`
}

function describeInput(error: z.ZodError): string {
  return error.issues.map(describeIssue).join('; ')
}
