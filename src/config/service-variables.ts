// The service itself reads these environment variables.
import { resolve } from 'node:path'
import { groupVariables, type Parse, type VariableGroup, type Variables } from './variable.ts'
import {
  anyText,
  httpUrl,
  isAddressRange,
  listOf,
  matching,
  oneOf,
  onOffSwitch,
  wholeNumber,
} from './variable-parsers.ts'

/** Shorter keys are rejected. */
export const minKeyLength = 32

export const httpVariables = {
  host: {
    name: 'HOST',
    parse: anyText,
    default: '127.0.0.1',
    help: 'address on which the service listens',
  },
  port: {
    name: 'PORT',
    parse: wholeNumber(0, 65535),
    default: '8484',
    help: 'its port; 0 uses any free port',
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    parse: httpUrl,
    defaultDescription: '`http://localhost:<PORT>`',
    help: 'the URL at which the code host and users reach Umpire',
  },
  rateLimitPerMinute: {
    name: 'RATE_LIMIT_PER_MINUTE',
    parse: wholeNumber(1, 1_000_000),
    default: '3000',
    help:
      'requests per minute to `/api/v1` and `/auth` for each session or token, or for each IP ' +
      'address if there is neither, in each process. Deliveries are not counted',
  },
  signInsPerMinute: {
    name: 'SIGN_INS_PER_MINUTE',
    parse: wholeNumber(1, 100_000),
    default: '20',
    help:
      'sign-ins per minute with a token of the code host. The limit applies to each address and ' +
      'to each account, separately in each process',
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    parse: listOf(
      isAddressRange,
      'must be addresses or ranges such as 10.0.0.0/8, separated by commas',
    ),
    help:
      'addresses or ranges (`10.0.0.0/8`) of the reverse proxies in front of Umpire, separated ' +
      'by commas. `X-Forwarded-For` from other addresses is ignored',
  },
} satisfies Variables

