// Asks an MCP server with @ai-sdk/mcp, and prints what it said as JSON. Arguments: http or sse, the address, the repository.
import { createMCPClient } from '@ai-sdk/mcp'

const [type, url, repo] = process.argv.slice(2)
const client = await createMCPClient({ transport: { type, url } })
try {
  const { tools } = await client.listTools()
  const { structuredContent } = await client.callTool({
    name: 'get_recent_reviews',
    arguments: { repo },
  })
  const { contents } = await client.readResource({ uri: `umpire://repos/${repo}/reviews` })
  const names = tools.map(({ name }) => name)
  console.log(
    JSON.stringify({ names, reviews: structuredContent.result, resource: contents[0].text }),
  )
} finally {
  await client.close()
}
