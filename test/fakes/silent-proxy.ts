// A proxy to a PostgreSQL server that can go silent with its connections kept open.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface SilentProxy extends AsyncDisposable {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Drops all traffic on existing connections, like a vanished machine; new connections work. */
  silence(): void
}

/** @param url of a server that listens on a unix socket, in the folder that `host` names */
export async function startSilentProxy(url: string): Promise<SilentProxy> {
  const target = new URL(url)
  const path = `${target.searchParams.get('host')}/.s.PGSQL.5432`
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((near) => {
    const far = connect(path)
    pairs.add([near, far])
    for (const socket of [near, far]) socket.on('error', () => undefined)
    near.pipe(far)
    far.pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `postgresql://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    silence() {
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        near.resume()
        far.resume()
      }
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
