// Declares the tables for Kysely and what their columns mean. The SQL is in migrations/, with the
// same names in snake_case.
import type { ColumnType, Generated, Selectable } from 'kysely'
import type { EventStatus } from '../contract/enums.ts'
import type { AnswerLimit, AnswerPosition } from '../domain/answer.ts'
import type { DiffSide } from '../domain/diff.ts'
import type {
  Citation,
  Dismissal,
  DismissalKind,
  Evidence,
  FindingCategory,
  FindingPlacement,
  FindingResolution,
  FindingState,
  Severity,
} from '../domain/finding.ts'
import type { Impact } from '../domain/impact.ts'
import type { LiveContextSummary } from '../domain/live-context.ts'
import type { MemoryTrust, MemoryType, Provenance } from '../domain/memory.ts'
import type { PlatformRequest } from '../domain/platform-request.ts'
import type { PullRequestState } from '../domain/pull-request.ts'
import type {
  Coverage,
  Decision,
  ReviewBasis,
  ReviewWarning,
  Usage,
  Verdict,
} from '../domain/review.ts'
import type { ImportConfig } from '../languages/common/import-config.ts'
import type { Json } from './sql-values.ts'

type Timestamp = ColumnType<Date, Date | string, Date | string>
type GeneratedTimestamp = ColumnType<Date, Date | string | undefined, Date | string>
type JsonColumn<Value> = ColumnType<Value, Json<Value>, Json<Value>>
type GeneratedJsonColumn<Value> = ColumnType<Value, Json<Value> | undefined, Json<Value>>
type NullableTimestamp = ColumnType<
  Date | null,
  Date | string | null | undefined,
  Date | string | null
>

interface UsersTable {
  id: Generated<number>
  platform: string
  platformUserId: string
  login: string
  name: Generated<string>
  avatarUrl: Generated<string>
  isAdmin: Generated<boolean>
  /** Encrypted and bound to the user; null before the first sign-in with a token. */
  encryptedToken: Buffer | null
  /** Set while a process renews the token, which then belongs to that process. */
  tokenRenewalUntil: NullableTimestamp
  createdAt: GeneratedTimestamp
}

/** An issued credential: a browser session or an API token. The JWT itself isn't stored. */
interface TokensTable {
  /** It is the `jti` of the JWT. */
  id: string
  userId: number
  kind: 'session' | 'api'
  /** People name their tokens; sessions have no name. */
  name: Generated<string>
  /** Whether it makes its bearer an administrator, independent of the user. */
  grantsAdmin: Generated<boolean>
  createdAt: GeneratedTimestamp
  expiresAt: Timestamp
  /** Updated once per minute at most. */
  lastUsedAt: NullableTimestamp
  revokedAt: NullableTimestamp
}

/** Used OAuth states, stored until they expire so that none is accepted twice. */
interface UsedSignInStatesTable {
  digest: Buffer
  expiresAt: Timestamp
}

/** Reservations of repositories that are being connected, see accounts/reservations.ts. */
interface RepositoryReservationsTable {
  /** The name is in lower case. */
  repo: string
  holder: string
  expiresAt: Timestamp
  /** The new webhook's secret: its first delivery may arrive before the installation is stored. */
  webhookSecret: string | null
}

