// Declares the tables for Kysely and what their columns mean. The SQL is in migrations/.
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { DiffSide } from '../domain/diff.ts'
import type {
  Citation,
  Dismissal,
  Evidence,
  FindingCategory,
  FindingPlacement,
  FindingState,
  Severity,
} from '../domain/finding.ts'
import type { Impact } from '../domain/impact.ts'
import type { LiveContextSummary } from '../domain/live-context.ts'
import type { MemoryTrust, MemoryType, Provenance } from '../domain/memory.ts'
import type { PullRequestState } from '../domain/pull-request.ts'
import type { Coverage, ReviewBasis, ReviewWarning, Usage, Verdict } from '../domain/review.ts'

type Timestamp = ColumnType<Date, Date | string, Date | string>
type GeneratedTimestamp = ColumnType<Date, Date | string | undefined, Date | string>
type NullableTimestamp = ColumnType<
  Date | null,
  Date | string | null | undefined,
  Date | string | null
>

/** An event is waiting, claimed by a run, or ended. */
export type EventStatus = 'pending' | 'processing' | 'completed' | 'failed'

interface UsersTable {
  id: Generated<number>
  platform: string
  platform_user_id: string
  login: string
  name: Generated<string>
  avatar_url: Generated<string>
  is_admin: Generated<boolean>
  /** Encrypted and bound to the user; null before the first sign-in with a token. */
  encrypted_token: Buffer | null
  created_at: GeneratedTimestamp
}

/** An issued credential: a browser session or an API token. The JWT itself isn't stored. */
interface TokensTable {
  /** It is the `jti` of the JWT. */
  id: string
  user_id: number
  kind: 'session' | 'api'
  /** People name their tokens; sessions have no name. */
  name: Generated<string>
  /** Whether it makes its bearer an administrator, independent of the user. */
  grants_admin: Generated<boolean>
  created_at: GeneratedTimestamp
  expires_at: Timestamp
  /** Updated once per minute at most. */
  last_used_at: NullableTimestamp
  revoked_at: NullableTimestamp
}

/** Used OAuth states, stored until they expire so that none is accepted twice. */
interface UsedSignInStatesTable {
  digest: Buffer
  expires_at: Timestamp
}

/** Reservations of repositories that are being connected, see accounts/reservations.ts. */
interface RepositoryReservationsTable {
  /** The name is in lower case. */
  repo: string
  holder: string
  expires_at: Timestamp
  /** The new webhook's secret: its first delivery may arrive before the installation is stored. */
  webhook_secret: string | null
}

/** Records what people and the operator did. */
interface AuditLogTable {
  id: Generated<number>
  created_at: GeneratedTimestamp
  user_id: number | null
  /** The login that the person had at that time. */
  login: string
  action: AuditAction
  /** It names the object of the action: a repository, a pull request, a token or a memory. */
  subject: Generated<string>
}

export type AuditAction =
  | 'signed_in'
  | 'signed_out'
  | 'token_created'
  | 'token_revoked'
  | 'repository_connected'
  | 'repository_disconnected'
  | 'access_lost'
  | 'access_regained'
  | 'review_retried'
  | 'finding_dismissed'
  | 'finding_reopened'
  | 'repository_rescanned'
  | 'memory_added'
  | 'memory_edited'
  | 'memory_dismissed'

/** A repository that a user connected. Disconnecting keeps the row. */
interface InstallationsTable {
  id: Generated<number>
  user_id: number
  repo_full_name: string
  /** The platform's id of the repository; null in rows from before it was stored. */
  platform_repo_id: string | null
  webhook_id: number | null
  /** Consists of 64 hexadecimal characters. */
  webhook_secret: string
  is_active: Generated<boolean>
  created_at: GeneratedTimestamp
  deactivated_at: NullableTimestamp
  /** When the person's access must be checked next, see accounts/access-checks.ts. */
  access_check_due: GeneratedTimestamp
  /** When the platform last confirmed the access. */
  access_confirmed_at: NullableTimestamp
  /** Set while the platform denies access, during which the installation shows nothing. */
  access_lost_at: NullableTimestamp
}

interface EventsTable {
  id: Generated<number>
  /** Formatted as `<event>.<action>`. */
  event_type: string
  source: string
  delivery_id: string | null
  repo: string | null
  pr_number: number | null
  /** The received JSON, compressed as in events/payload.ts. */
  payload: Buffer
  status: Generated<EventStatus>
  /** Whether it requests a review. Other events are only recorded and stay pending. */
  wants_review: Generated<boolean>
  /** The run that last claimed it. */
  run_id: number | null
  /** Counts later deliveries that were skipped as duplicates while this one was unfinished. */
  duplicates: Generated<number>
  /** Why it failed without a run. */
  error: string | null
  created_at: GeneratedTimestamp
  processed_at: NullableTimestamp
}

