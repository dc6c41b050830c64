// A mail server that stores what it gets.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

interface Mail {
  readonly to: readonly string[]
  readonly subject: string
  readonly body: string
}

interface MailServer extends AsyncDisposable {
  readonly url: string
  readonly mails: Mail[]
}

const account = { user: 'umpire', password: 'the password of the mail server' }

/** Starts a mail server. It rejects senders without a password, and mail to `nobody@…`. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = []
  const server = new SMTPServer({
    // Tests have no certificate.
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    onAuth({ username, password }, _session, done) {
      const isKnown = username === account.user && password === account.password
      done(isKnown ? null : new Error('Unknown user'), { user: username })
    },
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('nobody@') ? rejection() : null)
    },
    async onData(stream, { envelope }, done) {
      const raw = (await text(stream)).replaceAll('\r\n', '\n')
      const [head = ''] = raw.split('\n\n', 1)
      mails.push({
        to: envelope.rcptTo.map(({ address }) => address),
        subject: /^Subject: (.*(?:\n[ \t].*)*)/m.exec(head)?.[1]?.replace(/\n[ \t]/g, ' ') ?? '',
        body: raw.slice(head.length + 2),
      })
      done()
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const credentials = `${account.user}:${encodeURIComponent(account.password)}`
  return {
    url: `smtp://${credentials}@127.0.0.1:${port}`,
    mails,
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  }
}

function rejection(): Error {
  return Object.assign(new Error('No such mailbox'), { responseCode: 550 })
}
