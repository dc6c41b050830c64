// Checks where a repository may be fetched from.
import { BlockList, isIP } from 'node:net'
import { GitError } from '../domain/errors.ts'

/** Where to fetch from. `headers` (authorization) reach git through its environment, never in the URL. */
export interface RepositoryAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Addresses that only a configured platform has: this machine, private networks, cloud metadata (RFC 1918, 3927, 4193, 6598). */
const privateAddresses = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateAddresses.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  privateAddresses.addSubnet(network, prefix, 'ipv6')

const loopbackAddresses = new BlockList()
loopbackAddresses.addSubnet('127.0.0.0', 8, 'ipv4')
loopbackAddresses.addAddress('::1', 'ipv6')

/**
 * Checks a clone address: https to a public host, or anything over http or https to one of `trustedHosts`
 * (`host:port`, as `URL.host` writes it: the configured platform's). Throws `GitError` for every other scheme,
 * host, credentials in the URL, and headers that could break out of their line.
 *
 * @returns the normalised URL, which is what git is to be given
 */
export function checkCloneAddress(
  address: RepositoryAddress,
  trustedHosts: readonly string[],
): URL {
  const url = URL.parse(address.url)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new GitError('The clone address must be an https URL.')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new GitError('The clone address must have no credentials, query or fragment.')
  if (!trustedHosts.includes(url.host)) {
    if (url.protocol !== 'https:')
      throw new GitError(`The clone address on ${url.host} must be an https URL.`)
    if (isPrivateHost(url.hostname))
      throw new GitError(`The clone address is on ${url.hostname}, which is not the platform.`)
  }
  for (const [name, value] of Object.entries(address.headers)) {
    if (!/^[\w-]+$/.test(name) || !/^[\x20-\x7e]*$/.test(value))
      throw new GitError('A header for git is malformed.')
  }
  return url
}

/** Whether a host (as in `URL.hostname`) is by its very address one of this machine or of a private network. */
export function isPrivateHost(hostname: string): boolean {
  return isHostIn(privateAddresses, hostname)
}

/** Whether a host is by its very address this machine. */
export function isLoopback(hostname: string): boolean {
  return isHostIn(loopbackAddresses, hostname)
}

function isHostIn(addresses: BlockList, hostname: string): boolean {
  const name = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const version = isIP(name)
  if (version === 0) return name === 'localhost' || name.endsWith('.localhost')
  return addresses.check(name, version === 4 ? 'ipv4' : 'ipv6')
}
