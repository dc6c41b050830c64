// Defines the configuration of context sources: issue trackers, error trackers and chats over MCP.
import type { ContextSourceKind } from '../../domain/live-context.ts'

/** Calls the first of `tools` that the source offers. */
export interface ToolCallTemplate {
  readonly tools: readonly string[]
  /**
   * Texts may contain the placeholders `{key}`, `{query}`, `{path}` and `{symbols}`. Arguments that
   * the tool's schema doesn't accept are left out.
   */
  readonly arguments: Readonly<Record<string, unknown>>
}

/** An MCP server at an address, or a program that runs as one. */
export type SourceServer =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }

export interface ContextSourceConfig {
  /** Unique name that reviews show. */
  readonly name: string
  readonly kind: ContextSourceKind
  readonly server: SourceServer
  /** Reads one item by its key. */
  readonly lookUp: ToolCallTemplate | null
  readonly search: ToolCallTemplate | null
  /** Finds errors by the names of functions. */
  readonly searchSymbols: ToolCallTemplate | null
  /**
   * Required fingerprints of tool descriptions; other tools are pinned when they are first used.
   */
  readonly pins: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Globs of repository names whose reviews query the source. */
  readonly repositories: readonly string[]
  /** Whether reviews of public repositories query it, although its answers may be posted there. */
  readonly publicRepositories: boolean
  /** Whether reviews of forks query it, although their authors may lack write permission. */
  readonly forkPullRequests: boolean
  /** Parts of `server` that must never be shown. */
  readonly secrets: readonly string[]
  /** Hosts that reviews may link to. */
  readonly linkHosts: readonly string[]
  /** Address of an item with the placeholder `{key}`; null to use the address in the answer. */
  readonly link: string | null
}

/** Applies to all calls of one review to a source together. */
export const defaultSourceTimeoutMs = 10_000
