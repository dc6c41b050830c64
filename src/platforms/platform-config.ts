// Defines and reads the configuration of the code host. Loads no adapter.
import type { ValuesOf, Variables } from '../config/variable.ts'
import { anyText, httpUrl, listOf, oneOf, wholeNumber } from '../config/variable-parsers.ts'
import type { VariableReader } from '../config/variable-reader.ts'
import { forgejoHost, giteaHost } from './gitea/gitea-hosts.ts'
import { githubHost } from './github/github-host.ts'
import { gitlabHost } from './gitlab/gitlab-host.ts'
import type { HostConfig, OAuthApplication } from './platform.ts'

/** What the configuration has to know about a kind of code host. No address ends with a slash. */
interface KnownHost {
  /** The address that is used if none is configured; null where one has to be. */
  readonly url: string | null
  /** Returns the address of the API of the host at `url`. */
  apiUrlOf(url: string): string
  /** What is between a repository and a number in the address of a pull request. */
  readonly pullRequestPath: string
  /** Describes both addresses in Markdown. */
  readonly help: { readonly url: string; readonly apiUrl: string }
}

export const hosts = {
  github: githubHost,
  gitea: giteaHost,
  forgejo: forgejoHost,
  gitlab: gitlabHost,
} satisfies Readonly<Record<string, KnownHost>>
export type PlatformId = keyof typeof hosts

function describeHosts(describe: (host: KnownHost) => string | null): string {
  const texts = Object.values<KnownHost>(hosts).map(describe)
  return [...new Set(texts)].filter((text) => text !== null).join('; ')
}

export interface PlatformConfig extends HostConfig {
  readonly id: PlatformId
  /** The application registered for sign-in; null where there is none. */
  readonly oauth: OAuthApplication | null
}

const kindVariables = {
  kind: {
    name: 'PLATFORM',
    parse: oneOf(Object.keys(hosts) as PlatformId[]),
    default: 'github',
    review: 'always',
    help: 'the kind of code host',
  },
} satisfies Variables

const addressVariables = {
  url: {
    name: 'PLATFORM_URL',
    parse: httpUrl,
    defaultDescription: describeHosts(({ url }) => (url === null ? null : `\`${url}\``)),
    review: 'always',
    help: `its URL; ${describeHosts(({ help }) => help.url)}`,
  },
  apiUrl: {
    name: 'PLATFORM_API_URL',
    parse: httpUrl,
    defaultDescription: 'from `PLATFORM_URL`',
    review: 'always',
    help: describeHosts(({ help }) => help.apiUrl),
  },
} satisfies Variables

const timeoutVariables = {
  timeoutSeconds: {
    name: 'PLATFORM_TIMEOUT_SECONDS',
    parse: wholeNumber(1, 300),
    default: '30',
    help: 'timeout of one call to the code host',
  },
} satisfies Variables

const writeVariables = {
  perMinute: {
    name: 'PLATFORM_WRITES_PER_MINUTE',
    parse: wholeNumber(0, 100_000),
    default: '60',
    help:
      'writes that all processes send in a minute with one token, or as the App to one owner; ' +
      '`0` for no limit, as on an Enterprise Server without limits',
  },
  noticesPerHour: {
    name: 'PLATFORM_NOTICES_PER_HOUR',
    parse: wholeNumber(0, 100_000),
    default: '400',
    help: 'comments and reviews among them, which notify people, in an hour; `0` for no limit',
  },
} satisfies Variables

const fallbackVariables = {
  token: {
    name: 'PLATFORM_TOKEN',
    parse: anyText,
    secret: true,
    review: 'always',
    help:
      "token for repositories that nobody connected, and for those that no user's own token can " +
      'read any more; without it their reviews fail with a message',
  },
  webhookSecret: {
    name: 'WEBHOOK_SECRET',
    parse: anyText,
    secret: true,
    help:
      'verifies deliveries of those repositories; without it they are accepted unsigned, up to ' +
      '1 MB; required by `compose.yaml`',
  },
  oldWebhookSecrets: {
    name: 'WEBHOOK_SECRETS_OLD',
    parse: listOf((item) => item !== '', 'must be secrets, separated by commas'),
    secret: true,
    help:
      'earlier ones, separated by commas, which are accepted too until all webhooks have the ' +
      'new one',
  },
} satisfies Variables

