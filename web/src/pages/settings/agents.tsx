// Instructions for connecting agents to the MCP server.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useApi } from '../../api/use-api.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { Panel } from '../../components/page.tsx'
import { EmptyState, ErrorAlert, Waiting } from '../../components/page-states.tsx'
import { listSnippets } from './agent-snippets.ts'
import { type Settings, settingsQuery } from './settings-queries.ts'

export function Agents() {
  const { data: settings, error, refetch } = useQuery(settingsQuery(useApi()))
  if (error) return <ErrorAlert error={error} onRetry={refetch} />
  if (settings === undefined) return <Waiting />
  if (settings.mcp.access === 'off') {
    return (
      <EmptyState title="The MCP server is off">
        To turn it on, the operator sets MCP_ACCESS=token or MCP_ACCESS=open.
      </EmptyState>
    )
  }
  return (
    <>
      <Access {...settings} />
      {listSnippets(settings).map(({ agent, location, text }) => (
        <Panel key={agent} title={agent} aside={<span className="text-muted">{location}</span>}>
          <CopyBlock label={`Configuration for ${agent}`} text={text} />
        </Panel>
      ))}
    </>
  )
}

function Access({ mcp }: Settings) {
  return (
    <p className="mb-4 max-w-prose">
      Agents in editors and terminals can query reviews, verdicts and contributors over the Model
      Context Protocol (MCP). {mcp.access === 'open' && 'No token is required. '}
      {mcp.agent_tools &&
        'Agents with a token can also read findings, search memories and request reviews. '}
      {(mcp.access === 'token' || mcp.agent_tools) && (
        <>
          Create a token under{' '}
          <Link to="/settings" className="text-accent underline">
            API tokens
          </Link>{' '}
          and pass it to the agent in the environment variable <code>UMPIRE_TOKEN</code>.
        </>
      )}
    </p>
  )
}
