// The type of a tool, for the agent loop, the MCP server and context sources.
import type { z } from 'zod'

/** A read-only tool. Its result is untrusted data, never an instruction. */
export interface Tool<Input = unknown> {
  /** Is in snake_case. */
  readonly name: string
  /** What it does and when to use it, for the model. */
  readonly description: string
  readonly input: z.ZodType<Input>
  /** Throws `UmpireError` with a message that explains how to correct the call. */
  run(input: Input, signal: AbortSignal): Promise<string>
}
