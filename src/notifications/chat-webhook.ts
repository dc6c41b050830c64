// Posts messages to incoming webhooks of Slack, and of chats that accept the same JSON.
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { useAgent } from 'request-filtering-agent'
import { NotificationError } from './notification-error.ts'

const timeoutMs = 10_000

/** Why an address of a webhook can't be used; undefined if it can. */
export function findChatUrlProblem(
  address: string,
  allowedHosts: readonly string[],
): string | undefined {
  if (!URL.canParse(address)) return 'The address must be a URL: https://…'
  const { protocol, username, password } = new URL(address)
  if (username !== '' || password !== '') return 'The URL must not contain a username or password'
  if (protocol === 'https:') return undefined
  if (protocol === 'http:' && isAllowedHost(address, allowedHosts)) return undefined
  return 'The URL must begin with https://'
}

/**
 * Posts a message, as https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 * describes. Doesn't follow redirects, and connects to private networks only for the hosts that the
 * operator allows: people who set up channels must not reach what only this machine can reach.
 *
 * Throws NotificationError.
 *
 * @param text in Slack's markup
 * @param allowedHosts names of hosts that may have private addresses
 */
export async function postToChat(
  address: string,
  text: string,
  allowedHosts: readonly string[],
): Promise<void> {
  const response = await send(address, JSON.stringify({ text }), allowedHosts)
  // The answer has no further use, and its end frees the connection.
  response.resume()
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return
  throw new NotificationError(`The chat answered with HTTP status ${status}`, {
    retryable: status === 429 || status >= 500,
  })
}

async function send(
  address: string,
  body: string,
  allowedHosts: readonly string[],
): Promise<IncomingMessage> {
  const { request } = address.startsWith('https:') ? https : http
  const outgoing = request(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    signal: AbortSignal.timeout(timeoutMs),
    ...(!isAllowedHost(address, allowedHosts) && { agent: useAgent(address) }),
  })
  try {
    const answered = once(outgoing, 'response')
    outgoing.end(body)
    const [response] = (await answered) as [IncomingMessage]
    return response
  } catch (cause) {
    throw describeFailure(cause)
  }
}

function describeFailure(cause: unknown): NotificationError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  if (/ is not allowed\. Because, /.test(message)) {
    return new NotificationError(
      'The chat has an address in a private network: ask an administrator to add its host to ' +
        'NOTIFICATION_HOSTS',
    )
  }
  const reason = code.startsWith('E') ? ` (${code})` : ''
  return new NotificationError(`The chat could not be reached${reason}`, { retryable: true, cause })
}

function isAllowedHost(address: string, allowedHosts: readonly string[]): boolean {
  return allowedHosts.includes(new URL(address).hostname)
}
