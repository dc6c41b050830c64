// How agents are told of the MCP server.
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
        The operator turns it on with MCP_ACCESS=token or MCP_ACCESS=open.
      </EmptyState>
    )
  }
  return (
    <>
      <Access {...settings} />
      {listSnippets(settings).map(({ agent, location: place, text }) => (
        <Panel key={agent} title={agent} aside={<span className="text-muted">{place}</span>}>
          <CopyBlock label={`For ${agent}`} text={text} />
        </Panel>
      ))}
    </>
  )
}

function Access({ mcp }: Settings) {
  return (
    <p className="mb-4 max-w-prose">
      Agents in editors and terminals can ask about reviews, verdicts and contributors by the Model
      Context Protocol. {mcp.access === 'open' && 'It answers everybody who reaches it. '}
      {mcp.agent_tools &&
        'Who comes with a token can also read findings, search memories and ask for reviews. '}
      {(mcp.access === 'token' || mcp.agent_tools) && (
        <>
          Make a token under{' '}
          <Link to="/settings" className="text-accent underline">
            API tokens
          </Link>{' '}
          and give it to the agent in the variable <code>UMPIRE_TOKEN</code>.
        </>
      )}
    </p>
  )
}
