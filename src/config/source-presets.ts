// Configures well-known trackers and chats for the tools of their vendors' MCP servers.
import type { ContextSourceKind } from '../domain/live-context.ts'
import {
  type ContextSourceConfig,
  defaultSourceTimeoutMs,
  type ToolCallTemplate,
} from './context-source-config.ts'

/** The variables that configure context sources. */
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

const defaultPolicy = { repositories: ['**'], publicRepositories: false, forkPullRequests: false }

interface Preset {
  readonly name: string
  readonly kind: ContextSourceKind
  readonly url: keyof SourceVariables
  readonly token: keyof SourceVariables
  /** An additional variable that the tools require. */
  readonly scope?: keyof SourceVariables
  readonly linkHosts: readonly string[]
  /** @param scope the value of the variable that `scope` names */
  buildTools(
    scope: string,
  ): Partial<Pick<ContextSourceConfig, 'lookUp' | 'search' | 'searchSymbols' | 'link'>>
}

const presets: readonly Preset[] = [
  {
    name: 'linear',
    kind: 'tickets',
    url: 'LINEAR_MCP_URL',
    token: 'LINEAR_API_KEY',
    linkHosts: ['linear.app'],
    buildTools: () => ({ lookUp: { tools: ['get_issue'], arguments: { id: '{key}' } } }),
  },
  {
    name: 'jira',
    kind: 'tickets',
    url: 'ATLASSIAN_MCP_URL',
    token: 'ATLASSIAN_TOKEN',
    scope: 'ATLASSIAN_CLOUD_ID',
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
    url: 'SENTRY_MCP_URL',
    token: 'SENTRY_AUTH_TOKEN',
    scope: 'SENTRY_ORGANIZATION',
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
    url: 'SLACK_MCP_URL',
    token: 'SLACK_TOKEN',
    linkHosts: ['*.slack.com'],
    buildTools: () => ({
      search: { tools: ['slack_search_public'], arguments: { query: '{query}', limit: 5 } },
    }),
  },
]

/** Returns null if the preset isn't configured, or incompletely, which is added to `problems`. */
function readPreset(
  preset: Preset,
  variables: SourceVariables,
  problems: string[],
): ContextSourceConfig | null {
  const { name, kind, linkHosts, buildTools } = preset
  const url = variables[preset.url]
  const token = variables[preset.token]
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
export function readPresets(variables: SourceVariables, problems: string[]): ContextSourceConfig[] {
  return presets.flatMap((preset) => readPreset(preset, variables, problems) ?? [])
}
