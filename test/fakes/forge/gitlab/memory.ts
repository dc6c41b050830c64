// What GitLab keeps and the shared state has no place for, beside each running forge.
import type { Issue, PullRequest, User } from '../entities.ts'
import { announceChange, type ForgeState, nextId, now } from '../state.ts'

/** A note that the server wrote about what somebody did. */
export interface SystemNote {
  readonly id: number
  readonly author: User
  readonly body: string
  readonly createdAt: string
}

/** A thread without a place in the diff, by the id of its first note. */
export interface PlainThread {
  readonly root: number
  resolvedBy: User | null
}

/** The diff of a merge request after one push. */
export interface Version {
  readonly id: number
  readonly createdAt: string
  readonly baseSha: string
  readonly startSha: string
  readonly headSha: string
}

export type StatusState = 'pending' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped'

/** The part of a commit status that GitHub's lacks: it is a job of a pipeline. */
export interface Job {
  state: StatusState
  readonly pipeline: Pipeline
  readonly coverage: number | null
  startedAt: string | null
  finishedAt: string | null
}

export interface Pipeline {
  readonly id: number
  readonly iid: number
  readonly sha: string
  readonly ref: string
  readonly createdAt: string
}

export interface HookSettings {
  readonly name: string | null
  readonly description: string | null
  readonly verifiesCertificate: boolean
  readonly signingToken: string | null
  readonly branchFilter: string | null
}

/** A line's numbers, as positions have them. */
export interface LineEnd {
  readonly line_code: string | null
  readonly type: string | null
  readonly old_line: number | null
  readonly new_line: number | null
}

/** Where a note is in a diff, as it is sent and shown. */
export interface Position {
  readonly base_sha: string
  readonly start_sha: string
  readonly head_sha: string
  readonly old_path: string
  readonly new_path: string
  readonly position_type: 'text'
  readonly old_line: number | null
  readonly new_line: number | null
  readonly line_range: { readonly start: LineEnd; readonly end: LineEnd } | null
}

/** A note that only its author sees until it is published. */
export interface DraftNote {
  readonly id: number
  readonly author: User
  note: string
  readonly position: unknown
  readonly discussionId: string | null
  readonly resolves: boolean
}

interface RefreshGrant {
  readonly user: User
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly accessToken: string
}

interface Memory {
  readonly systemNotes: Map<Issue, SystemNote[]>
  /** By the id of each of its notes. */
  readonly threads: Map<number, PlainThread>
  /** When a thread was resolved, by the id of its first note. */
  readonly resolvedAt: Map<number, string>
  readonly versions: Map<PullRequest, Version[]>
  readonly closedBy: Map<PullRequest, User>
  /** By the id of the commit status. */
  readonly jobs: Map<number, Job>
  readonly pipelines: Pipeline[]
  readonly hooks: Map<number, HookSettings>
  /** The places that notes were made at, by their id. */
  readonly positions: Map<number, Position>
  readonly drafts: Map<PullRequest, DraftNote[]>
  readonly refreshGrants: Map<string, RefreshGrant>
  /** Tokens that were replaced or revoked. */
  readonly revoked: Set<string>
  /** Whether the current head of the one merges into the other, by their two commits. */
  readonly conflicts: Map<string, boolean>
}

const memories = new WeakMap<ForgeState, Memory>()

export function memoryOf(state: ForgeState): Memory {
  const known = memories.get(state)
  if (known !== undefined) return known
  const memory: Memory = {
    systemNotes: new Map(),
    threads: new Map(),
    resolvedAt: new Map(),
    versions: new Map(),
    closedBy: new Map(),
    jobs: new Map(),
    pipelines: [],
    hooks: new Map(),
    positions: new Map(),
    drafts: new Map(),
    refreshGrants: new Map(),
    revoked: new Set(),
    conflicts: new Map(),
  }
  memories.set(state, memory)
  return memory
}

/** Writes a system note. It has no delivery (app/services/notes/post_process_service.rb). */
export function addSystemNote(state: ForgeState, issue: Issue, author: User, body: string): void {
  const { systemNotes } = memoryOf(state)
  const note = { id: nextId(state), author, body, createdAt: now(state) }
  systemNotes.set(issue, [...(systemNotes.get(issue) ?? []), note])
  announceChange(state)
}
