// What is written into the configuration of agents, so that they ask the service. docs/mcp.md says the same of more of them.
import type { Settings } from './settings-queries.ts'

export interface AgentSnippet {
  readonly agent: string
  /** Where it goes. */
  readonly location: string
  readonly text: string
}

/** Where agents take the token from, so that none stands in a file. */
const tokenVariable = 'UMPIRE_TOKEN'
/** VS Code asks for it once. */
const tokenInput = {
  type: 'promptString',
  id: 'umpire-token',
  description: 'Token of Umpire',
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
  const only = <T extends object>(value: T) => (needsToken ? value : {})
  const bearer = (token: string) => only({ headers: { Authorization: `Bearer ${token}` } })
  const inShell = needsToken ? ` --header "Authorization: Bearer $${tokenVariable}"` : ''
  const inCodex = needsToken ? `\nbearer_token_env_var = "${tokenVariable}"` : ''
  return [
    {
      agent: 'Claude Code',
      location: 'in a terminal',
      text: `claude mcp add --transport http ${name} ${url}${inShell}`,
    },
    {
      agent: 'Claude Code, for a whole repository',
      location: '.mcp.json in its root',
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
        ...only({ inputs: [tokenInput] }),
        servers: { [name]: { type: 'http', url, ...bearer(`\${input:${tokenInput.id}}`) } },
      }),
    },
    {
      agent: 'Codex',
      location: '~/.codex/config.toml',
      text: `[mcp_servers.${name}]\nurl = "${url}"${inCodex}`,
    },
  ]
}

function formatJson(value: object): string {
  return JSON.stringify(value, null, 2)
}
