// Defines all metrics and the values of their labels. docs/operating.md lists them for operators.
import { reviewEnds } from '../domain/review.ts'

/** All values of each label. The set is fixed, so that external input never becomes a label. */
export type Labels = Readonly<Record<string, readonly string[]>>

export interface MetricDefinition<
  Kind extends 'counter' | 'gauge' | 'histogram',
  L extends Labels,
> {
  readonly kind: Kind
  readonly name: string
  readonly help: string
  readonly labels: L
  /** Upper bounds in seconds; only histograms have them. */
  readonly buckets: readonly number[]
}

const work = ['review', 'scan', 'request', 'answer'] as const
const model = ['main', 'fast', 'embedding'] as const
const outcome = ['ok', 'error'] as const

/** Used for operations that take milliseconds. */
const shortBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]
/** Used for requests to other servers. */
const mediumBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
/** Used for operations that people wait for. */
const longBuckets = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600]

export const metricDefinitions = {
  deliveries: counter('umpire_deliveries_total', 'Webhook deliveries that got a response.', {
    answer: [
      'received',
      'duplicate',
      'ignored',
      'refused',
      'malformed',
      'too_large',
      'unavailable',
      'error',
    ],
  }),
  deliveryDuration: histogram(
    'umpire_delivery_duration_seconds',
    'Time until the response to a webhook delivery.',
    {},
    shortBuckets,
  ),
  lostDeliveries: counter(
    'umpire_lost_deliveries_total',
    'Deliveries that did not arrive: asked for again, or found by comparing pull requests.',
    { recovery: ['redelivery', 'reconciliation'] },
  ),
  reviews: counter('umpire_reviews_total', 'Reviews that ended.', {
    end: [...reviewEnds, 'failed'],
  }),
  reviewWait: histogram(
    'umpire_review_wait_seconds',
    'Time from an event to the first start of its review.',
    {},
    longBuckets,
  ),
  reviewDuration: histogram(
    'umpire_review_duration_seconds',
    'Time from the first start of a review to its end, with all attempts and the waits ' +
      'between them.',
    {},
    longBuckets,
  ),
  running: gauge('umpire_work_in_progress', 'Work of each kind in progress in this process.', {
    work,
  }),
  queueDepth: gauge(
    'umpire_queue_depth',
    'Work of each kind in the database that waits for a worker.',
    { work },
  ),
  queueOldestAge: gauge(
    'umpire_queue_oldest_age_seconds',
    'How long the work that has waited longest for a worker has waited; ' + '0 if none waits.',
    { work },
  ),
  leasesLost: counter(
    'umpire_leases_lost_total',
    'Reviews and scans of this process that another process claimed.',
    { work },
  ),
  platformCalls: counter('umpire_platform_calls_total', 'Calls to the code host.', {
    outcome: [
      'ok',
      'unauthorized',
      'forbidden',
      'not_found',
      'rate_limited',
      'too_large',
      'refused',
      'unavailable',
      'invalid_response',
      'canceled',
    ],
  }),
  platformCallDuration: histogram(
    'umpire_platform_call_duration_seconds',
    'Time of a call to the code host.',
    {},
    mediumBuckets,
  ),
  platformRateLimit: gauge(
    'umpire_platform_rate_limit_remaining',
    'Calls to the code host left in the rate limit of the token that has the fewest left.',
    { resource: ['core', 'graphql', 'other'] },
  ),
  modelCalls: counter('umpire_model_calls_total', 'Calls to a model, each retry counted.', {
    model,
    outcome: [
      'ok',
      'unauthorized',
      'rate_limited',
      'unavailable',
      'context_overflow',
      'refused',
      'invalid_output',
      'budget_spent',
      'misconfigured',
    ],
  }),
  modelCallDuration: histogram(
    'umpire_model_call_duration_seconds',
    'Time of a call to a model that responded.',
    { model },
    mediumBuckets,
  ),
  modelTokens: counter(
    'umpire_model_tokens_total',
    'Tokens of calls to a model; cached_input is the part of input from the cache.',
    {
      model,
      kind: ['input', 'cached_input', 'output'],
    },
  ),
  modelCost: counter(
    'umpire_model_cost_dollars_total',
    'Cost of calls to a model in US dollars, if its price is known.',
    { model },
  ),
  modelRefusing: gauge(
    'umpire_model_refusing',
    '1 after the provider rejected the key, the account or the model; 0 after it responded.',
    { model },
  ),
  databaseUp: gauge(
    'umpire_database_up',
    '1 if the database responded to this scrape, otherwise 0.',
    {},
  ),
  databaseQuery: histogram(
    'umpire_database_query_duration_seconds',
    'Time of a database statement.',
    { outcome },
    shortBuckets,
  ),
  databaseConnectionWait: histogram(
    'umpire_database_connection_wait_seconds',
    'Wait for a free database connection.',
    {},
    shortBuckets,
  ),
  git: histogram(
    'umpire_git_command_duration_seconds',
    'Time of a git command.',
    { access: ['local', 'network'], outcome },
    shortBuckets,
  ),
  eventLoopLagP99: gauge(
    'umpire_event_loop_lag_p99_seconds',
    'p99 of the event loop lag since the last scrape.',
    {},
  ),
  eventLoopLagMax: gauge(
    'umpire_event_loop_lag_max_seconds',
    'Maximum event loop lag since the last scrape.',
    {},
  ),
  residentMemory: gauge(
    'umpire_process_resident_memory_bytes',
    'Resident memory of the process.',
    {},
  ),
  heapUsed: gauge(
    'umpire_process_heap_used_bytes',
    'Memory of the process that JavaScript objects use.',
    {},
  ),
  processorTime: counter(
    'umpire_process_cpu_seconds_total',
    'CPU time of the process, without git.',
    {},
  ),
  startTime: gauge(
    'umpire_process_start_time_seconds',
    'When the process started, in Unix time.',
    {},
  ),
} as const

function counter<const L extends Labels>(
  name: string,
  help: string,
  labels: L,
): MetricDefinition<'counter', L> {
  return { kind: 'counter', name, help, labels, buckets: [] }
}

function gauge<const L extends Labels>(
  name: string,
  help: string,
  labels: L,
): MetricDefinition<'gauge', L> {
  return { kind: 'gauge', name, help, labels, buckets: [] }
}

function histogram<const L extends Labels>(
  name: string,
  help: string,
  labels: L,
  buckets: readonly number[],
): MetricDefinition<'histogram', L> {
  return { kind: 'histogram', name, help, labels, buckets }
}
