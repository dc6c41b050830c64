// Defines the backend of MCP servers and creates the one that reads the database.
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
import { checkOverdueAccess } from '../workflows/connecting/check-access.ts'
import { type AgentToolsContext, createAgentTools } from './agent-tools.ts'
import { type CallLimiter, createCallLimiter } from './call-limiter.ts'
import type { McpTool, ToolCallContext, ToolRecord } from './mcp-tool.ts'
import { createReviewTools, describeReviews } from './review-tools.ts'

export interface ToolAnswer {
  readonly kind: McpTool['kind']
  /** An object tool has exactly one record. */
  readonly records: readonly ToolRecord[]
  /** The error message of a failed call, which is part of the control socket's protocol. */
  readonly fault: string | null
}

/**
 * Provides the data of an MCP server, from the database or through the control socket. A caller of
 * null is a client without a token. Methods other than `callTool` throw `UmpireError` with a
 * message for the caller.
 */
export interface McpBackend {
  listTools(caller: Caller | null): Promise<readonly McpTool['definition'][]>
  /** Never throws. Returns undefined if there is no tool of that name. */
  callTool(
    name: string,
    given: ToolRecord,
    context: ToolCallContext,
  ): Promise<ToolAnswer | undefined>
  /** Lists the connected repositories, sorted by name. */
  listRepositories(caller: Caller | null): Promise<readonly RepositoryName[]>
  /** Reads the newest reviews of a repository. An unknown repository has none. */
  readReviews(repo: RepositoryName, caller: Caller | null): Promise<readonly ToolRecord[]>
  /** Returns the name as the platform spells it, or undefined if the caller can't see it. */
  findRepository(repo: RepositoryName, caller: Caller | null): Promise<RepositoryName | undefined>
}

const defaultDeadlineMs = 30_000
const notConnectedMessage = 'Repo not connected or access denied'
const unreadableMessage = 'The answer could not be read from the database. Try again later.'
const maxListedRepositories = 1000
const maxResourceReviews = 50

/** Creates the backend. Callers with a token have the agent tools too, if these are configured. */
export function createMcpBackend(ctx: AgentToolsContext): McpBackend {
  const { db, log, config } = ctx
  const publicTools = createReviewTools(ctx)
  const agentTools = config.mcp.agentTools ? createAgentTools(ctx) : []
  const toolsWithoutToken = createToolSet(publicTools)
  const toolsWithToken = createToolSet([...publicTools, ...agentTools])
  const chooseTools = (caller: Caller | null) =>
    caller === null ? toolsWithoutToken : toolsWithToken
  const limiter = createCallLimiter()
  /** Callers with a token see only the repositories that are connected to their account. */
  const findVisible = async (name: unknown, caller: Caller | null): Promise<string | undefined> => {
    if (typeof name !== 'string') return undefined
    const repo = ctx.hosts.shorten(name)
    if (caller === null) return repo
    if (splitRepositoryName(repo) !== undefined) await checkOverdueAccess(ctx, caller, repo)
    return findConnectedRepository(db, caller, repo)
  }
  const read = async <T>(caller: Caller | null, work: () => Promise<T>): Promise<T> => {
    const deadline = AbortSignal.timeout(defaultDeadlineMs)
    try {
      return await abortable(limiter.run(caller, deadline, work), deadline)
    } catch (error) {
      if (isForCaller(error)) throw error
      log.warn({ err: error }, 'A resource could not be read')
      throw new UmpireError('mcp_fault', unreadableMessage, { cause: error, retryable: true })
    }
  }
  return {
    listTools: async (caller) => chooseTools(caller).definitions,
    async callTool(name, given, context) {
      const tool = chooseTools(context.caller).byName.get(name)
      return tool && callTool(tool, given, { ...context, findVisible, limiter, log })
    },
    listRepositories: (caller) =>
      read(caller, () => listConnectedRepositoryNames(db, caller, maxListedRepositories)),
    readReviews: (requestedName, caller) =>
      read(caller, async () => {
        const repo = await findVisible(requestedName, caller)
        if (repo === undefined) return []
        return describeReviews(await listReviewRecords(db, repo, maxResourceReviews))
      }),
    async findRepository(requestedName, caller) {
      return read(caller, () =>
        caller === null
          ? findCanonicalName(db, ctx.hosts.shorten(requestedName))
          : findVisible(requestedName, caller),
      )
    },
  }
}

interface ToolSet {
  readonly byName: ReadonlyMap<string, McpTool>
  readonly definitions: readonly McpTool['definition'][]
}

function createToolSet(tools: readonly McpTool[]): ToolSet {
  return {
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    definitions: tools.map(({ definition }) => definition),
  }
}

interface BackendCallContext extends ToolCallContext {
  /** Returns the name of the requested repository, or undefined if the caller can't see it. */
  readonly findVisible: (repo: unknown, caller: Caller | null) => Promise<string | undefined>
  readonly limiter: CallLimiter
  readonly log: Log
}

async function callTool(
  tool: McpTool,
  given: ToolRecord,
  context: BackendCallContext,
): Promise<ToolAnswer> {
  const { caller, signal, findVisible, limiter, log } = context
  const parsed = tool.input.safeParse(given)
  if (!parsed.success) return createFailureAnswer(tool, given, describeInvalidInput(parsed.error))
  const timeout = AbortSignal.timeout(tool.deadlineMs ?? defaultDeadlineMs)
  const deadline = AbortSignal.any([signal, timeout])
  const run = async (): Promise<readonly ToolRecord[]> => {
    const repo = await findVisible(given.repo, caller)
    if (repo === undefined) throw new UmpireError('access_denied', notConnectedMessage)
    const input = { ...parsed.data, repo }
    return tool.run(input, { caller, signal: deadline })
  }
  try {
    const running = tool.isWaiting ? run() : limiter.run(caller, deadline, run)
    return { kind: tool.kind, records: await abortable(running, deadline), fault: null }
  } catch (error) {
    if (isForCaller(error)) return createFailureAnswer(tool, given, error.message)
    if (!signal.aborted) log.warn({ err: error, tool: tool.name }, 'A tool call failed')
    return createFailureAnswer(tool, given, unreadableMessage)
  }
}

/** Returns whether the message of an error is for the caller. Other errors are only logged. */
function isForCaller(error: unknown): error is UmpireError {
  return error instanceof UmpireError && !(error instanceof UmpireDatabaseError)
}

function createFailureAnswer(tool: McpTool, given: ToolRecord, message: string): ToolAnswer {
  return {
    kind: tool.kind,
    records: tool.describeFailure(given, message),
    fault: message,
  }
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const name = issue.path.join('.')
  if (issue.code !== 'invalid_type') return `${name}: ${issue.message}`
  if (issue.message.endsWith('received undefined')) return `${name}: is missing`
  if (issue.expected === 'int') return `${name}: must be a whole number`
  return `${name}: must be of the type ${issue.expected}`
}

function describeInvalidInput(error: z.ZodError): string {
  return error.issues.map(describeIssue).join('; ')
}
