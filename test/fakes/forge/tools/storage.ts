// The storage of artifacts: another server, which refuses tokens of the forge.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ForgeState } from '../state.ts'

/** Starts it with the first artifact. Its answers are those of a blob storage with signed URLs. */
export async function startStorage(state: ForgeState): Promise<string> {
  state.storageUrl ??= new Promise<string>((resolve, reject) => {
    const server = createServer((request, response) => {
      const found = findArchive(state, request.url ?? '')
      const status = request.headers.authorization === undefined ? (found ? 200 : 404) : 403
      response.writeHead(status, {
        'content-type': status === 200 ? 'application/zip' : 'text/xml',
      })
      response.end(status === 200 ? found : '<Error><Code>AuthenticationFailed</Code></Error>')
    })
    state.stop.signal.addEventListener('abort', () => {
      server.close()
      server.closeAllConnections()
    })
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    )
  })
  return state.storageUrl
}

function findArchive(state: ForgeState, address: string): Buffer | undefined {
  const id = Number(/^\/artifacts\/(\d+)\?sig=/.exec(address)?.[1])
  const all = [...state.repositories.values()].flatMap(({ tools }) => tools.workflowRuns)
  return all.flatMap(({ artifacts }) => artifacts).find((one) => one.id === id)?.archive
}