export const processVariables = {
  environment: {
    name: 'APP_ENV',
    parse: oneOf(['production', 'development', 'test']),
    default: 'production',
    help:
      '`production`, `development` or `test`; signatures of deliveries are enforced in ' +
      'production only. Where unsigned deliveries are accepted, those sent by a web page or ' +
      'larger than 1 MB are rejected',
  },
  serviceName: {
    name: 'SERVICE_NAME',
    parse: matching(/^[\w .-]{1,40}$/, 'must be 1 to 40 letters, digits, spaces, dots or dashes'),
    default: 'umpire',
    help: 'the name shown in posted reviews',
  },
  dataDir: {
    name: 'DATA_DIR',
    parse: (path: string) => resolve(path),
    default: '.umpire',
    help:
      'directory of the embedded database, the generated secret key, git mirrors and a socket ' +
      "for commands; only its owner has access. Umpire exits at startup if it can't create the " +
      'directory or write to it',
  },
} satisfies Variables

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const databaseUrl: Parse<string> = (url, report) => {
  if (!/^postgres(ql)?:\/\//.test(url)) report('must be a postgresql:// address')
  if (!URL.canParse(url) || !canDecode(new URL(url).password)) {
    report('must be a postgresql:// address; special characters in it are percent-encoded')
  }
  return url
}

export const databaseVariables = {
  url: {
    name: 'DATABASE_URL',
    parse: databaseUrl,
    secret: true,
    help:
      '`postgresql://…`, PostgreSQL 15 or later, without a pooler that shares connections ' +
      'between transactions; if not set, the embedded database in `DATA_DIR` is used',
  },
  poolSize: {
    name: 'DATABASE_POOL_SIZE',
    parse: wholeNumber(2, 500),
    default: '10',
    help: 'connections to PostgreSQL per process',
  },
} satisfies Variables

/** Counts characters: a key of a few emoji is short. */
const isLongEnough = (key: string) => [...key].length >= minKeyLength

const secretKey: Parse<string> = (text, report) => {
  const key = text.trim()
  if (!isLongEnough(key)) report(`must have at least ${minKeyLength} characters`)
  if (key.includes(',')) {
    report('must have no comma, which separates the keys of SECRET_KEYS_OLD')
  }
  return key
}

export const secretVariables = {
  current: {
    name: 'SECRET_KEY',
    parse: secretKey,
    secret: true,
    defaultDescription: 'generated into `DATA_DIR`; required with `DATABASE_URL`',
    help:
      'at least 32 characters and no comma, the same for all processes (`openssl rand -hex 32`); ' +
      'signs sessions and tokens, and encrypts tokens of the code host',
  },
  // An empty key from a stray comma is rejected: anyone could forge tokens with a known key.
  old: {
    name: 'SECRET_KEYS_OLD',
    parse: listOf(
      isLongEnough,
      `must be keys of at least ${minKeyLength} characters each, separated by commas`,
    ),
    secret: true,
    help: 'earlier keys, separated by commas; see [below](#changing-the-secret-key)',
  },
} satisfies Variables

export const logVariables = {
  level: {
    name: 'LOG_LEVEL',
    parse: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    help: '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`; JSON lines on stderr',
  },
} satisfies Variables

export const metricsVariables = {
  port: {
    name: 'METRICS_PORT',
    parse: wholeNumber(0, 65535),
    defaultDescription: 'off',
    help:
      'port on which every process, including workers, serves ' +
      '[metrics](operating.md#metrics) for Prometheus at `/metrics`; port 0 uses any free port',
  },
  host: {
    name: 'METRICS_HOST',
    parse: anyText,
    default: '127.0.0.1',
    help:
      'address of the metrics. They require no credential: keep them on loopback or a private ' +
      'network',
  },
} satisfies Variables

/** A value without any name is rejected: treating it as empty would let everyone sign in. */
const usernames: Parse<ReadonlySet<string>> = (text, report) => {
  const problem = 'must be usernames of the code host, separated by commas'
  const pattern = /^[\w.-]+(@[a-z][a-z0-9-]*)?$/i
  const names = listOf((name) => pattern.test(name), problem)(text, report)
  return names && new Set(names.map((name) => name.toLowerCase()))
}

export const accessVariables = {
  signInAllowed: {
    name: 'SIGN_IN_ALLOWED',
    parse: usernames,
    defaultDescription: 'everyone',
    help:
      "usernames of the code host that may sign in, separated by commas; case doesn't matter. " +
      'Those of a further host of `PLATFORMS` end with its id: `alice@<id>`. ' +
      'From the next start on, a user who was removed loses all sessions and tokens, including ' +
      'those of an administrator and of `umpire token --admin`. Umpire warns at startup, as ' +
      '`doctor` does, if everyone may sign in and other machines can reach it',
  },
  accessCheckMinutes: {
    name: 'ACCESS_CHECK_MINUTES',
    parse: wholeNumber(1, 1440),
    default: '15',
    help:
      "interval, from 1 to 1440, at which Umpire checks with each user's own token that they can " +
      "still see what they connected. A repository is hidden from a user who can't see it, and " +
      "from a user whose access wasn't confirmed for an hour while the code host responds for " +
      'others',
  },
  reconcileSeconds: {
    name: 'RECONCILE_SECONDS',
    parse: wholeNumber(1, 86_400),
    default: '300',
    help:
      'interval, from 1 to 86400, at which Umpire looks for lost deliveries: it asks for failed ' +
      'ones again, and compares the pull requests of each connected repository with their ' +
      'reviews. It is longer for owners of more than 30 repositories',
  },
} satisfies Variables

export const reviewVariables = {
  mode: {
    name: 'REVIEW_MODE',
    parse: oneOf(['agentic', 'parallel']),
    default: 'agentic',
    review: 'always',
    help:
      '`agentic`: one model with read-only tools in a loop; `parallel`: specialists for ' +
      'correctness, security, performance (`MODEL`), tests and maintainability (`MODEL_FAST`) in ' +
      'parallel, then one report. It finds more and costs several times as much. A ' +
      "repository's own `mode` overrides it",
  },
  attentionCheck: {
    name: 'ATTENTION_CHECK',
    parse: onOffSwitch,
    default: 'on',
    review: 'always',
    help:
      'each round contains a canary, a small generated file with a defect (150 tokens at most). ' +
      "If a model, asked twice, doesn't report it, that round counts as not read, and the review " +
      'is incomplete. `off`: there is no canary, and the confidence is 4 of 5 at most',
  },
  concurrency: {
    name: 'REVIEW_CONCURRENCY',
    parse: wholeNumber(1, 2000),
    default: '64',
    help:
      'reviews in flight per worker process; one account or organization gets at most three ' +
      'quarters of them',
  },
  contextTokens: {
    name: 'REVIEW_CONTEXT_TOKENS',
    parse: wholeNumber(2000, 1_000_000),
    default: '48000',
    review: 'always',
    help: "tokens of packed context in one round; a change that doesn't fit gets up to four rounds",
  },
  maxInlineComments: {
    name: 'REVIEW_MAX_COMMENTS',
    parse: wholeNumber(0, 50),
    default: '8',
    help:
      'inline comments of one review; other findings are suppressed and listed, as are more ' +
      'than three (or a third of the number) that say the same about one file. Critical ones ' +
      'are suppressed only above 30 inline comments in total (or above this number, if it is ' +
      'higher)',
  },
  maxAttempts: {
    name: 'REVIEW_MAX_ATTEMPTS',
    parse: wholeNumber(1, 20),
    default: '5',
    help: 'attempts before a review fails, not counting those whose worker was lost',
  },
  maxLosses: {
    name: 'REVIEW_MAX_LOST_WORKERS',
    parse: wholeNumber(1, 1000),
    default: '25',
    help:
      'how often a review may lose its worker (a crash, `kill -9`, a power cut) before it fails. ' +
      'A worker that dies takes all of its reviews with it',
  },
  retrySeconds: {
    name: 'REVIEW_RETRY_SECONDS',
    parse: wholeNumber(0, 3600),
    default: '5',
    help:
      'wait before the second attempt; doubles with each further one, up to ten minutes. If the ' +
      'code host or a model asks for a certain wait, that one is used',
  },
  leaseSeconds: {
    name: 'REVIEW_LEASE_SECONDS',
    parse: wholeNumber(2, 3600),
    default: '45',
    help: 'how long a worker may be silent before another one claims its review',
  },
  shutdownGraceSeconds: {
    name: 'SHUTDOWN_GRACE_SECONDS',
    parse: wholeNumber(0, 600),
    default: '20',
    help:
      'how long running reviews may continue after SIGTERM before they are requeued for another ' +
      'process',
  },
} satisfies Variables

const hostNames = listOf(
  (name) => /^([a-z\d-]+(\.[a-z\d-]+)*|\[[\da-f:]+\])$/.test(name),
  'must be names of hosts without a port, separated by commas',
)

const mailServerUrl: Parse<string> = (url, report) => {
  const isMailServer = /^smtps?:\/\/[^/]/.test(url) && URL.canParse(url)
  return isMailServer ? url : report('must be an smtp:// or smtps:// address')
}

export const notificationVariables = {
  smtpUrl: {
    name: 'SMTP_URL',
    parse: mailServerUrl,
    secret: true,
    defaultDescription: 'no email',
    help:
      'the mail server, with its port and credentials: ' +
      '`smtps://user:password@smtp.example.com:465`, or `smtp://` for STARTTLS',
  },
  smtpFrom: {
    name: 'SMTP_FROM',
    parse: matching(
      /^([^<>\r\n]* <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/,
      'must be an email address, with or without a name',
    ),
    defaultDescription: 'none; required with `SMTP_URL`',
    help: 'the sender of emails: `umpire@example.com` or `Umpire <umpire@example.com>`',
  },
  hosts: {
    name: 'NOTIFICATION_HOSTS',
    parse: ((text, report) => hostNames(text.toLowerCase(), report)) as Parse<string[]>,
    help:
      'hosts of chats that may be in a private network or without TLS, without a port and ' +
      'separated by commas. Other webhooks must be `https` and have public addresses',
  },
} satisfies Variables

export const mcpVariables = {
  access: {
    name: 'MCP_ACCESS',
    parse: oneOf(['open', 'token', 'off']),
    default: 'open',
    help:
      'who may use the MCP server. `open`: anyone who can reach it, for trusted networks only ' +
      '(Umpire warns at startup, as `doctor` does, unless `HOST` and `PUBLIC_URL` are both on ' +
      'loopback). `token`: callers with a token, for the repositories that are connected to ' +
      'them. `off`: nobody',
  },
  allowedHosts: {
    name: 'MCP_ALLOWED_HOSTS',
    parse: ((text, report) => hostNames(text.toLowerCase(), report)) as Parse<string[]>,
    help:
      'additional host names, without a port and separated by commas, at which it may be ' +
      'reached. `PUBLIC_URL`, `HOST` and the names of this machine are always allowed',
  },
  agentTools: {
    name: 'MCP_AGENT_TOOLS',
    parse: onOffSwitch,
    default: 'off',
    help:
      '`on`: more tools for callers with a token: open findings, a review on request, callers of ' +
      'a symbol, search of the memory',
  },
  token: {
    name: 'UMPIRE_TOKEN',
    parse: anyText,
    secret: true,
    help: 'the token that `umpire mcp` uses',
  },
} satisfies Variables

export const memoryVariables = {
  memory: {
    name: 'MEMORY',
    parse: onOffSwitch,
    default: 'on',
    help:
      'the project map and the memories; `off`: nothing is written, the endpoints return empty ' +
      'results, and rescan returns 503',
  },
} satisfies Variables

export const graphVariables = {
  enabled: {
    name: 'GRAPH',
    parse: onOffSwitch,
    default: 'on',
    review: 'always',
    help:
      'the code graph and the file activity of pull requests; `off`: reviews see no callers, ' +
      'tests or history',
  },
  queryTimeoutMs: {
    name: 'GRAPH_QUERY_TIMEOUT_MS',
    parse: wholeNumber(1, 600_000),
    default: '30000',
    help: "timeout of one query of the graph; what wasn't found by then is left out",
  },
} satisfies Variables

/** By their names in the documentation. */
export const serviceGroups = {
  service: groupVariables('Network and data', [
    httpVariables,
    processVariables,
    databaseVariables,
    secretVariables,
    logVariables,
    metricsVariables,
  ]),
  access: groupVariables('Sign-in', [accessVariables]),
  review: groupVariables('Reviews', [reviewVariables]),
  notifications: groupVariables(
    'Notifications',
    [notificationVariables],
    'See [operating.md](operating.md#notifications).',
  ),
  mcp: groupVariables('Agents (MCP)', [mcpVariables], 'See [mcp.md](mcp.md).'),
  knowledge: groupVariables('Repository knowledge', [memoryVariables, graphVariables]),
} satisfies Readonly<Record<string, VariableGroup>>
