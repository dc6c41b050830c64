// What is written into the configuration of agents, so that they ask the service. docs/mcp.md says the same of more of them.
import type { Settings } from './queries.ts'

export interface AgentSnippet {
  readonly agent: string
  /** Where it goes. */
  readonly place: string
  readonly text: string
}

/** Where agents take the token from, so that none stands in a file. */
const variable = 'UMPIRE_TOKEN'
/** VS Code asks for it once. */
const asked = {
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
  const inShell = needsToken ? ` --header "Authorization: Bearer $${variable}"` : ''
  const inCodex = needsToken ? `\nbearer_token_env_var = "${variable}"` : ''
  return [
    {
      agent: 'Claude Code',
      place: 'in a terminal',
      text: `claude mcp add --transport http ${name} ${url}${inShell}`,
    },
    {
      agent: 'Claude Code, for a whole repository',
      place: '.mcp.json in its root',
      text: toText({ mcpServers: { [name]: { type: 'http', url, ...bearer(`\${${variable}}`) } } }),
    },
    {
      agent: 'Cursor',
      place: '.cursor/mcp.json or ~/.cursor/mcp.json',
      text: toText({ mcpServers: { [name]: { url, ...bearer(`\${env:${variable}}`) } } }),
    },
    {
      agent: 'VS Code',
      place: '.vscode/mcp.json',
      text: toText({
        ...only({ inputs: [asked] }),
        servers: { [name]: { type: 'http', url, ...bearer(`\${input:${asked.id}}`) } },
      }),
    },
    {
      agent: 'Codex',
      place: '~/.codex/config.toml',
      text: `[mcp_servers.${name}]\nurl = "${url}"${inCodex}`,
    },
  ]
}

function toText(value: object): string {
  return JSON.stringify(value, null, 2)
}
