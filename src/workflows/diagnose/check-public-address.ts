// Checks whether the platform can reach us at all: by what kind of address each of the two has.
import { lookup } from 'node:dns/promises'
import type { Config } from '../../config/config.ts'
import { isLoopback, isPrivateHost } from '../../git/clone-address.ts'
import { type Observation, ok, problem, warning } from './check.ts'

/** From whom it can be reached: this machine, its network, everybody. */
const reaches = ['machine', 'network', 'world'] as const

interface Located {
  /** Null where the name stands for nothing. */
  readonly reach: (typeof reaches)[number] | null
  /** The address itself says so, or `localhost`; a name may stand for another address elsewhere. */
  readonly isSure: boolean
}

/** Whether others than this machine's own users may reach it: by where it listens, or by the address that it is known under. */
export function isReachableByOthers({
  host,
  publicUrl,
}: Pick<Config['http'], 'host' | 'publicUrl'>): boolean {
  return !isLoopback(host) || !isLoopback(new URL(publicUrl).hostname)
}

/** Compares PUBLIC_URL with the address of the platform. */
export async function checkPublicAddress({
  http,
  platform,
}: Pick<Config, 'http' | 'platform'>): Promise<Observation> {
  const [own, theirs] = await Promise.all([locate(http.publicUrl), locate(platform.url)])
  const remedy =
    'Set PUBLIC_URL to an address that the platform can reach; for a try, that of a tunnel to this machine.'
  if (own.reach === null)
    return problem(`The name in PUBLIC_URL, ${http.publicUrl}, stands for no address.`, remedy)
  const needed = theirs.reach ?? 'world'
  if (reaches.indexOf(own.reach) < reaches.indexOf(needed)) {
    const message = `PUBLIC_URL is ${http.publicUrl}, which only this ${own.reach} reaches: ${platform.url} can't deliver there.`
    return own.isSure ? problem(message, remedy) : warning(`Seen from here, ${message}`, remedy)
  }
  if (own.reach === 'world' && new URL(http.publicUrl).protocol === 'http:') {
    const message = `${http.publicUrl} is not encrypted: sessions and code can be read on their way.`
    return warning(
      message,
      'Put a proxy with a certificate before it, and set PUBLIC_URL to its https address.',
    )
  }
  return ok(`${platform.url} may be able to deliver to ${http.publicUrl}.`)
}

async function locate(address: string): Promise<Located> {
  const { hostname } = new URL(address)
  const own = reachOf(hostname)
  if (own !== 'world') return { reach: own, isSure: true }
  const found = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => [])
  const seen = found.map((entry) => reaches.indexOf(reachOf(entry.address)))
  return { reach: seen.length === 0 ? null : reaches[Math.max(...seen)]!, isSure: false }
}

function reachOf(hostname: string): (typeof reaches)[number] {
  if (isLoopback(hostname)) return 'machine'
  return isPrivateHost(hostname) ? 'network' : 'world'
}
