// Where reviews may look beside the repository: trackers of issues and errors, chats, reached by MCP.
import type { ContextSourceKind } from '../domain/live-context.ts'

/** How a source is asked: the first of these tools that it offers, with these arguments. */
export interface ToolCallTemplate {
  readonly tools: readonly string[]
  /**
   * Texts in them may hold `{key}`, `{query}`, `{path}` and `{symbols}`, which are filled in; all else is sent as it stands, but for what
   * the tool says that it doesn't take.
   */
  readonly arguments: Readonly<Record<string, unknown>>
}

/** An MCP server at an address, or a program that is one. */
export type SourceServer =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }

export interface ContextSourceConfig {
  /** Unique; shown in reviews. */
  readonly name: string
  readonly kind: ContextSourceKind
  readonly server: SourceServer
  /** One thing by its key, a search, and for errors one by names of functions. */
  readonly lookUp: ToolCallTemplate | null
  readonly search: ToolCallTemplate | null
  readonly searchSymbols: ToolCallTemplate | null
  /** By tool: the fingerprint that its description must have; the others are taken as they are first met. */
  readonly pins: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Names of repositories whose reviews ask it, as globs. */
  readonly repositories: readonly string[]
  /** Whether those of repositories that everybody can read ask it too: what it says is posted there. */
  readonly publicRepositories: boolean
  /** Whether those of pull requests from forks ask it too: their authors may have no right to write to the repository. */
  readonly forkPullRequests: boolean
  /** What of `server` must never be shown. */
  readonly secrets: readonly string[]
  /** Hosts of addresses that reviews may link to. */
  readonly linkHosts: readonly string[]
  /** The address of what was looked up, with `{key}` in it; null: what answers say counts. */
  readonly link: string | null
}

/** For all that one review asks of a source, where nothing else is said. */
export const defaultSourceTimeoutMs = 10_000