/** The last known state of a pull request. The row is also locked to serialize its changes. */
interface PullRequestsTable {
  repo: string
  number: number
  title: string
  author: string
  branch: string
  base_branch: string
  url: string
  state: PullRequestState
  draft: Generated<boolean>
  head_sha: string
  additions: Generated<number>
  deletions: Generated<number>
  opened_at: NullableTimestamp
  merged_at: NullableTimestamp
  /** When the platform changed it, by the platform's clock. */
  updated_at: Timestamp
  /** The text that the search uses, see events/search-text.ts. */
  search_text: Generated<string>
  /** The platform's time of `state`, which may have been read after the newest payload. */
  state_as_of: NullableTimestamp
  /** False if only deliveries without a verified signature described it so far. */
  is_confirmed: Generated<boolean>
  /** When its state was last requested from the platform, by the database's clock. */
  state_checked_at: NullableTimestamp
  /** The event that represents it in the reviews list, see events/listing.ts. */
  listed_event_id: number | null
  /** The status that the listed event has. */
  listed_status: EventStatus | null
  /** When its newest event was stored. */
  last_event_at: NullableTimestamp
  /** When its threads were last checked for dismissals. */
  threads_checked_at: NullableTimestamp
  /** The latest completed run with a verdict, and its result; the counts are of open findings. */
  reviewed_run_id: number | null
  verdict: Verdict | null
  confidence: number | null
  critical_count: Generated<number>
  moderate_count: Generated<number>
  minor_count: Generated<number>
}

/** Copies of `search_text`, which are indexed. */
interface PullRequestSearchTable {
  repo: string
  number: number
  text: string
}

/** Background work that has not ended, see work/work-items.ts. */
interface WorkItemsTable {
  kind: 'review' | 'scan'
  repo: string
  /** It is the number of the pull request, and 0 for a scan. */
  number: number
  /** The owner of the repository in lower case, between whom capacity is shared. */
  owner: ColumnType<string, never, never>
  status: Generated<'pending' | 'processing'>
  /** How many times it was claimed, without claims that were given back. */
  attempts: Generated<number>
  /** How many of these attempts lost their worker. */
  losses: Generated<number>
  /** Increased by every claim; writes with an older number are rejected. */
  fence: Generated<number>
  /** The worker that holds the lease. */
  worker: string | null
  /** When a worker may claim it: the time of the next attempt, or the end of the lease. */
  due_at: GeneratedTimestamp
  /** When `due_at` was set. A later time than now means that the clock was set back. */
  scheduled_at: GeneratedTimestamp
  created_at: GeneratedTimestamp
  /** Why the last attempt failed, for people. */
  error: string | null
  error_code: string | null
}

/** A run waits for its next attempt, is in progress, or has ended. */
export type RunStatus = 'pending' | 'processing' | 'completed' | 'failed'

interface WorkflowRunsTable {
  id: Generated<number>
  workflow_type: 'pr_review'
  repo: string
  pr_number: number
  status: RunStatus
  /** How many times it was claimed, without claims that were given back. */
  attempts: Generated<number>
  created_at: GeneratedTimestamp
  started_at: NullableTimestamp
  finished_at: NullableTimestamp
  head_sha: string | null
  verdict: Verdict | null
  confidence: number | null
  /** Verdict, confidence line and free Markdown, which the API returns as `ai_summary`. */
  summary: string | null
  files_analyzed: Generated<number>
  /** Explains to people why it failed or what it waits for. */
  error: string | null
  error_code: string | null
  coverage: JSONColumnType<Coverage | null, string | null, string | null>
  usage: JSONColumnType<Usage | null, string | null, string | null>
  /** Contains everything that the verdict was computed from. */
  decision: JSONColumnType<Record<string, unknown> | null, string | null, string | null>
  /** Counts milliseconds by step. */
  timings: JSONColumnType<Record<string, number> | null, string | null, string | null>
  /** Where the summary was posted. */
  published_url: string | null
  /** Queries to trackers and chats; null where no source is configured. */
  sources: JSONColumnType<LiveContextSummary | null, string | null, string | null>
  /** The reported impact of the change; null where none was reported, and in older reviews. */
  reach: JSONColumnType<Impact | null, string | null, string | null>
  /** Warnings for the operator; null where there are none, and in older reviews. */
  warnings: JSONColumnType<readonly ReviewWarning[] | null, string | null, string | null>
  /** The event that makes a completed run start again; see `RedoTrigger`. */
  redo_when: 'reopened' | 'model' | null
  /** The changed lines that models have read, 8 bytes each; null where nothing was reviewed. */
  seen_lines: Buffer | null
  /** Data from which the verdict can be decided again; null in older runs. */
  basis: JSONColumnType<ReviewBasis | null, string | null, string | null>
  /** False while a completed run with a verdict still has to be evaluated for memories. */
  is_learned: Generated<boolean>
}

