// The tables, as Kysely sees them. Their meaning stands beside each; the SQL is in migrations/.
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

/** States of an event; see the interface's table of transitions. */
export type EventStatus = 'pending' | 'processing' | 'completed' | 'failed'

/** A person who signed in. */
export interface UsersTable {
  id: Generated<number>
  platform: string
  platform_user_id: string
  login: string
  name: string
  avatar_url: string
  is_admin: Generated<boolean>
  /** Authenticated encryption bound to the user; null before the first sign-in with a token. */
  encrypted_token: Buffer | null
  created_at: GeneratedTimestamp
}

/** A credential that was given out: a browser's session, or a named token for programs. The JWT itself isn't kept. */
export interface TokensTable {
  /** The `jti` of the JWT. */
  id: string
  user_id: number
  kind: 'session' | 'api'
  /** Given by the person; empty for sessions. */
  name: Generated<string>
  /** Whether it makes its bearer an administrator, whoever the user is. */
  grants_admin: Generated<boolean>
  created_at: GeneratedTimestamp
  expires_at: Timestamp
  /** To the minute. */
  last_used_at: NullableTimestamp
  revoked_at: NullableTimestamp
}

/** OAuth states that were redeemed, until they expire by themselves: none counts twice. */
export interface UsedSignInStatesTable {
  digest: Buffer
  expires_at: Timestamp
}

/** Who is connecting or disconnecting a repository at the moment, see accounts/reservations.ts. */
export interface RepositoryReservationsTable {
  /** In lower case. */
  repo: string
  holder: string
  expires_at: Timestamp
  /** Of the webhook that is being made: its first delivery may come before it is stored. */
  webhook_secret: Generated<string | null>
}

