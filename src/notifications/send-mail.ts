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
    throw toNotificationError(cause)
  } finally {
    transport.close()
  }
}

/** Errors of the operator's settings, by the codes of nodemailer. The next try may succeed. */
const reasons: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server rejected the username or password',
  EDNS: 'the name of the mail server could not be resolved',
  ESOCKET: 'the mail server could not be reached, or its certificate is not trusted',
  ETIMEDOUT: 'the mail server did not respond in time',
}

function toNotificationError(cause: unknown): NotificationError {
  const { code = '', responseCode = 0 } = cause as { code?: string; responseCode?: number }
  const status = responseCode === 0 ? '' : ` (SMTP status ${responseCode})`
  const reason = reasons[code]
  if (reason !== undefined || responseCode < 500) {
    const message = `The email could not be sent${reason ? `: ${reason}` : ''}${status}`
    return new NotificationError(message, { retryable: true, cause })
  }
  return new NotificationError(`The mail server rejected the email${status}`, {
    retryable: false,
    cause,
  })
}
