// Makes the metrics available to Prometheus at a separate address.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../domain/errors.ts'
import type { Log } from '../lib/logger.ts'
import type { Prometheus } from '../metrics/prometheus.ts'

interface MetricsServer extends AsyncDisposable {
  readonly address: AddressInfo
}

/**
 * Serves `GET /metrics` without authentication, and nothing else.
 *
 * @throws ConfigError if it can't listen at the address
 */
export async function startMetricsServer(
  { host, port }: { host: string; port: number },
  prometheus: Prometheus,
  log: Log,
): Promise<MetricsServer> {
  const limits = {
    headersTimeout: 5_000,
    requestTimeout: 5_000,
    connectionsCheckingInterval: 2_000,
  }
  const server = createServer(limits, ({ method, url }, response) => {
    if (method === 'GET' && url?.split('?')[0] === '/metrics') {
      void sendMetrics(prometheus, response, log)
    } else {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n')
    }
  })
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(
      `It can't serve metrics on ${host}, port ${port} (${code}): ` +
        'choose others with METRICS_HOST and METRICS_PORT.',
    )
  }
  return {
    address: server.address() as AddressInfo,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function sendMetrics(
  prometheus: Prometheus,
  response: ServerResponse,
  log: Log,
): Promise<void> {
  try {
    const text = await prometheus.render()
    response.writeHead(200, { 'content-type': prometheus.contentType }).end(text)
  } catch (error) {
    log.error({ err: error }, 'The metrics could not be read')
    response.writeHead(500, { 'content-type': 'text/plain' }).end('The metrics could not be read\n')
  }
}
