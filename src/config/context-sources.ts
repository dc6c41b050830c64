// Where reviews may look beside the repository: trackers of issues and errors, chats, reached by MCP.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { SourceKind } from '../domain/live-context.ts'

/** How a source is asked: the first of these tools that it offers, with these arguments. */
export interface ToolUse {
  readonly tools: readonly string[]
  /**
   * Texts in them may hold `{key}`, `{query}` and `{path}`, which are filled in; all else is sent as it stands, but for what
   * the tool says that it doesn't take.
   */
  readonly arguments: Readonly<Record<string, unknown>>
}

/** An MCP server at an address, or a program that is one. */
export type SourceServer =
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }

export interface ContextSourceConfig {
  /** Unique; shown in reviews. */
  readonly name: string
  readonly kind: SourceKind
  readonly server: SourceServer
  /** One thing by its key, and a search. */
  readonly lookUp: ToolUse | null
  readonly search: ToolUse | null
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

/** Variables by which the well-known sources are set up. */
export interface SourceVariables {
  readonly LINEAR_MCP_URL?: string | undefined
  readonly LINEAR_API_KEY?: string | undefined
  readonly ATLASSIAN_MCP_URL?: string | undefined
  readonly ATLASSIAN_TOKEN?: string | undefined
  readonly ATLASSIAN_CLOUD_ID?: string | undefined
  readonly SENTRY_MCP_URL?: string | undefined
  readonly SENTRY_AUTH_TOKEN?: string | undefined
  readonly SENTRY_ORGANIZATION?: string | undefined
  readonly SLACK_MCP_URL?: string | undefined
  readonly SLACK_TOKEN?: string | undefined
  readonly CONTEXT_SOURCES?: string | undefined
}

const defaultTimeoutMs = 10_000
const trusting = { repositories: ['**'], publicRepositories: false, forkPullRequests: false }

interface Preset {
  readonly name: string
  readonly kind: SourceKind
  readonly url: keyof SourceVariables
  readonly token: keyof SourceVariables
  /** A further variable that its tools can't do without. */
  readonly scope?: keyof SourceVariables
  readonly linkHosts: readonly string[]
  /** @param scope the value of that variable */
  uses(scope: string): Pick<ContextSourceConfig, 'lookUp' | 'search'> & { readonly link?: string | null }
}

/** The tools that the vendors' own servers offer. */
const presets: readonly Preset[] = [
  {
    name: 'linear',
    kind: 'tickets',
    url: 'LINEAR_MCP_URL',
    token: 'LINEAR_API_KEY',
    linkHosts: ['linear.app'],
    uses: () => ({ lookUp: { tools: ['get_issue'], arguments: { id: '{key}' } }, search: null }),
  },
  {
    name: 'jira',
    kind: 'tickets',
    url: 'ATLASSIAN_MCP_URL',
    token: 'ATLASSIAN_TOKEN',
    scope: 'ATLASSIAN_CLOUD_ID',
    linkHosts: ['*.atlassian.net'],
    uses: (cloudId) => ({
      lookUp: {
        tools: ['getJiraIssue'],
        arguments: {
          cloudId,
          issueIdOrKey: '{key}',
          fields: ['summary', 'description', 'status', 'issuetype', 'priority', 'labels'],
          responseContentFormat: 'markdown',
        },
      },
      search: null,
      // A site may be called by its name or by its id.
      link: cloudId.includes('.') ? `https://${cloudId}/browse/{key}` : null,
    }),
  },
  {
    name: 'sentry',
    kind: 'errors',
    url: 'SENTRY_MCP_URL',
    token: 'SENTRY_AUTH_TOKEN',
    scope: 'SENTRY_ORGANIZATION',
    linkHosts: ['sentry.io', '*.sentry.io'],
    uses: (organizationSlug) => ({
      lookUp: null,
      search: {
        tools: ['search_issues'],
        arguments: { organizationSlug, query: 'is:unresolved stack.filename:"*{path}"', sort: 'freq', limit: 3 },
      },
    }),
  },
  {
    name: 'slack',
    kind: 'discussion',
    url: 'SLACK_MCP_URL',
    token: 'SLACK_TOKEN',
    linkHosts: ['*.slack.com'],
    uses: () => ({
      lookUp: null,
      search: { tools: ['slack_search_public'], arguments: { query: '{query}', limit: 5 } },
    }),
  },
]

const toolName = z.string().regex(/^[\w.-]{1,128}$/, 'must be the name of a tool')
const toolUse = z.strictObject({
  tools: z.array(toolName).min(1).max(10),
  arguments: z.record(z.string().max(100), z.unknown()),
})
const texts = z.record(z.string().max(200), z.string().max(10_000))
const common = {
  name: z.string().regex(/^[a-z][a-z\d_-]{0,31}$/, 'must be lower-case letters, digits, - and _, 32 at most'),
  kind: z.enum(['tickets', 'errors', 'discussion', 'other']),
  look_up: toolUse.optional(),
  search: toolUse.optional(),
  pins: z.record(toolName, z.string().regex(/^sha256:[\da-f]{64}$/, 'must be sha256:<64 hex digits>')).default({}),
  timeout_seconds: z
    .int()
    .min(1)
    .max(60)
    .default(defaultTimeoutMs / 1000),
  repositories: z.array(z.string().min(1).max(200)).min(1).default(['**']),
  public_repositories: z.boolean().default(false),
  fork_pull_requests: z.boolean().default(false),
  link_hosts: z.array(z.string().regex(/^(\*\.)?[a-z\d.-]+$/, 'must be names of hosts')).default([]),
  link: z
    .url({ protocol: /^https?$/ })
    .max(400)
    .includes('{key}', 'must hold {key}')
    .optional(),
}
const sourcesFile = z.strictObject({
  sources: z
    .array(
      z.union([
        z.strictObject({ ...common, url: z.url({ protocol: /^https?$/ }), headers: texts.default({}) }),
        z.strictObject({
          ...common,
          command: z.string().min(1).max(1000),
          args: z.array(z.string().max(10_000)).max(100).default([]),
          env: texts.default({}),
        }),
      ]),
    )
    .max(20),
})
type SourceEntry = z.output<typeof sourcesFile>['sources'][number]

/**
 * Reads what is set up.
 *
 * @param environment where `${NAME}` in the headers, arguments and environments of the file comes from
 * @param problems is added what is wrong, by name and never by value
 */
export function readContextSources(
  variables: SourceVariables,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): readonly ContextSourceConfig[] {
  const known = presets.flatMap((preset) => readPreset(preset, variables, problems) ?? [])
  const sources = [...known, ...readFile(variables.CONTEXT_SOURCES, environment, problems)]
  const names = sources.map(({ name }) => name)
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    problems.push(`CONTEXT_SOURCES: there are two sources called ${name}`)
  }
  return sources
}