/** Records what people and the operator did. */
interface AuditLogTable {
  id: Generated<number>
  createdAt: GeneratedTimestamp
  userId: number | null
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
  | 'administrator_added'
  | 'administrator_removed'
  | 'signed_out_everywhere'
  | 'person_deleted'
  | 'repository_connected'
  | 'repository_disconnected'
  | 'app_created'
  | 'app_removed'
  | 'webhook_secret_rotated'
  | 'access_lost'
  | 'access_regained'
  | 'review_retried'
  | 'request_refused'
  | 'command_done'
  | 'command_refused'
  | 'command_failed'
  | 'reviews_paused'
  | 'reviews_resumed'
  | 'finding_dismissed'
  | 'finding_reopened'
  | 'repository_rescanned'
  | 'notifications_added'
  | 'notifications_removed'
  | 'memory_added'
  | 'memory_edited'
  | 'memory_dismissed'

/** A repository that a user connected. Disconnecting keeps the row. */
interface InstallationsTable {
  id: Generated<number>
  userId: number
  repoFullName: string
  /** The platform's id of the repository; null in rows from before it was stored. */
  platformRepoId: string | null
  /** 0 where the App receives the deliveries; null where no webhook is known. */
  webhookId: number | null
  /** Consists of 64 hexadecimal characters. */
  webhookSecret: string
  isActive: Generated<boolean>
  createdAt: GeneratedTimestamp
  deactivatedAt: NullableTimestamp
  /** When the person's access must be checked next, see accounts/access-checks.ts. */
  accessCheckDue: GeneratedTimestamp
  /** When the platform last confirmed the access. */
  accessConfirmedAt: NullableTimestamp
  /** Set while the platform denies access, during which the installation shows nothing. */
  accessLostAt: NullableTimestamp
  /** The App's installation that contains the repository; null where there is none. */
  appInstallationId: number | null
}

/** The App that this deployment created at a code host, of which there is one for each host. */
interface PlatformAppsTable {
  source: string
  /** It is the platform's id. */
  appId: string
  slug: string
  name: string
  /** Login of the account that owns it. */
  owner: string
  htmlUrl: string
  clientId: string
  /** Client secret, webhook secrets and private key as JSON, encrypted and bound to the host. */
  encryptedSecrets: Buffer
  createdAt: GeneratedTimestamp
  /** When its failed deliveries are looked at next. */
  redeliveryDueAt: GeneratedTimestamp
  /** Failed deliveries from before this time were asked for again. */
  redeliveredUntil: NullableTimestamp
}

/** How far the pull requests of a connected repository were compared with those at the host. */
interface ReconciliationsTable {
  /** The name is in lower case. */
  repo: string
  dueAt: Timestamp
  /** Changes from before this time of the host were compared. */
  comparedUntil: NullableTimestamp
  /** Failed deliveries to its webhook from before this time were asked for again. */
  redeliveredUntil: NullableTimestamp
  /** Comments from before this time of the host were answered. */
  commentsUntil: NullableTimestamp
}

/** A delivery that led to no event; see events/unused-deliveries.ts. */
interface UnusedDeliveriesTable {
  id: Generated<number>
  outcome: 'duplicate' | 'ignored' | 'refused'
  reason: string
  source: string
  /** Null for those that nobody verified, as are the event and the pull request. */
  deliveryId: string | null
  eventType: string | null
  /** Of those that nobody verified only the name of a connected repository is kept. */
  repo: string | null
  prNumber: number | null
  /** How many deliveries it stands for: 1 if it was verified. */
  count: Generated<number>
  createdAt: GeneratedTimestamp
  lastAt: GeneratedTimestamp
  /** The day by which unverified ones are counted; null for verified ones. */
  day: string | null
}

/** A webhook secret that is accepted besides the current one: the next one or a former one. */
interface SpareWebhookSecretsTable {
  /** It is the platform's id. */
  webhookId: number
  /** The end of the names of that platform's repositories: `@` and its id; empty for the first. */
  host: Generated<string>
  /** Consists of 64 hexadecimal characters. */
  secret: string
  /** Null for the next one, while it isn't known whether the platform uses it yet. */
  acceptedUntil: NullableTimestamp
}

/** How many writes the platform accepts from an account, see work/write-budgets.ts. */
interface WriteBudgetsTable {
  /** It identifies a person's token, or the App at the owner of a repository. */
  account: string
  /** When the budget for all writes is full again. */
  writesFullAt: Timestamp
  /** When the budget for writes that notify people is full again. */
  noticesFullAt: Timestamp
  /** When the last write that reserved its time may be sent. */
  nextWriteAt: Timestamp
  /** The platform refuses writes until then. */
  refusedUntil: NullableTimestamp
}

/** An account that installed the App. Removing it keeps the row, because deliveries may be late. */
interface AppInstallationsTable {
  id: Generated<number>
  source: string
  /** The platform's id, which isn't reused. */
  platformId: string
  accountId: string
  accountLogin: string
  accountType: 'user' | 'organization'
  htmlUrl: string
  suspendedAt: NullableTimestamp
  removedAt: NullableTimestamp
  createdAt: GeneratedTimestamp
}

interface EventsTable {
  id: Generated<number>
  /** Formatted as `<event>.<action>`. */
  eventType: string
  source: string
  deliveryId: string | null
  repo: string | null
  prNumber: number | null
  /** The received JSON, compressed as in events/payload.ts. */
  payload: Buffer
  status: Generated<EventStatus>
  /** Whether it requests a review. Other events are only recorded and stay pending. */
  wantsReview: Generated<boolean>
  /** The run that last claimed it. */
  runId: number | null
  /** Counts later deliveries that were skipped as duplicates while this one was unfinished. */
  duplicates: Generated<number>
  /** Why it failed without a run. */
  error: string | null
  createdAt: GeneratedTimestamp
  processedAt: NullableTimestamp
}

/** The last known state of a pull request. The row is also locked to serialize its changes. */
interface PullRequestsTable {
  repo: string
  number: number
  title: string
  author: string
  branch: string
  baseBranch: string
  url: string
  state: PullRequestState
  draft: Generated<boolean>
  headSha: string
  additions: Generated<number>
  deletions: Generated<number>
  openedAt: NullableTimestamp
  mergedAt: NullableTimestamp
  /** When the platform changed it, by the platform's clock. */
  updatedAt: Timestamp
  /** The text that the search uses, see events/search-text.ts. */
  searchText: Generated<string>
  /** The platform's time of `state`, which may have been read after the newest payload. */
  stateAsOf: NullableTimestamp
  /** False if only deliveries without a verified signature described it so far. */
  isConfirmed: Generated<boolean>
  /** When its state was last requested from the platform, by the database's clock. */
  stateCheckedAt: NullableTimestamp
  /** The event that represents it in the reviews list, see events/listing.ts. */
  listedEventId: number | null
  /** The status that the listed event has. */
  listedStatus: EventStatus | null
  /** When its newest event was stored. */
  lastEventAt: NullableTimestamp
  /** Login of the person who paused its reviews; null if nobody did. */
  pausedBy: string | null
  /** The base branch for which they are paused; null for each. */
  pausedBaseBranch: string | null
  /** The head that it had while another pull request had it too; null if none did. */
  sharedHeadSha: string | null
  /** When its threads were last checked for dismissals. */
  threadsCheckedAt: NullableTimestamp
  /** The latest completed run with a verdict, and its result; the counts are of open findings. */
  reviewedRunId: number | null
  verdict: Verdict | null
  confidence: number | null
  criticalCount: Generated<number>
  moderateCount: Generated<number>
  minorCount: Generated<number>
  /** What became of its findings, see events/finding-outcomes.ts. */
  fixedCount: Generated<number>
  dismissedCount: Generated<number>
  openCount: Generated<number>
  openCriticalCount: Generated<number>
  /** When the first delivery arrived that its first review with a verdict answered. */
  firstRequestedAt: NullableTimestamp
  /** When its first review with a verdict ended. */
  firstReviewedAt: NullableTimestamp
}

/** Copies of `search_text`, which are indexed. */
interface PullRequestSearchTable {
  repo: string
  number: number
  text: string
}

/** A pull request on which a decision of ours may hold. */
interface PostedDecisionsTable {
  repo: string
  number: number
  /** It is stored before it is posted. */
  decision: Decision
  /** The commit that it is of. */
  headSha: string
  /** The base branch that it is about; null if an earlier version posted it. */
  baseBranch: string | null
  /** Changed by every write. */
  version: Generated<number>
  /** When it was last checked whether it still holds. */
  checkedAt: GeneratedTimestamp
}

/** What people and merge queues requested through the platform. */
interface PlatformRequestsTable {
  id: Generated<number>
  source: string
  /** The platform's id of the delivery; null if it had none. */
  deliveryId: string | null
  repo: string
  request: JsonColumn<PlatformRequest>
  createdAt: GeneratedTimestamp
}

/** Background work that has not ended, see work/work-items.ts. */
interface WorkItemsTable {
  kind: 'review' | 'scan' | 'request' | 'answer'
  repo: string
  /** It is the number of the pull request, 0 for a scan, and else the id of a platform request. */
  number: number
  /** The pull request where it is done in the order of `number`; null if it needs no order. */
  pullNumber: number | null
  /** What `ownerOf` returns for the repository: those between whom capacity is shared. */
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
  dueAt: GeneratedTimestamp
  /** When `due_at` was set. A later time than now means that the clock was set back. */
  scheduledAt: GeneratedTimestamp
  createdAt: GeneratedTimestamp
  /** Why the last attempt failed, for people. */
  error: string | null
  errorCode: string | null
}

/** Numbers of findings of a pull request, by what became of them. */
export interface FindingCounts {
  /** Includes those that were replaced or withdrawn. */
  readonly total: number
  readonly open: number
  readonly fixed: number
  readonly dismissed: number
}

interface WorkflowRunsTable {
  id: Generated<number>
  workflowType: 'pr_review'
  repo: string
  prNumber: number
  status: EventStatus
  /** How many times it was claimed, without claims that were given back. */
  attempts: Generated<number>
  createdAt: GeneratedTimestamp
  startedAt: NullableTimestamp
  finishedAt: NullableTimestamp
  headSha: string | null
  /** The base branch of the reviewed change; null if an earlier version reviewed it. */
  baseBranch: string | null
  /** The head whose check shows that this run is in progress; it may be another one by now. */
  shownHeadSha: string | null
  verdict: Verdict | null
  confidence: number | null
  /** Verdict, confidence line and free Markdown, which the API returns as `ai_summary`. */
  summary: string | null
  filesAnalyzed: Generated<number>
  /** Explains to people why it failed or what it waits for. */
  error: string | null
  errorCode: string | null
  coverage: JsonColumn<Coverage | null>
  usage: JsonColumn<Usage | null>
  /** The findings of the pull request when it ended; null without a verdict, and in older runs. */
  findingCounts: JsonColumn<FindingCounts | null>
  /** Contains everything that the verdict was computed from. */
  decision: JsonColumn<Record<string, unknown> | null>
  /** Counts milliseconds by step. */
  timings: JsonColumn<Record<string, number> | null>
  /** When the review began to be posted. */
  postingStartedAt: NullableTimestamp
  /** Where the summary was posted. */
  publishedUrl: string | null
  /** Queries to trackers and chats; null where no source is configured. */
  sources: JsonColumn<LiveContextSummary | null>
  /** The reported impact of the change; null where none was reported, and in older reviews. */
  reach: JsonColumn<Impact | null>
  /** Warnings for the operator; null where there are none, and in older reviews. */
  warnings: JsonColumn<readonly ReviewWarning[] | null>
  /** The event that makes a completed run start again; see `RedoTrigger`. */
  redoWhen: 'reopened' | 'model' | 'tools' | null
  /** When the host was last asked for logs of other tools; null before the first time. */
  toolsCheckedAt: NullableTimestamp
  /** The changed lines that were read, and by whom; null where nothing was reviewed. */
  seenLines: Buffer | null
  /** Data from which the verdict can be decided again; null in older runs. */
  basis: JsonColumn<ReviewBasis | null>
  /** False while a completed run with a verdict still has to be evaluated for memories. */
  isLearned: Generated<boolean>
}

/** A finding, which is kept over all runs of its pull request. */
interface FindingsTable {
  id: Generated<number>
  repo: string
  prNumber: number
  fingerprint: string
  /** The runs that first reported it and last found it. */
  firstRunId: number
  lastRunId: number
  reviewer: string
  rule: string | null
  path: string
  side: DiffSide
  startLine: number
  endLine: number
  /** The code that it is about, to find it again when lines have moved. */
  quote: Generated<string>
  /** Hash of that code; empty in rows from before it was stored. */
  anchorHash: Generated<string>
  severity: Severity
  category: FindingCategory
  title: string
  body: string
  suggestion: string | null
  evidence: GeneratedJsonColumn<readonly Evidence[]>
  restsOn: JsonColumn<Citation | null>
  confidence: number
  verified: boolean
  state: FindingState
  /** Why it is resolved; null while it isn't. */
  resolution: FindingResolution | null
  /** Whether its code was removed while the finding stays valid. */
  removed: Generated<boolean>
  /** How many times it reappeared after it was resolved. */
  reopened: Generated<number>
  placement: FindingPlacement
  commentUrl: string | null
  createdAt: GeneratedTimestamp
  resolvedAt: NullableTimestamp
}

/** The dismissal of a finding, which is not valid for later reappearances of the finding. */
interface DismissalsTable {
  repo: string
  prNumber: number
  fingerprint: string
  /** The finding's `reopened` when it was dismissed. */
  reopened: number
  /** It is the login on the platform. */
  login: string
  via: Dismissal['via']
  reason: Generated<string>
  createdAt: GeneratedTimestamp
  kind: DismissalKind | null
}

/** Questions in comments on pull requests, see events/answers.ts. */
interface AnswersTable {
  id: Generated<number>
  repo: string
  prNumber: number
  /** Comments in the conversation and comments on lines may have the same id. */
  commentId: string
  isInline: boolean
  /** The finding in whose thread it is; null for another place. */
  fingerprint: string | null
  /** The finding's `reopened` when it was asked about. */
  reopened: number | null
  requester: string
  /** Why the question isn't answered. */
  reachedLimit: AnswerLimit | null
  /** It is null for an answer without a model. */
  position: AnswerPosition | null
  /** In US dollars; null if it is unknown. */
  costUsd: number | null
  createdAt: GeneratedTimestamp
  /** Null while it is being answered. */
  answeredAt: Timestamp | null
}

/** The cost of models, one row per model and attempt of a run. */
interface ModelSpendTable {
  id: Generated<number>
  runId: number | null
  /** The name is in lower case; null in rows from before it was stored. */
  owner: string | null
  model: string
  calls: number
  inputTokens: number
  outputTokens: number
  cachedInputTokens: Generated<number>
  costUsd: number | null
  createdAt: GeneratedTimestamp
}

/** The waiting, running or last scan of a repository; each has one row. */
interface ScansTable {
  repo: string
  status: EventStatus
  /** Whether another scan was requested while it was running. */
  wantedAgain: Generated<boolean>
  /** Whether the other scan must be `thorough`. */
  wantedThorough: Generated<boolean>
  /** A person requested it, so it runs even if nothing was pushed since the last one. */
  thorough: Generated<boolean>
  requestedAt: GeneratedTimestamp
  startedAt: NullableTimestamp
  finishedAt: NullableTimestamp
  /** Describes the current step, of which `done` out of `total` parts are finished. */
  step: Generated<string>
  done: Generated<number>
  total: Generated<number>
  /** The commit that the last scan read. */
  commitSha: string | null
  /** A commit that the project's description in memory matches; null where there is none. */
  describedSha: string | null
  /** The repository's id on the platform; null where it wasn't requested yet. */
  platformRepoId: string | null
  /** Whether the repository's settings permit models; null where no scan has read them yet. */
  asksModels: boolean | null
  error: string | null
  errorCode: string | null
}

/** The code graph of a repository. When the row is deleted, scans delete the graph's data. */
interface CodeGraphsTable {
  /** Identifies the current files, symbols and edges. A rebuild changes it. */
  id: Generated<number>
  /** Identifies the index entries of blobs, see `CodeFactsTable`. */
  factsId: Generated<number>
  /** Identifies a rebuild in progress; null where there is none, or it was abandoned. */
  buildingId: number | null
  repo: string
  /** The fence of the scan that may write to it. */
  fence: Generated<number>
  /** The commit of the graph; null while the first one is being built. */
  commitSha: string | null
  factsVersion: Generated<number>
  /** Data besides paths by which imports are resolved, see knowledge/. */
  resolution: GeneratedJsonColumn<ImportConfig>
  statistics: GeneratedJsonColumn<object>
  builtAt: NullableTimestamp
}

/** The `FileIndex` of a blob. It is written before files refer to it. */
interface CodeFactsTable {
  /** Refers to the graph's `facts_id`. */
  graphId: number
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
  graphId: number
  path: string
  oid: string
  /** Identifies its index entry together with `oid`. */
  grammar: string
  /** Linguist's name of the language; null where it is unknown. */
  language: string | null
  /** See code/classify-file.ts; submodules and symbolic links are `submodule` and `symlink`. */
  kind: string
  isTest: Generated<boolean>
  size: number
  /** Null for binary files and files that were not read. */
  lines: number | null
  complexity: number | null
  /** Why a file with a grammar has no index entry; null where it has one or has no grammar. */
  unparsed: string | null
  /** The package or namespace that it declares. */
  namespace: string | null
  /** The names that it uses, see knowledge/graph/name-filter.ts; null without an index entry. */
  usedNames: Buffer | null
}

interface CodeSymbolsTable {
  graphId: number
  fileId: number
  /** It is the position among the symbols of the file's index entry. */
  ordinal: number
  name: string
  kind: string
  container: Generated<string>
  startLine: number
  endLine: number
  exported: boolean
}

/** One file uses another one. The index entries of both contain the symbols. */
interface CodeEdgesTable {
  graphId: number
  sourceId: number
  targetId: number
  kind: 'import' | 'call' | 'reference' | 'extends'
  /** It is the highest confidence of its sites, from 0 to 1. */
  confidence: number
  sites: number
}

/**
 * Files that a review saw: the latest one with a verdict, and earlier ones that requested changes.
 */
interface PullRequestFilesTable {
  runId: number
  repo: string
  prNumber: number
  /** The author that the pull request has. */
  author: string
  /** Whether the run is the pull request's `reviewed_run_id`. */
  latest: boolean
  requestedChanges: boolean
  /** Changes when the file is renamed on the default branch. */
  path: string
  /** The directory that contains the path, `.` for the root. */
  directory: ColumnType<string, never, never>
  previousPath: string | null
  status: string
  additions: number
  deletions: number
  /** Names of the changed definitions, qualified by what contains them. */
  symbols: Generated<string[]>
}

interface PullRequestIssuesTable {
  repo: string
  prNumber: number
  issueRepo: string
  issueNumber: number
  closes: boolean
}

/** Memories of a repository. Ended ones are kept as history. */
interface MemoriesTable {
  id: Generated<string>
  repo: string
  memoryType: MemoryType
  /** What it is about. Only one current memory of a type has the same subject. */
  subject: string
  text: string
  path: string | null
  componentType: string | null
  trust: MemoryTrust
  provenance: JsonColumn<Provenance>
  /** Search terms and their weights, see knowledge/memory/terms.ts; empty after it ended. */
  terms: number[]
  weights: number[]
  createdAt: GeneratedTimestamp
  updatedAt: GeneratedTimestamp
  /** The newer memory that has the same subject. */
  supersededBy: string | null
  /** When it was superseded or dismissed, or its subject was removed. */
  endedAt: NullableTimestamp
  /** Login of the person who dismissed it; null where no one did. */
  endedBy: string | null
}

/** Counts the current memories with a term. Terms are hashed with their repository. */
interface MemoryTermsTable {
  term: number
  memories: number
}

/** Vectors of current memories, stored where an embedder is configured. */
interface MemoryVectorsTable {
  memoryId: string
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

/** What calls of models may cost or did, see analytics/spend-ledger.ts. */
interface ModelReservationsTable {
  id: Generated<number>
  budgetId: string
  owner: string
  subject: string
  usd: number
  state: 'open' | 'settled' | 'lost'
  createdAt: GeneratedTimestamp
}

/** What a model said about a part of a change, see work/model-answers.ts. */
interface ModelAnswersTable {
  repo: string
  prNumber: number
  /** The digest of all that the answer rests on. */
  key: string
  answer: JsonColumn<object>
  createdAt: GeneratedTimestamp
}

/** A tool that is trusted since its first use, see tools/sources/pin-store.ts. */
interface ContextToolsTable {
  source: string
  tool: string
  fingerprint: string
  firstSeen: GeneratedTimestamp
}

/** Where a person is notified of new critical findings. */
interface NotificationChannelsTable {
  id: Generated<number>
  userId: number
  kind: 'chat' | 'email'
  /** The URL of a webhook or an email address, encrypted and bound to the user. */
  encryptedTarget: Buffer
  /** The host of the webhook, or the email address. */
  label: string
  /** Null for all repositories that the person sees. */
  repo: string | null
  /** It is the hour of the daily digest in UTC; null for notifications at once. */
  digestHour: number | null
  /** Null while the code that was sent to an email address was not entered. */
  confirmedAt: NullableTimestamp
  /** The SHA-256 of that code. */
  codeDigest: Buffer | null
  codeAttempts: Generated<number>
  /** Why the last notification could not be sent. */
  failure: string | null
  createdAt: GeneratedTimestamp
}

/** A review with new critical findings, until the channel was notified. */
interface NotificationsTable {
  id: Generated<number>
  channelId: number
  runId: number
  dueAt: Timestamp
  attempts: Generated<number>
  createdAt: GeneratedTimestamp
}

/** A code host that the database has data of, see accounts/stored-hosts.ts. */
interface CodeHostsTable {
  id: string
  /** People open the host at this address. */
  url: string
  /** Its repositories and owners have no host in their names. */
  isFirst: boolean
}

export interface Schema {
  users: UsersTable
  tokens: TokensTable
  usedSignInStates: UsedSignInStatesTable
  repositoryReservations: RepositoryReservationsTable
  auditLog: AuditLogTable
  installations: InstallationsTable
  platformApps: PlatformAppsTable
  spareWebhookSecrets: SpareWebhookSecretsTable
  writeBudgets: WriteBudgetsTable
  appInstallations: AppInstallationsTable
  reconciliations: ReconciliationsTable
  unusedDeliveries: UnusedDeliveriesTable
  events: EventsTable
  pullRequests: PullRequestsTable
  pullRequestSearch: PullRequestSearchTable
  workflowRuns: WorkflowRunsTable
  platformRequests: PlatformRequestsTable
  postedDecisions: PostedDecisionsTable
  workItems: WorkItemsTable
  findings: FindingsTable
  dismissals: DismissalsTable
  answers: AnswersTable
  modelSpend: ModelSpendTable
  modelAnswers: ModelAnswersTable
  modelReservations: ModelReservationsTable
  scans: ScansTable
  codeGraphs: CodeGraphsTable
  codeFacts: CodeFactsTable
  codeFiles: CodeFilesTable
  codeSymbols: CodeSymbolsTable
  codeEdges: CodeEdgesTable
  pullRequestFiles: PullRequestFilesTable
  pullRequestIssues: PullRequestIssuesTable
  memories: MemoriesTable
  memoryTerms: MemoryTermsTable
  memoryVectors: MemoryVectorsTable
  contextTools: ContextToolsTable
  codeHosts: CodeHostsTable
  notificationChannels: NotificationChannelsTable
  notifications: NotificationsTable
}

/** A row as queries return it. */
export type Row<Table extends keyof Schema> = Readonly<Selectable<Schema[Table]>>
