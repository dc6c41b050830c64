// Configuration snippets that connect agents to the MCP server. docs/mcp.md covers more agents.
import type { Settings } from './settings-queries.ts'

export interface AgentSnippet {
  readonly agent: string
  /** The file or place where the text belongs. */
  readonly location: string
  readonly text: string
}

/** Environment variable with the token, so that no configuration file contains it. */
const tokenVariable = 'UMPIRE_TOKEN'
/** VS Code prompts for the token once. */
const tokenInput = {
  type: 'promptString',
  id: 'umpire-token',
  description: 'Umpire API token',
  password: true,
}

export function listSnippets({
  public_url: publicUrl,
  service_name: serviceName,
  mcp,
}: Settings): AgentSnippet[] {
  const url = `${publicUrl}/mcp`
  const name = serviceName.replace(/[^\w-]+/g, '-')
  const needsToken = mcp.access === 'token' || mcp.agent_tools
  const ifTokenNeeded = <T extends object>(value: T) => (needsToken ? value : {})
  const bearer = (token: string) => ifTokenNeeded({ headers: { Authorization: `Bearer ${token}` } })
  const shellHeader = needsToken ? ` --header "Authorization: Bearer $${tokenVariable}"` : ''
  const codexTokenSetting = needsToken ? `\nbearer_token_env_var = "${tokenVariable}"` : ''
  return [
    {
      agent: 'Claude Code',
      location: 'in a terminal',
      text: `claude mcp add --transport http ${name} ${url}${shellHeader}`,
    },
    {
      agent: 'Claude Code (project)',
      location: '.mcp.json in the repository root',
      text: formatJson({
        mcpServers: { [name]: { type: 'http', url, ...bearer(`\${${tokenVariable}}`) } },
      }),
    },
    {
      agent: 'Cursor',
      location: '.cursor/mcp.json or ~/.cursor/mcp.json',
      text: formatJson({ mcpServers: { [name]: { url, ...bearer(`\${env:${tokenVariable}}`) } } }),
    },
    {
      agent: 'VS Code',
      location: '.vscode/mcp.json',
      text: formatJson({
        ...ifTokenNeeded({ inputs: [tokenInput] }),
        servers: { [name]: { type: 'http', url, ...bearer(`\${input:${tokenInput.id}}`) } },
      }),
    },
    {
      agent: 'Codex',
      location: '~/.codex/config.toml',
      text: `[mcp_servers.${name}]\nurl = "${url}"${codexTokenSetting}`,
    },
  ]
}

function formatJson(value: object): string {
  return JSON.stringify(value, null, 2)
}
