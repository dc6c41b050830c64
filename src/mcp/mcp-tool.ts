// Defines what an MCP tool is and describes tools to clients.
import type { Tool as Definition } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Caller } from '../accounts/tokens.ts'
import { compileSerializer, type RecordOf } from '../contract/records.ts'

/** A JSON object that a tool returns, alone or in a list. */
export type ToolRecord = Readonly<Record<string, unknown>>

export interface ToolCallContext {
  /** A client without a token has the caller null. */
  readonly caller: Caller | null
  /** Aborted when the client disconnects or the deadline passes. */
  readonly signal: AbortSignal
}

interface ToolBase<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** Written in snake_case. */
  readonly name: string
  readonly title: string
  /** Explains to a model what the tool returns and when to call it. */
  readonly description: string
  readonly input: Input
  /** Whether the tool changes something. The default is false. */
  readonly isWriting?: boolean
  /** Whether the tool mostly waits and limits its own work, so that no call limit is needed. */
  readonly isWaiting?: boolean
  /** If missing, the default deadline of calls applies. */
  readonly deadlineMs?: number
  /** Describes one record, as clients get it. */
  readonly output: Output
}

/** A tool that returns records, and an empty list if it fails. */
interface ListTool<Input extends z.ZodObject, Output extends z.ZodObject>
  extends ToolBase<Input, Output> {
  readonly kind: 'list'
  run(
    input: z.output<Input>,
    context: ToolCallContext,
  ): Promise<readonly RecordOf<z.output<Output>>[]>
}

/** A tool that returns one record. */
interface ObjectTool<Input extends z.ZodObject, Output extends z.ZodObject>
  extends ToolBase<Input, Output> {
  readonly kind: 'object'
  run(input: z.output<Input>, context: ToolCallContext): Promise<RecordOf<z.output<Output>>>
  /** Returns the record for a failed call. `given` is the input that the client sent. */
  describeFailure(given: ToolRecord, error: string): RecordOf<z.output<Output>>
}

/**
 * A tool that returns data of the requested repository only. It throws `UmpireError` with a message
 * for the caller.
 */
export interface McpTool
  extends Pick<ToolBase<z.ZodObject, z.ZodObject>, 'name' | 'input' | 'isWaiting' | 'deadlineMs'> {
  readonly kind: 'list' | 'object'
  /** The description of the tool that clients get. */
  readonly definition: Definition
  /** Returns the records as clients get them, exactly one from an object tool. */
  run(input: ToolRecord, context: ToolCallContext): Promise<readonly ToolRecord[]>
  describeFailure(given: ToolRecord, error: string): readonly ToolRecord[]
}

/** Defines a tool. Its functions get the types of its input and records from the schemas. */
export function defineListTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ListTool<Input, Output>,
): McpTool {
  const serialize = compileSerializer(tool.output)
  return {
    ...tool,
    definition: describeTool(tool, z.object({ result: z.array(tool.output) })),
    run: async (input, context) => (await tool.run(input as never, context)).map(serialize),
    describeFailure: () => [],
  }
}

/** Defines a tool. Its functions get the types of its input and record from the schemas. */
export function defineObjectTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ObjectTool<Input, Output>,
): McpTool {
  const serialize = compileSerializer(tool.output)
  return {
    ...tool,
    definition: describeTool(tool, tool.output),
    run: async (input, context) => [serialize(await tool.run(input as never, context))],
    describeFailure: (given, error) => [serialize(tool.describeFailure(given, error))],
  }
}

function describeTool(
  { name, title, description, input, isWriting = false }: ToolBase<z.ZodObject, z.ZodObject>,
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

/** Removes keywords that zod adds and clients don't need, which would cost tokens of a model. */
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
