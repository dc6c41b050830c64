// Sends prepared requests over keep-alive connections with little CPU use of its own.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface LoadResult {
  /** Requests per second over the whole run. */
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/**
 * Sends each request once, over `concurrency` connections that each wait for the response.
 *
 * @throws Error for a status other than `expectedStatus`
 */
export async function sendRequests(
  target: { host: string; port: number },
  requests: readonly Buffer[],
  concurrency: number,
  expectedStatus = 200,
): Promise<LoadResult> {
  const sockets = await Promise.all(
    Array.from({ length: concurrency }, () => openConnection(target)),
  )
  const latencies: number[] = []
  let next = 0
  const start = performance.now()
  await Promise.all(
    sockets.map(async (socket) => {
      for (let index = next++; index < requests.length; index = next++) {
        const sent = performance.now()
        const status = await exchange(socket, requests[index] as Buffer)
        if (status !== expectedStatus) throw new Error(`Unexpected status ${status}`)
        latencies.push(performance.now() - sent)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  for (const socket of sockets) socket.destroy()
  return summarizeLatencies(latencies, seconds)
}

/** Summarizes latencies in milliseconds and the total duration in seconds. */
export function summarizeLatencies(latencies: number[], seconds: number): LoadResult {
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { rate: latencies.length / seconds, p50: at(0.5), p99: at(0.99) }
}

export async function openConnection({
  host,
  port,
}: {
  host: string
  port: number
}): Promise<Socket> {
  const socket = connect(port, host).setNoDelay(true)
  await once(socket, 'connect')
  return socket
}

/** Sends one request and returns its status. Responses must have a content length. */
export function exchange(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const finish = () => {
      socket.off('data', onData).off('error', reject).off('close', onClose)
    }
    const onClose = () => reject(new Error('The connection was closed'))
    const onData = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      const end = answer.indexOf('\r\n\r\n')
      if (end === -1) return
      const isChunked = /\r\ntransfer-encoding: chunked/i.test(answer)
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? 0)
      if (isChunked ? !answer.endsWith('0\r\n\r\n') : answer.length < end + 4 + length) return
      finish()
      resolve(Number(answer.slice(9, 12)))
    }
    socket.on('data', onData).on('error', reject).on('close', onClose)
    socket.write(request)
  })
}
