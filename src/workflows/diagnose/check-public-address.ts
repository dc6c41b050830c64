// Checks by the kind of both addresses whether the platform can reach the service.
import { lookup } from 'node:dns/promises'
import type { Config } from '../../context.ts'
import { isLoopback, isPrivateHost } from '../../git/clone-address.ts'
import { type Observation, ok, problem, warning } from './check.ts'

/** An address can be reached from this machine, its network or the internet. */
const scopes = ['machine', 'network', 'world'] as const

interface Located {
  /** It is null if the name has no address. */
  readonly scope: (typeof scopes)[number] | null
  /** A name may have another address elsewhere, unlike `localhost` and an IP address. */
  readonly isSure: boolean
}

/** Whether other machines can reach it, by the address it listens on or its public URL. */
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
  const [ownAddress, platformAddress] = await Promise.all([
    locate(http.publicUrl),
    locate(platform.url),
  ])
  const sender = new URL(platform.url).hostname
  const remedy = `Set PUBLIC_URL to an address that ${sender} can reach; for a test, use a tunnel.`
  if (ownAddress.scope === null)
    return problem(`The name in PUBLIC_URL, ${http.publicUrl}, has no IP address.`, remedy)
  const needed = platformAddress.scope ?? 'world'
  if (scopes.indexOf(ownAddress.scope) < scopes.indexOf(needed)) {
    const message =
      `PUBLIC_URL is ${http.publicUrl}, which only this ${ownAddress.scope} can reach: ` +
      `${platform.url} can't deliver there.`
    return ownAddress.isSure
      ? problem(message, remedy)
      : warning(`Seen from here, ${message}`, remedy)
  }
  if (ownAddress.scope === 'world' && new URL(http.publicUrl).protocol === 'http:') {
    const message = `${http.publicUrl} is not encrypted: sessions and code can be read in transit.`
    return warning(
      message,
      'Put a proxy with a certificate before it, and set PUBLIC_URL to its https address.',
    )
  }
  return ok(`${platform.url} may be able to deliver to ${http.publicUrl}.`)
}

async function locate(address: string): Promise<Located> {
  const { hostname } = new URL(address)
  const scope = scopeOf(hostname)
  if (scope !== 'world') return { scope, isSure: true }
  const found = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => [])
  const seen = found.map((entry) => scopes.indexOf(scopeOf(entry.address)))
  return { scope: seen.length === 0 ? null : scopes[Math.max(...seen)]!, isSure: false }
}

function scopeOf(hostname: string): (typeof scopes)[number] {
  if (isLoopback(hostname)) return 'machine'
  return isPrivateHost(hostname) ? 'network' : 'world'
}