function readPreset(preset: Preset, variables: SourceVariables, problems: string[]): ContextSourceConfig | null {
  const { name, kind, linkHosts, uses } = preset
  const [url, token] = [variables[preset.url], variables[preset.token]]
  const scope = preset.scope && variables[preset.scope]
  if (url === undefined && token === undefined) return null
  if (url === undefined || token === undefined) {
    problems.push(`${preset.url} and ${preset.token} belong together: set both or none`)
    return null
  }
  if (preset.scope !== undefined && scope === undefined) {
    problems.push(`${preset.url} needs ${preset.scope}`)
    return null
  }
  const server = { url, headers: { Authorization: `Bearer ${token}` } }
  const secrets = [token]
  return {
    ...trusting,
    name,
    kind,
    server,
    secrets,
    pins: {},
    timeoutMs: defaultTimeoutMs,
    link: null,
    ...uses(scope ?? ''),
    linkHosts: [...linkHosts, new URL(url).hostname],
  }
}

function readFile(
  path: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): ContextSourceConfig[] {
  if (path === undefined) return []
  const text = readTextFile(path)
  if (text === null) {
    problems.push("CONTEXT_SOURCES can't be read: it must be the path of a file")
    return []
  }
  const parsed = sourcesFile.safeParse(parseJson(text))
  if (!parsed.success) {
    const faults = parsed.error.issues.flatMap(explainIssue).slice(0, 10)
    problems.push(...faults.map((fault) => `CONTEXT_SOURCES: ${fault}`))
    return []
  }
  return parsed.data.sources.map((entry) => {
    if (entry.look_up === undefined && entry.search === undefined) {
      problems.push(`CONTEXT_SOURCES: ${entry.name} needs look_up or search`)
    }
    const secrets = 'headers' in entry ? listCredentials(entry.headers) : []
    const fill = (value: string) => fillVariables(value, environment, { source: entry.name, problems, secrets })
    return toConfig(entry, fill, secrets)
  })
}

/** Of the two forms that a source can have, what keeps it from the one that it is closer to. */
function explainIssue(issue: z.core.$ZodIssue): string[] {
  const near = issue.code === 'invalid_union' ? issue.errors.toSorted((a, b) => a.length - b.length)[0] : undefined
  if (near === undefined) return [`${issue.path.join('.') || 'the file'}: ${issue.message}`]
  return near.map(({ path, message }) => `${[...issue.path, ...path].join('.')}: ${message}`)
}

function toConfig(
  entry: SourceEntry,
  fill: (value: string) => string,
  secrets: readonly string[],
): ContextSourceConfig {
  const fillAll = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]))
  const server: SourceServer =
    'url' in entry
      ? { url: entry.url, headers: fillAll(entry.headers) }
      : { command: entry.command, args: entry.args.map(fill), env: fillAll(entry.env) }
  return {
    name: entry.name,
    kind: entry.kind,
    server,
    secrets,
    lookUp: entry.look_up ?? null,
    search: entry.search ?? null,
    pins: entry.pins,
    timeoutMs: entry.timeout_seconds * 1000,
    repositories: entry.repositories,
    publicRepositories: entry.public_repositories,
    forkPullRequests: entry.fork_pull_requests,
    linkHosts: [...entry.link_hosts, ...('url' in entry ? [new URL(entry.url).hostname] : [])],
    link: entry.link ?? null,
  }
}

/** Those that stand in the file all the same. */
function listCredentials(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.entries(headers).filter(([name]) => /authorization|token|key|secret|cookie/i.test(name))
  return values.filter(([, value]) => !value.includes('${')).map(([, value]) => value.replace(/^\w+ /, ''))
}

/** So that the file itself holds no secret. */
function fillVariables(
  value: string,
  environment: Readonly<Record<string, string | undefined>>,
  { source, problems, secrets }: { source: string; problems: string[]; secrets: string[] },
): string {
  return value.replace(/\$\{([A-Z_][A-Z\d_]*)\}/g, (_, name: string) => {
    const found = environment[name]
    if (found === undefined || found === '') problems.push(`CONTEXT_SOURCES: ${source} needs ${name}`)
    if (found) secrets.push(found)
    return found ?? ''
  })
}

function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