/** A finding, which is kept over all runs of its pull request. */
interface FindingsTable {
  id: Generated<number>
  repo: string
  pr_number: number
  fingerprint: string
  /** The runs that first reported it and last found it. */
  first_run_id: number
  last_run_id: number
  reviewer: string
  rule: string | null
  path: string
  side: DiffSide
  start_line: number
  end_line: number
  /** The code that it is about, to find it again when lines have moved. */
  quote: Generated<string>
  /** Hash of that code; empty in rows from before it was stored. */
  anchor_hash: Generated<string>
  severity: Severity
  category: FindingCategory
  title: string
  body: string
  suggestion: string | null
  evidence: JSONColumnType<Evidence[], string | undefined, string>
  rests_on: JSONColumnType<Citation | null, string | null, string | null>
  confidence: number
  verified: boolean
  state: FindingState
  /** Whether its code was removed while the finding stays valid. */
  removed: Generated<boolean>
  /** How many times it reappeared after it was resolved. */
  reopened: Generated<number>
  placement: FindingPlacement
  comment_url: string | null
  created_at: GeneratedTimestamp
  resolved_at: NullableTimestamp
}

/** The dismissal of a finding, which is not valid for later reappearances of the finding. */
interface DismissalsTable {
  repo: string
  pr_number: number
  fingerprint: string
  /** The finding's `reopened` when it was dismissed. */
  reopened: number
  /** It is the login on the platform. */
  login: string
  via: Dismissal['via']
  reason: Generated<string>
  created_at: GeneratedTimestamp
}

/** The cost of models, one row per model and attempt of a run. */
interface ModelSpendTable {
  id: Generated<number>
  run_id: number | null
  /** The name is in lower case; null in rows from before it was stored. */
  owner: string | null
  model: string
  calls: number
  input_tokens: number
  output_tokens: number
  cached_input_tokens: Generated<number>
  cost_usd: number | null
  created_at: GeneratedTimestamp
}

/** The waiting, running or last scan of a repository; each has one row. */
interface ScansTable {
  repo: string
  status: RunStatus
  /** Whether another scan was requested while it was running. */
  wanted_again: Generated<boolean>
  /** Whether the other scan must be `thorough`. */
  wanted_thorough: Generated<boolean>
  /** A person requested it, so it runs even if nothing was pushed since the last one. */
  thorough: Generated<boolean>
  requested_at: GeneratedTimestamp
  started_at: NullableTimestamp
  finished_at: NullableTimestamp
  /** Describes the current step, of which `done` out of `total` parts are finished. */
  step: Generated<string>
  done: Generated<number>
  total: Generated<number>
  /** The commit that the last scan read. */
  commit_sha: string | null
  /** A commit that the project's description in memory matches; null where there is none. */
  described_sha: string | null
  /** The repository's id on the platform; null where it wasn't requested yet. */
  platform_repo_id: string | null
  /** Whether the repository's settings permit models; null where no scan has read them yet. */
  asks_models: boolean | null
  error: string | null
  error_code: string | null
}

/** The code graph of a repository. When the row is deleted, scans delete the graph's data. */
interface CodeGraphsTable {
  /** Identifies the current files, symbols and edges. A rebuild changes it. */
  id: Generated<number>
  /** Identifies the index entries of blobs, see `CodeFactsTable`. */
  facts_id: Generated<number>
  /** Identifies a rebuild in progress; null where there is none, or it was abandoned. */
  building_id: number | null
  repo: string
  /** The fence of the scan that may write to it. */
  fence: Generated<number>
  /** The commit of the graph; null while the first one is being built. */
  commit_sha: string | null
  facts_version: Generated<number>
  /** Data besides paths by which imports are resolved, see knowledge/. */
  resolution: JSONColumnType<Record<string, unknown>, string | undefined, string>
  statistics: JSONColumnType<Record<string, unknown>, string | undefined, string>
  built_at: NullableTimestamp
}

/** The `FileIndex` of a blob. It is written before files refer to it. */
interface CodeFactsTable {
  /** Refers to the graph's `facts_id`. */
  graph_id: number
  oid: string
  /** The grammar for the path; empty for a language without one. */
  grammar: string
  version: number
  /** Depends on the content, see code/classify-file.ts. */
  kind: string
  /** It is null for binary files. */
  lines: number | null
  /** Why it has no index entry although it has a grammar. */
  unparsed: string | null
  /** Encoded by code/indexing/encode-file-index.ts; null where there is no entry. */
  facts: Buffer | null
}

