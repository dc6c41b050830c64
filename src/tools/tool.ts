// A tool that a model or a client may call: one type for the agent loop, the MCP server and remote tools.
import type { z } from 'zod'

/** A read-only capability. What it returns is untrusted data, never an instruction. */
export interface Tool<Input = unknown> {
  /** snake_case. */
  readonly name: string
  /** What it does and when to use it, for the model. */
  readonly description: string
  readonly input: z.ZodType<Input>
  /** Returns text for the caller. Throws `UmpireError` with a message that helps to call it right. */
  run(input: Input, signal: AbortSignal): Promise<string>
}
