// Configures well-known trackers and chats for the tools of their vendors' MCP servers.
import type { Variable, Variables } from '../../config/variable.ts'
import { anyText, httpUrl } from '../../config/variable-parsers.ts'
import type { VariableReader } from '../../config/variable-reader.ts'
import type { ContextSourceKind } from '../../domain/live-context.ts'
import {
  type ContextSourceConfig,
  defaultSourceTimeoutMs,
  type ToolCallTemplate,
} from './source-config.ts'

const defaultPolicy = { repositories: ['**'], publicRepositories: false, forkPullRequests: false }

interface Preset {
  readonly name: string
  readonly kind: ContextSourceKind
  readonly variables: Variables & {
    readonly url: Variable<string>
    readonly token: Variable<string>
    /** An additional variable that the tools require. */
    readonly scope?: Variable<string>
  }
  readonly linkHosts: readonly string[]
  /** @param scope the value of the variable `scope` */
  buildTools(
    scope: string,
  ): Partial<Pick<ContextSourceConfig, 'lookUp' | 'search' | 'searchSymbols' | 'link'>>
}

const url = { parse: httpUrl, review: 'with context' } as const
const token = { parse: anyText, secret: true, review: 'with context' } as const
const scope = { parse: anyText, review: 'with context' } as const

export const presets: readonly Preset[] = [
  {
    name: 'linear',
    kind: 'tickets',
    variables: {
      url: {
        ...url,
        name: 'LINEAR_MCP_URL',
        help: "Linear's MCP server: `https://mcp.linear.app/mcp`",
      },
      token: { ...token, name: 'LINEAR_API_KEY', help: 'an API key of Linear' },
    },
    linkHosts: ['linear.app'],
    buildTools: () => ({ lookUp: { tools: ['get_issue'], arguments: { id: '{key}' } } }),
  },
  {
    name: 'jira',
    kind: 'tickets',
    variables: {
      url: {
        ...url,
        name: 'ATLASSIAN_MCP_URL',
        help: "Atlassian's, for Jira: `https://mcp.atlassian.com/v1/mcp`",
      },
      token: { ...token, name: 'ATLASSIAN_TOKEN', help: 'a token of Atlassian' },
      scope: {
        ...scope,
        name: 'ATLASSIAN_CLOUD_ID',
        defaultDescription: 'none; required with `ATLASSIAN_MCP_URL`',
        help: 'the site, `acme.atlassian.net`, or its ID',
      },
    },
    linkHosts: ['*.atlassian.net'],
    buildTools: (cloudId) => ({
      lookUp: {
        tools: ['getJiraIssue'],
        arguments: {
          cloudId,
          issueIdOrKey: '{key}',
          fields: ['summary', 'description', 'status', 'issuetype', 'priority', 'labels'],
          responseContentFormat: 'markdown',
        },
      },
      // The id of a site may be its host name, which is needed for links, or a UUID.
      link: cloudId.includes('.') ? `https://${cloudId}/browse/{key}` : null,
    }),
  },
  {
    name: 'sentry',
    kind: 'errors',
    variables: {
      url: { ...url, name: 'SENTRY_MCP_URL', help: "Sentry's: `https://mcp.sentry.dev/mcp`" },
      token: { ...token, name: 'SENTRY_AUTH_TOKEN', help: 'a token of Sentry' },
      scope: {
        ...scope,
        name: 'SENTRY_ORGANIZATION',
        defaultDescription: 'none; required with `SENTRY_MCP_URL`',
        help: 'the slug of the organization',
      },
    },
    linkHosts: ['sentry.io', '*.sentry.io'],
    buildTools: (organizationSlug) => {
      const searchBy = (condition: string): ToolCallTemplate => {
        const query = `is:unresolved ${condition}`
        return {
          tools: ['search_issues'],
          arguments: { organizationSlug, query, sort: 'freq', limit: 3 },
        }
      }
      return {
        search: searchBy('stack.filename:"*{path}"'),
        searchSymbols: searchBy('stack.function:[{symbols}]'),
      }
    },
  },
  {
    name: 'slack',
    kind: 'discussion',
    variables: {
      url: { ...url, name: 'SLACK_MCP_URL', help: "Slack's: `https://mcp.slack.com/mcp`" },
      token: { ...token, name: 'SLACK_TOKEN', help: 'a token of Slack' },
    },
    linkHosts: ['*.slack.com'],
    buildTools: () => ({
      search: { tools: ['slack_search_public'], arguments: { query: '{query}', limit: 5 } },
    }),
  },
]

/** Returns null if the preset isn't configured, or incompletely, which is reported. */
function readPreset(preset: Preset, reader: VariableReader): ContextSourceConfig | null {
  const { name, kind, linkHosts, variables, buildTools } = preset
  const { url, token, scope = null } = reader.read(variables)
  if (url === null && token === null) return null
  if (url === null || token === null) {
    reader.reportContradiction(
      `${variables.url.name} and ${variables.token.name} belong together: set both or none`,
    )
    return null
  }
  if (variables.scope !== undefined && scope === null) {
    reader.reportContradiction(`${variables.url.name} needs ${variables.scope.name}`)
    return null
  }
  const server = { url, headers: { Authorization: `Bearer ${token}` } }
  const secrets = [token]
  return {
    ...defaultPolicy,
    name,
    kind,
    server,
    secrets,
    pins: {},
    timeoutMs: defaultSourceTimeoutMs,
    link: null,
    lookUp: null,
    search: null,
    searchSymbols: null,
    ...buildTools(scope ?? ''),
    linkHosts: [...linkHosts, new URL(url).hostname],
  }
}

/** Returns the configured presets. */
export function readPresets(reader: VariableReader): ContextSourceConfig[] {
  return presets.flatMap((preset) => readPreset(preset, reader) ?? [])
}
