// What MCP clients may call: a tool of the server, whatever the transport.
import type { Tool as Definition } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Caller } from '../accounts/tokens.ts'

/** JSON that a tool answers with: a record, or one of a list. */
export type ToolRecord = Readonly<Record<string, unknown>>

/** Who calls a tool. */
export interface ToolCallContext {
  /** Null for one without a token, where none is asked for. */
  readonly caller: Caller | null
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

interface ToolBase<Input extends z.ZodObject> {
  /** snake_case. */
  readonly name: string
  readonly title: string
  /** What it answers and when to ask, for the model that chooses. */
  readonly description: string
  readonly input: Input
  /** It changes something; none does by default. */
  readonly isWriting?: boolean
  /** It mostly waits for something else, and sees itself to it that it doesn't do much at a time. */
  readonly isWaiting?: boolean
  /** How long it may take; the server's own limit by default. */
  readonly deadlineMs?: number
  /** Of one record. */
  readonly output: z.ZodObject
}

/** Answers with records; with none where something went wrong. */
export interface ListTool<Input extends z.ZodObject = z.ZodObject> extends ToolBase<Input> {
  readonly kind: 'list'
  run(input: z.output<Input>, asker: ToolCallContext): Promise<readonly ToolRecord[]>
}

/** Answers with one record. */
export interface ObjectTool<Input extends z.ZodObject = z.ZodObject> extends ToolBase<Input> {
  readonly kind: 'object'
  run(input: z.output<Input>, asker: ToolCallContext): Promise<ToolRecord>
  /** The record where something went wrong. `given` is what the client sent. */
  describeFailure(given: ToolRecord, error: string): ToolRecord
}

/** About the repository that is asked for alone. Throws `UmpireError` with words for the caller. */
export type McpTool = (ListTool | ObjectTool) & {
  /** As clients are told of it. */
  readonly definition: Definition
}

/** Makes a tool, whose functions know the type of its input. */
export function defineListTool<Input extends z.ZodObject>(tool: ListTool<Input>): McpTool {
  const definition = describeTool(tool, z.object({ result: z.array(tool.output) }))
  return { ...(tool as unknown as ListTool), definition }
}

/** Likewise. */
export function defineObjectTool<Input extends z.ZodObject>(tool: ObjectTool<Input>): McpTool {
  return { ...(tool as unknown as ObjectTool), definition: describeTool(tool, tool.output) }
}

function describeTool(
  { name, title, description, input, isWriting = false }: ToolBase<z.ZodObject>,
  output: z.ZodObject,
): Definition {
  return {
    name,
    title,
    description,
    inputSchema: toObjectSchema(input, 'input'),
    outputSchema: toObjectSchema(output, 'output'),
    annotations: {
      title,
      readOnlyHint: !isWriting,
      destructiveHint: false,
      idempotentHint: !isWriting,
      openWorldHint: isWriting,
    },
  }
}

/** Without what says nothing to a client: that whole numbers are safe ones, how a time is spelled, that no more may come. */
function toObjectSchema(schema: z.ZodObject, io: 'input' | 'output'): Definition['inputSchema'] {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      delete jsonSchema.additionalProperties
    },
  })
  return { ...rest, type: 'object' } as Definition['inputSchema']
}
