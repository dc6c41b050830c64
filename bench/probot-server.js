// The competitor of the intake benchmark: Probot's receiver with an empty handler and no storage. Plain JavaScript,
// so that the type check doesn't need it to be installed.
import { createServer } from 'node:http'

import { createNodeMiddleware, createProbot } from 'probot'

const probot = createProbot({
  overrides: {
    appId: 1,
    privateKey: process.env.PRIVATE_KEY ?? '',
    secret: process.env.WEBHOOK_SECRET ?? '',
    logLevel: 'fatal',
  },
})
const middleware = await createNodeMiddleware(
  (app) => {
    app.on('pull_request.opened', () => {})
  },
  { probot, webhooksPath: '/api/v1/webhooks/host' },
)
const server = createServer((request, response) => {
  middleware(request, response, () => response.writeHead(404).end())
})
server.listen(0, '127.0.0.1', () => console.log(`listening ${server.address().port}`))
