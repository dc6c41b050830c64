// Checks the addresses that repositories are fetched from.
import { BlockList, isIP } from 'node:net'
import { GitError } from '../domain/errors.ts'

/** `headers` (authorization) are passed to git in its environment, never in the URL. */
export interface RepositoryAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * This machine, private networks and cloud metadata services (RFC 1918, 3927, 4193, 6598): only a
 * configured platform may have such an address.
 */
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
 * Checks a clone address: https to a public host, or http or https to one of `trustedHosts`
 * (`host:port` of the configured platform, in the form of `URL.host`).
 *
 * @returns the normalized URL, which git must be given instead of the original
 * @throws GitError for every other scheme or host, for credentials in the URL, and for headers
 *   that could break out of their line
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
  if (!trustedHosts.includes(url.host)) checkPublicHost(url)
  checkHeaders(address.headers)
  return url
}

function checkPublicHost(url: URL): void {
  if (url.protocol !== 'https:')
    throw new GitError(`The clone address on ${url.host} must be an https URL.`)
  if (isPrivateHost(url.hostname))
    throw new GitError(`The clone address is on ${url.hostname}, which is not the platform.`)
}

function checkHeaders(headers: RepositoryAddress['headers']): void {
  for (const [name, value] of Object.entries(headers)) {
    const isSafe = /^[\w-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value)
    if (!isSafe) throw new GitError('A header for git is malformed.')
  }
}

/** Whether a host (as in `URL.hostname`) is an address of this machine or a private network. */
export function isPrivateHost(hostname: string): boolean {
  return isHostIn(privateAddresses, hostname)
}

/** Whether a host (as in `URL.hostname`) is an address of this machine. */
export function isLoopback(hostname: string): boolean {
  return isHostIn(loopbackAddresses, hostname)
}

function isHostIn(addresses: BlockList, hostname: string): boolean {
  const name = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const version = isIP(name)
  if (version === 0) return name === 'localhost' || name.endsWith('.localhost')
  return addresses.check(name, version === 4 ? 'ipv4' : 'ipv6')
}
