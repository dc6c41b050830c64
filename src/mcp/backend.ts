// What an MCP server answers from: tools over the database of this process, or of the one that has it open.
import type { z } from 'zod'
import { findConnectedRepository } from '../accounts/scope.ts'
import type { Caller } from '../accounts/tokens.ts'
import { listConnectedRepositories, listReviewRecords } from '../analytics/review-records.ts'
import { DatabaseFault } from '../db/errors.ts'
import { UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { abortable } from '../lib/abortable.ts'
import type { Log } from '../lib/logger.ts'
import { type AgentToolsContext, createAgentTools } from './agent-tools.ts'
import { createReviewTools, describeReview } from './review-tools.ts'
import type { Asker, McpTool, ToolRecord } from './tool.ts'

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
  callTool(name: string, given: ToolRecord, asker: Asker): Promise<ToolAnswer | undefined>
  /** Those that are connected, by name. */
  listRepositories(caller: Caller | null): Promise<readonly RepositoryName[]>
  /** The newest reviews of a repository; none of one that isn't known. */
  readReviews(repo: RepositoryName, caller: Caller | null): Promise<readonly ToolRecord[]>
}

/** Of a tool that doesn't say otherwise. */
const deadlineMs = 30_000
const notConnected = 'Repo not connected or access denied'
const mostRepositories = 1000
const mostReviews = 50

/** Answers from the database that this process has open. Callers with a token have more tools, where that is turned on. */
export function createMcpBackend(ctx: AgentToolsContext): McpBackend {
  const { db, log, config } = ctx
  const open = indexTools(createReviewTools(ctx))
  const all = indexTools([...open.values(), ...(config.mcp.agentTools ? createAgentTools(ctx) : [])])
  const definitionsOf = (tools: ReadonlyMap<string, McpTool>) => [...tools.values()].map(({ definition }) => definition)
  const definitions = { open: definitionsOf(open), all: definitionsOf(all) }
  /** Those who are known by a token see what is connected to them, and no more. */
  const findVisible = async (repo: unknown, caller: Caller | null): Promise<string | undefined> => {
    if (typeof repo !== 'string') return undefined
    return caller === null ? repo : findConnectedRepository(db, caller, repo)
  }
  return {
    listTools: async (caller) => (caller === null ? definitions.open : definitions.all),
    async callTool(name, given, asker) {
      const tool = (asker.caller === null ? open : all).get(name)
      return tool && callTool(tool, given, { ...asker, findVisible, log })
    },
    listRepositories: (caller) => listConnectedRepositories(db, caller, mostRepositories),
    async readReviews(asked, caller) {
      const repo = await findVisible(asked, caller)
      return repo === undefined ? [] : (await listReviewRecords(db, repo, mostReviews)).map(describeReview)
    },
  }
}

function indexTools(tools: readonly McpTool[]): ReadonlyMap<string, McpTool> {
  return new Map(tools.map((tool) => [tool.name, tool]))
}

interface CallContext extends Asker {
  /** The repository's name, for tools that are asked about one; undefined where the caller may not see it. */
  readonly findVisible: (repo: unknown, caller: Caller | null) => Promise<string | undefined>
  readonly log: Log
}

async function callTool(tool: McpTool, given: ToolRecord, context: CallContext): Promise<ToolAnswer> {
  const { caller, signal, findVisible, log } = context
  const parsed = tool.input.safeParse(given)
  if (!parsed.success) return answerFault(tool, given, describeInput(parsed.error))
  const limited = AbortSignal.any([signal, AbortSignal.timeout(tool.deadlineMs ?? deadlineMs)])
  const answer = async (): Promise<readonly ToolRecord[]> => {
    const repo = await findVisible(given.repo, caller)
    if (repo === undefined) throw new UmpireError('access_denied', notConnected)
    const input = { ...parsed.data, repo }
    const asker = { caller, signal: limited }
    return tool.kind === 'list' ? tool.run(input, asker) : [await tool.run(input, asker)]
  }
  try {
    return { kind: tool.kind, records: await abortable(answer(), limited), fault: null }
  } catch (error) {
    // What was said on purpose is for the caller; what else went wrong is for the log.
    const isOurs = error instanceof UmpireError && !(error instanceof DatabaseFault)
    if (isOurs) return answerFault(tool, given, error.message)
    if (!signal.aborted) log.warn({ err: error, tool: tool.name }, 'A tool could not be answered')
    return answerFault(tool, given, 'The answer could not be read from the database. Try again later.')
  }
}

function answerFault(tool: McpTool, given: ToolRecord, fault: string): ToolAnswer {
  return { kind: tool.kind, records: tool.kind === 'list' ? [] : [tool.describeFault(given, fault)], fault }
}

function describeInput(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
}