/** What people and the operator did. */
export interface AuditLogTable {
  id: Generated<number>
  created_at: GeneratedTimestamp
  user_id: number | null
  /** As it was then. */
  login: string
  action: AuditAction
  /** What it was done to: a repository, a pull request, the name of a token, a memory. */
  subject: string
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

/** A repository connected by a user. Disconnecting keeps the record. */
export interface InstallationsTable {
  id: Generated<number>
  user_id: number
  repo_full_name: string
  /** Which repository had that name then; null in records from before it was written down. */
  platform_repo_id: Generated<string | null>
  webhook_id: number | null
  /** 64 hex characters. */
  webhook_secret: string
  is_active: boolean
  created_at: GeneratedTimestamp
  deactivated_at: NullableTimestamp
  /** When the platform is to be asked again whether the person may see the repository, see accounts/access-checks.ts. */
  access_check_due: GeneratedTimestamp
  /** When it last said so after the connection was made. */
  access_confirmed_at: NullableTimestamp
  /** Set while it says no: nothing is shown through the connection then. */
  access_lost_at: NullableTimestamp
}

/** One accepted webhook delivery. */
export interface EventsTable {
  id: Generated<number>
  /** `<event>.<action>`. */
  event_type: string
  source: string
  delivery_id: string | null
  repo: string | null
  pr_number: number | null
  /** The received JSON, see events/payload.ts. */
  payload: Buffer
  status: Generated<EventStatus>
  /** Whether a review was scheduled for it; the others only get recorded and stay pending. */
  wants_review: boolean
  /** The run that took it up last. */
  run_id: number | null
  /** How many later deliveries were skipped because this one was still to be settled. */
  duplicates: Generated<number>
  /** Why it failed without a run. */
  error: string | null
  created_at: GeneratedTimestamp
  processed_at: NullableTimestamp
}

/** The last known state of a pull request, from the payload with the newest `updated_at`. Also the lock of its PR. */
export interface PullRequestsTable {
  repo: string
  number: number
  title: string
  author: string
  branch: string
  base_branch: string
  url: string
  state: PullRequestState
  draft: boolean
  head_sha: string
  additions: number
  deletions: number
  opened_at: NullableTimestamp
  merged_at: NullableTimestamp
  /** The platform's clock. */
  updated_at: Timestamp
  /** See events/search-text.ts. */
  search_text: Generated<string>
  /** The platform's clock when `state` was so: a live look may have been newer than all payloads. */
  state_as_of: NullableTimestamp
  /** False from a delivery whose signature nobody checked until the platform says how the pull request is. */
  is_confirmed: Generated<boolean>
  /** When the platform was asked last for the state; our clock. */
  state_checked_at: NullableTimestamp
  /** The event that stands for it in the reviews list, see events/listing.ts; null before the first one. */
  listed_event_id: Generated<number | null>
  /** That event's status. */
  listed_status: Generated<EventStatus | null>
  /** When its newest event was created. */
  last_event_at: NullableTimestamp
  /** When its threads were looked at last for dismissals, by the round over them. */
  threads_checked_at: NullableTimestamp
  /** The latest completed run that came to a verdict, and what it came to; the counts are of open findings. */
  reviewed_run_id: Generated<number | null>
  verdict: Generated<Verdict | null>
  confidence: Generated<number | null>
  critical_count: Generated<number>
  moderate_count: Generated<number>
  minor_count: Generated<number>
}

/** The `search_text` of each pull request once more, with an index. */
export interface PullRequestSearchTable {
  repo: string
  number: number
  text: string
}

/** States of a run: waiting for its next try, held by a worker under a lease, or ended. */
export type RunStatus = 'pending' | 'processing' | 'completed' | 'failed'

/** One piece of background work with its tries; today always the review of a pull request. */
export interface WorkflowRunsTable {
  id: Generated<number>
  workflow_type: 'pr_review'
  repo: string
  pr_number: number
  status: RunStatus
  /** How often it was claimed. */
  attempts: number
  /** How many of these claims lost their worker. */
  losses: Generated<number>
  /** Raised by every claim: writes that carry an older number are refused. */
  fence: number
  /** Name of the worker that holds it. */
  worker: string | null
  /** The database's clock. */
  lease_until: NullableTimestamp
  /** Not to be tried again before. */
  retry_at: NullableTimestamp
  /** When it began to wait for that. */
  put_back_at: NullableTimestamp
  created_at: GeneratedTimestamp
  started_at: NullableTimestamp
  finished_at: NullableTimestamp
  head_sha: string | null
  verdict: Verdict | null
  confidence: number | null
  /** Verdict word, confidence line, free Markdown: the interface's `ai_summary`. */
  summary: string | null
  files_analyzed: Generated<number>
  /** Why it failed or what it waits for, in words for people. */
  error: string | null
  error_code: string | null
  coverage: JSONColumnType<Coverage | null, string | null, string | null>
  usage: JSONColumnType<Usage | null, string | null, string | null>
  /** All that the verdict was computed from. */
  decision: JSONColumnType<Record<string, unknown> | null, string | null, string | null>
  /** Milliseconds by step. */
  timings: JSONColumnType<Record<string, number> | null, string | null, string | null>
  /** Where the summary stands on the platform. */
  published_url: string | null
  /** What trackers and chats were asked for it; null where there are none. */
  sources: JSONColumnType<LiveContextSummary | null, string | null, string | null>
  /** What was told of the reach of its change; null where nothing was, and in older reviews. */
  reach: JSONColumnType<Impact | null, string | null, string | null>
  /** For the operator; null where there is nothing, and in older reviews. */
  warnings: JSONColumnType<readonly ReviewWarning[] | null, string | null, string | null>
  /** What a completed run waits for to be done again; see `RedoTrigger`. */
  redo_when: 'reopened' | 'model' | null
  /** The changed lines that models have read so far, 8 bytes each; null where the run reviewed nothing. */
  seen_lines: Buffer | null
  /** What its verdict can be decided anew from; null in older runs. */
  basis: JSONColumnType<ReviewBasis | null, string | null, string | null>
  /** False between the end of a run that came to a verdict and learning from it. */
  is_learned: Generated<boolean>
}

/** A finding, durable over all runs of its pull request. */
export interface FindingsTable {
  id: Generated<number>
  repo: string
  pr_number: number
  fingerprint: string
  /** The run that raised it first, and the last one that saw it. */
  first_run_id: number
  last_run_id: number
  reviewer: string
  rule: string | null
  path: string
  side: DiffSide
  start_line: number
  end_line: number
  /** The code it is about, to find it again when lines moved. */
  quote: string
  /** Of the code there; empty where it is from before there was one. */
  anchor_hash: string
  severity: Severity
  category: FindingCategory
  title: string
  body: string
  suggestion: string | null
  evidence: JSONColumnType<Evidence[], string, string>
  rests_on: JSONColumnType<Citation | null, string | null, string | null>
  confidence: number
  verified: boolean
  state: FindingState
  /** Its code is gone, and it counts all the same. */
  removed: Generated<boolean>
  /** How often it came back after it had been resolved. */
  reopened: Generated<number>
  placement: FindingPlacement
  comment_url: string | null
  created_at: GeneratedTimestamp
  resolved_at: NullableTimestamp
}

/** Who dismissed a finding. One that came back under the same fingerprint isn't dismissed by it. */
export interface DismissalsTable {
  repo: string
  pr_number: number
  fingerprint: string
  /** As of the finding then. */
  reopened: number
  /** Username on the platform. */
  login: string
  via: Dismissal['via']
  reason: Generated<string>
  created_at: GeneratedTimestamp
}

/** What models cost, one row for each try of a run. */
export interface ModelSpendTable {
  id: Generated<number>
  run_id: number | null
  /** In lower case; null in records from before it was written down. */
  owner: string | null
  model: string
  calls: number
  input_tokens: number
  output_tokens: number
  cached_input_tokens: number
  cost_usd: number | null
  created_at: GeneratedTimestamp
}

/** The scan of a repository: one row each, for the one that waits, runs, or was last. */
export interface ScansTable {
  repo: string
  status: RunStatus
  /** Asked for while it was running, for what it may not have seen any more. */
  wanted_again: Generated<boolean>
  /** That one is to be `thorough`. */
  wanted_thorough: Generated<boolean>
  /** A person asked for it: also where nothing was pushed since. */
  thorough: Generated<boolean>
  /** These seven as of runs. */
  attempts: Generated<number>
  losses: Generated<number>
  fence: Generated<number>
  worker: string | null
  lease_until: NullableTimestamp
  retry_at: NullableTimestamp
  put_back_at: NullableTimestamp
  requested_at: GeneratedTimestamp
  started_at: NullableTimestamp
  finished_at: NullableTimestamp
  /** What it is doing, in a word or two, and how much of that is done. */
  step: Generated<string>
  done: Generated<number>
  total: Generated<number>
  /** The commit that was scanned last. */
  commit_sha: string | null
  /** A commit of which the memory's description of the project is true; null where there is none. */
  described_sha: string | null
  /** Of which repository all of this is known; null where nobody has asked the platform yet. */
  platform_repo_id: string | null
  /** Whether the repository lets models be asked about it; null where no scan has looked yet. */
  asks_models: boolean | null
  error: string | null
  error_code: string | null
}

/** The code graph of a repository. Deleting the row forgets it: what has no graph any more is swept away by scans. */
export interface CodeGraphsTable {
  /** Of the files, symbols and edges that are shown; another one each time that they are written anew. */
  id: Generated<number>
  /** Of what was read of blobs, see `CodeFactsTable`. */
  facts_id: Generated<number>
  /** Under which they are being written anew; null while they aren't, or what was begun is nobody's. */
  building_id: number | null
  repo: string
  /** Of the scan that may write to it. */
  fence: Generated<number>
  /** The commit that it shows; null while it is built for the first time, when there is nothing to be read yet. */
  commit_sha: string | null
  facts_version: Generated<number>
  /** What imports are resolved by, beside the paths: see knowledge/. */
  resolution: JSONColumnType<Record<string, unknown>, string | undefined, string>
  statistics: JSONColumnType<Record<string, unknown>, string | undefined, string>
  built_at: NullableTimestamp
}

/** What a blob says, see code/code-index.ts. Written ahead of the files that show them: nobody sees them before. */
export interface CodeFactsTable {
  /** The graph's `facts_id`. */
  graph_id: number
  oid: string
  /** What it is parsed with, by its path: empty for a language without a grammar. */
  grammar: string
  version: number
  /** By its content, see code/classify-file.ts. */
  kind: string
  /** Null for what isn't text. */
  lines: number | null
  /** Why it has no facts though it has a grammar. */
  unparsed: string | null
  /** See code/indexing/encode-file-index.ts; null where there are none. */
  facts: Buffer | null
}

/** A file of the default branch. */
export interface CodeFilesTable {
  id: Generated<number>
  graph_id: number
  path: string
  oid: string
  /** With `oid` the key of its facts. */
  grammar: string
  /** Linguist's name; null where nothing is known about it. */
  language: string | null
  /** See code/classify-file.ts; also `symlink` and `submodule`. */
  kind: string
  is_test: boolean
  size: number
  /** Null for what isn't text, or wasn't read. */
  lines: number | null
  complexity: number | null
  /** Why a file with a grammar has no facts; null where it has them, or is in none of our languages. */
  unparsed: string | null
  /** The package or namespace that it says to be a part of. */
  namespace: string | null
  /** Which names it uses, see knowledge/graph/name-filter.ts; null where it has no facts. */
  used_names: Buffer | null
}

export interface CodeSymbolsTable {
  graph_id: number
  file_id: number
  /** Index into the symbols of the file's facts. */
  ordinal: number
  name: string
  kind: string
  container: string
  start_line: number
  end_line: number
  exported: boolean
}

/** That a file uses another one: who uses what in it stands in the facts of both. */
export interface CodeEdgesTable {
  graph_id: number
  source_id: number
  target_id: number
  kind: 'import' | 'call' | 'reference' | 'extends'
  /** Of its surest site, from 0 to 1. */
  confidence: number
  sites: number
}

/** The files of a pull request as a review saw them: the latest one with a verdict, and earlier ones that asked for changes. */
export interface PullRequestFilesTable {
  run_id: number
  repo: string
  pr_number: number
  /** Of the pull request. */
  author: string
  /** The run is the pull request's `reviewed_run_id`. */
  latest: boolean
  requested_changes: boolean
  /** Follows renames on the default branch. */
  path: string
  /** The one that the path is in, `.` for the root. */
  directory: ColumnType<string, never, never>
  previous_path: string | null
  status: string
  additions: number
  deletions: number
  /** Names of the definitions that it changes, with what they are defined in. */
  symbols: string[]
}

/** Issues that a pull request names. */
export interface PullRequestIssuesTable {
  repo: string
  pr_number: number
  issue_repo: string
  issue_number: number
  closes: boolean
}

/** What is remembered of a repository. Ended ones are kept for their history. */
export interface MemoriesTable {
  id: Generated<string>
  repo: string
  memory_type: MemoryType
  /** What it is about: one current memory of a type has it. */
  subject: string
  text: string
  path: string | null
  component_type: string | null
  trust: MemoryTrust
  provenance: JSONColumnType<Provenance, string, string>
  /** What it is found by, and how much each counts in it, see knowledge/memory/terms.ts; empty once it ended. */
  terms: number[]
  weights: number[]
  created_at: GeneratedTimestamp
  updated_at: GeneratedTimestamp
  /** The newer one of the same subject. */
  superseded_by: string | null
  /** When it was superseded, dismissed, or its subject went away. */
  ended_at: NullableTimestamp
  /** Username of who dismissed it; null where nobody did. */
  ended_by: string | null
}

/** In how many current memories each term is. The term says the repository too. */
export interface MemoryTermsTable {
  term: number
  memories: number
}

/** What current memories are found by beside their words, where an embedder is configured. */
export interface MemoryVectorsTable {
  memory_id: string
  repo: string
  /** Name of the model that it is of. */
  embedder: string
  /** A bit for each dimension, set where it is above 0. */
  signs: string
  /** A signed byte for each dimension, and the length of that vector, see knowledge/memory/vectors.ts. */
  vector: Buffer
  norm: number
}

/** A tool of a context source that is trusted since it was first met, see tools/sources/pin-store.ts. */
export interface ContextToolsTable {
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