/** Only files of the default branch are stored. */
interface CodeFilesTable {
  id: Generated<number>
  graph_id: number
  path: string
  oid: string
  /** Identifies its index entry together with `oid`. */
  grammar: string
  /** Linguist's name of the language; null where it is unknown. */
  language: string | null
  /** See code/classify-file.ts; submodules and symbolic links are `submodule` and `symlink`. */
  kind: string
  is_test: Generated<boolean>
  size: number
  /** Null for binary files and files that were not read. */
  lines: number | null
  complexity: number | null
  /** Why a file with a grammar has no index entry; null where it has one or has no grammar. */
  unparsed: string | null
  /** The package or namespace that it declares. */
  namespace: string | null
  /** The names that it uses, see knowledge/graph/name-filter.ts; null without an index entry. */
  used_names: Buffer | null
}

interface CodeSymbolsTable {
  graph_id: number
  file_id: number
  /** It is the position among the symbols of the file's index entry. */
  ordinal: number
  name: string
  kind: string
  container: Generated<string>
  start_line: number
  end_line: number
  exported: boolean
}

/** One file uses another one. The index entries of both contain the symbols. */
interface CodeEdgesTable {
  graph_id: number
  source_id: number
  target_id: number
  kind: 'import' | 'call' | 'reference' | 'extends'
  /** It is the highest confidence of its sites, from 0 to 1. */
  confidence: number
  sites: number
}

/**
 * Files that a review saw: the latest one with a verdict, and earlier ones that requested changes.
 */
interface PullRequestFilesTable {
  run_id: number
  repo: string
  pr_number: number
  /** The author that the pull request has. */
  author: string
  /** Whether the run is the pull request's `reviewed_run_id`. */
  latest: boolean
  requested_changes: boolean
  /** Changes when the file is renamed on the default branch. */
  path: string
  /** The directory that contains the path, `.` for the root. */
  directory: ColumnType<string, never, never>
  previous_path: string | null
  status: string
  additions: number
  deletions: number
  /** Names of the changed definitions, qualified by what contains them. */
  symbols: Generated<string[]>
}

interface PullRequestIssuesTable {
  repo: string
  pr_number: number
  issue_repo: string
  issue_number: number
  closes: boolean
}

/** Memories of a repository. Ended ones are kept as history. */
interface MemoriesTable {
  id: Generated<string>
  repo: string
  memory_type: MemoryType
  /** What it is about. Only one current memory of a type has the same subject. */
  subject: string
  text: string
  path: string | null
  component_type: string | null
  trust: MemoryTrust
  provenance: JSONColumnType<Provenance, string, string>
  /** Search terms and their weights, see knowledge/memory/terms.ts; empty after it ended. */
  terms: number[]
  weights: number[]
  created_at: GeneratedTimestamp
  updated_at: GeneratedTimestamp
  /** The newer memory that has the same subject. */
  superseded_by: string | null
  /** When it was superseded or dismissed, or its subject was removed. */
  ended_at: NullableTimestamp
  /** Login of the person who dismissed it; null where no one did. */
  ended_by: string | null
}

/** Counts the current memories with a term. Terms are hashed with their repository. */
interface MemoryTermsTable {
  term: number
  memories: number
}

/** Vectors of current memories, stored where an embedder is configured. */
interface MemoryVectorsTable {
  memory_id: string
  repo: string
  /** Names the model that computed it. */
  embedder: string
  /** Has a bit for each dimension, which is set where the value is above 0. */
  signs: string
  /**
   * Has a signed byte for each dimension, see knowledge/memory/vectors.ts; `norm` is its length.
   */
  vector: Buffer
  norm: number
}

/** A tool that is trusted since its first use, see tools/sources/pin-store.ts. */
interface ContextToolsTable {
  source: string
  tool: string
  fingerprint: string
  first_seen: GeneratedTimestamp
}

export interface Schema {
  users: UsersTable
  tokens: TokensTable
  used_sign_in_states: UsedSignInStatesTable
  repository_reservations: RepositoryReservationsTable
  audit_log: AuditLogTable
  installations: InstallationsTable
  events: EventsTable
  pull_requests: PullRequestsTable
  pull_request_search: PullRequestSearchTable
  workflow_runs: WorkflowRunsTable
  work_items: WorkItemsTable
  findings: FindingsTable
  dismissals: DismissalsTable
  model_spend: ModelSpendTable
  scans: ScansTable
  code_graphs: CodeGraphsTable
  code_facts: CodeFactsTable
  code_files: CodeFilesTable
  code_symbols: CodeSymbolsTable
  code_edges: CodeEdgesTable
  pull_request_files: PullRequestFilesTable
  pull_request_issues: PullRequestIssuesTable
  memories: MemoriesTable
  memory_terms: MemoryTermsTable
  memory_vectors: MemoryVectorsTable
  context_tools: ContextToolsTable
}
