// Sends email through the SMTP server of the operator.
import { NotificationError } from './notification-error.ts'

interface MailServer {
  /** `smtp://` or `smtps://`, with the credentials. */
  readonly url: string
  readonly from: string
}

interface Mail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

const timeoutMs = 15_000

/** Sends an email. Throws NotificationError, which is retryable unless the server rejects it. */
export async function sendMail({ url, from }: MailServer, mail: Mail): Promise<void> {
  // Most services send no email, and the package takes time to load.
  const { createTransport } = await import('nodemailer')
  const timeouts = {
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  }
  const transport = createTransport({ url, ...timeouts, disableFileAccess: true })
  try {
    // As an object, the address can't be read as a list of several.
    await transport.sendMail({ ...mail, to: { name: '', address: mail.to }, from })
  } catch (cause) {
    const { responseCode } = cause as { responseCode?: number }
    const isRejected = responseCode !== undefined && responseCode >= 500
    const answer = responseCode === undefined ? '' : ` (SMTP status ${responseCode})`
    throw new NotificationError(
      isRejected
        ? `The mail server rejected the email${answer}`
        : `The email could not be sent${answer}`,
      { retryable: !isRejected, cause },
    )
  } finally {
    transport.close()
  }
}