const oauthVariables = {
  clientId: {
    name: 'OAUTH_CLIENT_ID',
    parse: anyText,
    help:
      'the OAuth application for sign-in, with the callback URL `<PUBLIC_URL>/auth/callback`, ' +
      'or `<PUBLIC_URL>/auth/<id>/callback` for a further host; ' +
      'without it, users sign in with the App, if there is one, or a personal access token',
  },
  clientSecret: {
    name: 'OAUTH_CLIENT_SECRET',
    parse: anyText,
    secret: true,
    help: 'its secret; set both or none',
  },
} satisfies Variables

export const platformTables: readonly Variables[] = [
  kindVariables,
  addressVariables,
  timeoutVariables,
  writeVariables,
  fallbackVariables,
  oauthVariables,
]

/** Every host has its own of these. */
export const hostTables: readonly Variables[] = [
  addressVariables,
  fallbackVariables,
  oauthVariables,
]

/** What the configuration says of one host, besides its id. */
interface HostVariables {
  readonly platform: Omit<PlatformConfig, 'id'>
  /** Used for repositories that no one has connected. */
  readonly fallback: Omit<ValuesOf<typeof fallbackVariables>, 'oldWebhookSecrets'> & {
    readonly oldWebhookSecrets: readonly string[]
  }
}

export function readPlatformKind(reader: VariableReader): PlatformId {
  return reader.read(kindVariables).kind
}

export function readWriteLimits(reader: VariableReader): ValuesOf<typeof writeVariables> {
  return reader.read(writeVariables)
}

/** @param suffix ends the names of the variables that every host has its own of */
export function readHost(reader: VariableReader, kind: PlatformId, suffix: string): HostVariables {
  const given = reader.read(addSuffix(addressVariables, suffix))
  const { timeoutSeconds } = reader.read(timeoutVariables)
  const fallback = reader.read(addSuffix(fallbackVariables, suffix))
  const { clientId, clientSecret } = reader.read(addSuffix(oauthVariables, suffix))
  if (Boolean(clientId) !== Boolean(clientSecret)) {
    reader.reportContradiction(
      `OAUTH_CLIENT_ID${suffix} and OAUTH_CLIENT_SECRET${suffix} belong together: ` +
        'set both or none',
    )
  }
  const known: KnownHost = hosts[kind]
  const url = given.url ?? known.url ?? ''
  if (url === '') {
    const subject = suffix === '' ? `PLATFORM=${kind}` : kind
    reader.reportContradiction(`${subject} needs PLATFORM_URL${suffix}, its address`)
  }
  const oldWebhookSecrets = fallback.oldWebhookSecrets ?? []
  if (oldWebhookSecrets.length > 0 && fallback.webhookSecret === null) {
    reader.reportContradiction(
      `WEBHOOK_SECRETS_OLD${suffix} needs WEBHOOK_SECRET${suffix}, the new secret`,
    )
  }
  return {
    platform: {
      url,
      apiUrl: given.apiUrl ?? known.apiUrlOf(url),
      oauth: clientId && clientSecret ? { clientId, clientSecret } : null,
      userAgent: 'umpire',
      timeoutMs: timeoutSeconds * 1000,
    },
    fallback: { ...fallback, oldWebhookSecrets },
  }
}

function addSuffix<Rows extends Variables>(rows: Rows, suffix: string): Rows {
  const renamed = Object.entries(rows).map(([key, row]) => [
    key,
    { ...row, name: `${row.name}${suffix}` },
  ])
  return Object.fromEntries(renamed) as Rows
}
