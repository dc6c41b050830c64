// An MCP server as the SDK makes it, whose only tool has one answer: what Umpire's is compared with. Plain JavaScript: its
// packages are those of this folder alone. Its argument is a file with the tool's name, its definition and its answer.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'

const { definition, result } = JSON.parse(readFileSync(process.argv[2], 'utf8'))

function createMcpServer() {
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: [definition] }))
  server.setRequestHandler('tools/call', () => result)
  return server
}

const handle = toNodeHandler(createMcpHandler(createMcpServer))
const sessions = new Map()

/** The transport of the first revision, which the SDK no longer has. */
async function openStream(response) {
  const id = randomUUID()
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const transport = {
    start: async () =>
      void response.write(`event: endpoint\ndata: /mcp/messages?sessionId=${id}\n\n`),
    send: async (message) =>
      void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    close: async () => void response.end(),
  }
  sessions.set(id, transport)
  response.on('close', () => sessions.delete(id))
  await createMcpServer().connect(transport)
}

async function takeMessage(request, response) {
  let body = ''
  request.setEncoding('utf8')
  for await (const part of request) body += part
  const id = new URL(request.url, 'http://bare').searchParams.get('sessionId')
  sessions.get(id).onmessage(JSON.parse(body))
  response.writeHead(202).end('Accepted')
}

const server = createServer((request, response) => {
  if (request.url === '/mcp') return handle(request, response)
  return request.method === 'GET' ? openStream(response) : takeMessage(request, response)
})
server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`))
