// Tests what people read if an email can't be sent.
import { expect, it } from 'vitest'
import { sendMail } from '../src/notifications/send-mail.ts'
import { startMailServer } from './fakes/mail-server.ts'

const mail = { to: 'alice@example.com', subject: 'Subject', text: 'Text' }
const from = 'umpire@example.com'

it('names the reason if the mail server does not accept the account or is not there', async () => {
  await using server = await startMailServer()
  await sendMail({ url: server.url, from }, mail)
  expect(server.mails).toHaveLength(1)
  const url = server.url.replace(/:[^:@]+@/, ':another@')
  await expect(sendMail({ url, from }, mail)).rejects.toMatchObject({
    message:
      'The email could not be sent: the mail server rejected the username or password ' +
      '(SMTP status 535)',
    retryable: true,
  })
  await expect(sendMail({ url: 'smtp://127.0.0.1:1', from }, mail)).rejects.toMatchObject({
    message: expect.stringContaining('the mail server could not be reached'),
    retryable: true,
  })
})
