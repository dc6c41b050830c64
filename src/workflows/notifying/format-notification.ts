// Formats notifications as a chat message and as an email. Titles and paths are untrusted.
import { toHostPath } from '../../contract/repository-name.ts'
import type { Notification } from '../../events/notifications.ts'
import { wordJoiner } from '../posting/break-commands.ts'
import { removeInvisible } from '../posting/escape-markdown.ts'

/** Reviews of one message; further ones are counted. */
const maxReviews = 20
/** Findings of one review; further ones are counted. */
const maxFindings = 10
const maxLength = 200

/** @param publicUrl where people reach the service */
export function formatChatMessage(
  notifications: readonly Notification[],
  publicUrl: string,
): string {
  const reviews = notifications.slice(0, maxReviews).map((notification) => {
    const { findings, title } = notification
    const name = escapeChat(`${nameOf(notification)}: ${title}`)
    const lines = listFindings(findings, (text) => escapeChat(text))
    return [
      `*${countFindings(findings.length)}* in <${urlOf(notification, publicUrl)}|${name}> ` +
        `by ${escapeChat(notification.author)}`,
      ...lines.map((line) => `• ${line}`),
    ].join('\n')
  })
  return [...reviews, ...countRest(notifications)].join('\n\n')
}

/** @param serviceName begins the subject, so that people can filter by it */
export function formatMail(
  notifications: readonly Notification[],
  { publicUrl, serviceName }: { readonly publicUrl: string; readonly serviceName: string },
): { subject: string; text: string } {
  const total = notifications.reduce((sum, { findings }) => sum + findings.length, 0)
  const [first] = notifications
  const where =
    notifications.length === 1 ? nameOf(first!) : `${notifications.length} pull requests`
  const reviews = notifications.slice(0, maxReviews).map((notification) => {
    const { findings, title, author } = notification
    return [
      `${nameOf(notification)}: ${cleanLine(title)}, by ${cleanLine(author)}`,
      ...listFindings(findings, cleanLine).map((line) => `- ${line}`),
      urlOf(notification, publicUrl),
    ].join('\n')
  })
  const settings = `To stop these emails: ${publicUrl}/settings?tab=notifications`
  return {
    subject: `[${serviceName}] ${countFindings(total)} in ${where}`,
    text: `${[...reviews, ...countRest(notifications), settings].join('\n\n')}\n`,
  }
}

function countFindings(count: number): string {
  return `${count} critical ${count === 1 ? 'finding' : 'findings'}`
}

function nameOf({ repo, number }: Notification): string {
  return `${toHostPath(repo)}#${number}`
}

function urlOf({ eventId }: Notification, publicUrl: string): string {
  return eventId === null ? publicUrl : `${publicUrl}/reviews/${eventId}`
}

function listFindings(
  findings: Notification['findings'],
  clean: (text: string) => string,
): string[] {
  const lines = findings
    .slice(0, maxFindings)
    .map(({ title, path, startLine }) => `${clean(title)} (${clean(path)}:${startLine})`)
  const rest = findings.length - lines.length
  return rest > 0 ? [...lines, `and ${rest} more`] : lines
}

function countRest(notifications: readonly Notification[]): string[] {
  const rest = notifications.length - maxReviews
  return rest > 0 ? [`And ${rest} more ${rest === 1 ? 'pull request' : 'pull requests'}`] : []
}

/** Returns one line of visible text. */
function cleanLine(text: string): string {
  return removeInvisible(text).replace(/\s+/g, ' ').trim().slice(0, maxLength)
}

/**
 * Escapes text for Slack, and for chats that read it as Markdown: it mentions nobody, and contains
 * no links.
 */
function escapeChat(text: string): string {
  return cleanLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('|', '¦')
    .replace(/@|www(?=\.)|\](?=[([])|:(?=\/\/)/gi, `$&${wordJoiner}`)
}
